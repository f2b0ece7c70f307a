//! Stashes outlive the program that wrote them: release 2 reads what release 1 wrote, whose hub was another.
//!
//! Release 1 has the versions v1alpha1 and v1beta1, and v1beta1 is the hub. Release 2 adds v1, which is the hub now and
//! calls two fields otherwise.

use hubgen_laws::versions::{self, Convertible, Version};
use hubgen_machinery::convert::{self, Annotations, Convert, ConvertError, STASH, Terms, ToHub, ViaHub};
use hubgen_machinery::reflect::{NewObject, Reflect};
use hubgen_machinery::{ApiType, Str, StrMap};

#[derive(ApiType)]
struct Meta {
    name: String,
    annotations: StrMap<Str>,
}

/// Knows neither regions nor the weights of disks.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1alpha1", kind = "Box")]
struct Alpha {
    metadata: Meta,
    size: i32,
    color: Option<String>,
    #[field(list = map("name"))]
    disks: Vec<AlphaDisk>,
}

#[derive(ApiType)]
struct AlphaDisk {
    name: String,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1beta1", kind = "Box")]
struct Beta {
    metadata: Meta,
    size: i32,
    region: Option<String>,
    #[field(list = map("name"))]
    disks: Vec<BetaDisk>,
}

#[derive(ApiType)]
struct BetaDisk {
    name: String,
    weight: Option<i32>,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Box")]
struct Stable {
    metadata: Meta,
    size: i32,
    zone: Option<String>,
    paint: Option<String>,
    #[field(list = map("name"))]
    disks: Vec<StableDisk>,
}

#[derive(ApiType)]
struct StableDisk {
    name: String,
    grams: Option<i32>,
}

/// The hub of release 1 is v1beta1.
mod release1 {
    use super::*;

    pub const TERMS: Terms<'static> = Terms { hub: "example.com/v1beta1", others: &[] };

    fn to_hub(object: Alpha) -> Beta {
        let disk = |AlphaDisk { name }| BetaDisk { name, weight: None };
        Beta {
            metadata: object.metadata,
            size: object.size,
            region: None,
            disks: object.disks.into_iter().map(disk).collect(),
        }
    }

    fn from_hub(hub: Beta) -> Alpha {
        let disk = |BetaDisk { name, .. }| AlphaDisk { name };
        Alpha {
            metadata: hub.metadata,
            size: hub.size,
            disks: hub.disks.into_iter().map(disk).collect(),
            ..Alpha::default()
        }
    }

    pub fn alpha(hub: &Beta) -> Alpha {
        let mut object = from_hub(hub.clone());
        let shown = to_hub(object.clone());
        convert::stash(&mut object.metadata.annotations, &TERMS, &shown, hub).unwrap();
        object
    }
}

/// The hub of release 2 is v1.
mod release2 {
    use super::*;

    pub const TERMS: Terms<'static> = Terms {
        hub: "example.com/v1",
        others: &[
            ("example.com/v1alpha1", ViaHub::of::<Alpha>()),
            ("example.com/v1beta1", ViaHub::of::<Beta>()),
        ],
    };

    impl Convert for Stable {
        type Hub = Self;

        fn to_hub(self) -> Self {
            convert::restore_hub(self, &TERMS, |hub| &mut hub.metadata.annotations)
        }

        fn from_hub(hub: Self) -> Result<Self, ConvertError> {
            Ok(hub)
        }
    }

    fn beta_to_hub(object: Beta) -> Stable {
        let disk = |BetaDisk { name, weight }| StableDisk { name, grams: weight };
        Stable {
            metadata: object.metadata,
            size: object.size,
            zone: object.region,
            paint: None,
            disks: object.disks.into_iter().map(disk).collect(),
        }
    }

    fn beta_from_hub(hub: Stable) -> Beta {
        let disk = |StableDisk { name, grams }| BetaDisk { name, weight: grams };
        Beta {
            metadata: hub.metadata,
            size: hub.size,
            region: hub.zone,
            disks: hub.disks.into_iter().map(disk).collect(),
        }
    }

    impl Convert for Beta {
        type Hub = Stable;

        fn to_hub(mut self) -> Stable {
            let mut kept = convert::take_stash(&mut self.metadata.annotations);
            let mut hub = convert::restore(self, &mut kept, &TERMS, beta_to_hub, beta_from_hub);
            convert::leave_unread(&mut hub.metadata.annotations, kept);
            hub
        }

        fn from_hub(hub: Stable) -> Result<Self, ConvertError> {
            let mut object = beta_from_hub(hub.clone());
            let shown = beta_to_hub(object.clone());
            convert::stash(&mut object.metadata.annotations, &TERMS, &shown, &hub)?;
            Ok(object)
        }
    }

    fn alpha_to_hub(object: Alpha) -> Stable {
        let disk = |AlphaDisk { name }| StableDisk { name, grams: None };
        Stable {
            metadata: object.metadata,
            size: object.size,
            zone: None,
            paint: object.color,
            disks: object.disks.into_iter().map(disk).collect(),
        }
    }

    fn alpha_from_hub(hub: Stable) -> Alpha {
        let disk = |StableDisk { name, .. }| AlphaDisk { name };
        Alpha {
            metadata: hub.metadata,
            size: hub.size,
            color: hub.paint,
            disks: hub.disks.into_iter().map(disk).collect(),
        }
    }

    impl Convert for Alpha {
        type Hub = Stable;

        fn to_hub(mut self) -> Stable {
            let mut kept = convert::take_stash(&mut self.metadata.annotations);
            let mut hub = convert::restore(self, &mut kept, &TERMS, alpha_to_hub, alpha_from_hub);
            convert::leave_unread(&mut hub.metadata.annotations, kept);
            hub
        }

        fn from_hub(hub: Stable) -> Result<Self, ConvertError> {
            let mut object = alpha_from_hub(hub.clone());
            let shown = alpha_to_hub(object.clone());
            convert::stash(&mut object.metadata.annotations, &TERMS, &shown, &hub)?;
            Ok(object)
        }
    }
}

fn beta() -> Beta {
    let disk = |name: &str, weight| BetaDisk { name: name.to_owned(), weight };
    Beta {
        size: 3,
        region: Some("eu".to_owned()),
        disks: vec![disk("a", Some(1)), disk("b", None), disk("c", Some(2))],
        ..Beta::default()
    }
}

fn stable() -> Stable {
    let disk = |name: &str, grams| StableDisk { name: name.to_owned(), grams };
    Stable {
        size: 3,
        zone: Some("eu".to_owned()),
        disks: vec![disk("a", Some(1)), disk("b", None), disk("c", Some(2))],
        ..Stable::default()
    }
}

/// The annotation as release 1 wrote it. It is stored in objects, so every later release reads it.
const WRITTEN: &str = concat!(
    r#"{"hub":"example.com/v1beta1","seen":"8cfa7b63f290701f","delta":{"fields":{"region":{"is":"eu"},"#,
    r#""disks":{"shown":["4fdc902919aa9c6b","4fe6b02919b32750","4fe31c2919aff5fd"],"#,
    r#""items":[[0,{"fields":{"weight":{"is":1}}}],1,[2,{"fields":{"weight":{"is":2}}}]]}}}}"#
);

fn with_stash(mut object: Alpha, stash: &str) -> Alpha {
    object.metadata.annotations.insert(STASH, stash.into());
    object
}

/// The stash without the name of its version, as the first format has it.
fn unnamed(stash: &str) -> String {
    stash.replace(r#""hub":"example.com/v1beta1","#, "")
}

/// The stash as it is once a program could not read it.
fn carried(stash: &str) -> String {
    format!(r#"{},"carried":true}}"#, &stash[..stash.len() - 1])
}

#[test]
fn a_stash_of_another_hub_is_read() {
    let object = release1::alpha(&beta());
    assert_eq!(object.metadata.annotations[STASH], WRITTEN);
    assert_eq!(object.to_hub(), stable());
}

#[test]
fn a_stash_of_the_first_format_is_read() {
    let object = release1::alpha(&beta());
    let stash = unnamed(&object.metadata.annotations[STASH]);
    assert_eq!(with_stash(object, &stash).to_hub(), stable());
}

#[test]
fn an_edit_wins_over_a_stash_of_another_hub() {
    let mut object = release1::alpha(&beta());
    object.size = 4;
    object.disks.remove(0);
    object.disks.push(AlphaDisk { name: "d".to_owned() });
    let mut expected = stable();
    expected.size = 4;
    expected.disks.remove(0);
    expected.disks.push(StableDisk { name: "d".to_owned(), grams: None });
    assert_eq!(object.to_hub(), expected);
}

#[test]
fn a_stash_of_an_unknown_hub_stays_and_is_reported() {
    let object = release1::alpha(&beta());
    let stash = object.metadata.annotations[STASH].replace("v1beta1", "v9");
    let object = with_stash(object, &stash);
    let hub = object.clone().to_hub();
    let stash = carried(&stash);
    let object = with_stash(object, &stash);
    assert_eq!(hub.metadata.annotations[STASH], stash);
    assert_eq!(hub.zone, None);
    assert_eq!(
        convert::unread(&hub.metadata.annotations).unwrap().to_string(),
        "the annotation conversion.hubgen.dev/kept has what this program cannot read: region, disks, in the terms of \
         example.com/v9; it stays in the annotation"
    );
    // It stays at every version, also beside a stash of release 2.
    let same = Alpha::from_hub(hub.clone()).unwrap();
    assert_eq!(same, object);
    let beta = Beta::from_hub(hub.clone()).unwrap();
    assert_eq!(beta.metadata.annotations[STASH], stash);
    assert_eq!(beta.to_hub(), hub);
    let more = Stable { zone: Some("us".to_owned()), ..hub };
    let shown = Alpha::from_hub(more.clone()).unwrap();
    assert_ne!(shown.metadata.annotations[STASH], stash);
    assert_eq!(shown.to_hub(), more);
}

#[test]
fn what_is_about_unknown_fields_stays_and_the_rest_is_read() {
    let object = release1::alpha(&beta());
    let known = object.metadata.annotations[STASH].to_string();
    let stash = known.replace(r#"{"region""#, r#"{"planet":{"is":"earth"},"region""#);
    assert_ne!(stash, known);
    let hub = with_stash(object, &stash).to_hub();
    let left = hub.metadata.annotations[STASH].to_string();
    assert_eq!(convert::unread(&hub.metadata.annotations).unwrap().fields, ["planet"]);
    assert_eq!(Stable { metadata: Meta::default(), ..hub.clone() }, stable());
    assert!(!left.contains("region") && left.contains("example.com/v1beta1"), "{left}");
    assert_eq!(Alpha::from_hub(hub.clone()).unwrap().to_hub(), hub);
}

#[test]
fn text_in_another_format_stays_unless_nobody_could_store_it() {
    let object = release1::alpha(&beta());
    let hub = with_stash(object.clone(), "stale").to_hub();
    assert_eq!(hub.metadata.annotations[STASH], "stale");
    assert_eq!(convert::unread(&hub.metadata.annotations).unwrap().fields, [""; 0]);
    let hub = with_stash(object, &"[".repeat(convert::MAX_ANNOTATIONS + 1)).to_hub();
    assert_eq!(hub.metadata.annotations, Annotations::new());
}

#[test]
fn a_field_that_the_former_hub_had_from_another_version_is_read() {
    // Where the hub has a field of v1alpha1 besides those of v1beta1, it is a type of its own, but in terms of v1beta1.
    let stash = r#"{"hub":"example.com/v1beta1","seen":"0000000000000000","delta":{"fields":{"color":{"is":"red"}}}}"#;
    let mut object = beta();
    object.metadata.annotations.insert(STASH, stash.into());
    assert_eq!(object.to_hub(), Stable { paint: Some("red".to_owned()), ..stable() });
}

#[test]
fn a_version_that_became_the_hub_reads_what_it_could_not_represent() {
    let stash = unnamed(WRITTEN).replace(r#"{"seen""#, r#"{"hub":"example.com/v1beta1","seen""#);
    assert_eq!(stash, WRITTEN);
    let mut object = stable();
    object.zone = None;
    for disk in &mut object.disks {
        disk.grams = None;
    }
    object.metadata.annotations.insert(STASH, stash.into());
    assert_eq!(object.clone().to_hub(), stable());
    // What somebody wrote at this version is not changed.
    object.zone = Some("us".to_owned());
    let hub = object.to_hub();
    assert_eq!(hub.zone.as_deref(), Some("us"));
}

#[test]
fn the_laws_hold_in_release_2() {
    let [alpha, beta, stable] = [Version::of::<Alpha>(), Version::of::<Beta>(), Version::of::<Stable>()];
    let versions: [&dyn Convertible; 3] = [&alpha, &beta, &stable];
    versions::check(&versions, &[], 2_000).unwrap();
}

#[test]
fn the_law_notices_a_lost_stash() {
    fn reads(object: Box<dyn Reflect>, kept: fn(&str) -> bool) -> Result<Box<dyn Reflect>, ConvertError> {
        let mut object = *object.downcast::<Alpha>().ok().unwrap();
        object.metadata.annotations.retain(|key, text| key != STASH || kept(text));
        Ok(Box::new(object.to_hub()))
    }
    let law = |to_hub: ToHub| {
        let ViaHub::Compiled { from_hub, .. } = ViaHub::of::<Alpha>() else { unreachable!("it is compiled") };
        let conversion = ViaHub::Compiled {
            empty_hub: None,
            to_hub,
            from_hub,
            canonical: &[],
            may_be_invalid: &[],
            json: None,
        };
        let alpha = Version { new: NewObject::Compiled(|| Box::new(Alpha::default())), conversion };
        versions::a_former_stash_is_read(&alpha, &Version::of::<Beta>(), &beta())
    };
    assert_eq!(law(|object| reads(object, |_| true)), Ok(()));
    let error = law(|object| reads(object, |stash| !stash.contains("v1beta1"))).unwrap_err();
    assert!(error.to_string().starts_with("disks, region differs"), "{error}");
}
