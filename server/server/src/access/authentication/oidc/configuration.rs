//! `AuthenticationConfiguration`, the file of a kube-apiserver about tokens of others and about the anonymous user.

use serde_json::{Map, Value};
use thiserror::Error;

use super::super::Anonymous;
use super::{ClaimMappings, JwtIssuer};

const KIND: &str = "AuthenticationConfiguration";
const VERSIONS: [&str; 3] =
    ["apiserver.config.k8s.io/v1", "apiserver.config.k8s.io/v1beta1", "apiserver.config.k8s.io/v1alpha1"];
/// The most issuers, as upstream has it.
const ISSUERS: usize = 64;

/// What is in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthenticationConfiguration {
    /// The issuers of tokens.
    pub issuers: Vec<JwtIssuer>,
    /// Who may ask without credentials; `None` if the file does not say.
    pub anonymous: Option<Anonymous>,
}

/// What is wrong with a configuration.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{field}: {message}")]
pub struct ConfigurationError {
    /// The field, such as `jwt[0].issuer.url`.
    pub field: String,
    /// What was expected, and what was found.
    pub message: String,
}

type Result<T> = std::result::Result<T, ConfigurationError>;

impl ConfigurationError {
    pub(super) fn at(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

impl AuthenticationConfiguration {
    /// Reads the document, in JSON.
    ///
    /// # Errors
    /// If it is something else, has a field that nobody knows, or needs an expression in CEL, which is not supported yet.
    pub fn parse(document: &Value) -> Result<Self> {
        let top = Fields::of(document, "", &["apiVersion", "kind", "jwt", "anonymous"])?;
        if top.text("kind")? != KIND {
            return Err(top.wrong("kind", format!("expected {KIND}, found {:?}", top.text("kind")?)));
        }
        let version = top.text("apiVersion")?;
        if !VERSIONS.contains(&&*version) {
            let known = VERSIONS.join(" or ");
            return Err(top.wrong("apiVersion", format!("expected {known}, found {version:?}")));
        }
        let mut issuers: Vec<JwtIssuer> = Vec::new();
        for (index, jwt) in top.list("jwt")?.iter().enumerate() {
            let issuer = issuer(jwt, &format!("jwt[{index}]"))?;
            let field = format!("jwt[{index}].issuer.url");
            if issuers.iter().any(|other| other.url == issuer.url) {
                return Err(ConfigurationError::at(field, "expected each issuer once"));
            }
            if issuer.discovery_url.is_some()
                && issuers.iter().any(|other| other.discovery_url == issuer.discovery_url)
            {
                let field = format!("jwt[{index}].issuer.discoveryURL");
                return Err(ConfigurationError::at(field, "expected each URL once"));
            }
            issuers.push(issuer);
        }
        if issuers.len() > ISSUERS {
            return Err(top.wrong("jwt", format!("expected at most {ISSUERS} issuers")));
        }
        let anonymous = top.0.get("anonymous").filter(|value| !value.is_null()).map(anonymous).transpose()?;
        Ok(Self { issuers, anonymous })
    }
}

fn anonymous(document: &Value) -> Result<Anonymous> {
    let fields = Fields::of(document, "anonymous", &["enabled", "conditions"])?;
    let is_enabled = match fields.0.get("enabled") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(enabled)) => *enabled,
        Some(_) => return Err(fields.wrong("enabled", "expected true or false")),
    };
    let mut paths = Vec::new();
    for (index, condition) in fields.list("conditions")?.iter().enumerate() {
        let condition = Fields::of(condition, &format!("anonymous.conditions[{index}]"), &["path"])?;
        paths.push(condition.text("path")?);
    }
    match (is_enabled, paths.is_empty()) {
        (false, false) => Err(fields.wrong("conditions", "expected none where enabled is false")),
        (false, true) => Ok(Anonymous::Nowhere),
        (true, true) => Ok(Anonymous::Everywhere),
        (true, false) => Ok(Anonymous::Paths(paths)),
    }
}

fn issuer(document: &Value, path: &str) -> Result<JwtIssuer> {
    let known = ["issuer", "claimValidationRules", "claimMappings", "userValidationRules"];
    let jwt = Fields::of(document, path, &known)?;
    if !jwt.list("userValidationRules")?.is_empty() {
        return Err(jwt.wrong("userValidationRules", CEL));
    }
    let known = [
        "url",
        "discoveryURL",
        "certificateAuthority",
        "audiences",
        "audienceMatchPolicy",
        "egressSelectorType",
    ];
    let issuer = jwt.below("issuer", &known)?;
    if !issuer.text("egressSelectorType")?.is_empty() {
        return Err(issuer.wrong("egressSelectorType", "this server has no egress selector"));
    }
    let audiences = issuer.texts("audiences")?;
    let policy = issuer.text("audienceMatchPolicy")?;
    let is_wrong = match audiences.len() {
        0 | 1 => !["", "MatchAny"].contains(&&*policy),
        _ => policy != "MatchAny",
    };
    if is_wrong {
        return Err(issuer.wrong("audienceMatchPolicy", format!("expected MatchAny, found {policy:?}")));
    }
    let optional = |text: String| (!text.is_empty()).then_some(text);
    let found = JwtIssuer {
        url: issuer.text("url")?,
        discovery_url: optional(issuer.text("discoveryURL")?),
        certificate_authority: optional(issuer.text("certificateAuthority")?),
        audiences,
        algorithms: Vec::new(),
        mappings: mappings(&jwt)?,
        required: required(&jwt)?,
    };
    check(&found)
        .map_err(|error| ConfigurationError { field: format!("{path}.{}", error.field), ..error })?;
    Ok(found)
}

/// What is said about expressions.
const CEL: &str = "expressions in CEL are not supported yet";

fn mappings(jwt: &Fields<'_>) -> Result<ClaimMappings> {
    let mappings = jwt.below("claimMappings", &["username", "groups", "uid", "extra"])?;
    if !mappings.list("extra")?.is_empty() {
        return Err(mappings.wrong("extra", CEL));
    }
    let prefixed = |name: &str| {
        let fields = mappings.below(name, &["claim", "prefix", "expression"])?;
        fields.no_expression()?;
        let (claim, prefix) =
            (fields.text("claim")?, fields.0.get("prefix").filter(|value| !value.is_null()));
        match (claim.is_empty(), prefix.is_some()) {
            (false, false) => {
                Err(fields.wrong("prefix", "required when claim is set; an empty text is no prefix"))
            }
            _ => Ok((claim, fields.text("prefix")?)),
        }
    };
    let (username, username_prefix) = prefixed("username")?;
    if username.is_empty() {
        return Err(mappings.wrong("username", "expected a claim"));
    }
    let (groups, groups_prefix) = prefixed("groups")?;
    let uid = mappings.below("uid", &["claim", "expression"])?;
    uid.no_expression()?;
    let uid = uid.text("claim")?;
    let optional = |claim: String| (!claim.is_empty()).then_some(claim);
    Ok(ClaimMappings {
        username,
        username_prefix,
        groups: optional(groups),
        groups_prefix,
        uid: optional(uid),
    })
}

fn required(jwt: &Fields<'_>) -> Result<Vec<(String, String)>> {
    let mut required: Vec<(String, String)> = Vec::new();
    for (index, rule) in jwt.list("claimValidationRules")?.iter().enumerate() {
        let path = format!("{}.claimValidationRules[{index}]", jwt.1);
        let rule = Fields::of(rule, &path, &["claim", "requiredValue", "expression", "message"])?;
        rule.no_expression()?;
        let claim = rule.text("claim")?;
        if claim.is_empty() {
            return Err(rule.wrong("claim", "expected a claim"));
        }
        if !rule.text("message")?.is_empty() {
            return Err(rule.wrong("message", "expected none where claim is set"));
        }
        if required.iter().any(|(other, _)| *other == claim) {
            return Err(rule.wrong("claim", "expected each claim once"));
        }
        required.push((claim, rule.text("requiredValue")?));
    }
    Ok(required)
}

/// Checks what an issuer is said to be, wherever that is said.
pub(super) fn check(issuer: &JwtIssuer) -> Result<()> {
    let wrong = |field: &str, message: &str| Err(ConfigurationError::at(format!("issuer.{field}"), message));
    let urls = [("url", Some(&issuer.url)), ("discoveryURL", issuer.discovery_url.as_ref())];
    for (field, url) in urls.into_iter().filter_map(|(field, url)| Some((field, url?))) {
        let host = url.strip_prefix("https://").map(|rest| rest.split('/').next().unwrap_or_default());
        if host.is_none_or(|host| host.is_empty() || host.contains('@')) || url.contains(['?', '#']) {
            return wrong(
                field,
                "expected a URL of the form https://HOST/PATH, without a user, a query and a fragment",
            );
        }
    }
    if issuer
        .discovery_url
        .as_deref()
        .is_some_and(|url| url.trim_end_matches('/') == issuer.url.trim_end_matches('/'))
    {
        return wrong("discoveryURL", "expected another URL than that of the issuer");
    }
    let audiences = &issuer.audiences;
    if audiences.is_empty() || audiences.iter().any(String::is_empty) {
        return wrong("audiences", "expected one audience or more, none of them empty");
    }
    if audiences.iter().enumerate().any(|(index, audience)| audiences[..index].contains(audience)) {
        return wrong("audiences", "expected each audience once");
    }
    Ok(())
}

/// The fields of an object, and its path.
struct Fields<'a>(&'a Map<String, Value>, String);

impl<'a> Fields<'a> {
    /// The fields, none of which may be another one than these.
    fn of(value: &'a Value, path: &str, known: &[&str]) -> Result<Self> {
        let fields = value.as_object().ok_or_else(|| ConfigurationError::at(path, "expected an object"))?;
        let fields = Self(fields, path.to_owned());
        match fields.0.keys().find(|name| !known.contains(&name.as_str())) {
            Some(unknown) => Err(fields.wrong(unknown, format!("expected {}", known.join(", ")))),
            None => Ok(fields),
        }
    }

    fn wrong(&self, field: &str, message: impl Into<String>) -> ConfigurationError {
        let dot = if self.1.is_empty() { "" } else { "." };
        ConfigurationError::at(format!("{}{dot}{field}", self.1), message)
    }

    fn below(&self, name: &str, known: &[&str]) -> Result<Fields<'a>> {
        static NONE: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| Value::Object(Map::new()));
        let value = self.0.get(name).filter(|value| !value.is_null()).unwrap_or(&NONE);
        Fields::of(value, &format!("{}.{name}", self.1), known)
    }

    fn text(&self, name: &str) -> Result<String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(self.wrong(name, "expected a text")),
        }
    }

    fn list(&self, name: &str) -> Result<&'a [Value]> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(self.wrong(name, "expected a list")),
        }
    }

    fn texts(&self, name: &str) -> Result<Vec<String>> {
        let text = |item: &Value| item.as_str().map(str::to_owned);
        let texts: Option<_> = self.list(name)?.iter().map(text).collect();
        texts.ok_or_else(|| self.wrong(name, "expected a list of texts"))
    }

    fn no_expression(&self) -> Result<()> {
        match &*self.text("expression")? {
            "" => Ok(()),
            _ => Err(self.wrong("expression", CEL)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(change: impl FnOnce(&mut Value)) -> Value {
        let mut document = json!({
            "apiVersion": "apiserver.config.k8s.io/v1",
            "kind": "AuthenticationConfiguration",
            "jwt": [{
                "issuer": {"url": "https://a.example/x", "audiences": ["one"]},
                "claimMappings": {"username": {"claim": "sub", "prefix": "p:"}},
            }],
        });
        change(&mut document);
        document
    }

    #[test]
    fn a_configuration_is_read() {
        let found = AuthenticationConfiguration::parse(&document(|document| {
            let jwt = &mut document["jwt"][0];
            jwt["issuer"]["discoveryURL"] = "https://b.example/y".into();
            jwt["issuer"]["audiences"] = json!(["one", "two"]);
            jwt["issuer"]["audienceMatchPolicy"] = "MatchAny".into();
            jwt["claimMappings"]["groups"] = json!({"claim": "teams", "prefix": ""});
            jwt["claimMappings"]["uid"] = json!({"claim": "id"});
            jwt["claimValidationRules"] = json!([{"claim": "tenant", "requiredValue": "red"}]);
            document["anonymous"] = json!({"enabled": true, "conditions": [{"path": "/healthz"}]});
        }));
        let expected = JwtIssuer {
            url: "https://a.example/x".to_owned(),
            discovery_url: Some("https://b.example/y".to_owned()),
            audiences: vec!["one".to_owned(), "two".to_owned()],
            mappings: ClaimMappings {
                username: "sub".to_owned(),
                username_prefix: "p:".to_owned(),
                groups: Some("teams".to_owned()),
                groups_prefix: String::new(),
                uid: Some("id".to_owned()),
            },
            required: vec![("tenant".to_owned(), "red".to_owned())],
            ..JwtIssuer::default()
        };
        let anonymous = Some(Anonymous::Paths(vec!["/healthz".to_owned()]));
        assert_eq!(found, Ok(AuthenticationConfiguration { issuers: vec![expected], anonymous }));
        for (anonymous, expected) in [
            (json!({"enabled": true}), Anonymous::Everywhere),
            (json!({"enabled": false}), Anonymous::Nowhere),
        ] {
            let found =
                AuthenticationConfiguration::parse(&document(|document| document["anonymous"] = anonymous));
            assert_eq!(found.unwrap().anonymous, Some(expected));
        }
        for version in ["v1alpha1", "v1beta1"] {
            let version = format!("apiserver.config.k8s.io/{version}");
            let found = AuthenticationConfiguration::parse(&document(|document| {
                document["apiVersion"] = version.into()
            }));
            assert_eq!(found.unwrap().issuers.len(), 1);
        }
    }

    #[test]
    fn wrong_configurations_are_refused_with_the_field() {
        type Change = fn(&mut Value);
        let cases: [(Change, &str); 15] = [
            (|all| all["kind"] = "Pod".into(), "kind: "),
            (|all| all["apiVersion"] = "v1".into(), "apiVersion: "),
            (|all| all["more"] = 1.into(), "more: expected apiVersion, kind, jwt, anonymous"),
            (|all| all["jwt"][0]["issuer"]["url"] = "http://a.example".into(), "jwt[0].issuer.url: "),
            (|all| all["jwt"][0]["issuer"]["url"] = "https://u@a.example".into(), "jwt[0].issuer.url: "),
            (|all| all["jwt"][0]["issuer"]["url"] = "https://a.example?q".into(), "jwt[0].issuer.url: "),
            (|all| all["jwt"][0]["issuer"]["audiences"] = json!([]), "jwt[0].issuer.audiences: "),
            (
                |all| all["jwt"][0]["issuer"]["audiences"] = json!(["a", "b"]),
                "jwt[0].issuer.audienceMatchPolicy: ",
            ),
            (
                |all| all["jwt"][0]["issuer"]["discoveryURL"] = "https://a.example/x/".into(),
                "jwt[0].issuer.discoveryURL: ",
            ),
            (
                |all| all["jwt"][0]["claimMappings"]["username"] = json!({"expression": "claims.sub"}),
                "jwt[0].claimMappings.username.expression: expressions in CEL are not supported yet",
            ),
            (
                |all| {
                    all["jwt"][0]["claimMappings"]["extra"] = json!([{"key": "a/b", "valueExpression": "c"}])
                },
                "jwt[0].claimMappings.extra: expressions in CEL",
            ),
            (
                |all| all["jwt"][0]["claimValidationRules"] = json!([{"expression": "true"}]),
                "jwt[0].claimValidationRules[0].expression: expressions in CEL",
            ),
            (
                |all| all["jwt"][0]["userValidationRules"] = json!([{"expression": "true"}]),
                "jwt[0].userValidationRules: expressions in CEL",
            ),
            (
                |all| {
                    drop(all["jwt"][0]["claimMappings"]["username"].as_object_mut().unwrap().remove("prefix"))
                },
                "jwt[0].claimMappings.username.prefix: ",
            ),
            (
                |all| all["anonymous"] = json!({"enabled": false, "conditions": [{"path": "/"}]}),
                "anonymous.conditions: ",
            ),
        ];
        for (change, expected) in cases {
            let error = AuthenticationConfiguration::parse(&document(change)).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{expected}: {error}");
        }
        let twice = document(|all| {
            let again = all["jwt"][0].clone();
            all["jwt"].as_array_mut().unwrap().push(again);
        });
        let error = AuthenticationConfiguration::parse(&twice).unwrap_err().to_string();
        assert_eq!(error, "jwt[1].issuer.url: expected each issuer once");
    }
}
