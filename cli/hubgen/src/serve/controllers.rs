//! What the server does besides answering requests, by the flags of a kube-controller-manager and a kube-apiserver.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use hubgen_server::Settings;
use hubgen_server::admission::TaintNodes;
use hubgen_server::loops::{Controllers, StandIn, UnknownController};
use hubgen_stand_ins::UnknownStandIn;

use super::authorization::duration;

/// The admission plugin that can be switched off.
const LIFECYCLE: &str = "NamespaceLifecycle";
/// The one that can be switched on.
pub const TAINT_NODES: &str = "TaintNodesByCondition";

/// The flags about what the server does by itself.
#[derive(clap::Args)]
pub struct ControllerOptions {
    /// Run these controllers: * is all, NAME is one, -NAME is all of * but that one
    ///
    /// The controllers are garbage-collector-controller, namespace-controller, serviceaccount-controller,
    /// serviceaccount-token-controller, which writes tokens into Secrets, root-ca-certificate-publisher-controller,
    /// expiry-controller, which deletes Events after a while, kubernetes-service-controller, which makes the Service of the
    /// server, and pod-garbage-collector-controller, which ends pods that are deleted. Without the namespace-controller, a
    /// namespace that is deleted is gone at once, and its objects stay.
    #[arg(long, value_name = "LIST", default_value = "*", value_parser = controllers, allow_hyphen_values = true)]
    controllers: Controllers,
    /// Take the place of controllers that this server lacks: * is all, NAME is one
    ///
    /// Deployments, replica sets, stateful sets, daemon sets and replication controllers are ready, jobs succeed, cron jobs make jobs
    /// when they are due, pods run, claims to volumes are bound, and services have endpoints. The names are those of the resources, such as deployments or
    /// persistentvolumeclaims.
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true, value_parser = stand_ins)]
    stand_ins: StandIns,
    /// The range of addresses of Services, whose first one the Service `kubernetes` has
    #[arg(long, value_name = "CIDR", default_value = "10.0.0.0/24", value_parser = first_address)]
    service_cluster_ip_range: IpAddr,
    /// Delete Events after this time, and other objects that last for a time only, instead of after the time of their kind
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    event_ttl: Option<Duration>,
    /// Do without these admission plugins
    ///
    /// There is one that has an effect: NamespaceLifecycle refuses to create objects in namespaces that do not exist or are being
    /// deleted, and to delete default, kube-system and kube-public.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    disable_admission_plugins: Vec<String>,
    /// Do with these admission plugins, too
    ///
    /// There is one that has an effect: TaintNodesByCondition gives new nodes the taint node.kubernetes.io/not-ready.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    enable_admission_plugins: Vec<String>,
}

/// Those who take the place of controllers.
#[derive(Clone)]
struct StandIns(Vec<Arc<dyn StandIn>>);

fn stand_ins(list: &str) -> Result<StandIns, UnknownStandIn> {
    hubgen_stand_ins::named(list).map(StandIns)
}

fn controllers(list: &str) -> Result<Controllers, UnknownController> {
    Controllers::parse(list)
}

/// The address after the first one of a range, or of the first of two ranges: `10.0.0.1` of `10.0.0.0/24`.
fn first_address(ranges: &str) -> Result<IpAddr, String> {
    let wrong = || format!("expected a range such as 10.0.0.0/24, found {ranges:?}");
    let range = ranges.split(',').next().unwrap_or_default();
    let (base, bits) = range.split_once('/').ok_or_else(wrong)?;
    let base: IpAddr = base.parse().map_err(|_| wrong())?;
    let most = if base.is_ipv4() { 32 } else { 128 };
    bits.parse::<u8>().ok().filter(|bits| *bits <= most).ok_or_else(wrong)?;
    Ok(match base {
        IpAddr::V4(base) => Ipv4Addr::from_bits(base.to_bits().wrapping_add(1)).into(),
        IpAddr::V6(base) => Ipv6Addr::from_bits(base.to_bits().wrapping_add(1)).into(),
    })
}

impl ControllerOptions {
    /// Lets a server do so.
    pub fn apply(&self, settings: &mut Settings) {
        settings.loops.controllers = self.controllers.clone();
        settings.loops.time_to_live = self.event_ttl;
        settings.loops.service_address = Some(self.service_cluster_ip_range);
        settings.loops.stand_ins.clone_from(&self.stand_ins.0);
        let has = |plugins: &[String], name: &str| plugins.iter().any(|plugin| plugin == name);
        settings.admission.namespace_lifecycle = !has(&self.disable_admission_plugins, LIFECYCLE);
        if has(&self.enable_admission_plugins, TAINT_NODES)
            && !has(&self.disable_admission_plugins, TAINT_NODES)
        {
            settings.admission.mutating.push(Box::new(TaintNodes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_address_of_a_range_is_that_of_the_server() {
        for (range, address) in [("10.96.0.0/12", "10.96.0.1"), ("fd00::/108,10.0.0.0/24", "fd00::1")] {
            assert_eq!(first_address(range).unwrap().to_string(), address);
        }
        for wrong in ["", "10.0.0.0", "10.0.0.0/33", "fd00::/129", "range/24"] {
            let error = first_address(wrong).unwrap_err();
            assert_eq!(error, format!("expected a range such as 10.0.0.0/24, found {wrong:?}"));
        }
    }
}
