//! Which tests must pass, and which cannot.

use super::suite::Spec;

/// A test that fails.
struct Listed {
    suite: &'static str,
    spec: &'static str,
    /// A text in its failure.
    contains: &'static str,
    /// Why it fails.
    why: &'static str,
}

/// All tests that fail.
const LISTED: &[Listed] = &[Listed {
    suite: "client",
    spec: "Client Apply Structured Client should propagate a typed error",
    contains: "to be true",
    why: "the type of a Secret can be changed: validation follows the schema only",
}];

/// What is to be said of a test.
pub struct Verdict {
    pub spec: String,
    pub result: Result<(), String>,
    /// Why it fails as it must, if it is listed.
    pub listed: Option<&'static str>,
}

/// Judges what the tests of a suite say here, and perhaps there. A listed test passes if it fails as the list contains: the list
/// has no more than what is so.
pub fn judge(suite: &str, ours: &[Spec], theirs: Option<&[Spec]>) -> Vec<Verdict> {
    let listed = |spec: &Spec| LISTED.iter().find(|listed| listed.suite == suite && listed.spec == spec.name);
    let verdict = |spec: &Spec| {
        let there = theirs.map(|theirs| theirs.iter().find(|other| other.name == spec.name));
        let passes_there = match there {
            Some(None) => Err("it does not run on the real programs".to_owned()),
            Some(Some(Spec { failure: Some(why), .. })) => Err(format!("on the real programs: {why}")),
            None | Some(Some(_)) => Ok(()),
        };
        let (result, why) = match (listed(spec), &spec.failure) {
            (None, None) => (Ok(()), None),
            (None, Some(why)) => (Err(why.clone()), None),
            (Some(listed), Some(why)) if why.contains(listed.contains) => (Ok(()), Some(listed.why)),
            (Some(listed), Some(why)) => {
                (Err(format!("expected a failure with `{}`, found {why}", listed.contains)), None)
            }
            (Some(_), None) => (Err("it is listed as one that fails, and passes".to_owned()), None),
        };
        Verdict { spec: spec.name.clone(), result: passes_there.and(result), listed: why }
    };
    let mut verdicts: Vec<Verdict> = ours.iter().map(verdict).collect();
    for other in theirs.unwrap_or_default() {
        if !ours.iter().any(|spec| spec.name == other.name) {
            let result = Err("it runs on the real programs only".to_owned());
            verdicts.push(Verdict { spec: other.name.clone(), result, listed: None });
        }
    }
    verdicts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str, failure: Option<&str>) -> Spec {
        Spec { name: name.to_owned(), failure: failure.map(str::to_owned) }
    }

    fn judged(ours: &[Spec], theirs: Option<&[Spec]>) -> Vec<Result<(), String>> {
        judge("client", ours, theirs).into_iter().map(|verdict| verdict.result).collect()
    }

    #[test]
    fn a_listed_test_fails_as_listed() {
        let name = "Client Apply Structured Client should propagate a typed error";
        let as_listed = [spec(name, Some("failed: Expected\n    <bool>: false\nto be true"))];
        assert_eq!(judged(&as_listed, None), [Ok(())]);
        assert!(judge("client", &as_listed, None)[0].listed.is_some());
        // The same name in another suite is another test.
        assert!(judge("cache", &as_listed, None)[0].result.is_err());
        for other in [Some("panicked: index out of range"), None] {
            assert!(judged(&[spec(name, other)], None)[0].is_err(), "{other:?}");
        }
    }

    #[test]
    fn the_real_programs_have_the_last_word() {
        let passes = [spec("a", None)];
        assert_eq!(judged(&passes, Some(&[spec("a", None)])), [Ok(())]);
        assert!(judged(&passes, Some(&[spec("a", Some("failed"))]))[0].is_err());
        let verdicts = judged(&passes, Some(&[spec("b", None)]));
        assert!(verdicts.len() == 2 && verdicts.iter().all(Result::is_err), "{verdicts:?}");
    }
}
