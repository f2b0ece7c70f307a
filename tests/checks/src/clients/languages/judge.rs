//! What the output of a program means.

use super::Tally;
use super::programs::Output;

/// Counts the checks of a program, and one more if it has failed.
pub fn judge(language: &str, output: Result<Output, String>, tally: &mut Tally) {
    let Output { is_success, out, err } = match output {
        Ok(output) => output,
        Err(why) => return tally.take(&format!("{language}: the program"), Err(why)),
    };
    let mut count = 0;
    for line in out.lines() {
        if let Some(name) = line.strip_prefix("ok: ") {
            count += 1;
            tally.take(&format!("{language}: {name}"), Ok(()));
        } else if line.starts_with("left out: ") {
            tally.notes.push(format!("{language}: {line}"));
        }
    }
    // A program that ends early has not checked everything.
    let end = format!("{count} of {count} checks");
    if !is_success || count == 0 || out.lines().last() != Some(&end) {
        let why = if err.is_empty() { format!("expected `{end}` at the end of\n{out}") } else { err };
        tally.take(&format!("{language}: the check after {count} others"), Err(why));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many checks a program has passed, of how many, and the notes.
    fn judged(is_success: bool, out: &str) -> (usize, usize, Vec<String>) {
        let mut tally = Tally::default();
        judge("go", Ok(Output { is_success, out: out.to_owned(), err: String::new() }), &mut tally);
        let report = tally.report(Vec::new());
        (report.passed, report.total, report.notes)
    }

    #[test]
    fn every_check_counts() {
        assert_eq!(judged(true, "ok: a\nsomething\nok: b\n2 of 2 checks\n"), (2, 2, vec![]));
        let left_out = vec!["go: left out: b: there is none".to_owned()];
        assert_eq!(judged(true, "ok: a\nleft out: b: there is none\n1 of 1 checks\n"), (1, 1, left_out));
    }

    #[test]
    fn what_ends_early_has_failed() {
        for (is_success, out) in [
            (false, "ok: a\n"),
            (true, "ok: a\n"),
            (true, "ok: a\n2 of 2 checks\n"),
            (false, "ok: a\n1 of 1 checks\n"),
        ] {
            assert_eq!(judged(is_success, out), (1, 2, vec![]), "{out}");
        }
        assert_eq!(judged(true, "0 of 0 checks\n"), (0, 1, vec![]));
        let mut tally = Tally::default();
        judge("go", Err("go: not found".to_owned()), &mut tally);
        assert_eq!(tally.report(Vec::new()).failures.len(), 1);
    }
}
