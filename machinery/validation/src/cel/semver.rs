//! Semantic versions, as Kubernetes reads them.

use std::cmp::Ordering;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) numbers: [u64; 3],
    before: Vec<Part>,
}

/// A part of what marks a version as one before the release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Text(String),
}

impl Version {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let parts: Vec<&str> = text.splitn(3, '.').collect();
        let [major, minor, rest] = parts[..] else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let (major, minor) = (number(major, "major", "Major")?, number(minor, "minor", "Minor")?);
        let (rest, build) = match rest.split_once('+') {
            Some((rest, build)) => (rest, Some(build)),
            None => (rest, None),
        };
        let (patch, before) = match rest.split_once('-') {
            Some((patch, before)) => (patch, Some(before)),
            None => (rest, None),
        };
        let patch = number(patch, "patch", "Patch")?;
        let before =
            before.into_iter().flat_map(|before| before.split('.')).map(part).collect::<Result<_, _>>()?;
        for part in build.into_iter().flat_map(|build| build.split('.')) {
            if part.is_empty() {
                return Err("Build meta data is empty".to_owned());
            }
            if !is_word(part) {
                return Err(format!(
                    "Invalid character(s) found in build meta data {}",
                    crate::text::quoted(part)
                ));
            }
        }
        Ok(Self { numbers: [major, minor, patch], before })
    }

    /// Reads a version that may begin with `v`, have less than three numbers, and zeros before numbers.
    pub(crate) fn parse_tolerantly(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(str::to_owned).collect();
        for part in &mut parts {
            if part.len() > 1 {
                let trimmed = part.trim_start_matches('0');
                let zero = if trimmed.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
                *part = format!("{zero}{trimmed}");
            }
        }
        if parts.len() < 3 {
            if parts.last().is_some_and(|part| part.contains(['+', '-'])) {
                return Err("short version cannot contain PreRelease/Build meta data".to_owned());
            }
            parts.resize(3, "0".to_owned());
        }
        Self::parse(&parts.join("."))
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| {
            match (self.before.is_empty(), other.before.is_empty()) {
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                _ => self.before.cmp(&other.before),
            }
        })
    }
}

fn number(digits: &str, small: &str, large: &str) -> Result<u64, String> {
    let shown = crate::text::quoted(digits);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("Invalid character(s) found in {small} number {shown}"));
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return Err(format!("{large} number must not contain leading zeroes {shown}"));
    }
    let why = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
    digits.parse().map_err(|_| format!("strconv.ParseUint: parsing {shown}: {why}"))
}

fn part(text: &str) -> Result<Part, String> {
    let shown = crate::text::quoted(text);
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        if text.len() > 1 && text.starts_with('0') {
            return Err(format!("Numeric PreRelease version must not contain leading zeroes {shown}"));
        }
        return number(text, "", "").map(Part::Number);
    }
    if !is_word(text) {
        return Err(format!("Invalid character(s) found in prerelease {shown}"));
    }
    Ok(Part::Text(text.to_owned()))
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_an_order() {
        let of = |text| Version::parse(text).unwrap();
        let sorted =
            ["1.0.0-1", "1.0.0-2", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta", "1.0.0", "1.0.1", "1.10.0"];
        for pair in sorted.windows(2) {
            assert!(of(pair[0]).compare(&of(pair[1])).is_lt(), "{pair:?}");
        }
        assert!(of("1.0.0+a").compare(&of("1.0.0+b")).is_eq());
        assert!(Version::parse("v1.0").is_err());
        assert_eq!(Version::parse_tolerantly("v01.2").unwrap().numbers, [1, 2, 0]);
    }
}
