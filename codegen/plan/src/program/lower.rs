//! Lowers one rule to ops, one for each direction. Everything that prints, runs or reports
//! conversions uses these ops and does not see the rules.

use hubgen_model::rules::{By, FieldPath, Rule};
use hubgen_model::{Field, Presence, Type, TypeExpr};

use super::empty;
use super::locate::Located;
use super::ops::{Absence, Each, Element, FieldCopy, First, Op};
use super::path::{join, object, resolve};
use super::refusal::Refusal;
use super::{Mapper, ResolvedPath, Value};

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

impl<'a> Mapper<'a> {
    pub(super) fn lower(
        &mut self,
        version: &Type,
        hub: &Type,
        located: &Located<'_>,
        path: &str,
    ) -> Result<Lowered, Refusal> {
        let types = self.types;
        let in_version = |path: &FieldPath| resolve(types, version, &path.0[located.depth..]);
        let in_hub = |path: &FieldPath| resolve(types, hub, &path.0[located.depth..]);
        Ok(match &located.rule.value {
            Rule::Move { from, to, by } => {
                let (from, to) = (in_version(from)?, in_hub(to)?);
                if from.field().is_rest() || to.field().is_rest() {
                    return self.moved_rest((version, from), (hub, to));
                }
                let value = self.moved(by, &from, &to, &join(path, &to.to_string()))?;
                if let By::Words(words) = by {
                    self.check_words(words, version, &from, &to)?;
                }
                Lowered::copy(from, to, value)
            }
            Rule::Constant { field, value } => {
                let field = in_version(field)?;
                expect(&field, &[TypeExpr::String], "constant")?;
                let word = Op::Word { to: field, cases: Vec::new(), otherwise: value.clone() };
                Lowered::Ops { to_hub: None, from_hub: Some(word) }
            }
            Rule::Tag { path, set, otherwise } => {
                let to = in_hub(path)?;
                expect(&to, &[TypeExpr::String], "tag")?;
                let case = |(path, word): &(FieldPath, String)| {
                    let path = in_version(path)?;
                    let field = path.field();
                    if matches!(field.ty, TypeExpr::Ref(_)) && !field.may_be_absent() {
                        return Err(format!(
                            "`tag` needs a field that may be absent; {path} is always there"
                        ));
                    }
                    Ok((path, word.clone()))
                };
                let cases: Result<Vec<_>, String> = set.iter().map(case).collect();
                let word = Op::Word { to, cases: cases?, otherwise: otherwise.clone() };
                Lowered::Ops { to_hub: Some(word), from_hub: None }
            }
            Rule::Element { field, list, when, value, last } => {
                let (field, list) = (in_version(field)?, in_hub(list)?);
                let element = match &list.field().ty {
                    TypeExpr::List(element) => match &**element {
                        TypeExpr::Ref(id) => self.sharing.of(id).clone(),
                        other => {
                            let message =
                                format!("`element` needs a list of objects; {list} contains {other}");
                            return Err(message.into());
                        }
                    },
                    other => return Err(format!("`element` needs a list; {list} is {other}").into()),
                };
                let ty = types.find(&element).ok_or_else(|| format!("unknown type {element}"))?;
                let value = resolve(types, ty, &value.0)?;
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
                let when: Result<Vec<_>, String> = when
                    .iter()
                    .map(|(path, word)| {
                        let place = resolve(types, ty, &path.0)?;
                        expect(&place, &[TypeExpr::String], "where")?;
                        Ok((place, word.clone()))
                    })
                    .collect();
                let present = field.innermost();
                let element = Element { field, id: element, when: when?, value, last: *last };
                Lowered::both(
                    Op::ToElement { list: list.clone(), element: element.clone() },
                    Op::FromElement { list, element, present },
                )
            }
            Rule::Split { field, number, name } => {
                let (field, number, name) = (in_version(field)?, in_hub(number)?, in_hub(name)?);
                expect(&field, &[TypeExpr::IntOrString], "split")?;
                expect(&number, &[TypeExpr::Int32], "split")?;
                expect(&name, &[TypeExpr::String], "split")?;
                Lowered::both(
                    Op::Split { from: field.clone(), number: number.clone(), name: name.clone() },
                    Op::Join { number, name, to: field },
                )
            }
            Rule::Drop { path } => {
                let from = in_version(path)?;
                if from.field().is_rest() {
                    let message = "`drop` needs a field; unknown fields cannot be dropped".to_owned();
                    return Err(message.into());
                }
                if from.field().required {
                    return Err(Refusal {
                        message: format!("{from} is required, so an object without it is not valid"),
                        help: "write a `constant`, or add the field to the hub with `add`".to_owned(),
                    });
                }
                Lowered::Ops { to_hub: Some(Op::Drop { from }), from_hub: None }
            }
            Rule::Always { path } => {
                let version = in_version(path)?;
                if version.field().presence == Presence::Value {
                    return Err(format!("`always` needs an optional field; {version} is never absent").into());
                }
                Lowered::Always(version)
            }
            Rule::EmptyIsAbsent { path } => {
                let version = in_version(path)?;
                empty::check(types, &version)?;
                Lowered::EmptyIsAbsent(version)
            }
            Rule::Hoist { list, field, element } => {
                let (list, ty) = self.shared_list(version, hub, &list.0[located.depth..])?;
                let version = in_version(field)?;
                let element = resolve(types, ty, std::slice::from_ref(element))?.field().clone();
                if let Some(field) = [version.field(), &element].into_iter().find(|field| field.is_nullable())
                {
                    return Err(format!("`hoist` cannot represent the `null` of `{}`", field.name).into());
                }
                let path = join(path, &version.to_string());
                let value = self
                    .value(&version.field().ty, &element.ty, &path)
                    .filter(|_| version.may_be_absent() == element.may_be_absent());
                let value = value.ok_or_else(|| {
                    format!(
                        "`hoist` needs the same type on both sides; {version} is {}, {} is {}",
                        version.field().ty,
                        element.name,
                        element.ty
                    )
                })?;
                Lowered::Each(list, Each { field: version, element, value })
            }
            Rule::Head { list, field, element, set } => {
                let own = resolve(types, version, &list.0[located.depth..])?;
                let (list, ty) = self.shared_list(version, hub, &list.0[located.depth..])?;
                let elements = object(types, &own.field().ty);
                if elements.is_none_or(|elements| elements.field(element).is_none()) {
                    return Err(format!(
                        "`head` needs `{element}` in the elements of the version, too: a first element without it would \
                         win over the field, and show nothing"
                    )
                    .into());
                }
                let version = in_version(field)?;
                let one = |name: &String| Ok(resolve(types, ty, std::slice::from_ref(name))?.field().clone());
                let set: Result<Vec<Field>, String> = set.iter().map(one).collect();
                let (element, set) = (one(element)?, set?);
                for field in [version.field(), &element] {
                    if field.ty != TypeExpr::String || field.may_be_absent() {
                        return Err(format!("`head` needs a string; {} is {}", field.name, field.ty).into());
                    }
                }
                if let Some(field) =
                    set.iter().find(|field| field.ty != TypeExpr::Bool || field.may_be_absent())
                {
                    return Err(format!("`set` needs a boolean; {} is {}", field.name, field.ty).into());
                }
                let id = self.sharing.of(&ty.id).clone();
                Lowered::First(list, First { field: version, id, element, set })
            }
            Rule::Function { function, version, hub } => {
                let version: Result<Vec<_>, String> = version.iter().map(in_version).collect();
                let hub: Result<Vec<_>, String> = hub.iter().map(in_hub).collect();
                let (version, hub) = (version?, hub?);
                let function = self.callee(function, &version, &hub)?;
                let call = |from: &[ResolvedPath], to: &[ResolvedPath]| Op::Call {
                    function: function.clone(),
                    from: from.to_vec(),
                    to: to.to_vec(),
                };
                Lowered::both(call(&version, &hub), call(&hub, &version))
            }
            Rule::Keep { path, .. } => Lowered::Kept(in_hub(path)?),
        })
    }

    /// A list at the same path in version and hub, with the hub's type of its elements.
    fn shared_list(
        &self,
        version: &Type,
        hub: &Type,
        path: &[String],
    ) -> Result<(ResolvedPath, &'a Type), String> {
        let (own, list) = (resolve(self.types, version, path)?, resolve(self.types, hub, path)?);
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
