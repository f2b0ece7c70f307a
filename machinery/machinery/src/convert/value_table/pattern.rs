//! Texts with named parts.

use std::collections::BTreeMap;

use super::Part;
use super::known::{Bound, Known};
use crate::Str;

/// The text with these parts; `None` if it has none for one of them.
pub(super) fn join(parts: &[Part], bound: &Bound) -> Option<Str> {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Literal(literal) => out += literal,
            Part::Named(name) => out += &*bound.get(&**name)?.known.text()?,
            Part::Joined(name, separator) => {
                let Known::List(items) = &bound.get(&**name)?.known else { return None };
                let items: Vec<Str> = items.iter().map(Known::text).collect::<Option<_>>()?;
                out += &items.iter().map(|item| &**item).collect::<Vec<_>>().join(separator);
            }
        }
    }
    Some(out.into())
}

/// What the named parts of a text have; `None` if it has other parts, or there are two ways to divide it.
pub(super) fn split(parts: &[Part], text: &str) -> Option<BTreeMap<String, Known>> {
    let (mut parts, mut text) = (parts, text);
    if let [Part::Literal(start), rest @ ..] = parts {
        (parts, text) = (rest, text.strip_prefix(&**start)?);
    }
    if let [rest @ .., Part::Literal(end)] = parts {
        (parts, text) = (rest, text.strip_suffix(&**end)?);
    }
    let mut names: Vec<(&str, Option<&str>)> = Vec::new();
    let mut between: Vec<&str> = Vec::new();
    for part in parts {
        match part {
            Part::Named(name) => names.push((name, None)),
            Part::Joined(name, separator) => names.push((name, Some(separator))),
            Part::Literal(literal) => between.push(literal),
        }
    }
    if names.is_empty() {
        return text.is_empty().then(BTreeMap::new);
    }
    // Each literal is between where it is first and where it is last, so the way is unique if both are the same.
    let first = from_start(&between, text)?;
    if first != from_end(&between, text)? {
        return None;
    }
    let value = |((name, separator), found): ((&str, Option<&str>), &str)| {
        let value = match separator {
            None => Known::Text(found.into()),
            Some(separator) => Known::List(items(found, separator)?),
        };
        Some((name.to_owned(), value))
    };
    names.into_iter().zip(first).map(value).collect()
}

/// The texts between separators; `None` if one is empty.
fn items(text: &str, separator: &str) -> Option<Vec<Known>> {
    let item = |item: &str| (!item.is_empty()).then(|| Known::Text(item.into()));
    text.split(separator).map(item).collect()
}

/// The texts around literals, each as short as possible.
fn from_start<'a>(between: &[&str], mut text: &'a str) -> Option<Vec<&'a str>> {
    let mut out = Vec::with_capacity(between.len() + 1);
    for literal in between {
        let start = text.chars().next()?.len_utf8();
        let end = start + text[start..].find(literal)?;
        out.push(&text[..end]);
        text = &text[end + literal.len()..];
    }
    out.push(text);
    (!text.is_empty()).then_some(out)
}

/// The same from the end.
fn from_end<'a>(between: &[&str], mut text: &'a str) -> Option<Vec<&'a str>> {
    let mut out = Vec::with_capacity(between.len() + 1);
    for literal in between.iter().rev() {
        let end = text.len() - text.chars().next_back()?.len_utf8();
        let start = text[..end].rfind(literal)?;
        out.push(&text[start + literal.len()..]);
        text = &text[..start];
    }
    out.push(text);
    out.reverse();
    (!text.is_empty()).then_some(out)
}
