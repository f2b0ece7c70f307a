//! Calls to functions: those of the machinery, and users' own that the caller registers.

use std::any::Any;

use hubgen_machinery::StrMap;
use hubgen_machinery::convert::{
    ConvertError, Failure, Function, Functions, Plain, PlainType as Known, functions,
};
use hubgen_machinery::json;
use hubgen_machinery::reflect::{Reflect, Scalar, Slot, SlotMut, copy_slot};
use hubgen_model::functions::Parameter;
use hubgen_model::{Field, PlainType, TypeExpr};
use hubgen_plan::program::ops::{Callee, Op, TypedTable};
use hubgen_plan::{Direction, FamilyPlan, How, Mapping, ResolvedPath};

use crate::access::{is_set, read, write, write_json};
use crate::value_table;

/// Why a family cannot be interpreted: a rule names a function of the user's own code, and this
/// function is not registered, or has other types.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rules}, rule `function` of {version} for {fields}: {message}")]
pub struct FunctionError {
    /// The rules file.
    pub rules: String,
    /// The version with the rule.
    pub version: String,
    /// The fields of the version.
    pub fields: String,
    /// What is wrong, and what to do.
    pub message: String,
}

/// The first function of the user's own code that nobody has registered, of those whose results may be in a stash: the
/// stash has the name of such a field.
pub(crate) fn missing<'a>(mapping: &'a Mapping, own: &Functions, stash: &str) -> Option<&'a str> {
    let ops = mapping.pairs.values().flat_map(|pair| &pair.to_hub.ops);
    ops.filter_map(|op| match op {
        Op::Call { function: Callee::Own { module, .. }, to, .. } => Some((&**module, to)),
        _ => None,
    })
    .find(|(module, to)| {
        let is_stashed = |path: &ResolvedPath| stash.contains(&format!("\"{}\"", path.field().name));
        own.find(module).is_none() && to.iter().any(is_stashed)
    })
    .map(|(module, _)| module)
}

/// Checks that every function that the programs of a family call can be called.
///
/// # Errors
/// The first function that cannot be called.
pub(crate) fn check(plan: &FamilyPlan, own: &Functions) -> Result<(), FunctionError> {
    for member in &plan.members {
        let How::Convert(mapping) = &member.how else { continue };
        for op in mapping.pairs.values().flat_map(|pair| &pair.to_hub.ops) {
            let Op::Call { function: Callee::Own { module, reads }, from, to } = op else { continue };
            let message = match own.find(module) {
                None if own.is_without_others() => continue,
                None => format!(
                    "the interpreter cannot call `{module}`, which is compiled code; register its functions \
                     with `Functions::with(\"{module}\", …)`, or use the generated conversions"
                ),
                Some(function) => match misfit(function, from, to, reads) {
                    Some(message) => message,
                    None => continue,
                },
            };
            let family = &plan.family;
            let fields: Vec<String> = from.iter().map(|path| format!("`{path}`")).collect();
            return Err(FunctionError {
                rules: format!("{}.{}.toml", family.hub.group_or_core(), family.kind),
                version: member.group_version.to_string(),
                fields: fields.join(", "),
                message,
            });
        }
    }
    Ok(())
}

/// The types of a registered function that are not those of the fields.
fn misfit(
    function: &Function,
    version: &[ResolvedPath],
    hub: &[ResolvedPath],
    reads: &[ResolvedPath],
) -> Option<String> {
    let with_reads = |fields: &[ResolvedPath]| fields.iter().chain(reads).cloned().collect::<Vec<_>>();
    let sides = [
        ("to_hub", "takes", "parameter(s)", with_reads(version), function.to_hub_takes),
        ("to_hub", "returns", "result(s)", hub.to_vec(), function.hub),
        ("from_hub", "takes", "parameter(s)", with_reads(hub), function.from_hub_takes),
        ("from_hub", "returns", "result(s)", version.to_vec(), function.version),
    ];
    sides.into_iter().find_map(|(direction, verb, what, paths, types)| {
        let name = function.name;
        if paths.len() != types.len() {
            return Some(format!(
                "the registered `{direction}` of `{name}` has {} {what}, but the rule names {} field(s)",
                types.len(),
                paths.len()
            ));
        }
        let (path, ty) = paths.iter().zip(types).find(|(path, ty)| !fits(**ty, path.field()))?;
        let field = PlainType::from_field(path.field());
        let own = field.map_or_else(|| path.field().ty.to_string(), |own| own.to_string());
        Some(format!("the registered `{direction}` of `{name}` {verb} {ty} for `{path}`, which is {own}"))
    })
}

/// Whether a field contains the values that a function takes or returns.
fn fits(ty: Known, field: &Field) -> bool {
    match ty {
        Known::Object => Parameter::Object.fits(field),
        ty => PlainType::from_field(field).is_some_and(|own| own.to_string() == ty.to_string()),
    }
}

/// A call of a program.
pub(crate) struct Call<'a> {
    /// The functions of Kubernetes' kinds and those of the user's own code.
    pub(crate) own: &'a Functions,
    pub(crate) callee: &'a Callee,
    /// The object whose metadata the function reads.
    pub(crate) whole: Option<&'a dyn Reflect>,
    pub(crate) direction: Direction,
    /// The object to convert, without what the program opens.
    pub(crate) original: &'a dyn Reflect,
}

impl Call<'_> {
    /// Calls the function with fields of one object and writes the results into fields of another. A function that is
    /// missing is not needed where no field has a value.
    ///
    /// # Errors
    /// When the function refuses the fields, or is missing.
    pub(crate) fn apply(
        &self,
        (from, source): (&[ResolvedPath], &dyn Reflect),
        (to, target): (&[ResolvedPath], &mut dyn Reflect),
    ) -> Result<(), ConvertError> {
        let function = match self.callee {
            Callee::Named { name, .. } => self.own.find(name).or_else(|| functions::find(name)),
            Callee::Own { module, .. } => self.own.find(module),
            Callee::Table(table) => return self.look_up(table, (from, source), (to, target)),
        };
        let Some(function) = function else { return self.expect_unset(from) };
        let types = match self.direction {
            Direction::ToHub => function.to_hub_takes,
            Direction::FromHub => function.from_hub_takes,
        };
        let reads: &[ResolvedPath] = match self.callee {
            Callee::Named { .. } | Callee::Table(_) => &[],
            Callee::Own { reads, .. } => reads,
        };
        let metadata = |path| self.whole.map_or(Slot::Absent, |whole| read(whole, path));
        let fields = from.iter().map(|path| (path, read(source, path)));
        let fields = fields.chain(reads.iter().map(|path| (path, metadata(path))));
        let arguments =
            fields.zip(types).map(|((path, slot), ty)| argument(path.field(), *ty, &slot)).collect();
        let results = match self.direction {
            Direction::ToHub => (function.to_hub)(arguments),
            Direction::FromHub => (function.from_hub)(arguments),
        };
        self.put(from, results, (to, target))
    }

    /// Looks values up in a table.
    fn look_up(
        &self,
        table: &TypedTable,
        (from, source): (&[ResolvedPath], &dyn Reflect),
        to: (&[ResolvedPath], &mut dyn Reflect),
    ) -> Result<(), ConvertError> {
        // No type of a table is an object of one type on both sides, so any other one tells how to read a field.
        let value = |path: &ResolvedPath| argument(path.field(), Known::Text, &read(source, path));
        let values = from.iter().map(value).collect();
        let is_to_hub = self.direction == Direction::ToHub;
        self.put(from, value_table::lowered(table).run(is_to_hub, values), to)
    }

    /// Writes results.
    fn put(
        &self,
        from: &[ResolvedPath],
        results: Result<Vec<Plain>, Failure>,
        (to, target): (&[ResolvedPath], &mut dyn Reflect),
    ) -> Result<(), ConvertError> {
        let results = results.map_err(|failure| match failure {
            Failure::Refused(message) => {
                let paths = from.iter().map(ToString::to_string).collect();
                ConvertError::Refused { paths, function: self.callee.to_string(), message }
            }
            // Before a program runs, the types of its functions are checked.
            Failure::Types => ConvertError::Unfit {
                path: from[0].to_string(),
                message: format!("`{}` cannot take a value that has no JSON", self.callee),
            },
        })?;
        to.iter().zip(results).try_for_each(|(path, result)| match json_of(path, &result) {
            Some(json) => write_json(target, path, json),
            None => put(result, write(target, path)),
        })
    }

    /// Refuses fields that have a value.
    fn expect_unset(&self, from: &[ResolvedPath]) -> Result<(), ConvertError> {
        let paths: Vec<String> =
            from.iter().filter(|path| is_set(self.original, path)).map(ToString::to_string).collect();
        if paths.is_empty() {
            return Ok(());
        }
        Err(ConvertError::NoFunction { paths, function: self.callee.to_string() })
    }
}

/// The JSON of a result, if the field has a type of its own: tables have no other form of objects, and of maps.
fn json_of<'p>(path: &ResolvedPath, result: &'p Plain) -> Option<&'p str> {
    let json = match result {
        Plain::Optional(Some(value)) => value,
        result => result,
    };
    match (json, &path.field().ty) {
        (_, TypeExpr::Raw(_)) => None,
        (Plain::Json(json), _) => Some(json.as_str()),
        _ => None,
    }
}

/// The value of a field as a function takes it.
fn argument(field: &Field, ty: Known, slot: &Slot<'_>) -> Plain {
    match (&field.ty, slot) {
        (_, Slot::Struct(object)) if ty == Known::Object => Plain::Object(Some(object.boxed_copy())),
        _ if ty == Known::Object => Plain::Object(None),
        (_, Slot::Absent | Slot::Null) if field.may_be_absent() => Plain::Optional(None),
        (ty, slot) if field.may_be_absent() => Plain::Optional(Some(Box::new(plain(ty, slot)))),
        (ty, slot) => plain(ty, slot),
    }
}

fn plain(ty: &TypeExpr, slot: &Slot<'_>) -> Plain {
    match (ty, slot) {
        (TypeExpr::Ref(_), Slot::Struct(object)) => Plain::Struct(object.boxed_copy()),
        (_, Slot::Bool(value)) => Plain::Bool(*value),
        (_, Slot::Int32(value)) => Plain::Int32(*value),
        (_, Slot::Int64(value)) => Plain::Int64(*value),
        (_, Slot::Double(value)) => Plain::Double(*value),
        (_, Slot::String(text)) => Plain::Text(text.to_shared()),
        (TypeExpr::IntOrString, Slot::Scalar(value)) => Plain::IntOrString(scalar(*value)),
        (TypeExpr::Quantity, Slot::Scalar(value)) => Plain::Quantity(scalar(*value)),
        (TypeExpr::Raw(_), Slot::Raw(value)) => Plain::Json((*value).clone()),
        (TypeExpr::List(inner), Slot::List(list)) => {
            Plain::List((0..list.len()).map(|index| plain(inner, &list.get(index))).collect())
        }
        (TypeExpr::Map(inner), Slot::Map(map)) => {
            let mut out = StrMap::new();
            map.visit(&mut |key, value| {
                out.insert(key, plain(inner, &value));
            });
            Plain::Map(out)
        }
        (ty, _) => panic!("the plan calls a function with {ty}"),
    }
}

fn scalar<T: Clone + Default + 'static>(value: &dyn Scalar) -> T {
    (value as &dyn Any).downcast_ref::<T>().cloned().unwrap_or_default()
}

fn put(value: Plain, slot: SlotMut<'_>) -> Result<(), ConvertError> {
    match (value, slot) {
        (Plain::Optional(None) | Plain::Object(None), slot) => slot.clear(),
        (Plain::Optional(Some(value)), slot) => put(*value, slot.present())?,
        (Plain::Object(Some(value)), slot) => copy_slot(&Slot::Struct(&*value), slot.present()),
        (Plain::Struct(value), SlotMut::Struct(target)) => {
            let json = json::encode(&*value).map_err(ConvertError::NotJson)?;
            json::decode_into(&json, target).map_err(|error| ConvertError::Unfit {
                path: error.path().to_owned(),
                message: error.message().to_owned(),
            })?;
        }
        (Plain::Bool(value), SlotMut::Bool(slot)) => *slot = value,
        (Plain::Int32(value), SlotMut::Int32(slot)) => *slot = value,
        (Plain::Int64(value), SlotMut::Int64(slot)) => *slot = value,
        (Plain::Double(value), SlotMut::Double(slot)) => *slot = value,
        (Plain::Text(value), SlotMut::String(slot)) => slot.set_shared(&value),
        (Plain::IntOrString(value), SlotMut::Scalar(slot)) => slot.copy_from(&value),
        (Plain::Quantity(value), SlotMut::Scalar(slot)) => slot.copy_from(&value),
        (Plain::Json(value), SlotMut::Raw(slot)) => *slot = value,
        (Plain::List(values), SlotMut::List(list)) => {
            list.clear();
            for value in values {
                put(value, list.push())?;
            }
        }
        (Plain::Map(values), SlotMut::Map(map)) => {
            map.clear();
            for (key, value) in values {
                put(value, map.entry(&key))?;
            }
        }
        _ => panic!("a function returned a value of another type than its field"),
    }
    Ok(())
}
