//! Kinds for the tests: one with two different versions, one whose versions do not convert, some
//! without a spec, and a review.

use hubgen_machinery::ApiType;
use hubgen_machinery::convert::{self, Convert, ConvertError};
use hubgen_machinery::defaults::{Below, DefaultStep, Defaults};
use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::{
    BehaviourRow, ConversionRow, FamilyRow, Generation, KindRow, Kinds, NameForm, PriorityRow, ResourceRow,
    Scheme, SelectableRow, SubresourceRow,
};
use hubgen_machinery::{Str, StrMap};

#[derive(ApiType)]
pub struct Meta {
    pub name: String,
    pub generate_name: String,
    pub namespace: String,
    pub self_link: String,
    pub uid: String,
    pub resource_version: String,
    pub generation: i64,
    #[field(value, omit = zero)]
    pub creation_timestamp: Option<Time>,
    pub deletion_timestamp: Option<Time>,
    pub deletion_grace_period_seconds: Option<i64>,
    pub labels: StrMap<Str>,
    pub annotations: StrMap<Str>,
    pub owner_references: Vec<Owner>,
    #[field(list = set)]
    pub finalizers: Vec<String>,
}

#[derive(ApiType)]
pub struct Owner {
    pub api_version: String,
    pub kind: String,
    pub name: String,
    pub uid: String,
    pub controller: Option<bool>,
    pub block_owner_deletion: Option<bool>,
}

#[derive(ApiType)]
pub struct WidgetStatus {
    pub ready: i32,
}

#[derive(ApiType)]
pub struct Port {
    #[field(required)]
    pub number: i32,
    #[field(default = "\"TCP\"")]
    pub protocol: String,
}

#[derive(ApiType)]
pub struct Part {
    #[field(required)]
    pub name: String,
    pub weight: Option<i32>,
}

/// Validation refuses other words, which decoding keeps.
#[derive(ApiType)]
pub enum Colour {
    Red,
    Green,
    #[field(other)]
    Other(Str),
}

#[derive(ApiType)]
pub struct WidgetSpec {
    #[field(required)]
    pub width: Option<i32>,
    #[field(one_of)]
    pub colour: Colour,
    #[field(list = map("name"))]
    pub parts: Vec<Part>,
    #[field(list = map("number", "protocol"))]
    pub ports: Vec<Port>,
    #[field(list = set)]
    pub tags: Vec<String>,
    /// A required object with a required field.
    #[field(required)]
    pub frame: Part,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Widget")]
pub struct Widget {
    pub metadata: Meta,
    #[field(required)]
    pub spec: WidgetSpec,
    pub status: WidgetStatus,
}

impl Convert for Widget {
    type Hub = Self;

    fn to_hub(self) -> Self {
        self
    }

    fn from_hub(hub: Self) -> Result<Self, ConvertError> {
        Ok(hub)
    }
}

/// The older version: it has `size` instead of `width`, no colour, and its fields are optional.
#[derive(ApiType)]
pub struct OldWidgetSpec {
    pub size: Option<i32>,
    pub parts: Vec<Part>,
    pub ports: Vec<Port>,
    pub tags: Vec<String>,
    pub frame: Part,
}

#[derive(ApiType)]
#[kind(group = "old.example.com", version = "v1beta1", kind = "Widget")]
pub struct OldWidget {
    pub metadata: Meta,
    pub spec: OldWidgetSpec,
    pub status: WidgetStatus,
}

/// The annotation that stores the colour at the older version.
const COLOUR: &str = "example.com/colour";

/// Refuses a tag that exists only at one version, like an enum value without a counterpart.
fn refuse_tag(tags: &[String], word: &str, known: &str) -> Result<(), ConvertError> {
    let at = tags.iter().position(|tag| tag == word);
    at.map_or(Ok(()), |at| {
        let (path, word, known) = (format!("spec.tags[{at}]"), word.to_owned(), vec![known.to_owned()]);
        Err(ConvertError::UnknownWord { path, word, known })
    })
}

/// Refuses what a function of the user's own code would refuse.
fn refuse_part(parts: &[Part]) -> Result<(), ConvertError> {
    if parts.iter().all(|part| part.name != "apart") {
        return Ok(());
    }
    let paths = vec!["spec.parts".to_owned(), "spec.frame".to_owned()];
    let (function, message) = ("crate::parts".to_owned(), "`apart` is not joined to the frame".to_owned());
    Err(ConvertError::Refused { paths, function, message })
}

impl Convert for OldWidget {
    type Hub = Widget;

    fn try_to_hub(self) -> Result<Widget, ConvertError> {
        refuse_tag(&self.spec.tags, "old", "new")?;
        refuse_part(&self.spec.parts)?;
        Ok(self.to_hub())
    }

    fn to_hub(mut self) -> Widget {
        let OldWidgetSpec { size, parts, ports, tags, frame } = self.spec;
        let colour = self.metadata.annotations.remove(COLOUR).unwrap_or_default().into();
        let spec = WidgetSpec { width: size, colour, parts, ports, tags, frame };
        Widget { metadata: self.metadata, spec, status: self.status }
    }

    fn from_hub(mut hub: Widget) -> Result<Self, ConvertError> {
        let WidgetSpec { width, colour, parts, ports, tags, frame } = hub.spec;
        refuse_tag(&tags, "new", "old")?;
        refuse_part(&parts)?;
        let colour = Str::from(colour);
        if colour.len() > 200_000 {
            let size = colour.len();
            return Err(ConvertError::TooLarge { total: size, largest: COLOUR.to_owned(), size });
        }
        if !colour.is_empty() {
            hub.metadata.annotations.insert(COLOUR, colour);
        }
        convert::check(&hub.metadata.annotations)?;
        let spec = OldWidgetSpec { size: width, parts, ports, tags, frame };
        Ok(Self { metadata: hub.metadata, spec, status: hub.status })
    }
}

macro_rules! note {
    ($name:ident, $group:literal, $version:literal, $kind:literal) => {
        #[derive(ApiType)]
        #[kind(group = $group, version = $version, kind = $kind)]
        pub struct $name {
            pub metadata: Meta,
            pub text: String,
        }
    };
}

note!(Note, "", "v1", "Note");
note!(OtherAlpha, "example.com", "v1alpha1", "Other");
note!(Other, "example.com", "v1", "Other");
note!(Role, "rbac.authorization.k8s.io", "v1", "Role");
note!(Space, "", "v1", "Namespace");

macro_rules! with_status {
    ($name:ident, $group:literal, $kind:literal) => {
        #[derive(ApiType)]
        #[kind(group = $group, version = "v1", kind = $kind)]
        pub struct $name {
            pub metadata: Meta,
            pub status: WidgetStatus,
        }
    };
}

with_status!(Deployment, "apps", "Deployment");
with_status!(Job, "batch", "Job");
with_status!(Pod, "", "Pod");

#[derive(ApiType)]
pub struct ReviewStatus {
    pub allowed: bool,
    pub evaluation_error: String,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Review")]
pub struct Review {
    pub metadata: Meta,
    #[field(required)]
    pub spec: StrMap<Str>,
    #[field(omit = never)]
    pub status: ReviewStatus,
}

static WIDGETS: FamilyRow = FamilyRow {
    members: &[("old.example.com", "v1beta1", "Widget"), ("example.com", "v1", "Widget")],
    storage: ("example.com", "v1", "Widget"),
    words: &[],
};
static OTHERS: FamilyRow = FamilyRow {
    members: &[("example.com", "v1alpha1", "Other"), ("example.com", "v1", "Other")],
    storage: ("example.com", "v1", "Other"),
    words: &[],
};
static WIDGET_DEFAULTS: Defaults = Defaults { steps: &[], below: &[Below::new("spec", 1, &SPEC_DEFAULTS)] };
static SPEC_DEFAULTS: Defaults = Defaults {
    steps: &[DefaultStep::set("colour", &[1], "\"Green\"")],
    below: &[Below::new("ports", 3, &PORT_DEFAULTS)],
};
static PORT_DEFAULTS: Defaults =
    Defaults { steps: &[DefaultStep::set("protocol", &[1], "\"TCP\"")], below: &[] };

const ALL: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

const fn resource(plural: &'static str, namespaced: bool) -> ResourceRow {
    ResourceRow {
        plural,
        singular: "",
        namespaced,
        verbs: ALL,
        short_names: &[],
        categories: &[],
        subresources: &[],
    }
}

const WIDGET_RESOURCE: ResourceRow = ResourceRow {
    singular: "widget",
    short_names: &["wd"],
    categories: &["all"],
    subresources: &[
        SubresourceRow { name: "scale", kind: None, verbs: &["get"], until: None },
        SubresourceRow::STATUS,
    ],
    ..resource("widgets", true)
};

static KINDS: Kinds = &[
    KindRow {
        resource: Some(resource("notes", true)),
        ..KindRow::new("v1", "Note", || Box::new(Note::default()))
    },
    KindRow {
        resource: Some(resource("namespaces", false)),
        behaviour: BehaviourRow { names: NameForm::Label, is_never_owner: true, ..BehaviourRow::USUAL },
        ..KindRow::new("v1", "Namespace", || Box::new(Space::default()))
    },
    KindRow {
        resource: Some(resource("roles", true)),
        behaviour: BehaviourRow { names: NameForm::PathSegment, ..BehaviourRow::USUAL },
        is_built_in: true,
        ..KindRow::new("rbac.authorization.k8s.io/v1", "Role", || Box::new(Role::default()))
    },
    KindRow {
        resource: Some(ResourceRow {
            subresources: WIDGET_RESOURCE.subresources,
            ..resource("deployments", true)
        }),
        behaviour: BehaviourRow {
            generation: Generation::Counted,
            generation_metadata: &["annotations"],
            status_metadata: &["annotations", "finalizers", "ownerReferences"],
            ..BehaviourRow::USUAL
        },
        ..KindRow::new("apps/v1", "Deployment", || Box::new(Deployment::default()))
    },
    KindRow {
        resource: Some(ResourceRow { subresources: WIDGET_RESOURCE.subresources, ..resource("jobs", true) }),
        behaviour: BehaviourRow { status_metadata: BehaviourRow::METADATA, ..BehaviourRow::USUAL },
        ..KindRow::new("batch/v1", "Job", || Box::new(Job::default()))
    },
    KindRow {
        resource: Some(ResourceRow { subresources: WIDGET_RESOURCE.subresources, ..resource("pods", true) }),
        behaviour: BehaviourRow {
            status_metadata: &["labels", "annotations", "finalizers"],
            keeps_status_on_creation: true,
            ..BehaviourRow::USUAL
        },
        ..KindRow::new("v1", "Pod", || Box::new(Pod::default()))
    },
    KindRow {
        resource: Some(WIDGET_RESOURCE),
        family: Some(&WIDGETS),
        conversion: ConversionRow::of::<Widget>(),
        behaviour: BehaviourRow {
            selectable_fields: Some(&[
                SelectableRow::Path("spec.colour"),
                SelectableRow::Named("readiness", &["status.ready"]),
            ]),
            ..BehaviourRow::USUAL
        },
        defaults: Some(&WIDGET_DEFAULTS),
        ..KindRow::new("example.com/v1", "Widget", || Box::new(Widget::default()))
    },
    KindRow {
        resource: Some(WIDGET_RESOURCE),
        family: Some(&WIDGETS),
        conversion: ConversionRow::of::<OldWidget>(),
        ..KindRow::new("old.example.com/v1beta1", "Widget", || Box::new(OldWidget::default()))
    },
    KindRow {
        resource: Some(resource("others", true)),
        family: Some(&OTHERS),
        conversion: ConversionRow::NotConvertible("the first one was an experiment"),
        ..KindRow::new("example.com/v1alpha1", "Other", || Box::new(OtherAlpha::default()))
    },
    KindRow {
        resource: Some(resource("others", true)),
        family: Some(&OTHERS),
        conversion: ConversionRow::NotConvertible("the first one was an experiment"),
        ..KindRow::new("example.com/v1", "Other", || Box::new(Other::default()))
    },
    KindRow {
        resource: Some(ResourceRow { verbs: &["create"], ..resource("reviews", false) }),
        ..KindRow::new("example.com/v1", "Review", || Box::new(Review::default()))
    },
];

/// A Scheme with all of these kinds.
pub fn scheme() -> Scheme {
    let mut scheme = Scheme::new();
    scheme.register(KINDS);
    for (group, priority) in [("apps", 17800), ("batch", 17400), ("rbac.authorization.k8s.io", 17000)] {
        scheme.prioritize(&PriorityRow { group, priority: Some(priority), versions: &[] });
    }
    scheme
}
