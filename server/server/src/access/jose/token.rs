//! A token, and whether a key has signed it.

use serde_json::Value;

use super::{Algorithm, PublicKey, decoded};

/// A token of which nothing is verified yet.
pub(in crate::access) struct Token<'a> {
    header: Value,
    claims: Value,
    signed: &'a str,
    signature: Vec<u8>,
}

impl<'a> Token<'a> {
    /// Reads a token in compact form; `None` if it is none.
    pub(in crate::access) fn parse(token: &'a str) -> Option<Self> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let object = |part: &str| {
            let value: Value = serde_json::from_slice(&decoded(part)?).ok()?;
            value.is_object().then_some(value)
        };
        Some(Self {
            header: object(header)?,
            claims: object(claims)?,
            signed,
            signature: decoded(signature)?,
        })
    }

    /// The claims, which anybody may have written.
    pub(in crate::access) fn unverified(&self) -> &Value {
        &self.claims
    }

    /// The name of the key; empty if it has none.
    pub(in crate::access) fn key_id(&self) -> &str {
        self.header["kid"].as_str().unwrap_or_default()
    }

    /// How it is signed; `None` if that is no signature, or depends on something that must be understood and is not (`crit`).
    pub(in crate::access) fn algorithm(&self) -> Option<Algorithm> {
        if self.header.get("crit").is_some() {
            return None;
        }
        Algorithm::named(self.header["alg"].as_str()?)
    }

    /// The claims, if one of these keys has signed them.
    pub(in crate::access) fn verified<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k PublicKey>,
    ) -> Option<&Value> {
        let algorithm = self.algorithm()?;
        let mut keys = keys.into_iter();
        let is_signed = keys.any(|key| key.verify(algorithm, self.signed.as_bytes(), &self.signature));
        is_signed.then_some(&self.claims)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{SigningKey, encoded};
    use super::*;

    #[test]
    fn only_what_the_key_has_signed_is_opened() {
        let key = SigningKey::generate();
        let claims = json!({"sub": "a"});
        let token = key.sign(&claims).unwrap();
        let open = |token: &str, key: &SigningKey| Token::parse(token)?.verified([key.public()]).cloned();
        assert_eq!(open(&token, &key), Some(claims));
        assert_eq!(open(&token, &SigningKey::generate()), None);
        let parts: Vec<&str> = token.split('.').collect();
        let [header, claims, signature] = parts[..] else { panic!("{token}") };
        let other = encoded(r#"{"sub":"b"}"#);
        let [unsigned, shared, critical] =
            [r#"{"alg":"none"}"#, r#"{"alg":"HS256"}"#, r#"{"alg":"ES256","crit":["exp"]}"#].map(encoded);
        for forged in [
            format!("{header}.{other}.{signature}"),
            format!("{unsigned}.{claims}."),
            format!("{unsigned}.{claims}.{signature}"),
            format!("{shared}.{claims}.{signature}"),
            format!("{critical}.{claims}.{signature}"),
            format!("{header}.{claims}."),
            format!("{header}.{claims}"),
            format!("{header}.{claims}.{signature}."),
            format!("{header}.{claims}.{signature}.{signature}"),
            String::new(),
        ] {
            assert_eq!(open(&forged, &key), None, "{forged}");
        }
    }
}
