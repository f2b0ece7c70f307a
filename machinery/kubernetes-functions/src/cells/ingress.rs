//! Cells of Ingresses, their classes, and addresses.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

use super::service;

/// How many hosts are shown.
const MOST_HOSTS: usize = 3;

/// The hosts of the rules. Rules without a host are counted, but not shown.
pub fn hosts(rules: Value<'_>, _: Time) -> Cell {
    let mut hosts = Vec::new();
    let mut is_cut = false;
    for rule in rules.items() {
        is_cut |= hosts.len() == MOST_HOSTS;
        let host = rule.get("host").text();
        if !is_cut && !host.is_empty() {
            hosts.push(host);
        }
    }
    Cell::Text(match hosts.join(",") {
        none if none.is_empty() => "*".to_owned(),
        hosts if is_cut => format!("{hosts} + {} more...", rules.len().saturating_sub(MOST_HOSTS)),
        hosts => hosts,
    })
}

/// Where a load balancer can be reached.
pub fn address(status: Value<'_>, _: Time) -> Cell {
    Cell::Text(service::load_balancer(status))
}

/// The ports, which follow from whether there are certificates.
pub fn ports(certificates: Value<'_>, _: Time) -> Cell {
    Cell::text(if certificates.is_empty() { "80" } else { "80, 443" })
}

/// The name of a class, and whether it is the default.
pub fn class_name(class: Value<'_>, _: Time) -> Cell {
    let name = class.get("metadata.name").text();
    let default = class.get("metadata.annotations").member("ingressclass.kubernetes.io/is-default-class");
    Cell::Text(if default.text() == "true" { format!("{name} (default)") } else { name.to_owned() })
}

/// What has the parameters of a class.
pub fn class_parameters(parameters: Value<'_>, _: Time) -> Cell {
    if !parameters.is_present() {
        return Cell::text("<none>");
    }
    let (kind, name) = (parameters.get("kind").text(), parameters.get("name").text());
    let group = parameters.get("apiGroup");
    let dot = if group.is_present() { "." } else { "" };
    Cell::Text(format!("{kind}{dot}{}/{name}", group.text()))
}

/// The object that an address belongs to.
pub fn parent(parent: Value<'_>, _: Time) -> Cell {
    if !parent.is_present() {
        return Cell::text("<none>");
    }
    let text = |name: &str| parent.get(name).text();
    let (group, namespace) = (text("group"), text("namespace"));
    let dot = if group.is_empty() { "" } else { "." };
    let resource = format!("{}{dot}{group}", text("resource")).to_lowercase();
    let slash = if namespace.is_empty() { "" } else { "/" };
    Cell::Text(format!("{resource}{slash}{namespace}/{}", text("name")))
}
