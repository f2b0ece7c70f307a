//! Whether somebody may do something: SubjectAccessReview and its sisters.

use hubgen_authorization::v1::{
    LocalSubjectAccessReview, NonResourceAttributes, ResourceAttributes, SelfSubjectAccessReview,
    SubjectAccessReview, SubjectAccessReviewSpec, SubjectAccessReviewStatus,
};
use hubgen_meta::v1::ObjectMeta;

use super::{Unanswered, selectors};
use crate::access::{self, Access, Attributes, User};
use crate::validation::Violation;

/// Whether the user who asks may do something.
pub(super) async fn of_self(
    access: &Access,
    user: &User,
    review: &mut SelfSubjectAccessReview,
) -> Result<(), Unanswered> {
    let spec = &review.spec;
    let asked =
        Asked { resource: spec.resource_attributes.as_ref(), path: spec.non_resource_attributes.as_ref() };
    let mut violations = asked.violations();
    violations.extend(violation_of_metadata(&review.metadata, "must be empty"));
    refused(violations)?;
    review.status = asked.decide(access, user).await;
    Ok(())
}

/// Whether a user whom the review names may do something.
pub(super) async fn of_subject(access: &Access, review: &mut SubjectAccessReview) -> Result<(), Unanswered> {
    let (asked, mut violations) = of_spec(&review.spec);
    violations.extend(violation_of_metadata(&review.metadata, "must be empty"));
    refused(violations)?;
    review.status = asked.decide(access, &user(&review.spec)).await;
    Ok(())
}

/// Whether a user whom the review names may do something in the namespace of the review.
pub(super) async fn of_local(
    access: &Access,
    review: &mut LocalSubjectAccessReview,
) -> Result<(), Unanswered> {
    let (asked, mut violations) = of_spec(&review.spec);
    let metadata = ObjectMeta { namespace: "".into(), ..review.metadata.clone() };
    violations.extend(violation_of_metadata(&metadata, "must be empty except for namespace"));
    if let Some(resource) = asked.resource
        && resource.namespace != review.metadata.namespace
    {
        let field = "spec.resourceAttributes.namespace";
        violations.push(Violation::invalid(field, &resource.namespace, "must match metadata.namespace"));
    }
    if asked.path.is_some() {
        let why = "disallowed on this kind of request";
        violations.push(Violation::forbidden("spec.nonResourceAttributes", why));
    }
    refused(violations)?;
    review.status = asked.decide(access, &user(&review.spec)).await;
    Ok(())
}

/// What a review asks for: a resource or a path.
#[derive(Clone, Copy)]
struct Asked<'a> {
    resource: Option<&'a ResourceAttributes>,
    path: Option<&'a NonResourceAttributes>,
}

impl Asked<'_> {
    fn violations(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        if self.resource.is_some() == self.path.is_some() {
            let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            violations.push(Violation::required("spec", why));
        }
        violations.extend(self.resource.into_iter().flat_map(selectors::violations));
        violations
    }

    async fn decide(&self, access: &Access, user: &User) -> SubjectAccessReviewStatus {
        let resource = self.resource.map(|of| access::ResourceAttributes {
            group: &of.group,
            // Upstream's word for "at whatever version".
            version: if of.version.is_empty() { "*" } else { &of.version },
            resource: &of.resource,
            subresource: &of.subresource,
            namespace: &of.namespace,
            name: &of.name,
        });
        let (verb, path) = match (self.resource, self.path) {
            (Some(resource), _) => (&*resource.verb, ""),
            (None, Some(path)) => (&*path.verb, &*path.path),
            (None, None) => ("", ""),
        };
        let decision = access.authorize.authorize(&Attributes { user, verb, path, resource }).await;
        let (allowed, denied, reason, error) = match decision {
            Ok(grant) => (true, false, grant.reason, String::new()),
            Err(refusal) => (false, refusal.is_final, refusal.reason, refusal.error),
        };
        let ignored = self.resource.and_then(selectors::ignored).unwrap_or_default();
        let errors = [error, ignored].into_iter().filter(|text| !text.is_empty());
        SubjectAccessReviewStatus {
            allowed,
            denied,
            reason: reason.into(),
            evaluation_error: access::aggregate(errors).into(),
        }
    }
}

/// What a review of another user asks for, and what is wrong with it.
fn of_spec(spec: &SubjectAccessReviewSpec) -> (Asked<'_>, Vec<Violation>) {
    let asked =
        Asked { resource: spec.resource_attributes.as_ref(), path: spec.non_resource_attributes.as_ref() };
    let mut violations = asked.violations();
    if spec.user.is_empty() && spec.groups.is_empty() {
        violations.push(Violation::invalid(
            "spec.user",
            "",
            "at least one of user or group must be specified",
        ));
    }
    (asked, violations)
}

/// The user whom a review names.
fn user(spec: &SubjectAccessReviewSpec) -> User {
    let texts = |texts: &[hubgen_machinery::Str]| texts.iter().map(ToString::to_string).collect();
    User {
        name: spec.user.to_string(),
        uid: spec.uid.to_string(),
        groups: texts(&spec.groups),
        extra: spec.extra.iter().map(|(name, values)| (name.to_string(), texts(values))).collect(),
    }
}

fn violation_of_metadata(metadata: &ObjectMeta, why: &str) -> Option<Violation> {
    let written = ObjectMeta { managed_fields: Default::default(), ..metadata.clone() };
    (written != ObjectMeta::default()).then(|| Violation::forbidden("metadata", why))
}

fn refused(violations: Vec<Violation>) -> Result<(), Unanswered> {
    if violations.is_empty() { Ok(()) } else { Err(Unanswered::Invalid(violations)) }
}
