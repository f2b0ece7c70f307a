//! What is checked of a definition. An update may keep what an earlier server or version has allowed.

use super::form::Form;
use super::props::Props;
use super::schema::lists::{not_always_there, not_atomic};
use super::schema::{self, Strictness, structural};
use super::{Change, Mistakes};
use crate::compile;
use crate::value_type::Type;

/// The versions of reviews that the API server sends to webhooks.
pub(super) const REVIEWS: [&str; 2] = ["v1", "v1beta1"];

/// The most fields for selectors.
pub(super) const MOST_FIELDS: usize = 8;

/// What is checked.
#[derive(Clone)]
pub(super) struct Options<'a> {
    /// Whether every version must have a schema.
    pub(super) schemas: bool,
    pub(super) schema: schema::Options,
    /// Whether the API server must know a version of the webhook's reviews.
    pub(super) reviews: bool,
    /// Whether scope and kind must stay.
    pub(super) names_stay: bool,
    /// What is wrong with the certificates of a webhook; `None` if they may be wrong.
    pub(super) ca_mistake: Option<&'a Mistakes>,
    /// The versions that may have too many fields for selectors; the empty name is all versions together.
    pub(super) too_many_fields: Vec<&'a str>,
    /// The schemas before, with the names of their versions: rules that were accepted in one may stay.
    pub(super) old_schemas: Vec<(&'a str, Props<'a>)>,
}

impl<'a> Options<'a> {
    pub(super) fn of(change: &Change<'a>, old: Option<&Form<'a>>) -> Self {
        let Change { is_beta, ca_mistake, .. } = *change;
        let lacked = |lacks: &dyn Fn(&Form<'a>) -> bool| old.is_some_and(lacks);
        let is_established = old.is_some_and(|old| old.is("Established"));
        let had_defaults = lacked(&|old| old.any(has_default));
        let keywords = Strictness {
            types: !is_beta && !lacked(&|old| old.any(has_wrong_type)),
            sets: !lacked(&|old| old.any(|schema| is_set(schema) && not_atomic(schema).is_some())),
            keys: !lacked(&|old| old.any(|schema| !not_always_there(schema, "").is_empty())),
            defaults: (is_beta && !had_defaults).then_some(
                "(cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)",
            ),
        };
        let was_wrong = |old: &Form<'_>| {
            ca_bundle(old).is_some_and(|bundle| !bundle.is_empty() && ca_mistake(bundle).is_some())
        };
        Self {
            schemas: !is_beta && !lacked(&|old| !old.has_schemas()),
            schema: schema::Options {
                structural: !is_beta && !lacked(&|old| old.schemas().any(is_non_structural)),
                keywords,
                pruned_defaults: !lacked(&|old| old.schemas().any(has_unknown_fields_in_defaults)),
            },
            reviews: !lacked(&|old| !has_known_review(old)),
            names_stay: is_established,
            ca_mistake: old.filter(|old| is_established && !was_wrong(old)).map(|_| ca_mistake),
            too_many_fields: old.map_or_else(Vec::new, |old| too_many_fields(change, old)),
            old_schemas: old.map_or_else(Vec::new, named_schemas),
        }
    }
}

pub(super) fn has_default(schema: Props<'_>) -> bool {
    schema.has("default")
}

fn has_wrong_type(schema: Props<'_>) -> bool {
    !schema.ty().is_empty() && Type::named(schema.ty()).is_none()
}

fn is_set(schema: Props<'_>) -> bool {
    schema.word(compile::lists::LIST_TYPE) == Some("set")
}

fn is_non_structural(schema: Props<'_>) -> bool {
    structural::unsupported(schema).is_some() || !structural::violations(schema, "").is_empty()
}

fn has_unknown_fields_in_defaults(schema: Props<'_>) -> bool {
    schema.any(&has_default) && !is_non_structural(schema) && compile::has_unpruned_defaults(schema.0)
}

/// The webhook of a conversion.
pub(super) fn webhook<'a>(form: &Form<'a>) -> Option<Props<'a>> {
    Props(form.spec.get("conversion")?).get("webhook").map(Props)
}

pub(super) fn ca_bundle<'a>(form: &Form<'a>) -> Option<&'a str> {
    Props(webhook(form)?.get("clientConfig")?).word("caBundle")
}

fn has_known_review(form: &Form<'_>) -> bool {
    let Some(webhook) = webhook(form) else { return true };
    let mut versions = webhook.words("conversionReviewVersions").peekable();
    versions.peek().is_none() || versions.any(|version| REVIEWS.contains(&version))
}

/// The versions that had too many fields for selectors before, and have the same ones now.
/// The schemas with the names of their versions; the empty name is all versions together.
fn named_schemas<'a>(form: &Form<'a>) -> Vec<(&'a str, Props<'a>)> {
    let of_versions =
        form.versions.iter().filter_map(|version| Some((version.name(), version.shared.open_api()?)));
    form.of_all.open_api().map(|schema| ("", schema)).into_iter().chain(of_versions).collect()
}

fn too_many_fields<'a>(change: &Change<'a>, old: &Form<'a>) -> Vec<&'a str> {
    let new = Form::of(change.new);
    let is_too_many = |fields: &[serde_json::Value]| fields.len() > MOST_FIELDS;
    let mut out = Vec::new();
    if is_too_many(old.of_all.selectable) && old.of_all.selectable == new.of_all.selectable {
        out.push("");
    }
    for version in &new.versions {
        let name = version.name();
        let old = old.versions.iter().find(|old| old.name() == name).map(|old| old.shared.selectable);
        if old.is_some_and(|old| is_too_many(old) && old == version.shared.selectable) {
            out.push(name);
        }
    }
    out
}
