//! Validates names of objects and namespaces: which syntax they have.

use hubgen_machinery::scheme::KindEntry;
use hubgen_validation::names;

use super::Violation;

/// The syntax of the names of a kind.
#[derive(Clone, Copy)]
enum Form {
    /// RFC 1123 subdomain, at most 253 characters. Most kinds use it.
    Subdomain,
    /// RFC 1123 label, at most 63 characters, for names that become part of a host name.
    Label,
    /// RFC 1035 label, at most 63 characters: an RFC 1123 label that starts with a letter.
    Label1035,
    /// Any segment of a URL path.
    Segment,
}

impl Form {
    fn mistakes(self, name: &str) -> Vec<String> {
        match self {
            Self::Subdomain => names::subdomain_mistakes(name),
            Self::Label => names::dns_label_mistakes(name),
            Self::Label1035 => names::dns_1035_label_mistakes(name),
            Self::Segment => names::path_segment_mistakes(name),
        }
    }
}

/// The kinds whose names are not subdomains, by storage group and plural.
const FORMS: &[(&str, &str, Form)] = &[
    ("", "namespaces", Form::Label),
    ("", "services", Form::Label1035),
    ("apiregistration.k8s.io", "apiservices", Form::Segment),
    ("certificates.k8s.io", "certificatesigningrequests", Form::Segment),
    ("certificates.k8s.io", "clustertrustbundles", Form::Segment),
    ("internal.apiserver.k8s.io", "storageversions", Form::Segment),
    ("networking.k8s.io", "ipaddresses", Form::Segment),
    ("rbac.authorization.k8s.io", "clusterrolebindings", Form::Segment),
    ("rbac.authorization.k8s.io", "clusterroles", Form::Segment),
    ("rbac.authorization.k8s.io", "rolebindings", Form::Segment),
    ("rbac.authorization.k8s.io", "roles", Form::Segment),
];

/// The violations of an object name, or of a `generateName` prefix.
pub(crate) fn check_name(entry: &KindEntry, field: &str, name: &str, is_prefix: bool) -> Vec<Violation> {
    let plural = entry.resource.as_ref().map_or("", |resource| &*resource.plural);
    let home = entry.storage().0;
    let form =
        FORMS.iter().find(|form| (form.0, form.1) == (home, plural)).map_or(Form::Subdomain, |form| form.2);
    // A trailing dash is valid, because a suffix is appended.
    let checked = if is_prefix {
        name.strip_suffix('-').map_or(name.to_owned(), |name| format!("{name}a"))
    } else {
        name.to_owned()
    };
    form.mistakes(&checked).into_iter().map(|why| Violation::invalid(field, name, why)).collect()
}

/// The violations of a namespace name.
pub(crate) fn check_namespace(namespace: &str) -> Vec<Violation> {
    let mistakes = Form::Label.mistakes(namespace);
    mistakes.into_iter().map(|why| Violation::invalid("metadata.namespace", namespace, why)).collect()
}
