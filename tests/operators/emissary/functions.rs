//! The functions that the rules name. They do what the operator's own functions do, and refuse what its types cannot
//! read.

use hubgen_kubernetes::machinery::convert::Functions;
use hubgen_kubernetes::machinery::json::{self as machinery_json, Raw};
use hubgen_kubernetes::machinery::{ApiType, Str, StrMap, reflect};
use serde_json::{Value, json};

/// All of them.
pub fn all() -> Functions {
    Functions::none()
        .with("crate::added_headers", added_headers::to_hub, added_headers::from_hub)
        .with("crate::flags", flags::to_hub, flags::from_hub)
        .with("crate::host_ids", host_ids::to_hub, host_ids::from_hub)
        .with("crate::labels", labels::to_hub, labels::from_hub)
        .with("crate::selectors", selectors::to_hub, selectors::from_hub)
        .with("crate::tags", tags::to_hub, tags::from_hub)
        .with("crate::tcp_tls", tcp_tls::to_hub, tcp_tls::from_hub)
        .with("crate::tls", tls::to_hub, tls::from_hub)
}

/// What JSON of any form is.
fn value(json: &Raw) -> Result<Value, String> {
    json.to_value().map_err(|error| error.to_string())
}

/// An object of a type that JSON is.
fn object<T: reflect::ApiType>(json: &Raw) -> Result<T, String> {
    machinery_json::decode(json.as_str().as_bytes()).map_err(|error| error.to_string())
}

/// How v2 wrote `tls` and the scheme of a service, where v3alpha1 has the same in another form.
#[derive(ApiType)]
#[api(crate = "hubgen_kubernetes::machinery")]
pub struct V2ExplicitTLS {
    tls: Option<Str>,
    service_scheme: Option<Str>,
}

/// The field `tls` of v2, and the scheme of a service.
mod tls {
    use super::*;

    const HTTPS: &str = "https://";

    /// A service without its scheme, and the scheme, in the letters that it has.
    fn split(service: &str) -> (&str, &str) {
        let schemes = [HTTPS, "http://"].into_iter();
        let found = schemes.filter_map(|scheme| service.split_at_checked(scheme.len()).zip(Some(scheme)));
        let mut found = found.filter(|((start, _), scheme)| start.eq_ignore_ascii_case(scheme));
        found.next().map_or((service, ""), |((scheme, rest), _)| (rest, scheme))
    }

    pub fn to_hub(
        service: Str,
        tls: Option<Raw>,
    ) -> Result<(Str, Option<Str>, Option<V2ExplicitTLS>), String> {
        let word = match tls.as_ref().map(value).transpose()? {
            // `null` is no value.
            None | Some(Value::Null) => None,
            Some(Value::Bool(true)) => Some("bool:true"),
            Some(Value::Bool(false)) => Some("bool:false"),
            Some(Value::String(name)) if name.is_empty() => Some("string"),
            // The name of a context is all, so the service may have any scheme.
            Some(Value::String(name)) => {
                return Ok((service, Some(name.into()), Some(V2ExplicitTLS::default())));
            }
            Some(other) => return Err(format!("expected a truth value or a text, found {other}")),
        };
        let (bare, scheme) = split(&service);
        let is_https = scheme.eq_ignore_ascii_case(HTTPS);
        let (service, service_scheme) = match word {
            Some("bool:true") if !is_https => (format!("{HTTPS}{bare}").into(), Some(scheme.into())),
            _ => (service.clone(), None),
        };
        let explicit = (word.is_some() || service_scheme.is_some())
            .then(|| V2ExplicitTLS { tls: word.map(Str::from), service_scheme });
        Ok((service, None, explicit))
    }

    pub fn from_hub(service: Str, tls: Option<Str>, explicit: Option<V2ExplicitTLS>) -> (Str, Option<Raw>) {
        let explicit = explicit.unwrap_or_default();
        let tls = tls.filter(|tls| !tls.is_empty());
        let (bare, scheme) = split(&service);
        let is_used = tls.is_some() || scheme.eq_ignore_ascii_case(HTTPS);
        let tls = match (tls, explicit.tls.as_deref()) {
            (Some(name), _) => Some(json!(&*name)),
            (None, Some("bool:false")) => Some(json!(false)),
            (None, Some("bool:true")) if is_used => Some(json!(true)),
            (None, Some("string")) => Some(json!("")),
            (None, _) => None,
        };
        let says_all = matches!(&tls, Some(Value::Bool(true)))
            || matches!(&tls, Some(Value::String(name)) if !name.is_empty());
        let service = match explicit.service_scheme {
            Some(scheme) if says_all || scheme.eq_ignore_ascii_case(HTTPS) == is_used => {
                format!("{scheme}{bare}").into()
            }
            _ => service.clone(),
        };
        (service, tls.map(Raw::from))
    }
}

/// The same for a TCPMapping, whose service has no scheme at v2.
mod tcp_tls {
    use super::*;

    pub fn to_hub(
        service: Str,
        tls: Option<Raw>,
    ) -> Result<(Str, Option<Str>, Option<V2ExplicitTLS>), String> {
        let (service, tls, explicit) = tls::to_hub(service, tls)?;
        let explicit = explicit.filter(|explicit| explicit.tls.is_some());
        Ok((service, tls, explicit.map(|explicit| V2ExplicitTLS { service_scheme: None, ..explicit })))
    }

    pub fn from_hub(service: Str, tls: Option<Str>, explicit: Option<V2ExplicitTLS>) -> (Str, Option<Raw>) {
        let explicit = V2ExplicitTLS { service_scheme: Some("".into()), ..explicit.unwrap_or_default() };
        tls::from_hub(service, tls, Some(explicit))
    }
}

/// Headers or query parameters of a mapping: at v2, one is a text, or true if it must be there.
mod flags {
    use super::*;

    const ANY: &str = ".*";
    type Texts = Option<StrMap<Str>>;

    pub fn to_hub(
        all: Option<StrMap<Raw>>,
        mut patterns: Texts,
    ) -> Result<(Texts, Texts, Option<Vec<Str>>), String> {
        let mut texts = all.as_ref().is_some_and(StrMap::is_empty).then(StrMap::new);
        let mut names = Vec::new();
        for (name, json) in all.unwrap_or_default() {
            match value(&json)? {
                Value::String(text) => {
                    texts.get_or_insert_default().insert(name, text.into());
                }
                Value::Bool(true) => {
                    let patterns = patterns.get_or_insert_default();
                    if !patterns.contains_key(&name) {
                        patterns.insert(name.clone(), ANY.into());
                    }
                    names.push(name);
                }
                // The operator drops it: it has no meaning.
                Value::Bool(false) | Value::Null => {}
                other => return Err(format!("{name}: expected a truth value or a text, found {other}")),
            }
        }
        Ok((texts, patterns, (!names.is_empty()).then_some(names)))
    }

    pub fn from_hub(
        texts: Texts,
        mut patterns: Texts,
        names: Option<Vec<Str>>,
    ) -> (Option<StrMap<Raw>>, Texts) {
        let json = |(name, text): (Str, Str)| (name, Raw::from(json!(&*text)));
        let mut all: Option<StrMap<Raw>> = texts.map(|texts| texts.into_iter().map(json).collect());
        for name in names.unwrap_or_default() {
            let Some(pattern) = patterns.as_ref().and_then(|patterns| patterns.get(&name)) else { continue };
            let is_any = &**pattern == ANY;
            if all.as_ref().is_some_and(|all| all.contains_key(&name)) {
                continue;
            }
            if is_any && let Some(found) = &mut patterns {
                found.remove(&name);
                patterns = patterns.filter(|patterns| !patterns.is_empty());
            }
            all.get_or_insert_default().insert(name, Raw::from(json!(true)));
        }
        (all, patterns)
    }
}

/// A header that a mapping adds.
#[derive(ApiType)]
#[api(crate = "hubgen_kubernetes::machinery")]
pub struct Header {
    append: Option<bool>,
    #[field(name = "v2Representation")]
    representation: Option<Str>,
    value: Option<Str>,
}

/// Headers that a mapping adds: at v2, one is an object, or its value alone, or null.
mod added_headers {
    use super::*;

    /// A header of v2 that is an object.
    #[derive(ApiType)]
    #[api(crate = "hubgen_kubernetes::machinery")]
    struct Full {
        value: Option<Str>,
        append: Option<bool>,
    }

    pub fn to_hub(headers: Option<StrMap<Raw>>) -> Result<Option<StrMap<Header>>, String> {
        let header = |(name, json): (Str, Raw)| -> Result<(Str, Header), String> {
            let header = match value(&json)? {
                Value::Null => Header { representation: Some("null".into()), ..Header::default() },
                Value::String(text) => {
                    Header { value: Some(text.into()), representation: Some("string".into()), append: None }
                }
                _ => {
                    let Full { value, append } = object(&json).map_err(|error| format!("{name}: {error}"))?;
                    Header { append, representation: None, value }
                }
            };
            Ok((name, header))
        };
        headers.map(|headers| headers.into_iter().map(header).collect()).transpose()
    }

    pub fn from_hub(headers: Option<StrMap<Header>>) -> Option<StrMap<Raw>> {
        let json = |(name, Header { append, representation, value }): (Str, Header)| {
            let is_empty = value.as_ref().is_none_or(|value| value.is_empty());
            let json = match (representation.as_deref(), append) {
                (Some("string"), None) => json!(&*value.unwrap_or_default()),
                (Some("null"), None) if is_empty => Value::Null,
                _ => {
                    let mut full = serde_json::Map::new();
                    full.extend(value.map(|value| ("value".to_owned(), json!(&*value))));
                    full.extend(append.map(|append| ("append".to_owned(), json!(append))));
                    Value::Object(full)
                }
            };
            (name, Raw::from(json))
        };
        headers.map(|headers| headers.into_iter().map(json).collect())
    }
}

/// A label that a mapping sets: one of these.
#[derive(ApiType)]
#[api(crate = "hubgen_kubernetes::machinery")]
pub struct MappingLabel {
    #[field(name = "destination_cluster")]
    destination_cluster: Option<Key>,
    #[field(name = "generic_key")]
    generic_key: Option<GenericKey>,
    #[field(name = "remote_address")]
    remote_address: Option<Key>,
    #[field(name = "request_headers")]
    request_headers: Option<RequestHeaders>,
    #[field(name = "source_cluster")]
    source_cluster: Option<Key>,
}

#[derive(ApiType)]
#[api(crate = "hubgen_kubernetes::machinery")]
struct Key {
    #[field(required)]
    key: Str,
}

#[derive(ApiType)]
#[api(crate = "hubgen_kubernetes::machinery")]
struct GenericKey {
    key: Option<Str>,
    #[field(name = "v2Shorthand")]
    is_short: Option<bool>,
    #[field(required)]
    value: Str,
}

#[derive(ApiType)]
#[api(crate = "hubgen_kubernetes::machinery")]
struct RequestHeaders {
    #[field(required, name = "header_name")]
    header_name: Str,
    #[field(required)]
    key: Str,
    #[field(name = "omit_if_not_present")]
    omit_if_not_present: Option<bool>,
}

/// Labels of a mapping, in groups of domains: at v2, one is a text, null, or an object of one of two forms.
mod labels {
    use super::*;

    /// Domains, each with groups that have one name.
    type Domains<T> = StrMap<Vec<StrMap<T>>>;

    /// An object of v2 with a header for a key.
    #[derive(ApiType)]
    #[api(crate = "hubgen_kubernetes::machinery")]
    struct OfHeader {
        header: Str,
        #[field(name = "omit_if_not_present")]
        omit_if_not_present: Option<bool>,
    }

    /// The other form of an object of v2.
    #[derive(ApiType)]
    #[api(crate = "hubgen_kubernetes::machinery")]
    struct Generic {
        #[field(name = "generic_key")]
        generic_key: Str,
    }

    /// The domains with each group's labels in another form.
    fn each<A, B>(domains: Domains<A>, label: impl Fn(A) -> Result<B, String>) -> Result<Domains<B>, String> {
        let group = |group: StrMap<A>| -> Result<StrMap<B>, String> {
            group.into_iter().map(|(name, labels)| Ok((name, label(labels)?))).collect()
        };
        let domain = |(name, groups): (Str, Vec<StrMap<A>>)| -> Result<(Str, Vec<StrMap<B>>), String> {
            Ok((name, groups.into_iter().map(group).collect::<Result<_, _>>()?))
        };
        domains.into_iter().map(domain).collect()
    }

    pub fn to_hub(labels: Option<Domains<Raw>>) -> Result<Option<Domains<Vec<MappingLabel>>>, String> {
        let list = |json: Raw| match value(&json)? {
            Value::Null => Ok(Vec::new()),
            Value::Array(labels) => labels.into_iter().map(label).collect(),
            other => Err(format!("expected a list of labels, found {other}")),
        };
        labels.map(|labels| each(labels, list)).transpose()
    }

    fn label(json: Value) -> Result<MappingLabel, String> {
        let mut out = MappingLabel::default();
        match json {
            Value::Null => {}
            Value::String(text) => {
                let key = Some(Key { key: text.as_str().into() });
                match &*text {
                    "source_cluster" => out.source_cluster = key,
                    "destination_cluster" => out.destination_cluster = key,
                    "remote_address" => out.remote_address = key,
                    _ => {
                        out.generic_key =
                            Some(GenericKey { key: None, is_short: Some(true), value: text.into() });
                    }
                }
            }
            // Of several headers, the operator takes any. This takes the first.
            Value::Object(headers)
                if headers.values().all(|header| header.is_object() || header.is_null()) =>
            {
                if let Some((key, header)) = headers.into_iter().next() {
                    let OfHeader { header, omit_if_not_present } = match header {
                        Value::Null => OfHeader::default(),
                        header => object(&Raw::from(header)).map_err(|error| format!("{key}: {error}"))?,
                    };
                    out.request_headers =
                        Some(RequestHeaders { header_name: header, key: key.into(), omit_if_not_present });
                }
            }
            Value::Object(_) => {
                let Generic { generic_key } = object(&Raw::from(json))?;
                out.generic_key = Some(GenericKey { value: generic_key, ..GenericKey::default() });
            }
            other => return Err(format!("expected a text or an object as a label, found {other}")),
        }
        Ok(out)
    }

    pub fn from_hub(labels: Option<Domains<Vec<MappingLabel>>>) -> Option<Domains<Raw>> {
        let list =
            |labels: Vec<MappingLabel>| Ok(Raw::from(Value::Array(labels.into_iter().map(json).collect())));
        labels.map(|labels| each(labels, list).unwrap_or_default())
    }

    fn json(label: MappingLabel) -> Value {
        match label {
            MappingLabel { source_cluster: Some(Key { key }), .. }
            | MappingLabel { destination_cluster: Some(Key { key }), .. } => json!(&*key),
            MappingLabel { request_headers: Some(found), .. } => {
                let mut header = json!({"header": &*found.header_name});
                if let Some(omit) = found.omit_if_not_present {
                    header["omit_if_not_present"] = omit.into();
                }
                json!({&*found.key: header})
            }
            MappingLabel { remote_address: Some(Key { key }), .. } => json!(&*key),
            MappingLabel { generic_key: Some(GenericKey { key, is_short, value }), .. } => {
                match key.filter(|key| !key.is_empty()) {
                    None if is_short == Some(true) => json!(&*value),
                    None => json!({"generic_key": &*value}),
                    Some(key) => json!({"generic_key": &*value, "v3Key": &*key}),
                }
            }
            _ => Value::Null,
        }
    }
}

/// The IDs of a Host: v2 has two fields for them.
mod host_ids {
    use super::*;

    /// What v2 has before an ID that was written at v3alpha1.
    const MARK: &str = "--apiVersion-v3alpha1-only--";

    fn list(json: &Raw) -> Result<Option<Vec<Str>>, String> {
        let item = |item: Value| match item {
            Value::String(id) => Ok(Str::from(id)),
            other => Err(format!("expected a text as an ID, found {other}")),
        };
        match value(json)? {
            Value::Null => Ok(None),
            Value::Array(items) => items.into_iter().map(item).collect::<Result<_, _>>().map(Some),
            one => Ok(Some(vec![item(one)?])),
        }
    }

    pub fn to_hub(ids: Option<Raw>, older: Option<Raw>) -> Result<Option<Vec<Str>>, String> {
        let list = |json: Option<Raw>| json.as_ref().map_or(Ok(None), list);
        let (ids, older) = (list(ids)?, list(older)?);
        if ids.is_none() && older.is_none() {
            return Ok(None);
        }
        let all = [ids, older].into_iter().flatten().flatten();
        Ok(Some(all.map(|id| id.strip_prefix(MARK).unwrap_or(&id).into()).collect()))
    }

    pub fn from_hub(ids: Option<Vec<Str>>) -> (Option<Raw>, Option<Raw>) {
        let marked = |id: &Str| format!("{MARK}{}", id.strip_prefix(MARK).unwrap_or(id)).into();
        let ids = ids.map(|ids| Raw::from(Value::Array(ids.iter().map(marked).collect())));
        (ids, None)
    }
}

/// A selector of objects by their labels.
#[derive(ApiType)]
#[api(crate = "hubgen_kubernetes::machinery")]
pub struct Selector {
    match_expressions: Option<Vec<Raw>>,
    match_labels: Option<StrMap<Str>>,
}

/// The selector of a Host's mappings: v3alpha1 has an older name for it, too.
mod selectors {
    use super::*;

    pub fn to_hub(selector: Option<Selector>) -> (Option<Selector>, Option<Selector>) {
        (selector, None)
    }

    pub fn from_hub(selector: Option<Selector>, older: Option<Selector>) -> Option<Selector> {
        selector.or(older)
    }
}

/// A tag of v2.
#[derive(ApiType)]
#[api(crate = "hubgen_kubernetes::machinery")]
pub struct TracingServiceV3CustomTag {
    environment: Option<Raw>,
    literal: Option<Raw>,
    #[field(name = "request_header")]
    request_header: Option<Raw>,
    #[field(required)]
    tag: Str,
}

/// A tag of v3alpha1.
#[derive(ApiType)]
#[api(crate = "hubgen_kubernetes::machinery")]
pub struct TracingServiceCustomTag {
    environment: Option<Raw>,
    literal: Option<Raw>,
    #[field(name = "request_header")]
    request_header: Option<Raw>,
    #[field(required)]
    tag: Str,
}

/// Tags of traces: without custom tags, each header is a tag of its name.
mod tags {
    use super::*;

    fn of_header(name: Str) -> TracingServiceCustomTag {
        let request_header = Some(Raw::from(json!({"name": &*name})));
        TracingServiceCustomTag { tag: name, request_header, ..Default::default() }
    }

    pub fn to_hub(
        headers: Option<Vec<Str>>,
        tags: Option<Vec<TracingServiceV3CustomTag>>,
    ) -> (Option<Vec<Str>>, Option<Vec<TracingServiceCustomTag>>) {
        let hub = |TracingServiceV3CustomTag { environment, literal, request_header, tag }| {
            TracingServiceCustomTag { environment, literal, request_header, tag }
        };
        let of_headers = || headers.map(|headers| headers.into_iter().map(of_header).collect());
        (None, tags.map(|tags| tags.into_iter().map(hub).collect()).or_else(of_headers))
    }

    pub fn from_hub(
        headers: Option<Vec<Str>>,
        tags: Option<Vec<TracingServiceCustomTag>>,
    ) -> (Option<Vec<Str>>, Option<Vec<TracingServiceV3CustomTag>>) {
        let version = |TracingServiceCustomTag { environment, literal, request_header, tag }| {
            TracingServiceV3CustomTag { environment, literal, request_header, tag }
        };
        let of_headers = || headers.map(|headers| headers.into_iter().map(of_header).collect());
        let tags = tags.or_else(of_headers);
        (None, tags.map(|tags| tags.into_iter().map(version).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &Value) -> Raw {
        Raw::from(json)
    }

    /// `tls` and the service of v2, and what v3alpha1 has: `tls`, the service, and both members of `v2ExplicitTLS`.
    #[test]
    fn schemes_and_truth_values_come_back() {
        type Explicit = Option<(Option<&'static str>, Option<&'static str>)>;
        type Hub = (Option<&'static str>, &'static str, Explicit);
        let cases: [(Option<Value>, &str, Hub); 7] = [
            (None, "http://a", (None, "http://a", None)),
            (Some(json!(true)), "a", (None, "https://a", Some((Some("bool:true"), Some(""))))),
            (Some(json!(true)), "hTTp://a", (None, "https://a", Some((Some("bool:true"), Some("hTTp://"))))),
            (Some(json!(true)), "HTTPS://a", (None, "HTTPS://a", Some((Some("bool:true"), None)))),
            (Some(json!(false)), "https://a", (None, "https://a", Some((Some("bool:false"), None)))),
            (Some(json!("")), "é", (None, "é", Some((Some("string"), None)))),
            (Some(json!("name")), "http://a", (Some("name"), "http://a", Some((None, None)))),
        ];
        for (version, service, (tls, hub_service, explicit)) in cases {
            let version = version.as_ref().map(raw);
            let (found_service, found_tls, found) = tls::to_hub(service.into(), version.clone()).unwrap();
            assert_eq!((&*found_service, found_tls.as_deref()), (hub_service, tls));
            let members = found.as_ref().map(|found| (found.tls.as_deref(), found.service_scheme.as_deref()));
            assert_eq!(members, explicit, "{version:?} {service}");
            assert_eq!(tls::from_hub(found_service, found_tls, found), (service.into(), version));
        }
        assert!(tls::to_hub("a".into(), Some(raw(&json!(1)))).is_err());
        let (service, tls) = tcp_tls::from_hub("https://a".into(), None, None);
        assert_eq!((&*service, tls), ("https://a", None));
        let (service, _) = tcp_tls::from_hub("https://a".into(), Some("name".into()), None);
        assert_eq!(service, "a");
    }

    #[test]
    fn labels_have_one_form_of_several() {
        let of = |labels: &Value| {
            let groups = StrMap::from_iter([("g", raw(labels))]);
            Some(StrMap::from_iter([("d", vec![groups])]))
        };
        let labels = json!([
            "remote_address",
            "x",
            null,
            {"generic_key": "x"},
            {"k": {"header": "A", "omit_if_not_present": false}},
        ]);
        let hub = labels::to_hub(of(&labels)).unwrap();
        assert_eq!(labels::from_hub(hub), of(&labels));
        for wrong in [json!("x"), json!([1]), json!([{"generic_key": 1}])] {
            assert!(labels::to_hub(of(&wrong)).is_err(), "{wrong}");
        }
    }
}
