//! Cells of Services.

use std::collections::BTreeSet;

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// Where the Service can be reached from outside of the cluster.
pub fn external_ip(service: Value<'_>, _: Time) -> Cell {
    let own: Vec<&str> = service.get("spec.externalIPs").items().map(Value::text).collect();
    Cell::Text(match service.get("spec.type").text() {
        "ClusterIP" | "NodePort" if own.is_empty() => "<none>".to_owned(),
        "ClusterIP" | "NodePort" => own.join(","),
        "LoadBalancer" => {
            let balanced = load_balancer(service.get("status.loadBalancer"));
            let all: Vec<&str> =
                [&*balanced].into_iter().filter(|text| !text.is_empty()).chain(own).collect();
            if all.is_empty() { "<pending>".to_owned() } else { all.join(",") }
        }
        "ExternalName" => service.get("spec.externalName").text().to_owned(),
        _ => "<unknown>".to_owned(),
    })
}

/// The addresses of a load balancer, sorted.
pub(super) fn load_balancer(status: Value<'_>) -> String {
    let address = |ingress: Value<'_>| {
        let texts = [ingress.get("ip").text().to_owned(), ingress.get("hostname").text().to_owned()];
        texts.into_iter().find(|text| !text.is_empty())
    };
    let addresses: BTreeSet<String> = status.get("ingress").items().filter_map(address).collect();
    Vec::from_iter(addresses).join(",")
}

/// The ports: `80/TCP`, or `80:30080/TCP` if nodes have one, too.
pub fn ports(ports: Value<'_>, _: Time) -> Cell {
    let port = |port: Value<'_>| {
        let (number, of_node) = (port.get("port").integer(), port.get("nodePort").integer());
        let protocol = port.get("protocol").text();
        if of_node > 0 { format!("{number}:{of_node}/{protocol}") } else { format!("{number}/{protocol}") }
    };
    let ports: Vec<String> = ports.items().map(port).collect();
    Cell::Text(if ports.is_empty() { "<none>".to_owned() } else { ports.join(",") })
}
