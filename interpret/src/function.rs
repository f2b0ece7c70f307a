//! Calls to conversion functions of `hubgen_machinery`.

use hubgen_machinery::Str;
use hubgen_machinery::convert::{Plain, functions};
use hubgen_machinery::reflect::{Map, Reflect, Slot, SlotMut, copy_slot};
use hubgen_plan::{Direction, ResolvedPath};

use crate::access::{read, write};

/// Calls the function with fields of one object and writes the results into fields of another.
pub(crate) fn apply(
    name: &str,
    from: &[ResolvedPath],
    source: &dyn Reflect,
    to: &[ResolvedPath],
    target: &mut dyn Reflect,
    direction: Direction,
) {
    let arguments = from.iter().map(|path| plain(path, &read(source, path))).collect();
    let results = functions::find(name).and_then(|function| match direction {
        Direction::ToHub => (function.to_hub)(arguments),
        Direction::FromHub => (function.from_hub)(arguments),
    });
    let results = results.unwrap_or_else(|| panic!("no function `{name}` accepts fields of these types"));
    for (path, result) in to.iter().zip(results) {
        put(result, write(target, path));
    }
}

fn plain(path: &ResolvedPath, slot: &Slot<'_>) -> Plain {
    use hubgen_model::TypeExpr;
    let field = path.field();
    match (&field.ty, slot) {
        (TypeExpr::Ref(_), Slot::Struct(object)) => Plain::Object(Some(object.boxed_copy())),
        (TypeExpr::Ref(_), _) => Plain::Object(None),
        (TypeExpr::List(_), Slot::List(list)) => {
            Plain::Texts((0..list.len()).map(|index| text(&list.get(index))).collect())
        }
        (TypeExpr::Map(_), Slot::Map(map)) => {
            let mut out = hubgen_machinery::StrMap::new();
            map.visit(&mut |key, value| {
                out.insert(key, text(&value));
            });
            Plain::TextMap(out)
        }
        (TypeExpr::List(_), _) => Plain::Texts(Vec::new()),
        (TypeExpr::Map(_), _) => Plain::TextMap(Default::default()),
        (_, Slot::Absent) if field.may_be_absent() => Plain::OptionalText(None),
        (_, slot) if field.may_be_absent() => Plain::OptionalText(Some(text(slot))),
        (_, slot) => Plain::Text(text(slot)),
    }
}

fn text(slot: &Slot<'_>) -> Str {
    if let Slot::String(text) = slot { text.to_shared() } else { Str::new() }
}

fn put(value: Plain, slot: SlotMut<'_>) {
    match (value, slot) {
        (Plain::Text(value), SlotMut::String(slot)) => slot.set_shared(&value),
        (Plain::OptionalText(None), slot) | (Plain::Object(None), slot) => slot.clear(),
        (Plain::OptionalText(Some(value)), slot) => crate::access::set_text(slot, &value),
        (Plain::Texts(value), SlotMut::List(list)) => {
            list.clear();
            for text in value {
                crate::access::set_text(list.push(), &text);
            }
        }
        (Plain::TextMap(value), SlotMut::Map(map)) => fill(map, value),
        (Plain::Object(Some(value)), slot) => copy_slot(&Slot::Struct(&*value), slot.present()),
        _ => panic!("a function returned a value of another type than its field"),
    }
}

fn fill(map: &mut dyn Map, value: hubgen_machinery::StrMap<Str>) {
    map.clear();
    for (key, text) in value {
        crate::access::set_text(map.entry(&key), &text);
    }
}
