//! Lowers the rules of each operator.

use hubgen_model::rules::{By, FieldPath, Function};
use hubgen_model::{Field, Presence, Type, TypeExpr, TypeId};

use super::empty;
use super::lower::{Lowered, Sides};
use super::ops::{Each, Element, First, Op};
use super::path::{object, resolve};
use super::refusal::Refusal;
use super::{Mapper, ResolvedPath};

/// What the lowering of a rule results in.
type Result<T = Lowered, E = Refusal> = std::result::Result<T, E>;

/// The words of a rule, each with the path of the field that it depends on.
type Words = [(FieldPath, String)];

impl<'a> Mapper<'a> {
    pub(super) fn lower_move(
        &mut self,
        sides: &Sides<'_>,
        from: &FieldPath,
        to: &FieldPath,
        by: &By,
    ) -> Result {
        let (from, to) = (sides.in_version(from)?, sides.in_hub(to)?);
        if from.field().is_rest() || to.field().is_rest() {
            return self.moved_rest((sides.version, from), (sides.hub, to));
        }
        let value = self.moved(by, &from, &to, &sides.whole(&to))?;
        if let By::Words(words) = by {
            self.check_words(words, sides.version, &from, &to)?;
        }
        Ok(Lowered::copy(from, to, value))
    }

    pub(super) fn lower_constant(&self, sides: &Sides<'_>, field: &FieldPath, value: &str) -> Result {
        let field = sides.in_version(field)?;
        expect(&field, &[TypeExpr::String], "constant")?;
        let word = Op::Word { to: field, cases: Vec::new(), otherwise: value.to_owned() };
        Ok(Lowered::Ops { to_hub: None, from_hub: Some(word) })
    }

    pub(super) fn lower_tag(
        &self,
        sides: &Sides<'_>,
        path: &FieldPath,
        set: &Words,
        otherwise: &str,
    ) -> Result {
        let to = sides.in_hub(path)?;
        expect(&to, &[TypeExpr::String], "tag")?;
        let case = |(path, word): &(FieldPath, String)| {
            let path = sides.in_version(path)?;
            let field = path.field();
            if matches!(field.ty, TypeExpr::Ref(_)) && !field.may_be_absent() {
                return Err(format!("`tag` needs a field that may be absent; {path} is always there"));
            }
            Ok((path, word.clone()))
        };
        let cases: Result<Vec<_>, String> = set.iter().map(case).collect();
        let word = Op::Word { to, cases: cases?, otherwise: otherwise.to_owned() };
        Ok(Lowered::Ops { to_hub: Some(word), from_hub: None })
    }

    pub(super) fn lower_element(
        &self,
        sides: &Sides<'_>,
        (field, list): (&FieldPath, &FieldPath),
        when: &Words,
        value: &FieldPath,
        last: bool,
    ) -> Result {
        let (field, list) = (sides.in_version(field)?, sides.in_hub(list)?);
        let id = self.type_of_elements(&list)?;
        let ty = self.types.find(&id).ok_or_else(|| format!("unknown type {id}"))?;
        let value = resolve(self.types, ty, &value.0)?;
        if let Some(field) = value.0.iter().find(|field| field.is_nullable()) {
            return Err(format!("`element` cannot represent the `null` of `{}`", field.name).into());
        }
        if value.field().ty != field.field().ty {
            return Err(format!(
                "`element` needs the same type on both sides; {field} is {}, {value} is {}",
                field.field().ty,
                value.field().ty
            )
            .into());
        }
        let condition = |(path, word): &(FieldPath, String)| {
            let place = resolve(self.types, ty, &path.0)?;
            expect(&place, &[TypeExpr::String], "where")?;
            Ok((place, word.clone()))
        };
        let when: Result<Vec<_>, String> = when.iter().map(condition).collect();
        let present = field.innermost();
        let element = Element { field, id, when: when?, value, last };
        Ok(Lowered::both(
            Op::ToElement { list: list.clone(), element: element.clone() },
            Op::FromElement { list, element, present },
        ))
    }

    /// The type of the objects in a list of the hub.
    fn type_of_elements(&self, list: &ResolvedPath) -> Result<TypeId, String> {
        match &list.field().ty {
            TypeExpr::List(element) => match &**element {
                TypeExpr::Ref(id) => Ok(self.sharing.representing(id).clone()),
                other => Err(format!("`element` needs a list of objects; {list} contains {other}")),
            },
            other => Err(format!("`element` needs a list; {list} is {other}")),
        }
    }

    pub(super) fn lower_split(
        &self,
        sides: &Sides<'_>,
        field: &FieldPath,
        number: &FieldPath,
        name: &FieldPath,
    ) -> Result {
        let (field, number, name) = (sides.in_version(field)?, sides.in_hub(number)?, sides.in_hub(name)?);
        expect(&field, &[TypeExpr::IntOrString], "split")?;
        expect(&number, &[TypeExpr::Int32], "split")?;
        expect(&name, &[TypeExpr::String], "split")?;
        Ok(Lowered::both(
            Op::Split { from: field.clone(), number: number.clone(), name: name.clone() },
            Op::Join { number, name, to: field },
        ))
    }

    pub(super) fn lower_drop(&self, sides: &Sides<'_>, path: &FieldPath) -> Result {
        let from = sides.in_version(path)?;
        if from.field().is_rest() {
            return Err("`drop` needs a field; unknown fields cannot be dropped".to_owned().into());
        }
        if from.field().required {
            return Err(Refusal {
                message: format!("{from} is required, so an object without it is not valid"),
                help: "write a `constant`, or add the field to the hub with `add`".to_owned(),
            });
        }
        Ok(Lowered::Ops { to_hub: Some(Op::Drop { from }), from_hub: None })
    }

    pub(super) fn lower_always(&self, sides: &Sides<'_>, path: &FieldPath) -> Result {
        let version = sides.in_version(path)?;
        if version.field().presence == Presence::Value {
            return Err(format!("`always` needs an optional field; {version} is never absent").into());
        }
        Ok(Lowered::Always(version))
    }

    pub(super) fn lower_empty_is_absent(&self, sides: &Sides<'_>, path: &FieldPath) -> Result {
        let version = sides.in_version(path)?;
        empty::check(self.types, &version)?;
        Ok(Lowered::EmptyIsAbsent(version))
    }

    pub(super) fn lower_hoist(
        &mut self,
        sides: &Sides<'_>,
        list: &FieldPath,
        field: &FieldPath,
        element: &String,
    ) -> Result {
        let (list, ty) = self.shared_list(sides, list)?;
        let version = sides.in_version(field)?;
        let element = resolve(self.types, ty, std::slice::from_ref(element))?.field().clone();
        if let Some(field) = [version.field(), &element].into_iter().find(|field| field.is_nullable()) {
            return Err(format!("`hoist` cannot represent the `null` of `{}`", field.name).into());
        }
        let value = self
            .value(&version.field().ty, &element.ty, &sides.whole(&version))
            .filter(|_| version.may_be_absent() == element.may_be_absent());
        let value = value.ok_or_else(|| {
            format!(
                "`hoist` needs the same type on both sides; {version} is {}, {} is {}",
                version.field().ty,
                element.name,
                element.ty
            )
        })?;
        Ok(Lowered::Each(list, Each { field: version, element, value }))
    }

    pub(super) fn lower_head(
        &self,
        sides: &Sides<'_>,
        (list, field): (&FieldPath, &FieldPath),
        element: &String,
        set: &[String],
    ) -> Result {
        let own = sides.in_version(list)?;
        let (list, ty) = self.shared_list(sides, list)?;
        let elements = object(self.types, &own.field().ty);
        if elements.is_none_or(|elements| elements.field(element).is_none()) {
            return Err(format!(
                "`head` needs `{element}` in the elements of the version, too: a first element without it would win \
                 over the field, and show nothing"
            )
            .into());
        }
        let version = sides.in_version(field)?;
        let one = |name: &String| Ok(resolve(self.types, ty, std::slice::from_ref(name))?.field().clone());
        let set: Result<Vec<Field>, String> = set.iter().map(one).collect();
        let (element, set) = (one(element)?, set?);
        for field in [version.field(), &element] {
            if field.ty != TypeExpr::String || field.may_be_absent() {
                return Err(format!("`head` needs a string; {} is {}", field.name, field.ty).into());
            }
        }
        if let Some(field) = set.iter().find(|field| field.ty != TypeExpr::Bool || field.may_be_absent()) {
            return Err(format!("`set` needs a boolean; {} is {}", field.name, field.ty).into());
        }
        let id = self.sharing.representing(&ty.id).clone();
        Ok(Lowered::First(list, First { field: version, id, element, set }))
    }

    pub(super) fn lower_function(
        &self,
        sides: &Sides<'_>,
        function: &Function,
        version: &[FieldPath],
        hub: &[FieldPath],
    ) -> Result {
        let version: Result<Vec<_>, String> = version.iter().map(|path| sides.in_version(path)).collect();
        let hub: Result<Vec<_>, String> = hub.iter().map(|path| sides.in_hub(path)).collect();
        let (version, hub) = (version?, hub?);
        let function = self.callee(function, &version, &hub)?;
        let call = |from: &[ResolvedPath], to: &[ResolvedPath]| Op::Call {
            function: function.clone(),
            from: from.to_vec(),
            to: to.to_vec(),
        };
        Ok(Lowered::both(call(&version, &hub), call(&hub, &version)))
    }

    /// A list at the same path in version and hub, with the hub's type of its elements.
    fn shared_list(&self, sides: &Sides<'_>, path: &FieldPath) -> Result<(ResolvedPath, &'a Type), String> {
        let (own, list) = (sides.in_version(path)?, sides.in_hub(path)?);
        for list in [&own, &list] {
            if !matches!(&list.field().ty, TypeExpr::List(inner) if matches!(**inner, TypeExpr::Ref(_))) {
                return Err(format!("is not a list of objects; {list} is {}", list.field().ty));
            }
            if list.may_be_absent() {
                return Err(format!(
                    "needs a list that is never absent, where an empty list is the same; {list} may be absent"
                ));
            }
        }
        let ty =
            object(self.types, &list.field().ty).ok_or_else(|| format!("the type of {list} is unknown"))?;
        Ok((list, ty))
    }
}

fn expect(path: &ResolvedPath, types: &[TypeExpr], operator: &str) -> Result<(), String> {
    if types.contains(&path.field().ty) {
        return Ok(());
    }
    Err(format!("`{operator}` needs {}; {path} is {}", types[0], path.field().ty))
}
