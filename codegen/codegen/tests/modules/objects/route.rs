//! The stops of `v1alpha1` are a route at `v1`: from its start to each of the others.

use crate::api::tours::{v1, v1alpha1};

/// Converts to the hub. Nobody needs time to get to the start.
pub(crate) fn to_hub(stops: Vec<v1alpha1::Stop>) -> Result<Option<v1::Route>, String> {
    let mut stops = stops.into_iter();
    let Some(start) = stops.next() else { return Ok(None) };
    if start.minutes != 0 {
        return Err(format!("{} minutes to the start", start.minutes));
    }
    let leg = |stop: v1alpha1::Stop| v1::Leg { to: stop.place, minutes: stop.minutes };
    Ok(Some(v1::Route { start: start.place, legs: stops.map(leg).collect() }))
}

/// Converts from the hub.
pub(crate) fn from_hub(route: Option<v1::Route>) -> Vec<v1alpha1::Stop> {
    let Some(route) = route else { return Vec::new() };
    let start = v1alpha1::Stop { place: route.start, minutes: 0 };
    let stop = |leg: v1::Leg| v1alpha1::Stop { place: leg.to, minutes: leg.minutes };
    std::iter::once(start).chain(route.legs.into_iter().map(stop)).collect()
}
