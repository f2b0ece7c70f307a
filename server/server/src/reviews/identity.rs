//! Who somebody is: SelfSubjectReview and TokenReview.

use hubgen_authentication::v1::{
    SelfSubjectReview, SelfSubjectReviewStatus, TokenReview, TokenReviewStatus, UserInfo,
};
use hubgen_machinery::reflect::Strings;
use hubgen_machinery::scalar::Time;
use hubgen_machinery::{Str, StrMap};
use hubgen_meta::v1::ObjectMeta;

use super::Unanswered;
use crate::access::{Access, User};

/// Says who asks.
pub(super) fn of_self(user: &User, now: Time, review: &mut SelfSubjectReview) {
    // Whatever else the metadata has means nothing.
    review.metadata = ObjectMeta { creation_timestamp: Some(now), ..ObjectMeta::default() };
    review.status = SelfSubjectReviewStatus { user_info: info(user) };
}

/// Says who holds a token.
pub(super) async fn of_token(access: &Access, review: &mut TokenReview) -> Result<(), Unanswered> {
    if review.spec.token.is_empty() {
        return Err(Unanswered::Malformed("token is required for TokenReview in authentication"));
    }
    let audiences: Vec<String> = review.spec.audiences.iter().map(ToString::to_string).collect();
    review.status = match access.authenticate.review(&review.spec.token, &audiences).await {
        Some(holder) => TokenReviewStatus {
            authenticated: true,
            user: info(&holder.user),
            audiences: holder.audiences.into_iter().map(Str::from).collect(),
            error: Str::new(),
        },
        None => TokenReviewStatus { error: "invalid bearer token".into(), ..TokenReviewStatus::default() },
    };
    Ok(())
}

fn info(user: &User) -> UserInfo {
    let texts = |texts: &[String]| texts.iter().map(|text| Str::from(&**text)).collect::<Vec<_>>();
    let mut extra = StrMap::default();
    for (name, values) in &user.extra {
        extra.insert(&**name, Strings(texts(values)));
    }
    UserInfo {
        username: Str::from(&*user.name),
        uid: Str::from(&*user.uid),
        groups: texts(&user.groups),
        extra,
    }
}
