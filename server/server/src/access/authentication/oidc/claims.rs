//! What claims tell.

use serde_json::Value;

use super::JwtIssuer;
use crate::access::User;
use crate::access::authentication::CREDENTIAL;

/// By how many seconds the clock of an issuer may be ahead, as upstream has it.
const LEEWAY: f64 = 60.0;

/// Which claims tell what of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimMappings {
    /// The claim with the name.
    pub username: String,
    /// What is put before the name.
    pub username_prefix: String,
    /// The claim with the groups, if one has them.
    pub groups: Option<String>,
    /// What is put before each group.
    pub groups_prefix: String,
    /// The claim with the uid, if one has it.
    pub uid: Option<String>,
}

impl ClaimMappings {
    /// The user of whom claims tell.
    ///
    /// # Errors
    /// If a claim is missing, or is something else than what it should be.
    pub(super) fn user(&self, claims: &Value) -> Result<User, String> {
        let name = text(claims, &self.username)?;
        if self.username == "email" && claims.get("email_verified").is_some_and(|is| is != true) {
            return Err("the email address is not verified".to_owned());
        }
        let groups = match &self.groups {
            Some(claim) => groups(claims, claim)?,
            None => Vec::new(),
        };
        let uid = self.uid.as_ref().map(|claim| text(claims, claim)).transpose()?.unwrap_or_default();
        let mut user = User {
            name: format!("{}{name}", self.username_prefix),
            uid,
            groups: groups.iter().map(|group| format!("{}{group}", self.groups_prefix)).collect(),
            ..User::default()
        };
        if let Some(id) = claims["jti"].as_str().filter(|id| !id.is_empty()) {
            user.extra.insert(CREDENTIAL.to_owned(), vec![format!("JTI={id}")]);
        }
        Ok(user)
    }
}

fn groups(claims: &Value, claim: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("expected a text or a list of texts in the claim {claim:?}");
    match claims.get(claim) {
        // What is elsewhere is not fetched, so the groups are not known.
        None if claims["_claim_names"].get(claim).is_some() => {
            Err(format!("the claim {claim:?} is elsewhere, which is not supported"))
        }
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(group)) => Ok(vec![group.clone()]),
        Some(Value::Array(groups)) => {
            groups.iter().map(|group| group.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        Some(_) => Err(wrong()),
    }
}

fn text(claims: &Value, claim: &str) -> Result<String, String> {
    match claims.get(claim) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("expected a text in the claim {claim:?}")),
        None => Err(format!("the claim {claim:?} is missing")),
    }
}

/// Checks for whom and when claims are valid, and those that must have certain values.
pub(super) fn check(claims: &Value, config: &JwtIssuer, now: i64) -> Result<(), String> {
    let is_meant = |audience: &Value| config.audiences.iter().any(|meant| audience == &**meant);
    let meant = match &claims["aud"] {
        Value::Array(audiences) => audiences.iter().any(is_meant),
        audience => is_meant(audience),
    };
    if !meant {
        return Err("it is meant for others".to_owned());
    }
    let now = now as f64;
    if claims["exp"].as_f64().is_none_or(|end| end < now) {
        return Err("it has expired".to_owned());
    }
    if claims["nbf"].as_f64().is_some_and(|begin| now + LEEWAY < begin) {
        return Err("it is not valid yet".to_owned());
    }
    for (claim, value) in &config.required {
        if text(claims, claim)? != *value {
            return Err(format!("the claim {claim:?} does not have the value that it must have"));
        }
    }
    Ok(())
}
