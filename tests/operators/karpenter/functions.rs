//! The functions that the rules name.

use hubgen_machinery::convert::Functions;

/// All of them.
pub fn all() -> Functions {
    Functions::none()
        .with("crate::class", class::to_hub, class::from_hub)
        .with("crate::images", images::to_hub, images::from_hub)
        .with("crate::ubuntu", ubuntu::to_hub, ubuntu::from_hub)
}

/// The reference to a class of nodes. v1 has the group of the API version only, and always a group and a kind. So the
/// hub has the reference of v1beta1 besides, as JSON, which v1 has in an annotation.
pub(crate) mod class {
    use hubgen_machinery::Str;
    use serde_json::{Map, Value};

    /// Converts to the hub: the name, the kind, the group and the JSON.
    pub(crate) fn to_hub(
        name: Str,
        kind: Option<Str>,
        api_version: Option<Str>,
    ) -> (Str, Str, Str, Option<Str>) {
        let mut all = Map::new();
        for (key, value) in [("kind", &kind), ("name", &Some(name.clone())), ("apiVersion", &api_version)] {
            all.extend(value.as_ref().map(|value| (key.to_owned(), value.to_string().into())));
        }
        let json = Value::Object(all).to_string();
        let (kind, group) = shown(kind.as_ref(), api_version.as_ref());
        (name, kind, group, Some(json.into()))
    }

    /// Converts from the hub. A reference that a client of v1 has changed is no longer the one in the annotation.
    pub(crate) fn from_hub(
        name: Str,
        kind: Str,
        group: Str,
        json: Option<Str>,
    ) -> (Str, Option<Str>, Option<Str>) {
        let json = json.and_then(|json| serde_json::from_str::<Map<String, Value>>(&json).ok());
        if let Some(all) = json {
            let text = |key: &str| all.get(key).and_then(Value::as_str).map(Str::from);
            let [older_kind, api_version] = ["kind", "apiVersion"].map(text);
            if text("name").unwrap_or_default() == name
                && shown(older_kind.as_ref(), api_version.as_ref()) == (kind.clone(), group)
            {
                return (name, older_kind, api_version);
            }
        }
        (name, Some(kind).filter(|kind| !kind.is_empty()), None)
    }

    /// The kind and the group at v1. Without them, the class is the operator's own.
    fn shown(kind: Option<&Str>, api_version: Option<&Str>) -> (Str, Str) {
        let kind = kind.filter(|kind| !kind.is_empty()).cloned().unwrap_or_else(|| "EC2NodeClass".into());
        let group = match api_version.filter(|version| !version.is_empty()) {
            Some(version) => version.split('/').next().unwrap_or_default().into(),
            None => "karpenter.k8s.aws".into(),
        };
        (kind, group)
    }
}

/// A family of images without terms is a term with an alias at v1.
pub(crate) mod images {
    use hubgen_machinery::{Str, StrMap};

    use super::super::types::{v1, v1beta1};

    type Older = v1beta1::EC2NodeClassAmiSelectorTerm;
    type Newer = v1::EC2NodeClassAmiSelectorTerm;

    /// The families that have aliases: their names are those of the families, in small letters.
    const FAMILIES: [&str; 5] = ["AL2", "AL2023", "Bottlerocket", "Windows2019", "Windows2022"];

    /// The annotation of v1beta1 that has the version of an alias.
    const VERSION: &str = "compatibility.karpenter.k8s.aws/v1-alias-version";

    /// Converts to the hub.
    pub(crate) fn to_hub(
        family: Str,
        terms: Option<Vec<Older>>,
        annotations: StrMap<Str>,
    ) -> (Option<Str>, Vec<Newer>) {
        let newer = |term| {
            let Older { id, name, owner, tags } = term;
            Newer { alias: None, id, name, owner, tags }
        };
        let terms: Vec<Newer> = terms.unwrap_or_default().into_iter().map(newer).collect();
        match &*family {
            "Ubuntu" => (Some(family), terms),
            known if FAMILIES.contains(&known) && terms.is_empty() => {
                let version = annotations.get(VERSION).map_or("latest", |version| version);
                let alias = format!("{}@{version}", known.to_ascii_lowercase());
                (None, vec![Newer { alias: Some(alias.into()), ..Newer::default() }])
            }
            known if FAMILIES.contains(&known) => (Some(family), terms),
            _ => (Some("Custom".into()), terms),
        }
    }

    /// Converts from the hub. Terms with an alias have no counterpart.
    pub(crate) fn from_hub(
        family: Option<Str>,
        terms: Vec<Newer>,
        _: StrMap<Str>,
    ) -> (Str, Option<Vec<Older>>) {
        let alias = |term: &Newer| term.alias.clone().filter(|alias| !alias.is_empty());
        let of_alias = terms.iter().find_map(alias).and_then(|alias| {
            let name = alias.split('@').next().unwrap_or_default().to_owned();
            FAMILIES.into_iter().find(|family| family.to_ascii_lowercase() == name)
        });
        let family = family.filter(|family| !family.is_empty());
        let family = family.unwrap_or_else(|| of_alias.unwrap_or("Custom").into());
        let older = |term: Newer| {
            let Newer { alias: _, id, name, owner, tags } = term;
            Older { id, name, owner, tags }
        };
        let terms: Vec<Older> = terms.into_iter().filter(|term| alias(term).is_none()).map(older).collect();
        (family, Some(terms).filter(|terms| !terms.is_empty()))
    }
}

/// Ubuntu is AL2 at v1, with the volume that Ubuntu has by default, and with a term that selects no image.
pub(crate) mod ubuntu {
    use hubgen_machinery::{Str, StrMap, json};

    use super::super::types::v1::{
        EC2NodeClassAmiSelectorTerm as Term, EC2NodeClassBlockDeviceMapping as Mapping,
    };

    type Mappings = Option<Vec<Mapping>>;

    /// The annotation in which the Go code lists what it wrote for Ubuntu.
    const MADE_UP: &str = "compatibility.karpenter.k8s.aws/v1beta1-ubuntu";

    /// Converts to the hub. What the Go code made up is taken out, unless a client has changed it.
    pub(crate) fn to_hub(
        family: Option<Str>,
        mut terms: Vec<Term>,
        mut mappings: Mappings,
        annotations: StrMap<Str>,
    ) -> (Option<Str>, Vec<Term>, Mappings) {
        let Some(made_up) = annotations.get(MADE_UP) else { return (family, terms, mappings) };
        if family.as_deref() != Some("AL2") {
            return (family, terms, mappings);
        }
        let has = |word: &str| made_up.split(',').any(|other| other == word);
        if has("incompatible") && terms == [placeholder()] {
            terms.clear();
        }
        if has("blockDeviceMappings") && mappings == Some(vec![volume()]) {
            mappings = None;
        }
        (Some("Ubuntu".into()), terms, mappings)
    }

    /// Converts from the hub.
    pub(crate) fn from_hub(
        family: Option<Str>,
        mut terms: Vec<Term>,
        mappings: Mappings,
        _: StrMap<Str>,
    ) -> (Option<Str>, Vec<Term>, Mappings) {
        if family.as_deref() != Some("Ubuntu") {
            return (family, terms, mappings);
        }
        if terms.is_empty() {
            terms.push(placeholder());
        }
        (Some("AL2".into()), terms, mappings.or_else(|| Some(vec![volume()])))
    }

    fn placeholder() -> Term {
        Term { id: Some("ami-placeholder".into()), ..Term::default() }
    }

    fn volume() -> Mapping {
        let volume = br#"{"deviceName":"/dev/sda1","ebs":{"encrypted":true,"volumeSize":"20Gi","volumeType":"gp3"},"rootVolume":true}"#;
        json::decode(volume).expect("it is JSON")
    }
}

/// What the Go code has written into annotations is read, unless a client has changed what it is about.
#[cfg(test)]
mod tests {
    use hubgen_machinery::{Str, StrMap};

    use super::super::types::v1::EC2NodeClassAmiSelectorTerm as Term;
    use super::{class, images, ubuntu};

    fn annotation(name: &str, value: &str) -> StrMap<Str> {
        StrMap::from_iter([(format!("compatibility.karpenter.k8s.aws/{name}"), Str::from(value))])
    }

    #[test]
    fn a_reference_is_what_the_annotation_has() {
        let json = || Some(r#"{"kind":"A","name":"b","apiVersion":"c.d/v1beta1"}"#.into());
        let older = class::from_hub("b".into(), "A".into(), "c.d".into(), json());
        assert_eq!(older, ("b".into(), Some("A".into()), Some("c.d/v1beta1".into())));
        let edited = class::from_hub("x".into(), "A".into(), "c.d".into(), json());
        assert_eq!(edited, ("x".into(), Some("A".into()), None));
        let bad = class::from_hub("b".into(), "A".into(), "c.d".into(), Some("[".into()));
        assert_eq!(bad, ("b".into(), Some("A".into()), None));
    }

    #[test]
    fn an_alias_has_the_version_of_the_annotation() {
        let alias = |annotations| images::to_hub("AL2023".into(), None, annotations).1[0].alias.clone();
        assert_eq!(alias(StrMap::new()).unwrap(), "al2023@latest");
        assert_eq!(alias(annotation("v1-alias-version", "v1")).unwrap(), "al2023@v1");
    }

    #[test]
    fn what_was_made_up_for_ubuntu_goes_again() {
        let (family, terms, mappings) =
            ubuntu::from_hub(Some("Ubuntu".into()), Vec::new(), None, StrMap::new());
        assert_eq!(family.as_deref(), Some("AL2"));
        let made_up = || annotation("v1beta1-ubuntu", "amiFamily,blockDeviceMappings,incompatible");
        let back = ubuntu::to_hub(family.clone(), terms.clone(), mappings.clone(), made_up());
        assert_eq!(back, (Some("Ubuntu".into()), Vec::new(), None));
        // A client has other terms now.
        let other = vec![Term { id: Some("ami-a".into()), ..Term::default() }];
        let edited = ubuntu::to_hub(family.clone(), other.clone(), mappings.clone(), made_up());
        assert_eq!(edited, (Some("Ubuntu".into()), other, None));
        // And another family.
        let custom = ubuntu::to_hub(Some("Custom".into()), terms.clone(), None, made_up());
        assert_eq!(custom, (Some("Custom".into()), terms, None));
    }
}
