//! Addresses of RFC 5322, as Go's `mail.ParseAddress` reads them: `a@example.com`, `Name <a@example.com>`, or a group
//! of one address.

use super::{codes, net};

pub(super) fn is_email(text: &str) -> bool {
    let mut reader = Reader { rest: text };
    reader.address(true) == Some(1) && reader.comments() && reader.rest.is_empty()
}

/// Reads an address from the beginning of a text. Functions that fail may leave `rest` anywhere.
struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    /// The number of addresses: one, or those of a group.
    fn address(&mut self, may_be_group: bool) -> Option<usize> {
        self.blanks();
        let start = self.rest;
        if self.mailbox().is_some() {
            self.blanks();
            if let Some(comment) = self.rest.strip_prefix('(') {
                self.rest = comment;
                let text = self.comment()?;
                text.split([' ', '\t']).all(is_known_charset).then_some(())?;
            }
            return Some(1);
        }
        self.rest = start;
        if !self.rest.starts_with('<') {
            self.phrase()?;
        }
        self.blanks();
        if may_be_group && self.consume(':') {
            return self.group();
        }
        self.consume('<').then_some(())?;
        self.mailbox()?;
        self.consume('>').then_some(1)
    }

    fn group(&mut self) -> Option<usize> {
        self.blanks();
        let mut count = 0;
        if !self.consume(';') {
            loop {
                self.blanks();
                count += self.address(false)?;
                self.comments().then_some(())?;
                if self.consume(';') {
                    break;
                }
                self.consume(',').then_some(())?;
            }
        }
        self.comments().then_some(count)
    }

    /// `local@domain`.
    fn mailbox(&mut self) -> Option<()> {
        self.blanks();
        if self.rest.starts_with('"') {
            self.quoted().filter(|text| !text.is_empty())?;
        } else {
            self.dotted_atom()?;
        }
        self.consume('@').then_some(())?;
        self.blanks();
        match self.rest.strip_prefix('[') {
            Some(literal) => {
                let (address, rest) = literal.split_once(']')?;
                self.rest = rest;
                net::is_ip(address).then_some(())
            }
            None => self.dotted_atom(),
        }
    }

    /// The words before an angle bracket. What follows the first word may be anything.
    fn phrase(&mut self) -> Option<()> {
        let mut is_first = true;
        loop {
            if !is_first && !self.comments() {
                return None;
            }
            self.blanks();
            if self.rest.is_empty() {
                return Some(());
            }
            let is_word = if self.rest.starts_with('"') {
                self.quoted().is_some()
            } else {
                self.atom().is_some_and(is_known_charset)
            };
            if !is_word {
                return (!is_first).then_some(());
            }
            is_first = false;
        }
    }

    fn dotted_atom(&mut self) -> Option<()> {
        let atom = self.atom()?;
        (!atom.starts_with('.') && !atom.ends_with('.') && !atom.contains("..")).then_some(())
    }

    fn atom(&mut self) -> Option<&str> {
        let is_atom = |c: char| is_visible(c) && !"()<>[]:;@\\,\"".contains(c);
        let end = self.rest.find(|c| !is_atom(c)).unwrap_or(self.rest.len());
        let (atom, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!atom.is_empty()).then_some(atom)
    }

    /// The text of a quoted string, with its backslashes.
    fn quoted(&mut self) -> Option<&str> {
        let text = self.rest.strip_prefix('"')?;
        let mut is_escaped = false;
        for (at, c) in text.char_indices() {
            match c {
                c if !is_visible(c) && c != ' ' && c != '\t' => return None,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => {
                    self.rest = &text[at + 1..];
                    return Some(&text[..at]);
                }
                _ => {}
            }
        }
        None
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn consume(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Skips blanks and comments. Fails if a comment does not end.
    fn comments(&mut self) -> bool {
        self.blanks();
        while self.consume('(') {
            if self.comment().is_none() {
                return false;
            }
            self.blanks();
        }
        true
    }

    /// The text of a comment, after its first parenthesis. Comments nest.
    fn comment(&mut self) -> Option<&str> {
        let text = self.rest;
        let mut depth = 1;
        let mut is_escaped = false;
        for (at, c) in text.char_indices() {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.rest = &text[at + 1..];
                return Some(&text[..at]);
            }
        }
        None
    }
}

fn is_visible(c: char) -> bool {
    !c.is_ascii() || ('!'..='~').contains(&c)
}

/// Whether a word is not encoded (`=?charset?q?text?=`), or in one of the character sets that Go knows.
fn is_known_charset(word: &str) -> bool {
    let Some(encoded) = word.strip_prefix("=?").and_then(|word| word.strip_suffix("?=")) else { return true };
    let parts: Vec<&str> = encoded.split('?').collect();
    let [charset, encoding, text] = parts[..] else { return true };
    let is_text = match encoding {
        "q" | "Q" => is_quoted_printable(text),
        "b" | "B" => text.is_empty() || codes::is_base64(text),
        _ => false,
    };
    !is_text
        || charset.is_empty()
        || ["utf-8", "iso-8859-1", "us-ascii"].iter().any(|known| known.eq_ignore_ascii_case(charset))
}

/// Visible ASCII, in which two hexadecimal digits follow each `=`.
fn is_quoted_printable(text: &str) -> bool {
    let is_escape =
        |after: &str| after.get(..2).is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    text.is_ascii() && text.split('=').skip(1).all(is_escape)
}

#[cfg(test)]
mod tests {
    use super::is_email;

    #[test]
    fn addresses() {
        for good in [
            "a@example.com",
            " a.b+c@example.com ",
            "Name <a@example.com>",
            "\"Full Name\" <a@example.com>",
            "<a@example.com>",
            "\"a b\"@example.com",
            "a@[1.2.3.4]",
            "a@[::1]",
            "é@例え.jp",
            "a@localhost",
            "a@example.com (comment (nested))",
            "group: a@example.com;",
            "=?utf-8?q?J=C3=B6rg?= <a@example.com>",
            "John Q. Public <a@example.com>",
        ] {
            assert!(is_email(good), "{good}");
        }
        for bad in [
            "",
            "a",
            "a@",
            "@example.com",
            "a b@example.com",
            "a..b@example.com",
            ".a@example.com",
            "a@example..com",
            "a@b@c",
            "a@example.com,b@example.com",
            "Name <a@example.com",
            "Name a@example.com",
            "\"\"@example.com",
            "a@[example]",
            "group:;",
            "group: a@x, b@x;",
            "a@example.com (comment",
            "=?x-other?q?a?= <a@example.com>",
        ] {
            assert!(!is_email(bad), "{bad}");
        }
    }
}
