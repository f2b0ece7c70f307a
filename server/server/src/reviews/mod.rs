//! Reviews: objects that ask the server something, and are never stored. The answer is their status.
//!
//! Who may do what ([`access`]), what the user who asks may do ([`rules`]), and who that is or who holds a token
//! ([`identity`]). The answers are those of [`Access`], which decides about all other requests, too.

mod access;
mod identity;
mod rules;
mod selectors;

use hubgen_authentication::v1::{SelfSubjectReview, TokenReview};
use hubgen_authorization::v1::{
    LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview,
};
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scalar::Time;

use crate::access::{Access, User};
use crate::validation::Violation;

/// The version at which reviews are answered.
pub(crate) const VERSION: &str = "v1";

/// Why a review has no answer.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// No review of a kind that this server knows.
    Unknown,
    /// It asks nothing, or contradicts the request; the text is upstream's.
    Malformed(&'static str),
    /// It breaks rules.
    Invalid(Vec<Violation>),
}

/// Sets the status of a review at [`VERSION`] that a user asks for.
///
/// # Errors
/// See [`Unanswered`].
pub(crate) async fn answer(
    access: &Access,
    user: &User,
    now: Time,
    review: &mut dyn Reflect,
) -> Result<(), Unanswered> {
    if let Some(review) = review.downcast_mut::<SelfSubjectAccessReview>() {
        return access::of_self(access, user, review).await;
    }
    if let Some(review) = review.downcast_mut::<SubjectAccessReview>() {
        return access::of_subject(access, review).await;
    }
    if let Some(review) = review.downcast_mut::<LocalSubjectAccessReview>() {
        return access::of_local(access, review).await;
    }
    if let Some(review) = review.downcast_mut::<SelfSubjectRulesReview>() {
        return rules::answer(access, user, review).await;
    }
    if let Some(review) = review.downcast_mut::<SelfSubjectReview>() {
        identity::of_self(user, now, review);
        return Ok(());
    }
    match review.downcast_mut::<TokenReview>() {
        Some(review) => identity::of_token(access, review).await,
        None => Err(Unanswered::Unknown),
    }
}
