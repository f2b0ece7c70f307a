//! Defaults of services.

use super::access::{each, get, get_mut, is_absent, set_text, text};
use hubgen_machinery::defaults::Context;
use hubgen_machinery::reflect::{Literal, Reflect, Slot, SlotMut};

/// For a service spec: removes the configuration of session affinity if there is no affinity.
pub fn session_affinity(spec: &mut dyn Reflect, _: &Context) {
    if text(spec, "sessionAffinity") == "None"
        && let Some(config) = spec.field_mut("sessionAffinityConfig")
    {
        config.clear();
    }
}

/// For a port: `targetPort` defaults to `port`. `0` and the empty name count as absent.
pub fn target_port(port: &mut dyn Reflect, _: &Context) {
    let is_none = match get(port, "targetPort") {
        Slot::Scalar(target) => {
            let mut is_none = false;
            target.show(&mut |literal| is_none = matches!(literal, Literal::Integer(0) | Literal::Text("")));
            is_none
        }
        slot => slot.is_zero(),
    };
    if is_none
        && let Slot::Int32(number) = get(port, "port")
        && let Some(SlotMut::Scalar(target)) = get_mut(port, "targetPort")
    {
        target.set(Literal::Integer(number.into())).expect("a port is a number");
    }
}

/// For a load balancer: `ipMode` defaults to `VIP` if there is an IP address.
pub fn ip_mode(service: &mut dyn Reflect, _: &Context) {
    if text(service, "spec.type") != "LoadBalancer" {
        return;
    }
    each(service, "status.loadBalancer.ingress", &mut |ingress| {
        if !text(ingress, "ip").is_empty() && is_absent(ingress, "ipMode") {
            set_text(ingress, "ipMode", "VIP");
        }
    });
}
