//! Text that grows without being moved.

/// Bytes of a part, unless more come at once.
const PART: usize = 64 * 1024;

/// A text in parts: one that gets longer costs no more than itself.
#[derive(Clone, Debug, Default)]
pub struct Text(Vec<String>);

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(vec![text])
    }
}

impl Text {
    /// Appends a text.
    pub fn push_str(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(last) if last.capacity() - last.len() >= text.len() => last.push_str(text),
            _ => {
                let mut part = String::with_capacity(text.len().max(PART));
                part.push_str(text);
                self.0.push(part);
            }
        }
    }

    /// Appends another text without copying it.
    pub fn append(&mut self, mut text: Self) {
        self.0.append(&mut text.0);
    }

    /// The parts, none of them empty.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str).filter(|part| !part.is_empty())
    }

    /// The bytes that it allocated.
    pub fn capacity(&self) -> usize {
        let parts: usize = self.0.iter().map(String::capacity).sum();
        parts + self.0.capacity() * size_of::<String>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_one_text() {
        let mut text = Text::from("a".to_owned());
        text.push_str("b");
        text.push_str(&"c".repeat(PART));
        let mut all = Text::default();
        all.push_str("x");
        all.append(text);
        assert_eq!(all.parts().collect::<String>(), format!("xab{}", "c".repeat(PART)));
    }
}
