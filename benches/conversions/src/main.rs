//! What it costs to list objects at another version than the one that is stored, by how their definition converts them:
//! strategy `None`, rules in the process of the server, and a conversion webhook.
//!
//! `cargo xtask bench conversions` builds and starts it. The webhook is that of `hubgen-webhook`, for hubgen's server and for a
//! kube-apiserver alike.

mod api;
mod definition;
mod servers;

use std::time::Instant;

use serde_json::{Map, Value, json};

use self::api::{Api, Error};
use self::definition::Way;
use self::servers::{Ours, Webhook};

/// How the versions convert on hubgen's server.
const OURS: &[Way] = &[Way::Same, Way::Rules, Way::Webhook];
/// How they do on a kube-apiserver.
const THEIRS: &[Way] = &[Way::Same, Way::Webhook];
/// How often each list is read.
const TURNS: usize = 15;

fn main() -> Result<(), Error> {
    let mut words = std::env::args().skip(1);
    let objects: usize = words.next().ok_or("expected a number of objects")?.parse()?;
    let webhook = Webhook::start()?;
    let ours = Ours::start()?;
    let mut figures = Map::new();
    figures.insert("hubgen".to_owned(), measure(&ours.api, OURS, objects, &webhook)?);
    // The URL of a kube-apiserver, and a token of somebody who may do everything.
    if let (Some(url), Some(token)) = (words.next(), words.next()) {
        let theirs = Api::new(&url, Some(&token));
        figures.insert("kube-apiserver".to_owned(), measure(&theirs, THEIRS, objects, &webhook)?);
    }
    println!("{}", Value::Object(figures));
    Ok(())
}

/// Milliseconds for each way: at the version that is stored, and at the other one.
fn measure(api: &Api, ways: &[Way], objects: usize, webhook: &Webhook) -> Result<Value, Error> {
    let mut out = Map::new();
    for way in ways {
        api.establish(&definition::of(*way, webhook)?)?;
        for object in definition::objects(objects)? {
            api.create(&definition::path("v1alpha2"), &object)?;
        }
        let [mut stored, mut other] = [f64::INFINITY; 2];
        for _ in 0..TURNS {
            for (version, least) in [("v1", &mut stored), ("v1alpha2", &mut other)] {
                let begin = Instant::now();
                let found = api.list(&definition::path(version))?;
                *least = least.min(begin.elapsed().as_secs_f64() * 1000.0);
                if found != objects {
                    return Err(format!("a list at {version} has {found} objects").into());
                }
            }
        }
        out.insert(way.title().to_owned(), json!({"stored": stored, "other": other}));
        api.remove(definition::NAME)?;
    }
    Ok(Value::Object(out))
}
