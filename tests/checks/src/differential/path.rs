//! Paths of fields, as comparisons write them.

/// The path without list indexes, since all elements of a list have the same type.
pub fn general(path: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for char in path.chars() {
        inside = char == '[' || (inside && char != ']');
        if char == '[' || char == ']' || !inside {
            out.push(char);
        }
    }
    out
}
