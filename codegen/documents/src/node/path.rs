//! Finds values by their paths.

use super::Node;

impl Node {
    /// The value at a path such as `spec.versions[0].schema`, or the innermost value around it if it is not there.
    /// Names are written `.name` or `[name]`, and may themselves contain dots and brackets.
    pub fn nearest(&self, path: &str) -> &Self {
        let is_inner = path.is_empty() || path.starts_with(['.', '[']);
        let path = if is_inner { path.to_owned() } else { format!(".{path}") };
        self.find(&path).0
    }

    /// The innermost value on the way along a path, and how much of the path is left there.
    fn find(&self, path: &str) -> (&Self, usize) {
        let members = self.object().into_iter().flatten().filter_map(|(name, member)| {
            let dotted = path.strip_prefix('.').and_then(|path| path.strip_prefix(name.as_str()));
            let dotted = dotted.filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
            Some((member, dotted.or_else(|| bracketed(path, name))?))
        });
        let elements = self.array().into_iter().flatten().enumerate();
        let elements =
            elements.filter_map(|(at, element)| Some((element, bracketed(path, &at.to_string())?)));
        let found = members.chain(elements).map(|(part, rest)| part.find(rest));
        found.min_by_key(|(_, left)| *left).unwrap_or((self, path.len()))
    }
}

/// What follows `[name]`.
fn bracketed<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    path.strip_prefix('[')?.strip_prefix(name)?.strip_prefix(']')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    #[test]
    fn values_are_found_by_their_paths() {
        let text = r#"{"a": {"b.c": [1, {"d]": 2}], "b": {"c": 3}, "e": {"b[0]": 4}}}"#;
        let node = Node::parse(&Source::new("a.json", text)).unwrap();
        for (path, found) in [
            ("a.b.c[1]", r#"{"d]": 2}"#),
            ("a[b.c][1][d]]", "2"),
            ("a.b.c", "[1, {\"d]\": 2}]"),
            ("a[b].c", "3"),
            ("a.e.b[0]", "4"),
            ("a.b.missing[0].x", r#"{"c": 3}"#),
            ("", text),
            ("other", text),
        ] {
            let span = node.nearest(path).span.clone();
            assert_eq!(&text[span], found, "{path}");
        }
    }
}
