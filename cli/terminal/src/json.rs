//! Diagnostics for programs.

use hubgen_diagnostic::Diagnostic;
use serde_json::{Map, Value};

/// A diagnostic as an object with the members `severity`, `file`, `line`, `column`, `path`, `message` and
/// `help`. A member that does not apply is absent.
pub fn to_json(diagnostic: &Diagnostic) -> Value {
    let Diagnostic { severity, file, line, column, path, message, help, .. } = diagnostic;
    let file = file.display().to_string();
    let text = |text: &str| (!text.is_empty()).then(|| Value::from(text));
    let number = |number: u32| (number > 0).then(|| Value::from(number));
    let members = [
        ("severity", Some(severity.name().into())),
        ("file", text(&file)),
        ("line", number(*line)),
        ("column", number(*column)),
        ("path", text(path)),
        ("message", Some(message.as_str().into())),
        ("help", text(help)),
    ];
    let present = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(present.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use hubgen_diagnostic::Source;
    use serde_json::json;

    use super::*;

    #[test]
    fn members_that_do_not_apply_are_absent() {
        let error = Source::new("a.yaml", "a:\n  b: 1\n").error(5..6, "a.b", "expected a string", "quote it");
        let expected = json!({
            "severity": "error", "file": "a.yaml", "line": 2, "column": 3,
            "path": "a.b", "message": "expected a string", "help": "quote it",
        });
        assert_eq!(to_json(&error), expected);
        let warning = Diagnostic::message("a comment is lost", "").warning();
        assert_eq!(to_json(&warning), json!({"severity": "warning", "message": "a comment is lost"}));
    }
}
