//! Cells of Endpoints and of their slices.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

use super::listed::listed;

/// How many addresses or ports are shown.
const MOST: usize = 3;

/// The addresses, each with each of its ports.
pub fn addresses(subsets: Value<'_>, _: Time) -> Cell {
    if subsets.is_empty() {
        return Cell::text("<none>");
    }
    let mut all = Vec::new();
    for subset in subsets.items() {
        let hosts = || subset.get("addresses").items().map(|address| address.get("ip").text());
        let ports = subset.get("ports");
        if ports.is_empty() {
            all.extend(hosts().map(str::to_owned));
        }
        for port in ports.items() {
            let number = port.get("port").integer();
            // An address of IPv6 has brackets before a port.
            all.extend(hosts().map(|host| match host.contains(':') {
                true => format!("[{host}]:{number}"),
                false => format!("{host}:{number}"),
            }));
        }
    }
    if all.len() <= MOST {
        return Cell::Text(all.join(","));
    }
    Cell::Text(listed(&all, MOST))
}

/// The ports of a slice: their numbers, or else their names.
pub fn slice_ports(ports: Value<'_>, _: Time) -> Cell {
    let port = |port: Value<'_>| match (port.get("port"), port.get("name")) {
        (number, _) if number.is_present() => number.integer().to_string(),
        (_, name) if name.is_present() => name.text().to_owned(),
        _ => "*".to_owned(),
    };
    let ports: Vec<String> = ports.items().map(port).collect();
    Cell::Text(listed(&ports, MOST))
}

/// The addresses of a slice.
pub fn slice_addresses(endpoints: Value<'_>, _: Time) -> Cell {
    let mut all = Vec::new();
    for endpoint in endpoints.items() {
        all.extend(endpoint.get("addresses").items().map(|address| address.text().to_owned()));
    }
    Cell::Text(listed(&all, MOST))
}
