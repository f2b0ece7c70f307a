//! Which tests of a client's own suites must pass, and which cannot.

use super::tally::Tally;

/// What has become of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Its names, from the outermost one.
    pub name: String,
    /// Why it failed.
    pub failure: Option<String>,
}

/// A test that fails.
pub struct Listed {
    pub suite: &'static str,
    pub spec: &'static str,
    /// A text in its failure.
    pub contains: &'static str,
    /// Why it fails.
    pub why: &'static str,
}

/// What is to be said of a test.
pub struct Verdict {
    pub spec: String,
    pub result: Result<(), String>,
    /// Why it fails as it must, if it is listed.
    pub listed: Option<&'static str>,
}

/// Judges what the tests of a suite say here, and perhaps on the real programs. A listed test passes if it fails as the list
/// contains: the list has no more than what is so.
pub fn judge(all_listed: &[Listed], suite: &str, ours: &[Spec], theirs: Option<&[Spec]>) -> Vec<Verdict> {
    let listed =
        |spec: &Spec| all_listed.iter().find(|listed| listed.suite == suite && listed.spec == spec.name);
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

/// Counts verdicts, with a note about each listed test. Returns how many are listed.
pub fn count(suite: &str, verdicts: Vec<Verdict>, tally: &mut Tally) -> usize {
    let mut listed = 0;
    for Verdict { spec, result, listed: why } in verdicts {
        if let Some(why) = why {
            listed += 1;
            tally.notes.push(format!("listed: {suite}: {spec}: {why}"));
        }
        tally.take(&format!("{suite}: {spec}"), result);
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str, failure: Option<&str>) -> Spec {
        Spec { name: name.to_owned(), failure: failure.map(str::to_owned) }
    }

    const LISTED: &[Listed] =
        &[Listed { suite: "client", spec: "Client b", contains: "to be true", why: "a reason" }];

    fn judged(ours: &[Spec], theirs: Option<&[Spec]>) -> Vec<Result<(), String>> {
        judge(LISTED, "client", ours, theirs).into_iter().map(|verdict| verdict.result).collect()
    }

    #[test]
    fn a_listed_test_fails_as_listed() {
        let name = "Client b";
        let as_listed = [spec(name, Some("failed: Expected\n    <bool>: false\nto be true"))];
        assert_eq!(judged(&as_listed, None), [Ok(())]);
        assert!(judge(LISTED, "client", &as_listed, None)[0].listed.is_some());
        // The same name in another suite is another test.
        assert!(judge(LISTED, "cache", &as_listed, None)[0].result.is_err());
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
