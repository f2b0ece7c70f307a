//! The steps of a path, as far as they matter for types.

use hubgen_model::{Api, Type, TypeExpr};

/// What is wrong, and what to do.
pub type Wrong = (String, String);

/// What a path ends at.
#[derive(Debug)]
pub struct Found<'a> {
    pub ty: &'a TypeExpr,
    /// Whether a step selects several values.
    pub is_many: bool,
}

/// A step of a path.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// A field, or the key of a map.
    Name(String),
    /// An item of a list, by its position or by a condition.
    Item,
    /// All items.
    Items,
}

/// Finds the type at a path of a kind.
///
/// # Errors
/// If it has no such field.
pub fn find<'a>(api: &'a Api, root: &'a Type, path: &str) -> Result<Found<'a>, Wrong> {
    let wrong = |message: String, help: &str| (message, help.to_owned());
    let steps = steps(path).ok_or_else(|| {
        wrong(
            format!("`{path}` is no path"),
            "write one such as `.spec.replicas`, `.items[0].name` or `.items[*].name`",
        )
    })?;
    let mut at = Found { ty: &TypeExpr::Bool, is_many: false };
    let mut owner = Some(root);
    for step in steps {
        match (&step, owner, at.ty) {
            (Step::Name(name), Some(ty), _) => {
                let Some(field) = ty.field(name) else {
                    let known: Vec<&str> = ty.fields().iter().map(|field| field.name.as_str()).collect();
                    let help = format!("expected one of {}", known.join(", "));
                    return Err((format!("{} has no field `{name}`", ty.id.name), help));
                };
                at.ty = &field.ty;
            }
            (Step::Name(_), None, TypeExpr::Map(of)) => at.ty = of,
            (Step::Item | Step::Items, None, TypeExpr::List(of)) => {
                at.ty = of;
                at.is_many |= step == Step::Items;
            }
            (Step::Name(name), None, other) => {
                return Err(wrong(format!("{other} has no field `{name}`"), "end the path before it"));
            }
            (Step::Item | Step::Items, _, _) => {
                return Err(wrong("only a list has items".to_owned(), "remove the brackets"));
            }
        }
        owner = match at.ty {
            TypeExpr::Ref(id) => api.find(id),
            _ => None,
        };
    }
    Ok(at)
}

/// Splits a path into steps; `None` if it is none.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[?(") {
            rest = after.split_once(")]")?.1;
            steps.push(Step::Item);
        } else if let Some(after) = rest.strip_prefix('[') {
            let (inside, after) = after.split_once(']')?;
            let is_index = !inside.is_empty() && inside.chars().all(|c| c.is_ascii_digit());
            steps.push(match inside {
                "*" => Step::Items,
                _ if is_index => Step::Item,
                _ => return None,
            });
            rest = after;
        } else {
            let after = rest.strip_prefix('.')?;
            let mut escaped = false;
            let end = after.find(|c| {
                let ends = !escaped && matches!(c, '.' | '[');
                escaped = !escaped && c == '\\';
                ends
            });
            let (name, after) = after.split_at(end.unwrap_or(after.len()));
            if name.is_empty() || name.contains([' ', ']', '{', '}', ',', '*']) {
                return None;
            }
            steps.push(Step::Name(name.replace('\\', "")));
            rest = after;
        }
    }
    (!steps.is_empty()).then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_steps() {
        let name = |name: &str| Step::Name(name.to_owned());
        assert_eq!(
            steps(r#".status.list[?(@.type=="A.b")].at[0].map.a\.b"#),
            Some(vec![
                name("status"),
                name("list"),
                Step::Item,
                name("at"),
                Step::Item,
                name("map"),
                name("a.b")
            ])
        );
        assert_eq!(steps(".items[*]"), Some(vec![name("items"), Step::Items]));
        for other in ["", "spec", ".", ".a..b", ".a[b]", ".a[", ".a b", ".a[?(b"] {
            assert_eq!(steps(other), None, "{other}");
        }
    }
}
