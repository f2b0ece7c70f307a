//! What the Rust type of a field is in the model.

use std::collections::BTreeMap;

use hubgen_model::{GroupVersion, RawForm, TypeExpr, TypeId};
use syn::{GenericArgument, PathArguments, Type};

use super::modules::{ItemPath, Modules};
use super::names::Named;
use crate::naming::kubernetes_name;

/// The type of a field.
pub(super) struct FieldType {
    /// The type without `Option` and `Box`.
    pub expr: TypeExpr,
    /// The number of `Option`s around it: none, one or two.
    pub options: usize,
    /// Whether the value is in a `Box`.
    pub is_boxed: bool,
    /// The enum or the leaf whose texts it contains, perhaps in a list or a map.
    pub words: Option<TypeId>,
    /// For each text and map in it, from the outside: whether it is a `String` or `BTreeMap`, not a `Str` or `StrMap`.
    pub standard: Vec<bool>,
}

/// What a type contains besides what the model has.
#[derive(Default)]
struct Contained {
    words: Option<TypeId>,
    standard: Vec<bool>,
}

/// What an item of the modules is.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// An object.
    Object(TypeId),
    /// An enum of words, or a leaf.
    Words(TypeId),
    /// A struct or an enum that the derive refuses.
    Refused,
    /// A view, which is no part of an API.
    View,
    /// A struct or enum without `#[derive(ApiType)]`.
    Other,
}

/// What types can refer to.
pub(super) struct Scope<'a> {
    pub modules: &'a Modules,
    /// The structs and enums of the modules.
    pub items: &'a BTreeMap<ItemPath, Item>,
    /// The paths by which types name hubgen-machinery, besides its own name.
    pub machinery: Vec<Vec<String>>,
    /// The versions of Kubernetes' groups, by the names of the crates that contain them: `core`.
    pub kubernetes: &'a BTreeMap<String, Vec<GroupVersion>>,
}

/// What is wrong with a type, and how to correct it.
pub(super) type Wrong = (String, String);

/// Kubernetes' groups by the names of their crates.
pub(super) fn crates(versions: impl Iterator<Item = GroupVersion>) -> BTreeMap<String, Vec<GroupVersion>> {
    let mut out: BTreeMap<String, Vec<GroupVersion>> = BTreeMap::new();
    for version in versions {
        out.entry(kubernetes_name(&version.group).replace('-', "_")).or_default().push(version);
    }
    out
}

impl Scope<'_> {
    /// The type of a field in a module.
    pub(super) fn field(&self, module: &ItemPath, ty: &Type) -> Result<FieldType, Wrong> {
        let (mut options, mut is_boxed, mut at) = (0, false, (module.clone(), ty));
        while let Some((name, arguments, path)) = self.outside(&at.0, at.1) {
            match (name.as_str(), &arguments[..]) {
                ("Option", [inner]) if !is_boxed && options < 2 => {
                    options += 1;
                    at = (path, inner);
                }
                ("Option", [_]) => {
                    return wrong("`Option` here", "write at most `Option<Option<Box<T>>>`, in this order");
                }
                ("Box", [inner]) if !is_boxed => {
                    is_boxed = true;
                    at = (path, inner);
                }
                _ => break,
            }
        }
        let mut contained = Contained::default();
        let expr = self.value(&at.0, at.1, &mut contained)?;
        if is_boxed && options == 0 {
            return wrong(
                "a `Box` that is always present",
                "write the type without `Box`, or `Option<Box<T>>`",
            );
        }
        if is_boxed && !matches!(expr, TypeExpr::Ref(_)) {
            return wrong("a `Box` around a value that is no object", "write the type without `Box`");
        }
        let Contained { words, standard } = contained;
        Ok(FieldType { expr, options, is_boxed, words, standard })
    }

    /// The name of an item outside of the user's crate, its arguments, and the module in which they are
    /// written.
    fn outside<'t>(&self, module: &ItemPath, ty: &'t Type) -> Option<(String, Vec<&'t Type>, ItemPath)>
    where
        Self: 't,
    {
        let Type::Path(path) = ty else { return None };
        let Named::Outside(names) = self.modules.resolve(module, &path.path) else { return None };
        Some((names.last()?.clone(), arguments(&path.path), module.clone()))
    }

    /// The type of a value, or of items of a list or values of a map.
    fn value(&self, module: &ItemPath, ty: &Type, contained: &mut Contained) -> Result<TypeExpr, Wrong> {
        let path = match ty {
            Type::Path(path) => &path.path,
            Type::Paren(inner) => return self.value(module, &inner.elem, contained),
            Type::Group(inner) => return self.value(module, &inner.elem, contained),
            _ => {
                return wrong("a type that JSON has no object for", "write a named type, such as `Vec<Str>`");
            }
        };
        match self.modules.resolve(module, path) {
            Named::Own(item) => self.own(item, contained),
            Named::Unread(names) => {
                let name = names.join("::");
                wrong(
                    &format!("`crate::{name}`, which is not in the modules that hubgen reads"),
                    "move the type below the module that `source` in hubgen.toml names, or correct the path",
                )
            }
            Named::Outside(names) => self.foreign(module, &names, &arguments(path), contained),
        }
    }

    fn own(&self, item: ItemPath, contained: &mut Contained) -> Result<TypeExpr, Wrong> {
        if let Some((module, ty)) = self.modules.alias(&item) {
            return self.value(&module, ty, contained);
        }
        match self.items.get(&item) {
            Some(Item::Object(id)) => Ok(TypeExpr::Ref(id.clone())),
            Some(Item::Words(id)) => {
                contained.words = Some(id.clone());
                Ok(TypeExpr::String)
            }
            // The error is at the type.
            Some(Item::Refused) => Ok(TypeExpr::Raw(RawForm::Extension)),
            Some(Item::View) => {
                let name = item.last().map_or("", String::as_str);
                wrong(
                    &format!("`{name}`, which is a view and would lose the other fields"),
                    "write the type that it is a view of",
                )
            }
            Some(Item::Other) | None => {
                let name = item.last().map_or("", String::as_str);
                wrong(&format!("`{name}`, which is no type of an API"), "write `#[derive(ApiType)]` on it")
            }
        }
    }

    fn foreign(
        &self,
        module: &ItemPath,
        names: &[String],
        arguments: &[&Type],
        contained: &mut Contained,
    ) -> Result<TypeExpr, Wrong> {
        let last = names.last().map_or("", String::as_str);
        // Names of the language and of hubgen-machinery are the same wherever they are imported from.
        let is_known = |owner: &str| names.len() == 1 || names[0] == owner;
        let is_renamed = |path: &Vec<String>| names.starts_with(path);
        let is_machinery = is_known("hubgen_machinery") || self.machinery.iter().any(is_renamed);
        match (last, arguments.len()) {
            ("String", 0) | ("BTreeMap", 2) if is_known("std") => contained.standard.push(true),
            ("Str", 0) | ("StrMap", 1) if is_machinery => contained.standard.push(false),
            _ => {}
        }
        let mut inner = |at: usize| self.value(module, arguments[at], contained).map(Box::new);
        Ok(match (last, arguments.len()) {
            ("bool", 0) => TypeExpr::Bool,
            ("i32", 0) => TypeExpr::Int32,
            ("i64", 0) => TypeExpr::Int64,
            ("f32", 0) => TypeExpr::Float,
            ("f64", 0) => TypeExpr::Double,
            ("u16", 0) => TypeExpr::Uint16,
            ("u32", 0) => TypeExpr::Uint32,
            ("u64", 0) => TypeExpr::Uint64,
            ("String", 0) if is_known("std") => TypeExpr::String,
            ("Vec", 1) if is_bytes(arguments[0]) => TypeExpr::Bytes,
            ("Vec", 1) if is_known("std") => TypeExpr::List(inner(0)?),
            ("BTreeMap", 2) if is_known("std") => TypeExpr::Map(inner(1)?),
            ("Str", 0) if is_machinery => TypeExpr::String,
            ("StrMap", 1) if is_machinery => TypeExpr::Map(inner(0)?),
            ("Time", 0) if is_machinery => TypeExpr::Time,
            ("MicroTime", 0) if is_machinery => TypeExpr::MicroTime,
            ("Duration", 0) if is_machinery => TypeExpr::Duration,
            ("Quantity", 0) if is_machinery => TypeExpr::Quantity,
            ("IntOrString", 0) if is_machinery => TypeExpr::IntOrString,
            ("Raw", 0) if is_machinery => TypeExpr::Raw(RawForm::Json),
            // A time in a list may be the zero time, which is `null`.
            ("Option", 1) => match *inner(0)? {
                time @ (TypeExpr::Time | TypeExpr::MicroTime) => time,
                _ => {
                    return wrong(
                        "`Option` in a list or map",
                        "remove `Option`: items and values are present",
                    );
                }
            },
            _ => return self.kubernetes(names),
        })
    }

    /// A type of Kubernetes: `hubgen_core::v1::PodSpec`.
    fn kubernetes(&self, names: &[String]) -> Result<TypeExpr, Wrong> {
        let [package, rest @ ..] = names else { return unknown(names) };
        let (group, rest) = match (package.strip_prefix("hubgen_"), rest) {
            (Some("kubernetes"), [group, rest @ ..]) => (group.as_str(), rest),
            (Some(group), rest) => (group, rest),
            (None, _) => return unknown(names),
        };
        let (Some(versions), [version, name]) = (self.kubernetes.get(group), rest) else {
            return unknown(names);
        };
        match versions.iter().find(|known| known.version == *version) {
            Some(version) => Ok(TypeExpr::Ref(TypeId::at(version.clone(), name.clone()))),
            None => unknown(names),
        }
    }
}

fn is_bytes(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("u8"))
}

/// The types between the angle brackets of a path.
fn arguments(path: &syn::Path) -> Vec<&Type> {
    let Some(PathArguments::AngleBracketed(list)) = path.segments.last().map(|last| &last.arguments) else {
        return Vec::new();
    };
    let types = list.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

fn unknown<T>(names: &[String]) -> Result<T, Wrong> {
    wrong(
        &format!("`{}`, which hubgen does not know", names.join("::")),
        "use a type of this API, of Kubernetes (`hubgen_core::v1::PodSpec`), or a scalar: bool, i32, i64, u16, u32, \
         u64, f32, f64, Str, Vec, StrMap, Time, MicroTime, Duration, Quantity, IntOrString, Raw; a type of another crate \
         that is a text in JSON is a leaf: `#[derive(ApiType)] #[leaf(text, …)] pub struct Name(Leaf<TheType>);`",
    )
}

fn wrong<T>(what: &str, help: &str) -> Result<T, Wrong> {
    Err((format!("the type is {what}"), help.to_owned()))
}
