//! Faults put into plans on purpose: random tables must find each of them.

use hubgen_plan::program::ops::{Absence, FieldCopy, Op, When};
use hubgen_plan::{How, Mapping, Pair, Plan, Value};

/// A slip that the planner could have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Fault {
    /// The last op to the hub is missing
    LostOp,
    /// The last op from the hub is missing
    LostOpBack,
    /// Empty values become absent on the way to the hub
    AbsentForEmpty,
    /// Objects follow what is in them, and not the object that they come from
    UnfollowedObject,
    /// Optional objects are always there
    MadeUpObject,
    /// Nothing is stashed
    NoStash,
    /// An object that contains a value is copied as that value
    Unwrapped,
    /// Objects that convert are copied
    Unconverted,
    /// Words are not translated back
    UntranslatedWords,
    /// What elements share is not put back into them
    UnsharedElements,
    /// Two fields are exchanged in one direction
    Exchanged,
}

impl Fault {
    /// Puts the fault into a plan.
    pub(crate) fn put_into(self, plan: &mut Plan) {
        let members = plan.conversions.iter_mut().flat_map(|family| &mut family.members);
        for member in members {
            if let How::Convert(mapping) = &mut member.how {
                self.put_into_mapping(mapping);
            }
        }
    }

    fn put_into_mapping(self, mapping: &mut Mapping) {
        mapping.exact |= self == Self::NoStash;
        mapping.pairs.values_mut().for_each(|pair| self.put_into_pair(pair));
    }

    fn put_into_pair(self, Pair { to_hub, from_hub, .. }: &mut Pair) {
        match self {
            Self::LostOp => drop(to_hub.ops.pop()),
            Self::LostOpBack => drop(from_hub.ops.pop()),
            Self::AbsentForEmpty => {
                let stays = copies(&mut to_hub.ops).filter(|copy| copy.absence == Absence::Stays);
                stays.for_each(|copy| copy.absence = Absence::WhereEmpty);
            }
            Self::UnfollowedObject => to_hub.parents.iter_mut().for_each(|parent| parent.when = When::Filled),
            Self::MadeUpObject => to_hub.parents.iter_mut().for_each(|parent| parent.when = When::Always),
            Self::NoStash => {}
            Self::Unwrapped => as_it_is(&mut to_hub.ops, |value| matches!(value, Value::Wrapped(..))),
            Self::Unconverted => as_it_is(&mut to_hub.ops, |value| matches!(value, Value::Pair(..))),
            Self::UntranslatedWords => as_it_is(&mut from_hub.ops, |value| matches!(value, Value::Words(_))),
            Self::UnsharedElements => {
                for op in &mut to_hub.ops {
                    if let Op::Spread { first, each, .. } = op {
                        first.clear();
                        each.clear();
                    }
                }
            }
            Self::Exchanged => {
                let mut all: Vec<_> = copies(&mut to_hub.ops).collect();
                if let [.., one, other] = &mut all[..]
                    && one.to.field().ty == other.to.field().ty
                    && one.value == other.value
                {
                    std::mem::swap(&mut one.to, &mut other.to);
                    std::mem::swap(&mut one.absence, &mut other.absence);
                }
            }
        }
    }
}

fn copies(ops: &mut [Op]) -> impl Iterator<Item = &mut FieldCopy> {
    ops.iter_mut().filter_map(|op| match op {
        Op::Copy(copy) => Some(copy),
        _ => None,
    })
}

/// Copies values as they are that convert in this way.
fn as_it_is(ops: &mut [Op], converts: impl Fn(&Value) -> bool) {
    copies(ops).filter(|copy| converts(&copy.value)).for_each(|copy| copy.value = Value::Same);
}
