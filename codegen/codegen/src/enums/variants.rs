//! The variants of an enum: a name in Rust for each word.

use std::collections::HashSet;

use serde_json::Value;

use crate::naming::is_ident;

/// A variant of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Its name in Rust: `DigitalSignature`.
    pub name: String,
    /// Its word in JSON: `digital signature`.
    pub word: String,
}

/// A variant for each word; `None` if there are no words, or not all of them are strings that become
/// different names: `keep` and `Keep` do not. A field that may be `null` lists `null`, which is no word.
pub(super) fn variants(words: &[&Value]) -> Option<Vec<Variant>> {
    let words = words.iter().filter(|word| !word.is_null());
    let words: Vec<&str> = words.map(|word| word.as_str()).collect::<Option<_>>()?;
    let is_first = |(at, word): &(usize, &&str)| !words[..*at].contains(word);
    let mut names = HashSet::new();
    let mut variant = |word: &str| {
        let name = name(word)?;
        names.insert(name.clone()).then(|| Variant { name, word: word.to_owned() })
    };
    let variants = words
        .iter()
        .enumerate()
        .filter(is_first)
        .map(|(_, word)| variant(word))
        .collect::<Option<Vec<_>>>()?;
    (!variants.is_empty()).then_some(variants)
}

/// The name of the variant for all other words.
pub(super) fn other(variants: &[Variant]) -> String {
    let is_free = |name: &String| variants.iter().all(|variant| variant.name != *name);
    let mut names = ["Other", "OtherWord"].map(str::to_owned).into_iter();
    let numbered = || (2..).map(|number| format!("Other{number}")).find(is_free);
    names.find(is_free).or_else(numbered).unwrap_or_default()
}

/// The name of a word's variant: `Rsa`, `DigitalSignature`, `NotEqual`; `None` if the word has letters
/// or symbols that have no name here.
fn name(word: &str) -> Option<String> {
    let mut out = String::with_capacity(word.len());
    for part in parts(word)? {
        // `1.2` is not `12`.
        if out.ends_with(|c: char| c.is_ascii_digit()) && part.starts_with(|c: char| c.is_ascii_digit()) {
            out.push('_');
        }
        out.push_str(&part);
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    if !is_ident(&out) {
        out.push('_');
    }
    Some(out)
}

/// The parts of a word in a name, each with a capital: `Digital` and `Signature`. `None` if the word has
/// no name.
pub(super) fn parts(word: &str) -> Option<Vec<String>> {
    if word.is_empty() {
        return Some(vec!["Empty".to_owned()]);
    }
    let mut spelled = String::with_capacity(word.len());
    for c in word.chars() {
        match symbol(c) {
            Some(name) => spelled.extend([" ", name, " "]),
            None if c.is_ascii_alphanumeric() || is_separator(c) => spelled.push(c),
            None => return None,
        }
    }
    let parts: Vec<String> =
        spelled.split(is_separator).filter(|part| !part.is_empty()).map(capitalized).collect();
    (!parts.is_empty()).then_some(parts)
}

/// Whether a character separates the words in a name.
fn is_separator(c: char) -> bool {
    matches!(c, ' ' | ',' | '-' | '_' | '.' | '/' | ':')
}

/// A symbol in a name: `!=` is `NotEqual`, `s3:*` is `S3Star`.
fn symbol(c: char) -> Option<&'static str> {
    Some(match c {
        '*' => "Star",
        '=' => "Equal",
        '!' => "Not",
        '<' => "Less",
        '>' => "Greater",
        '~' => "Tilde",
        '+' => "Plus",
        '&' => "And",
        '|' => "Or",
        '%' => "Percent",
        _ => return None,
    })
}

/// A part of a word with a capital at its beginning, and with acronyms as words: `RSA` is `Rsa`,
/// `ClusterIP` is `ClusterIp`, `HTTPRoute` is `HttpRoute`, `TLSv1` is `Tlsv1`.
fn capitalized(part: &str) -> String {
    let chars: Vec<char> = part.chars().collect();
    let is = |at: usize, test: fn(&char) -> bool| chars.get(at).is_some_and(test);
    let letter = |(at, c): (usize, &char)| {
        let follows_capital = at > 0 && is(at - 1, char::is_ascii_uppercase);
        // A capital before two small letters begins a word.
        let begins_word = is(at + 1, char::is_ascii_lowercase) && is(at + 2, char::is_ascii_lowercase);
        match c {
            c if at == 0 => c.to_ascii_uppercase(),
            c if follows_capital && !begins_word => c.to_ascii_lowercase(),
            c => *c,
        }
    };
    chars.iter().enumerate().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_become_names() {
        for (word, expected) in [
            ("RSA", "Rsa"),
            ("Ed25519", "Ed25519"),
            ("digital signature", "DigitalSignature"),
            ("s/mime", "SMime"),
            ("ClusterIP", "ClusterIp"),
            ("HTTPRoute", "HttpRoute"),
            ("TLSv1.2", "Tlsv1_2"),
            ("NodeIPs", "NodeIps"),
            ("allow-all", "AllowAll"),
            ("ALLOW_ALL", "AllowAll"),
            ("x86_64", "X86_64"),
            ("3des", "_3des"),
            ("!=", "NotEqual"),
            ("read, write", "ReadWrite"),
            ("s3:ObjectCreated:*", "S3ObjectCreatedStar"),
            ("self", "Self_"),
            ("", "Empty"),
        ] {
            assert_eq!(name(word).as_deref(), Some(expected), "{word}");
        }
        for word in ["größe", "-", "$.x"] {
            assert_eq!(name(word), None, "{word}");
        }
    }

    #[test]
    fn all_words_have_different_names() {
        let found = |words: &[Value]| {
            let found = variants(&words.iter().collect::<Vec<_>>());
            found.map(|all| all.into_iter().map(|variant| variant.name).collect::<Vec<_>>())
        };
        assert_eq!(found(&[json!("a"), json!("b-c"), Value::Null]), Some(vec!["A".into(), "BC".into()]));
        assert_eq!(found(&[json!("a"), json!("a")]), Some(vec!["A".into()]));
        assert_eq!(found(&[json!("a"), json!("A")]), None);
        assert_eq!(found(&[json!("a"), json!(1)]), None);
        assert_eq!(found(&[Value::Null]), None);
    }

    #[test]
    fn the_variant_for_other_words_has_a_free_name() {
        let all = |words: &[&str]| {
            words
                .iter()
                .map(|word| Variant { name: (*word).into(), word: (*word).into() })
                .collect::<Vec<_>>()
        };
        assert_eq!(other(&all(&["A"])), "Other");
        assert_eq!(other(&all(&["Other"])), "OtherWord");
        assert_eq!(other(&all(&["Other", "OtherWord", "Other2"])), "Other3");
    }
}
