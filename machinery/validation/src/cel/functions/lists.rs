//! Functions of lists and maps.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Result, arithmetic, whole};
use crate::cel::equal::equal;
use crate::cel::value::{List, Map, NO_OVERLOAD, Value, Wrong};
use crate::cel::work::Work;

/// The longest list that `lists.range` makes.
const MAX_RANGE: i64 = 1_000_000;

type Items<'a> = Vec<Value<'a>>;

pub(super) fn call<'a>(
    function: &str,
    overload: Option<&str>,
    args: &[Value<'a>],
    work: &mut Work,
) -> Option<Result<'a>> {
    if let ("lists.range", [Value::Int(count)]) = (function, args) {
        return Some(range(*count));
    }
    if function == "includes"
        && let [target, value] = args
    {
        return Some(match target {
            Value::List(list) => find(list, value, false, work).map(|found| Value::Bool(found.is_some())),
            // What cannot be compared is not equal.
            target => Ok(Value::Bool(equal(target, value, work).unwrap_or(false))),
        });
    }
    let (Value::List(list), rest) = args.split_first()? else { return None };
    Some(match (function, rest) {
        ("isSorted", []) => is_sorted(list),
        ("sum", []) => sum(list, overload, work),
        ("max", []) => extreme(list, Ordering::Less, "max"),
        ("min", []) => extreme(list, Ordering::Greater, "min"),
        ("indexOf", [value]) => find(list, value, false, work).map(|at| at.map_or(Value::Int(-1), whole)),
        ("lastIndexOf", [value]) => find(list, value, true, work).map(|at| at.map_or(Value::Int(-1), whole)),
        ("first", []) => first(list, 0),
        ("last", []) => first(list, list.len().saturating_sub(1)),
        ("optional.unwrap" | "unwrapOpt", []) => unwrap(list),
        ("join", rest) => return join(list, rest, work),
        ("slice", [Value::Int(start), Value::Int(end)]) => slice(list, *start, *end),
        ("flatten", []) => flatten(list, 1, work).map(Value::list),
        ("flatten", [Value::Int(depth)]) if *depth < 0 => Err("level must be non-negative".to_owned()),
        ("flatten", [Value::Int(depth)]) => flatten(list, *depth, work).map(Value::list),
        ("sort", []) => sort(list, list, work),
        ("@sortByAssociatedKeys", [Value::List(keys)]) => sort(list, keys, work),
        ("reverse", []) => items(list).map(|mut items| {
            items.reverse();
            Value::list(items)
        }),
        ("distinct", []) => distinct(list, work),
        ("sets.contains", [Value::List(part)]) => contains_all(list, part, work).map(Value::Bool),
        ("sets.equivalent", [Value::List(other)]) => contains_all(list, other, work)
            .and_then(|contains| Ok(contains && contains_all(other, list, work)?))
            .map(Value::Bool),
        ("sets.intersects", [Value::List(other)]) => intersects(list, other, work).map(Value::Bool),
        _ => return None,
    })
}

fn items<'a>(list: &List<'a>) -> std::result::Result<Items<'a>, Wrong> {
    list.items().collect()
}

pub(super) fn is_in<'a>(args: &[Value<'a>], work: &mut Work) -> Option<Result<'a>> {
    Some(match args {
        [value, Value::List(list)] => contains(list, value, work).map(Value::Bool),
        [key, Value::Map(map)] => map.find(key).map(|found| Value::Bool(found.is_some())),
        _ => return None,
    })
}

/// Whether a list contains a value. What cannot be compared is an error, if nothing is equal.
fn contains(list: &List<'_>, value: &Value<'_>, work: &mut Work) -> std::result::Result<bool, Wrong> {
    let mut wrong = None;
    for item in list.items() {
        match item.and_then(|item| equal(&item, value, work)) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(found) => wrong = Some(found),
        }
    }
    wrong.map_or(Ok(false), Err)
}

fn contains_all(list: &List<'_>, part: &List<'_>, work: &mut Work) -> std::result::Result<bool, Wrong> {
    for item in part.items() {
        if !contains(list, &item?, work)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn intersects(list: &List<'_>, other: &List<'_>, work: &mut Work) -> std::result::Result<bool, Wrong> {
    for item in list.items() {
        if contains(other, &item?, work).unwrap_or(false) {
            return Ok(true);
        }
        work.add(1)?;
    }
    Ok(false)
}

pub(super) fn insert<'a>(args: &[Value<'a>]) -> Option<Result<'a>> {
    let (Value::Map(map), rest) = args.split_first()? else { return None };
    let entries: Vec<(Value<'a>, Value<'a>)> = match rest {
        [key, value] => vec![(key.clone(), value.clone())],
        [Value::Map(added)] => {
            let mut entries = Vec::new();
            for key in added.keys() {
                match added.find(&key) {
                    Ok(value) => entries.push((key, value.unwrap_or_default())),
                    Err(wrong) => return Some(Err(wrong)),
                }
            }
            entries
        }
        _ => return None,
    };
    let Map::Made(made) = map else { return None };
    let mut made = Arc::clone(made);
    for (key, value) in entries {
        if made.get(&key).is_some() {
            return Some(Err(format!("insert failed: key {} already exists", key.shown())));
        }
        Arc::make_mut(&mut made).set(key, value);
    }
    Some(Ok(Value::Map(Map::Made(made))))
}

fn range<'a>(count: i64) -> Result<'a> {
    if count < 0 {
        return Err(format!("lists.range: size must be non-negative, got {count}"));
    }
    if count > MAX_RANGE {
        return Err(format!("lists.range: size {count} exceeds maximum allowed ({MAX_RANGE})"));
    }
    Ok(Value::list((0..count).map(Value::Int).collect()))
}

fn is_sorted<'a>(list: &List<'a>) -> Result<'a> {
    let mut before: Option<Value<'_>> = None;
    for item in list.items() {
        let item = item?;
        if let Some(before) = before
            && before.compare(&item)?.is_gt()
        {
            return Ok(Value::Bool(false));
        }
        before = Some(item);
    }
    Ok(Value::Bool(true))
}

fn sum<'a>(list: &List<'a>, overload: Option<&str>, work: &mut Work) -> Result<'a> {
    // An empty list has no items that tell what its sum is.
    let mut sum = match (overload, list.items().next()) {
        (Some("list_uint_sum_uint"), _) | (None, Some(Ok(Value::Uint(_)))) => Value::Uint(0),
        (Some("list_double_sum_double"), _) | (None, Some(Ok(Value::Double(_)))) => Value::Double(0.0),
        (Some("list_duration_sum_duration"), _) | (None, Some(Ok(Value::Duration(_)))) => Value::Duration(0),
        _ => Value::Int(0),
    };
    for item in list.items() {
        sum = arithmetic::add(&sum, &item?, work)?;
    }
    Ok(sum)
}

fn extreme<'a>(list: &List<'a>, worse: Ordering, function: &str) -> Result<'a> {
    let mut best: Option<Value<'a>> = None;
    for item in list.items() {
        let item = item?;
        best = match best {
            Some(best) if best.compare(&item)? != worse => Some(best),
            _ => Some(item),
        };
    }
    best.ok_or_else(|| format!("{function} called on empty list"))
}

/// The place of a value. What cannot be compared is not equal.
fn find(
    list: &List<'_>,
    value: &Value<'_>,
    from_end: bool,
    work: &mut Work,
) -> std::result::Result<Option<usize>, Wrong> {
    for at in 0..list.len() {
        work.add(1)?;
        let at = if from_end { list.len() - 1 - at } else { at };
        if list.get(at).and_then(|item| equal(&item, value, work)).unwrap_or(false) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

fn first<'a>(list: &List<'a>, at: usize) -> Result<'a> {
    if list.len() == 0 { Ok(Value::Optional(None)) } else { list.get(at).map(Value::some) }
}

fn unwrap<'a>(list: &List<'a>) -> Result<'a> {
    let mut out = Vec::new();
    for item in list.items() {
        match item? {
            Value::Optional(value) => out.extend(value.map(|value| (*value).clone())),
            other => return Err(format!("value {} is not optional", other.shown())),
        }
    }
    Ok(Value::list(out))
}

fn join<'a>(list: &List<'a>, rest: &[Value<'a>], work: &mut Work) -> Option<Result<'a>> {
    let separator = match rest {
        [] => "",
        [Value::Text(separator)] => separator,
        _ => return None,
    };
    let mut out = String::new();
    for (at, item) in list.items().enumerate() {
        let text = match item {
            Ok(Value::Text(text)) => text,
            Ok(other) => return Some(Err(format!("join: invalid input: {}", other.shown()))),
            Err(wrong) => return Some(Err(wrong)),
        };
        if at > 0 {
            out.push_str(separator);
        }
        out.push_str(&text);
        if let Err(wrong) = work.make(out.len()).and_then(|()| work.add(1)) {
            return Some(Err(wrong));
        }
    }
    Some(Ok(Value::text(out)))
}

fn slice<'a>(list: &List<'a>, start: i64, end: i64) -> Result<'a> {
    let cannot = |why: &str| Err(format!("cannot slice({start}, {end}), {why}"));
    let (Ok(from), Ok(to)) = (usize::try_from(start), usize::try_from(end)) else {
        return cannot("negative indexes not supported");
    };
    if from > to {
        return cannot("start index must be less than or equal to end index");
    }
    if to > list.len() {
        return cannot(&format!("list is length {}", list.len()));
    }
    (from..to).map(|at| list.get(at)).collect::<std::result::Result<_, _>>().map(Value::list)
}

fn flatten<'a>(list: &List<'a>, depth: i64, work: &mut Work) -> std::result::Result<Items<'a>, Wrong> {
    let mut out = Vec::new();
    for item in list.items() {
        work.add(1)?;
        match item? {
            Value::List(inner) if depth > 0 => out.extend(flatten(&inner, depth - 1, work)?),
            item => out.push(item),
        }
    }
    Ok(out)
}

fn sort<'a>(list: &List<'a>, keys: &List<'a>, work: &mut Work) -> Result<'a> {
    let (values, keys) = (items(list)?, items(keys)?);
    if values.len() != keys.len() {
        return Err(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            values.len(),
            keys.len()
        ));
    }
    let Some(first) = keys.first() else { return Ok(Value::list(values)) };
    if first.compare(first).is_err_and(|wrong| wrong == NO_OVERLOAD) {
        return Err("list elements must be comparable".to_owned());
    }
    let ty = first.ty();
    if keys.iter().any(|key| key.ty() != ty) {
        return Err("list elements must have the same type".to_owned());
    }
    work.add(values.len().saturating_mul(16))?;
    let mut pairs: Vec<_> = keys.into_iter().zip(values).collect();
    pairs.sort_by(|(left, _), (right, _)| left.compare(right).unwrap_or(Ordering::Equal));
    Ok(Value::list(pairs.into_iter().map(|(_, value)| value).collect()))
}

fn distinct<'a>(list: &List<'a>, work: &mut Work) -> Result<'a> {
    let mut out: Items<'a> = Vec::new();
    for item in list.items() {
        let item = item?;
        let mut is_new = true;
        for before in &out {
            work.add(1)?;
            if equal(&item, before, work).unwrap_or(false) {
                is_new = false;
                break;
            }
        }
        if is_new {
            out.push(item);
        }
    }
    Ok(Value::list(out))
}
