//! From one rule to the link between fields that it stands for.

use hubgen_model::rules::{self, FUNCTIONS, FieldPath, Plain, Rule};
use hubgen_model::{Field, Presence, Type, TypeExpr};

use super::locate::Located;
use super::path::{join, object, place};
use super::{Mapper, is_option};
use crate::{Link, Place, Value};

impl<'a> Mapper<'a> {
    pub(super) fn link(
        &mut self,
        version: &Type,
        hub: &Type,
        located: &Located<'_>,
        path: &str,
    ) -> Result<Link, String> {
        let api = self.api;
        let in_version = |path: &FieldPath| place(api, version, &path.0[located.depth..]);
        let in_hub = |path: &FieldPath| place(api, hub, &path.0[located.depth..]);
        Ok(match &located.rule.value {
            Rule::Move { from, to } => {
                let (from, to) = (in_version(from)?, in_hub(to)?);
                let path = join(path, &to.to_string());
                let value = self.value(&from.field().ty, &to.field().ty, &path).ok_or_else(|| {
                    format!(
                        "`move` needs the same type on both sides; {from} is {}, {to} is {}",
                        from.field().ty,
                        to.field().ty
                    )
                })?;
                Link::Copy { version: from, hub: to, value }
            }
            Rule::Constant { field, value } => {
                let field = in_version(field)?;
                expect(&field, &[TypeExpr::String], "constant")?;
                Link::Constant { version: field, value: value.clone() }
            }
            Rule::Tag { path, set, otherwise } => {
                let hub = in_hub(path)?;
                expect(&hub, &[TypeExpr::String], "tag")?;
                let set: Result<Vec<_>, String> =
                    set.iter().map(|(path, word)| Ok((in_version(path)?, word.clone()))).collect();
                Link::Tag { hub, set: set?, otherwise: otherwise.clone() }
            }
            Rule::Element { field, list, when, value, last } => {
                let (field, list) = (in_version(field)?, in_hub(list)?);
                let element = match &list.field().ty {
                    TypeExpr::List(element) => match &**element {
                        TypeExpr::Ref(id) => self.sharing.of(id).clone(),
                        other => {
                            return Err(format!("`element` needs a list of objects; {list} holds {other}"));
                        }
                    },
                    other => return Err(format!("`element` needs a list; {list} is {other}")),
                };
                let ty = api.find(&element).ok_or_else(|| format!("{element} is not known"))?;
                let value = place(api, ty, &value.0)?;
                if value.field().ty != field.field().ty {
                    return Err(format!(
                        "`element` needs the same type on both sides; {field} is {}, {value} is {}",
                        field.field().ty,
                        value.field().ty
                    ));
                }
                let when: Result<Vec<_>, String> = when
                    .iter()
                    .map(|(path, word)| {
                        let place = place(api, ty, &path.0)?;
                        expect(&place, &[TypeExpr::String], "where")?;
                        Ok((place, word.clone()))
                    })
                    .collect();
                Link::Element { version: field, list, element, when: when?, value, last: *last }
            }
            Rule::Split { field, number, name } => {
                let (field, number, name) = (in_version(field)?, in_hub(number)?, in_hub(name)?);
                expect(&field, &[TypeExpr::IntOrString], "split")?;
                expect(&number, &[TypeExpr::Int32], "split")?;
                expect(&name, &[TypeExpr::String], "split")?;
                Link::Split { version: field, number, name }
            }
            Rule::Wrap { from, to, field } => {
                let (from, to) = (in_version(from)?, in_hub(to)?);
                let value = self.wrapped(&from.field().ty, &to.field().ty, field)?;
                Link::Copy { version: from, hub: to, value }
            }
            Rule::Always { path } => {
                let version = in_version(path)?;
                if version.field().presence != Presence::Pointer {
                    return Err(format!("`always` needs a field that may be absent; {version} never is"));
                }
                Link::Always { version }
            }
            Rule::Hoist { list, field, element } => {
                let (list, ty) = self.shared_list(version, hub, &list.0[located.depth..])?;
                let version = in_version(field)?;
                let element = place(api, ty, std::slice::from_ref(element))?.field().clone();
                let path = join(path, &version.to_string());
                let value = self
                    .value(&version.field().ty, &element.ty, &path)
                    .filter(|_| is_option(version.field()) == is_option(&element));
                let value = value.ok_or_else(|| {
                    format!(
                        "`hoist` needs the same type on both sides; {version} is {}, {} is {}",
                        version.field().ty,
                        element.name,
                        element.ty
                    )
                })?;
                Link::Hoist { version, list, element, value }
            }
            Rule::Head { list, field, element, set } => {
                let (list, ty) = self.shared_list(version, hub, &list.0[located.depth..])?;
                let version = in_version(field)?;
                let one = |name: &String| Ok(place(api, ty, std::slice::from_ref(name))?.field().clone());
                let set: Result<Vec<Field>, String> = set.iter().map(one).collect();
                let (element, set) = (one(element)?, set?);
                for field in [version.field(), &element] {
                    if field.ty != TypeExpr::String || is_option(field) {
                        return Err(format!("`head` needs a string; {} is {}", field.name, field.ty));
                    }
                }
                if let Some(field) = set.iter().find(|field| field.ty != TypeExpr::Bool || is_option(field)) {
                    return Err(format!("`set` needs a boolean; {} is {}", field.name, field.ty));
                }
                Link::Head { version, list, id: self.sharing.of(&ty.id).clone(), element, set }
            }
            Rule::Function { name, version, hub } => {
                let known = rules::function(name).ok_or_else(|| {
                    let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
                    format!("there is no function `{name}`; there are {}", names.join(", "))
                })?;
                let version: Result<Vec<_>, String> = version.iter().map(in_version).collect();
                let hub: Result<Vec<_>, String> = hub.iter().map(in_hub).collect();
                let (version, hub) = (version?, hub?);
                takes(name, &version, known.version)?;
                takes(name, &hub, known.hub)?;
                if let (Some(own), Some(hub)) = (version.first(), hub.first())
                    && known.version.first() == Some(&Plain::Object)
                    && !self.sharing.same(&own.field().ty, &hub.field().ty)
                {
                    return Err(format!("`{name}` needs the same type on both sides"));
                }
                Link::Function { name: name.clone(), version, hub }
            }
            Rule::Keep { path, .. } => Link::Kept { hub: in_hub(path)? },
        })
    }

    /// A list that version and hub have at one place, with the hub's type of
    /// its elements.
    fn shared_list(&self, version: &Type, hub: &Type, path: &[String]) -> Result<(Place, &'a Type), String> {
        let (own, list) = (place(self.api, version, path)?, place(self.api, hub, path)?);
        for list in [&own, &list] {
            if !matches!(&list.field().ty, TypeExpr::List(inner) if matches!(**inner, TypeExpr::Ref(_))) {
                return Err(format!("is no list of objects: {list} is {}", list.field().ty));
            }
        }
        let ty = object(self.api, &list.field().ty).ok_or_else(|| format!("{list} is not known"))?;
        Ok((list, ty))
    }

    /// How a value becomes an object that holds it in a field.
    fn wrapped(&mut self, version: &TypeExpr, hub: &TypeExpr, field: &str) -> Result<Value, String> {
        match (version, hub) {
            (TypeExpr::List(version), TypeExpr::List(hub)) => {
                Ok(Value::List(Box::new(self.wrapped(version, hub, field)?)))
            }
            (TypeExpr::Map(version), TypeExpr::Map(hub)) => {
                Ok(Value::Map(Box::new(self.wrapped(version, hub, field)?)))
            }
            (version, TypeExpr::Ref(id)) => {
                let ty = self.api.find(id).ok_or_else(|| format!("{id} is not known"))?;
                let inner = place(self.api, ty, &[field.to_owned()])?;
                if inner.field().ty != *version || is_option(inner.field()) {
                    return Err(format!(
                        "`wrap` needs the same type on both sides; {version} is not {}",
                        inner.field().ty
                    ));
                }
                Ok(Value::Wrapped(self.sharing.of(id).clone(), field.to_owned()))
            }
            (_, hub) => Err(format!("`wrap` needs an object in the hub; there is {hub}")),
        }
    }
}

/// # Errors
/// When the function takes other fields.
fn takes(name: &str, places: &[Place], types: &[Plain]) -> Result<(), String> {
    if places.len() != types.len() {
        let types: Vec<String> = types.iter().map(Plain::to_string).collect();
        return Err(format!("`{name}` needs {}; here are {} fields", types.join(", "), places.len()));
    }
    match places.iter().zip(types).find(|(place, ty)| !ty.fits(place.field())) {
        Some((place, ty)) => Err(format!("`{name}` needs {ty}; {place} is {}", place.field().ty)),
        None => Ok(()),
    }
}

fn expect(place: &Place, types: &[TypeExpr], verb: &str) -> Result<(), String> {
    if types.contains(&place.field().ty) {
        return Ok(());
    }
    Err(format!("`{verb}` needs {}; {place} is {}", types[0], place.field().ty))
}
