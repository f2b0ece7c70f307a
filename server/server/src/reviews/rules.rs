//! What the user who asks may do in a namespace: SelfSubjectRulesReview.

use hubgen_authorization::v1::{
    NonResourceRule, ResourceRule, SelfSubjectRulesReview, SubjectRulesReviewStatus,
};
use hubgen_machinery::Str;

use super::Unanswered;
use crate::access::{Access, User, aggregate};

/// Lists what the user may do in the namespace of the review.
pub(super) async fn answer(
    access: &Access,
    user: &User,
    review: &mut SelfSubjectRulesReview,
) -> Result<(), Unanswered> {
    if review.spec.namespace.is_empty() {
        return Err(Unanswered::Malformed("no namespace on request"));
    }
    let rules = access.authorize.rules(user, &review.spec.namespace).await;
    let words = |words: Vec<String>| words.into_iter().map(Str::from).collect::<Vec<_>>();
    let resource_rules = rules.resources.into_iter().map(|rule| ResourceRule {
        verbs: words(rule.verbs),
        api_groups: words(rule.groups),
        resources: words(rule.resources),
        resource_names: words(rule.names),
    });
    let non_resource_rules = rules
        .paths
        .into_iter()
        .map(|rule| NonResourceRule { verbs: words(rule.verbs), non_resource_urls: words(rule.paths) });
    review.status = SubjectRulesReviewStatus {
        resource_rules: resource_rules.collect(),
        non_resource_rules: non_resource_rules.collect(),
        incomplete: !rules.missing.is_empty(),
        evaluation_error: aggregate([rules.missing, rules.error].into_iter().filter(|text| !text.is_empty()))
            .into(),
    };
    // Upstream answers with the status only.
    review.spec.namespace = Str::new();
    Ok(())
}
