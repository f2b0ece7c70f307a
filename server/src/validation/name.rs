//! Validates names of objects and namespaces.

use hubgen_machinery::scheme::KindEntry;

use super::Violation;

/// The syntax of the names of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    mistakes(form, &checked).into_iter().map(|why| Violation::invalid(field, name, why)).collect()
}

/// The violations of a namespace name.
pub(crate) fn check_namespace(namespace: &str) -> Vec<Violation> {
    let mistakes = mistakes(Form::Label, namespace);
    mistakes.into_iter().map(|why| Violation::invalid("metadata.namespace", namespace, why)).collect()
}

/// The errors in a subdomain.
pub(super) fn subdomain_mistakes(text: &str) -> Vec<String> {
    mistakes(Form::Subdomain, text)
}

fn mistakes(form: Form, name: &str) -> Vec<String> {
    let (max, right, text) = match form {
        Form::Subdomain => (253, name.split('.').all(is_label), SUBDOMAIN),
        Form::Label => (63, is_label(name), LABEL),
        Form::Label1035 => {
            (63, is_label(name) && name.starts_with(|c: char| c.is_ascii_lowercase()), LABEL_1035)
        }
        Form::Segment => return segment_mistakes(name),
    };
    let mut mistakes = Vec::new();
    if name.len() > max {
        mistakes.push(format!("must be no more than {max} characters"));
    }
    if !right && form == Form::Label && name.split('.').all(is_label) {
        mistakes.push("must not contain dots".to_owned());
    } else if !right {
        mistakes.push(text.to_owned());
    }
    mistakes
}

/// The errors that keep a name from being a segment of a URL path.
pub(crate) fn segment_mistakes(name: &str) -> Vec<String> {
    if matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    ['/', '%'].iter().filter(|c| name.contains(**c)).map(|c| format!("may not contain '{c}'")).collect()
}

/// Whether the text consists of lower case letters, digits and dashes, with no dash at either end.
fn is_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !text.is_empty() && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
     and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
     and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for \
     validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
     start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', \
     regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

#[cfg(test)]
mod tests {
    use super::{Form, mistakes};

    #[test]
    fn subdomains() {
        for good in ["a", "a-b.c", "1", "example.com", &"a".repeat(253)] {
            assert_eq!(mistakes(Form::Subdomain, good), [""; 0], "{good}");
        }
        for bad in ["", "A", "a_b", "-a", "a-", "a..b", ".a", "a.", "ä", "a b", &"a".repeat(254)] {
            assert_eq!(mistakes(Form::Subdomain, bad).len(), 1, "{bad}");
        }
    }

    #[test]
    fn labels() {
        assert_eq!(mistakes(Form::Label, "1a"), [""; 0]);
        assert_eq!(mistakes(Form::Label, "a.b"), ["must not contain dots"]);
        assert_eq!(mistakes(Form::Label, "a..b"), [super::LABEL]);
        assert_eq!(mistakes(Form::Label1035, "a1"), [""; 0]);
        assert_eq!(mistakes(Form::Label1035, "1a").len(), 1);
        assert_eq!(mistakes(Form::Label, &"a".repeat(64)), ["must be no more than 63 characters"]);
    }

    #[test]
    fn segments() {
        assert_eq!(mistakes(Form::Segment, "system:node"), [""; 0]);
        assert_eq!(mistakes(Form::Segment, "a/b%c").len(), 2);
        assert_eq!(mistakes(Form::Segment, ".."), ["may not be '..'"]);
    }
}
