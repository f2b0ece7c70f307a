//! Lowers one rule to ops, one for each direction. Everything that prints, runs or reports
//! conversions uses these ops and does not see the rules.

use hubgen_model::Type;
use hubgen_model::rules::{FieldPath, Rule};

use super::locate::Located;
use super::ops::{Absence, Each, FieldCopy, First, Op};
use super::path::{join, resolve};
use super::refusal::Refusal;
use super::{Mapper, ResolvedPath, Types, Value};

/// The result of lowering a rule.
pub(super) enum Lowered {
    /// One op for each direction; a direction may need none.
    Ops {
        /// From the version to the hub.
        to_hub: Option<Op>,
        /// From the hub to the version.
        from_hub: Option<Op>,
    },
    /// A field of the version that the first element of a list contains. The op that copies
    /// the hub's list does this.
    First(ResolvedPath, First),
    /// A field of the version that all elements of a list share. The op that copies the
    /// hub's list does this, too.
    Each(ResolvedPath, Each),
    /// An object of the version that is present even when it is empty.
    Always(ResolvedPath),
    /// A field of the version that is the same whether it is empty or absent.
    EmptyIsAbsent(ResolvedPath),
    /// A field of the hub that the version cannot represent.
    Kept(ResolvedPath),
}

impl Lowered {
    pub(super) fn both(to_hub: Op, from_hub: Op) -> Self {
        Self::Ops { to_hub: Some(to_hub), from_hub: Some(from_hub) }
    }

    /// The fields of the version and of the hub that it covers.
    pub(super) fn sides(&self) -> (Vec<&ResolvedPath>, Vec<&ResolvedPath>) {
        match self {
            Self::Ops { from_hub: Some(Op::FromElement { list, element, .. }), .. } => {
                (vec![&element.field], vec![list])
            }
            Self::Ops { to_hub: Some(Op::Drop { from }), .. } => (vec![from], Vec::new()),
            Self::Ops { to_hub, from_hub } => {
                let version = match (to_hub, from_hub) {
                    (_, Some(op)) => op.writes(),
                    (Some(op), None) => op.reads(),
                    (None, None) => Vec::new(),
                };
                let hub = match (to_hub, from_hub) {
                    (Some(op), _) => op.writes(),
                    (None, Some(op)) => op.reads(),
                    (None, None) => Vec::new(),
                };
                (version, hub)
            }
            Self::First(list, First { field, .. }) | Self::Each(list, Each { field, .. }) => {
                (vec![field], vec![list])
            }
            Self::Always(field) | Self::EmptyIsAbsent(field) => (vec![field], Vec::new()),
            Self::Kept(field) => (Vec::new(), vec![field]),
        }
    }

    /// A field of the version is a field of the hub. How an absent value converts is decided once
    /// all rules of the pair are known.
    pub(super) fn copy(version: ResolvedPath, hub: ResolvedPath, value: Value) -> Self {
        let copy = |from: &ResolvedPath, to: &ResolvedPath| {
            let (from, to, value) = (from.clone(), to.clone(), value.clone());
            Op::Copy(FieldCopy { from, to, absence: Absence::Impossible, value })
        };
        Self::both(copy(&version, &hub), copy(&hub, &version))
    }
}

/// The two types that a rule relates, and where in the kind they are.
pub(super) struct Sides<'t> {
    types: Types<'t>,
    pub(super) version: &'t Type,
    pub(super) hub: &'t Type,
    /// How many names of the rule's paths lead to these types.
    depth: usize,
    /// The path of the types in the kind, for errors and reports.
    path: &'t str,
}

impl Sides<'_> {
    /// The part of a path that begins at these types.
    pub(super) fn below<'p>(&self, path: &'p FieldPath) -> &'p [String] {
        &path.0[self.depth..]
    }

    pub(super) fn in_version(&self, path: &FieldPath) -> Result<ResolvedPath, String> {
        resolve(self.types, self.version, self.below(path))
    }

    pub(super) fn in_hub(&self, path: &FieldPath) -> Result<ResolvedPath, String> {
        resolve(self.types, self.hub, self.below(path))
    }

    /// The path of a field in the kind.
    pub(super) fn whole(&self, place: &ResolvedPath) -> String {
        join(self.path, &place.to_string())
    }
}

impl Mapper<'_> {
    /// Lowers a rule: one function for each operator.
    pub(super) fn lower(
        &mut self,
        version: &Type,
        hub: &Type,
        located: &Located<'_>,
        path: &str,
    ) -> Result<Lowered, Refusal> {
        let sides = Sides { types: self.types, version, hub, depth: located.depth, path };
        match &located.rule.value {
            Rule::Move { from, to, by } => self.lower_move(&sides, from, to, by),
            Rule::Constant { field, value } => self.lower_constant(&sides, field, value),
            Rule::Tag { path, set, otherwise } => self.lower_tag(&sides, path, set, otherwise),
            Rule::Element { field, list, when, value, last } => {
                self.lower_element(&sides, (field, list), when, value, *last)
            }
            Rule::Split { field, number, name } => self.lower_split(&sides, field, number, name),
            Rule::Drop { path } => self.lower_drop(&sides, path),
            Rule::Always { path } => self.lower_always(&sides, path),
            Rule::EmptyIsAbsent { path } => self.lower_empty_is_absent(&sides, path),
            Rule::Hoist { list, field, element } => self.lower_hoist(&sides, list, field, element),
            Rule::Head { list, field, element, set } => self.lower_head(&sides, (list, field), element, set),
            Rule::Function { function, version, hub } => self.lower_function(&sides, function, version, hub),
            Rule::Keep { path, .. } => Ok(Lowered::Kept(sides.in_hub(path)?)),
        }
    }
}
