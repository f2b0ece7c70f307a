//! Runs conversions over reflection, for kinds that are known only at run time.
//!
//! The programs of a plan ([`hubgen_plan`]) are run here; the generator prints the same programs as
//! Rust. Rules can therefore be tried without compiling them, and kinds known only at run time
//! convert as well. Functions of a user's own code are the exception: a program that calls one is
//! refused, unless the caller registers the function ([`Functions`]), or wants to convert objects that do not need it
//! ([`Functions::without_others`]). The stash, which keeps conversions lossless, is that of the machinery in all cases.

mod access;
mod edits;
mod element;
mod function;
mod kept;
mod number;
mod program;
pub mod runtime;
mod value;
mod value_table;

use std::sync::Arc;

use hubgen_kubernetes_functions::conversions;
use hubgen_machinery::convert::with_annotations;
use hubgen_machinery::convert::{self, Canonical, ConvertError, ConvertObject, Functions, Terms, ViaHub};
use hubgen_machinery::reflect::{AnyObject, Reflect, SlotMut, copy_slot};
use hubgen_machinery::tree::VersionEdits;
use hubgen_model::TypeId;
use hubgen_plan::{Direction, FamilyPlan, How, Mapping, Member, Types, report};

pub use crate::function::FunctionError;
use crate::program::Programs;
use crate::value::Values;

/// Where stashes are.
const STASHED: &str = "metadata.annotations";

/// The field that is the same at every version.
const METADATA: &str = "metadata";

/// Creates an empty object of a member's type, or of the hub.
pub type NewObject = dyn Fn(&TypeId) -> AnyObject + Send + Sync;

/// A version of a family, with its part of the plan. Owns everything it needs, so that the entry of
/// a kind can own it.
#[derive(Clone)]
pub struct Version {
    plan: Arc<FamilyPlan>,
    /// The index of the member; it converts.
    member: usize,
    new: Arc<NewObject>,
    functions: Functions,
    /// How its JSON converts without being decoded.
    edits: Option<VersionEdits>,
}

impl Version {
    /// The member of the family at an index; `None` if it does not exist or does not convert.
    /// `functions` are those of the user's own code that the rules name.
    ///
    /// # Errors
    /// When a rule of the family names a function of the user's own code that `functions` lacks.
    pub fn new(
        plan: &Arc<FamilyPlan>,
        member: usize,
        new: &Arc<NewObject>,
        functions: &Functions,
    ) -> Result<Option<Self>, FunctionError> {
        let Some(How::Convert(_)) = plan.members.get(member).map(|member| &member.how) else {
            return Ok(None);
        };
        function::check(plan, functions)?;
        let functions = functions.clone().and(&conversions::ALL);
        let (plan, new) = (Arc::clone(plan), Arc::clone(new));
        Ok(Some(Self { plan, member, new, functions, edits: None }))
    }

    /// Also converts JSON without decoding it, unless a rule needs typed objects, as generated code does for users'
    /// kinds. `types` are those of the plan.
    #[must_use]
    pub fn over_json(self, types: Types<'_>) -> Self {
        let edits = if self.is_hub() {
            Some(VersionEdits::HUB)
        } else if self.plan.reserved.is_empty() {
            let edits = hubgen_plan::edits::edits(types, self.mapping(), &self.member().root, &self.plan.hub);
            edits.ok().map(|edits| edits::lowered(&edits))
        } else {
            None
        };
        Self { edits, ..self }
    }

    fn member(&self) -> &Member {
        &self.plan.members[self.member]
    }

    fn mapping(&self) -> &Mapping {
        let How::Convert(mapping) = &self.member().how else { unreachable!("a version always converts") };
        mapping
    }

    /// Converts to the hub by the rules, without the stash.
    fn rules_to_hub(&self, object: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        let mut object = object.boxed_copy();
        let texts = kept::take(self, &mut *object);
        let mut hub = (self.new)(&self.plan.hub);
        self.root(&*object, &mut *hub, Direction::ToHub, &*object)?;
        texts.put(self, &mut *hub)?;
        Ok(hub)
    }

    /// Converts from the hub by the rules, without the stash.
    fn rules_from_hub(&self, hub: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        let mut hub = hub.boxed_copy();
        kept::write_all(self, &mut *hub)?;
        self.shown(&*hub, &*hub)
    }

    /// Converts from the hub by the rules, without annotations. `whole` has its metadata.
    fn shown(&self, hub: &dyn Reflect, whole: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        let mut object = (self.new)(&self.member().root);
        self.root(hub, &mut *object, Direction::FromHub, whole)?;
        Ok(object)
    }

    fn root(
        &self,
        from: &dyn Reflect,
        to: &mut dyn Reflect,
        direction: Direction,
        whole: &dyn Reflect,
    ) -> Result<(), ConvertError> {
        let programs = Programs { mapping: self.mapping(), functions: &self.functions, whole: Some(whole) };
        programs.object((&self.member().root, &self.plan.hub), from, to, direction)
    }

    /// Whether the version's own type is the hub.
    fn is_hub(&self) -> bool {
        self.mapping().pairs.is_empty()
    }

    /// Refuses string values that have no counterpart on the other side.
    fn expect(&self, object: &dyn Reflect, direction: Direction) -> Result<(), ConvertError> {
        self.mapping().expected(direction).iter().try_for_each(|expected| {
            let words: Vec<&str> = expected.words.iter().map(String::as_str).collect();
            convert::expect_any(object, &expected.path, &words)
        })
    }

    /// The hub version, in whose terms stashes are written.
    fn hub_version(&self) -> String {
        self.plan.family.hub.api_version()
    }

    /// The versions other than the hub version.
    fn others(&self) -> Vec<(String, ViaHub)> {
        let versions = (0..self.plan.members.len()).filter_map(|member| {
            let version = Self { member, edits: None, ..self.clone() };
            matches!(version.member().how, How::Convert(_)).then_some(version)
        });
        let others = versions.filter(|version| version.member().group_version != self.plan.family.hub);
        others
            .map(|version| (version.member().group_version.api_version(), ViaHub::Runtime(Arc::new(version))))
            .collect()
    }

    /// Removes annotations that a hub never has.
    fn forget(&self, hub: &mut dyn Reflect) {
        if !self.plan.reserved.is_empty() {
            let keys: Vec<&str> = self.plan.reserved.iter().map(String::as_str).collect();
            with_annotations(hub, &mut |annotations| convert::remove_reserved(annotations, &keys));
        }
    }
}

impl ConvertObject for Version {
    fn empty(&self) -> AnyObject {
        (self.new)(&self.member().root)
    }

    fn to_hub(&self, mut object: AnyObject) -> Result<AnyObject, ConvertError> {
        self.expect(&*object, Direction::ToHub)?;
        let mut kept = None;
        if self.plan.keeps() {
            with_annotations(&mut *object, &mut |annotations| kept = convert::take_stash(annotations));
        }
        let mut hub = if self.is_hub() {
            self.forget(&mut *object);
            object.boxed_copy()
        } else {
            self.rules_to_hub(&*object)?
        };
        let refuses_names = self.mapping().refuses_names();
        if let Some(stash) = &kept
            && let Some(function) = function::missing(self.mapping(), &self.functions, stash)
            && !convert::is_unchanged(stash, &self.hub_version(), &*hub)
        {
            // The function may return something for fields without a value, and what is stashed then depends on that.
            let paths = vec![STASHED.to_owned()];
            return Err(ConvertError::NoFunction { paths, function: function.to_owned() });
        }
        if kept.is_some() {
            // The metadata is the same on both sides, and a stash never changes it.
            let whole = hub.boxed_copy();
            for object in [&mut hub, &mut object] {
                object.field_mut(METADATA).into_iter().for_each(SlotMut::clear);
            }
            let mut restored = Ok(hub.boxed_copy());
            self.with_terms(&mut |terms| {
                restored = convert::restore_any(hub.boxed_copy(), &*object, &mut kept, terms, &|hub| {
                    if self.is_hub() { Ok(hub) } else { self.shown(&*hub, &*whole) }
                });
            });
            hub = restored?;
            if let (Some(metadata), Some(slot)) = (whole.field(METADATA), hub.field_mut(METADATA)) {
                copy_slot(&metadata, slot);
            }
            with_annotations(&mut *hub, &mut |annotations| convert::leave_unread(annotations, kept.take()));
        }
        if refuses_names {
            convert::expect_unknown_any(&*hub)?;
        }
        Ok(hub)
    }

    fn from_hub(&self, mut hub: AnyObject) -> Result<AnyObject, ConvertError> {
        self.expect(&*hub, Direction::FromHub)?;
        self.forget(&mut *hub);
        if self.is_hub() {
            return Ok(hub);
        }
        let mut object = self.rules_from_hub(&*hub)?;
        let mut result = Ok(());
        if !self.mapping().exact {
            let reconverted = self.rules_to_hub(&*object)?;
            let terms = Terms { hub: &self.hub_version(), others: &[] };
            with_annotations(&mut *object, &mut |annotations| {
                result = convert::stash_any(annotations, &terms, &*reconverted, &*hub);
            });
        } else if !self.plan.reserved.is_empty() {
            with_annotations(&mut *object, &mut |annotations| result = convert::check(annotations));
        }
        result.map(|()| object)
    }

    fn canonical(&self) -> Vec<Canonical> {
        let found = report::canonical(self.mapping(), &self.member().root, &self.plan.hub);
        found.into_iter().map(|(canonical, _)| declared(canonical)).collect()
    }

    fn may_be_invalid(&self) -> Vec<String> {
        self.member().may_be_invalid.clone()
    }

    fn with_terms(&self, read: &mut dyn FnMut(&Terms<'_>)) {
        if self.plan.keeps() {
            let others = self.others();
            let others: Vec<(&str, ViaHub)> =
                others.iter().map(|(name, via)| (&**name, via.clone())).collect();
            read(&Terms { hub: &self.hub_version(), others: &others });
        }
    }

    fn empty_hub(&self) -> Option<AnyObject> {
        Some((self.new)(&self.plan.hub))
    }

    fn json(&self) -> Option<(&VersionEdits, Functions)> {
        self.edits.as_ref().map(|edits| (edits, self.functions.clone()))
    }
}

/// What the plan says that a conversion does not distinguish, in the terms of the machinery.
fn declared(canonical: report::Canonical) -> Canonical {
    match canonical {
        report::Canonical::Empty(path) => Canonical::Empty(path.into()),
        report::Canonical::Determined(path) => Canonical::Determined(path.into()),
        report::Canonical::Created(path) => Canonical::Created(path.into()),
        report::Canonical::Any(path) => Canonical::Any(path.into()),
        report::Canonical::Dropped(path) => Canonical::Dropped(path.into()),
    }
}
