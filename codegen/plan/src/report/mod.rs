//! Writes `CONVERSIONS.md`: how every field of every version converts, for reviewers.
//!
//! The report is derived from the same programs that the generated conversions are printed from.
//! Fields that no op covers are searched for independently, so `lossy` is counted and not
//! assumed.

mod account;
mod canonical;
mod steps;

use std::fmt::Write as _;

use hubgen_model::canonical::{CanonicalForms, Rewrite};

pub use self::account::{Account, account};
pub use self::canonical::{Canonical, canonical};
pub use self::steps::{Step, steps};
use crate::{FamilyPlan, How, Types};

/// How a version relates to the hub.
enum Standing<'a> {
    IsHub,
    Converts(Account),
    NotConvertible(&'a str),
}

/// The numbers of pairs of a version and its hub, by category.
#[derive(Default)]
struct Counts {
    pairs: usize,
    identical: usize,
    moved: usize,
    kept: usize,
    dropped: usize,
    canonicalized: usize,
    not_convertible: usize,
    lossy: usize,
}

/// The number of pairs that lose data.
pub fn lossy(types: Types<'_>, plans: &[FamilyPlan]) -> usize {
    let mut counts = Counts::default();
    plans.iter().for_each(|plan| family(&mut String::new(), types, plan, &mut counts));
    counts.lossy
}

/// The report; `None` if no kind has several versions.
/// The first line is a comment that contains `first_line`.
pub fn emit(
    first_line: &str,
    types: Types<'_>,
    plans: &[FamilyPlan],
    canonical: &CanonicalForms,
) -> Option<String> {
    let mut counts = Counts::default();
    let mut families = String::new();
    let mut versions = 0;
    for plan in plans {
        versions += plan.members.len();
        family(&mut families, types, plan, &mut counts);
    }
    let Counts { pairs, identical, moved, kept, dropped, canonicalized, not_convertible, lossy } = counts;
    // Most rules drop nothing, and then there is nothing to say about it.
    let (dropped, explained) = match dropped {
        0 => (String::new(), ""),
        count => (format!("dropped: {count}\n"), DROPPED),
    };
    let head = format!(
        "<!-- {first_line} -->\n\n\
         # Conversions\n\n\
         ```text\n\
         families: {}\n\
         versions: {versions}\n\
         pairs: {pairs}\n\
         identical: {identical}\n\
         moved: {moved}\n\
         kept: {kept}\n\
         {dropped}\
         canonicalized: {canonicalized}\n\
         not convertible: {not_convertible}\n\
         lossy: {lossy}\n\
         ```\n\n",
        plans.len()
    );
    let is_empty = plans.is_empty() && canonical.types.is_empty();
    (!is_empty).then(|| head + LEGEND + explained + &families + &meaning(canonical))
}

/// The section about the canonical forms of types.
fn meaning(canonical: &CanonicalForms) -> String {
    let mut text = String::new();
    if canonical.types.is_empty() {
        return text;
    }
    text.push_str(
        "\n## Canonical forms\n\n\
         Types with redundant fields, and how the Scheme brings these into agreement: after defaulting, on the way to\n\
         the hub. `canonical.toml` defines them. They also apply to kinds with a single version.\n\n",
    );
    for (ty, steps) in &canonical.types {
        let _ = writeln!(text, "* `{}` {}", ty.group_version.api_version(), ty.name);
        for line in steps.iter().flat_map(step) {
            let _ = writeln!(text, "  * canonicalized: {line}");
        }
    }
    text
}

fn step(step: &Rewrite) -> Vec<String> {
    match step {
        Rewrite::Alias { field, of } => {
            vec![format!("`{field}` is an alias of `{of}`, which wins; both get its value")]
        }
        Rewrite::First { field, list, element } => {
            let element = element.as_ref().map_or_else(String::new, |name| format!(".{name}"));
            vec![format!(
                "`{field}` equals `{list}[0]{element}`; if they differ, `{field}` wins and becomes the only element"
            )]
        }
        Rewrite::Overwrite { from, into } => {
            vec![format!("`{from}` is write-only: its entries replace those of `{into}`, and it is emptied")]
        }
        Rewrite::Constant { list, field, value } => vec![format!("`{list}[].{field}` is always `{value}`")],
        Rewrite::Negative { path, value } => vec![format!("a negative `{}` becomes {value}", path.join("."))],
        Rewrite::Forget { annotations } => annotations
            .iter()
            .map(|key| format!("the annotation `{key}` is dropped, because fields have replaced it"))
            .collect(),
    }
}

const LEGEND: &str = "\
Kinds with several versions, and how their fields convert. A pair is a version and the hub of its family; any
two versions convert through the hub. A pair can be moved, kept and canonicalized at once.

* identical: no field has another name, path or form.
* moved: the version represents the field elsewhere.
* kept: the version cannot represent the field. An annotation stores it, from which it is restored: the one that
  is named, otherwise the stash `conversion.hubgen.dev/kept`.
* canonicalized: the version can represent one value in two forms, and always returns the same one.
* not convertible: a different API with the same name.
* lossy: a field that is in none of these categories. Generation fails if there is one.

An annotation that cannot be parsed is dropped, in every version that has one.
";

const DROPPED: &str = "
What is dropped is lost on the way from the version to the hub, because a rule says `drop`. No annotation stores it.
";

fn family(text: &mut String, types: Types<'_>, plan: &FamilyPlan, counts: &mut Counts) {
    let hub = if plan.has_own_hub() {
        format!(
            "a separate type, `{}` with fields that only other versions have",
            plan.family.hub.api_version()
        )
    } else {
        format!("`{}`", plan.family.hub.api_version())
    };
    let _ = write!(text, "\n## {}\n\nHub: {hub}.\n\n", plan.family.title());
    for member in &plan.members {
        let standing = match &member.how {
            _ if member.root == plan.hub => Standing::IsHub,
            How::Convert(mapping) => Standing::Converts(account(types, mapping, &member.root, &plan.hub)),
            How::NotConvertible(reason) => Standing::NotConvertible(reason),
        };
        let _ = write!(text, "* `{}`: ", member.group_version.api_version());
        standing.count(counts);
        standing.write(text);
        for path in &member.may_be_invalid {
            let _ = writeln!(text, "  * may be invalid: `{path}`, in an object that another version allows");
        }
    }
}

impl Standing<'_> {
    fn count(&self, counts: &mut Counts) {
        counts.pairs += usize::from(!matches!(self, Self::IsHub));
        match self {
            Self::IsHub => {}
            Self::NotConvertible(_) => counts.not_convertible += 1,
            Self::Converts(account) => {
                counts.identical += usize::from(account.is_identical());
                counts.moved += usize::from(!account.moved.is_empty());
                counts.kept += usize::from(!account.kept.is_empty());
                counts.dropped += usize::from(!account.dropped.is_empty());
                counts.canonicalized += usize::from(!account.canonicalized.is_empty());
                counts.lossy += usize::from(!account.lossy.is_empty());
            }
        }
    }

    fn write(&self, text: &mut String) {
        match self {
            Self::IsHub => text.push_str("is the hub\n"),
            Self::NotConvertible(reason) => {
                let _ = writeln!(text, "not convertible: {reason}");
            }
            Self::Converts(account) if account.is_identical() => text.push_str("identical\n"),
            Self::Converts(account) => {
                let names: Vec<&str> =
                    account.parts().filter(|(_, lines)| !lines.is_empty()).map(|(name, _)| name).collect();
                let _ = writeln!(text, "{}", names.join(", "));
                for (name, lines) in account.parts() {
                    for line in lines {
                        let _ = writeln!(text, "  * {name}: {line}");
                    }
                }
            }
        }
    }
}
