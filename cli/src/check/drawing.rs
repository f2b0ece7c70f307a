//! What checks draw objects from, and what becomes of them.

use hubgen_kubernetes::machinery::convert::laws;
use hubgen_kubernetes::machinery::reflect::{Reflect, SlotMut};

use super::Failure;

/// What a check draws.
#[derive(clap::Args)]
#[group(skip)]
pub struct Args {
    /// Only this kind, as `apps/Deployment`; `core` is the empty group.
    #[arg(long, value_name = "GROUP/KIND")]
    pub kind: Option<String>,
    /// How many objects to draw of each kind at each of its versions, for all
    /// that they are held to.
    #[arg(long, default_value_t = 100)]
    pub iterations: u64,
    /// Where drawing begins; a failure says which one shows it again.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

impl Args {
    /// Whether objects of the kind of that title are drawn.
    pub fn wants(&self, title: &str) -> bool {
        self.kind.as_ref().is_none_or(|kind| kind == title)
    }

    /// How many objects are drawn.
    pub fn count(&self) -> usize {
        usize::try_from(self.iterations).unwrap_or(usize::MAX)
    }
}

/// What became of the objects of a kind at a version.
#[derive(Default)]
pub struct Found {
    /// How many held.
    pub held: usize,
    /// The first that did not.
    pub failure: Option<Failure>,
}

impl Found {
    /// Draws, and holds what is drawn to something.
    pub fn of(
        args: &Args,
        bytes: impl Fn(u64) -> Vec<u8>,
        holds: impl Fn(&[u8]) -> bool,
        failure: impl Fn(u64, &[u8]) -> Failure,
    ) -> Self {
        let mut found = Self::default();
        for seed in (args.seed..).take(args.count()) {
            let bytes = bytes(seed);
            if holds(&bytes) {
                found.held += 1;
            } else if found.failure.is_none() {
                found.failure = Some(failure(seed, &bytes));
            }
        }
        found
    }
}

/// Bytes to draw from, the same ones for the same seed. The more of them are
/// zero, the emptier the object: from almost empty to almost full.
pub fn bytes(seed: u64) -> Vec<u8> {
    let mut next = laws::random(seed);
    let zeros = next() % 200;
    let len = 50 + next() % 1500;
    let byte = |random: u64| if random >> 8 & 0xff < zeros { 0 } else { random.to_le_bytes()[0] };
    (0..len).map(|_| byte(next())).collect()
}

/// Clears the fields that have no number in protobuf: `kind` and `apiVersion`
/// of objects, which their envelope says, and the few that upstream took away
/// before it numbered them.
pub fn only_numbered(object: &mut dyn Reflect) {
    for (index, field) in object.descriptor().fields.iter().enumerate() {
        if field.number.is_empty() {
            object.write(index).clear();
        } else {
            only_numbered_in(object.write(index));
        }
    }
}

fn only_numbered_in(slot: SlotMut<'_>) {
    match slot {
        SlotMut::Struct(object) => only_numbered(object),
        SlotMut::Optional(value) if value.is_present() => only_numbered_in(value.insert()),
        SlotMut::List(list) => (0..list.len()).for_each(|index| only_numbered_in(list.get_mut(index))),
        SlotMut::Map(map) => map.visit_mut(&mut |_, value| only_numbered_in(value)),
        _ => {}
    }
}
