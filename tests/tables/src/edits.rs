//! Random differences of a version from its hub, each with the rules that describe it.

use std::fmt::Write as _;

use hubgen_model::{Field, RawForm, Type, TypeBody, TypeExpr, TypeId};

use crate::choices::Choices;
use crate::functions::{self, Signature};
use crate::schema::{field, group_version, object, scalar, set_presence};

/// A difference of a version from its hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Edit {
    /// A field has another name
    Rename,
    /// A field is in another object
    Elsewhere,
    /// An object has another name, and its fields move one by one
    Object,
    /// Some fields are in an object of their own
    Nest,
    /// What an absent field is the same as
    Presence,
    /// A field that is always the same word
    Constant,
    /// A field that the version lacks
    Keep,
    /// A field that the hub lacks
    Add,
    /// Fields that functions convert
    Function,
    /// A value map
    Words,
    /// A table of values
    Table,
    /// A value that is an object in the hub
    Wrap,
    /// A number that is a text in the hub
    Number,
    /// A map that is a list in the hub, whose items contain the key
    Keyed,
    /// A number or a name that is two fields in the hub
    Split,
    /// A field that is an element of a list in the hub
    Element,
    /// A field that elements of a list share, or that the first one has
    Shared,
    /// A field of the hub that names a field of the version
    Tag,
    /// A field that is the same whether it is empty or absent
    Empty,
    /// A rule that need not fit
    Any,
}

impl Edit {
    /// Those whose rules fit. [`Any`](Self::Any) is mostly refused.
    pub const FITTING: [Self; 19] = [
        Self::Rename,
        Self::Elsewhere,
        Self::Object,
        Self::Nest,
        Self::Presence,
        Self::Constant,
        Self::Keep,
        Self::Add,
        Self::Function,
        Self::Words,
        Self::Table,
        Self::Wrap,
        Self::Number,
        Self::Keyed,
        Self::Split,
        Self::Element,
        Self::Shared,
        Self::Tag,
        Self::Empty,
    ];
}

/// A version while it becomes different from its hub.
pub(crate) struct Version<'h> {
    pub(crate) name: String,
    /// The hub's types, of which the version's were copies.
    hub: &'h mut Vec<Type>,
    hub_name: &'h str,
    pub(crate) types: Vec<Type>,
    /// The lines of the version's table.
    pub rules: Vec<String>,
    /// Fields that the hub lacks.
    pub added: Vec<String>,
    fresh: usize,
}

/// A place where an edit happens: a type that both sides have, with its path from the kind.
#[derive(Clone)]
struct Place {
    ty: String,
    path: String,
}

impl<'h> Version<'h> {
    pub fn new(name: &str, hub: &'h mut Vec<Type>, hub_name: &'h str) -> Self {
        let types = hub.iter().map(|ty| copied(ty, name)).collect();
        Self { name: name.to_owned(), hub, hub_name, types, rules: Vec::new(), added: Vec::new(), fresh: 0 }
    }

    /// Makes one random difference.
    pub fn edit(&mut self, choices: &mut Choices<'_>, allowed: &[Edit]) {
        let places = self.places();
        let Some(place) = choices.one(&places).cloned() else { return };
        let Some(edit) = choices.one(allowed) else { return };
        match edit {
            Edit::Rename => self.rename(choices, &place),
            Edit::Elsewhere => self.elsewhere(choices, &place, &places),
            Edit::Object => self.move_object(choices, &place),
            Edit::Nest => self.nest(choices, &place),
            Edit::Presence => self.presence(choices, &place),
            Edit::Constant => self.constant(choices, &place),
            Edit::Keep => self.keep(choices, &place),
            Edit::Add => self.add(choices, &place),
            Edit::Function => self.function(choices, &place),
            Edit::Words => self.words(choices, &place),
            Edit::Table => self.table(choices, &place),
            Edit::Wrap => self.wrap(choices, &place),
            Edit::Number => self.number(choices, &place),
            Edit::Keyed => self.keyed(choices, &place),
            Edit::Split => self.split(choices, &place),
            Edit::Element => self.element(choices, &place),
            Edit::Shared => self.shared(choices, &place),
            Edit::Tag => self.tag(choices, &place),
            Edit::Empty => self.empty(choices, &place),
            Edit::Any => self.any_rule(choices),
        }
    }

    /// Something that need not fit.
    fn any_rule(&mut self, choices: &mut Choices<'_>) {
        let mut paths = Vec::new();
        for types in [&self.types, &*self.hub] {
            for place in places(types) {
                let ty = types.iter().find(|ty| ty.id.name == place.ty);
                paths.extend(
                    ty.into_iter().flat_map(Type::named).map(|field| below(&place.path, &field.name)),
                );
            }
        }
        let mut path = || choices.one(&paths).cloned().unwrap_or_default();
        let (a, b, c) = (path(), path(), path());
        let line = match choices.below(11) {
            0 => format!("move = [[\"{a}\", \"{b}\"]]"),
            1 => format!("constant = {{ \"{a}\" = \"w\" }}"),
            2 => format!("keep = [\"{a}\"]"),
            3 => format!("always = [\"{a}\"]"),
            4 => format!("wrap = [{{ from = \"{a}\", to = \"{b}\", field = \"v\" }}]"),
            5 => format!("words = [{{ from = \"{a}\", to = \"{b}\", words = {{ x = \"X\" }} }}]"),
            6 => format!("split = [{{ field = \"{a}\", number = \"{b}\", name = \"{c}\" }}]"),
            7 => format!("number = [{{ from = \"{a}\", to = \"{b}\", as = \"text\" }}]"),
            8 => format!("keyed = [{{ from = \"{a}\", to = \"{b}\", key = \"v\" }}]"),
            9 => format!("hoist = [{{ field = \"{a}\", list = \"{b}\", element = \"a1\" }}]"),
            _ => format!("head = [{{ field = \"{a}\", list = \"{b}\", element = \"a1\", set = [] }}]"),
        };
        self.rules.push(line);
    }

    fn places(&self) -> Vec<Place> {
        let own = places(&self.types);
        places(self.hub).into_iter().filter(|place| own.iter().any(|own| own.path == place.path)).collect()
    }

    fn fresh(&mut self, letter: &str) -> String {
        self.fresh += 1;
        format!("{letter}{}{}", self.name.trim_start_matches("v1alpha"), self.fresh)
    }

    fn own(&mut self, name: &str) -> Option<&mut Vec<Field>> {
        fields(&mut self.types, name)
    }

    /// A field of a type of the version that the hub has at the same place, and that no rule names.
    fn common(
        &mut self,
        choices: &mut Choices<'_>,
        place: &Place,
        fits: impl Fn(&Field) -> bool,
    ) -> Option<Field> {
        let hub = self.hub.iter().find(|ty| ty.id.name == place.ty)?;
        let named = |name: &str| {
            let path = format!("\"{}\"", below(&place.path, name));
            self.rules.iter().any(|rule| rule.contains(&path))
        };
        let own = self.types.iter().find(|ty| ty.id.name == place.ty)?;
        let all: Vec<Field> = own.named().filter(|field| fits(field)).cloned().collect();
        let all: Vec<Field> =
            all.into_iter().filter(|field| hub.field(&field.name).is_some() && !named(&field.name)).collect();
        choices.one(&all).cloned()
    }

    fn remove(&mut self, ty: &str, name: &str) -> Option<Field> {
        let fields = self.own(ty)?;
        let at = fields.iter().position(|field| field.name == name)?;
        Some(fields.remove(at))
    }

    fn push(&mut self, ty: &str, field: Field) {
        self.own(ty).into_iter().for_each(|fields| fields.push(field.clone()));
    }

    fn hub_push(&mut self, ty: &str, field: Field) {
        fields(self.hub, ty).into_iter().for_each(|fields| fields.push(field.clone()));
    }

    fn rename(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let Some(mut field) = self.common(choices, place, |_| true) else { return };
        self.remove(&place.ty, &field.name);
        let name = self.fresh("r");
        self.moved(below(&place.path, &name), below(&place.path, &field.name));
        field.name = name;
        if choices.once_in(3) {
            set_presence(choices, &mut field);
        }
        self.push(&place.ty, field);
    }

    fn moved(&mut self, from: String, to: String) {
        self.rules.push(format!("move = [[\"{from}\", \"{to}\"]]"));
    }

    fn constant(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let name = self.fresh("c");
        let word = ["w", "", "x"][choices.below(3)];
        self.rules.push(format!("constant = {{ \"{}\" = \"{word}\" }}", below(&place.path, &name)));
        let field = field(choices, &name, TypeExpr::String);
        self.push(&place.ty, field);
    }

    /// An object has another name in the version, and its fields move one by one.
    fn move_object(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let Some(old) = self.common(choices, place, |field| matches!(field.ty, TypeExpr::Ref(_))) else {
            return;
        };
        let TypeExpr::Ref(id) = &old.ty else { return };
        let Some(ty) = self.types.iter().find(|ty| ty.id.name == id.name).cloned() else { return };
        self.remove(&place.ty, &old.name);
        let (name, type_name) = (self.fresh("m"), self.fresh("M"));
        let mut inner = ty.fields().to_vec();
        for member in &mut inner {
            let at = |object: &str, member: &str| below(&below(&place.path, object), member);
            self.moved(at(&name, &member.name), at(&old.name, &member.name));
            if choices.once_in(4) {
                set_presence(choices, member);
            }
        }
        if choices.once_in(2) {
            let word = self.fresh("c");
            let path = below(&below(&place.path, &name), &word);
            self.rules.push(format!("constant = {{ \"{path}\" = \"w\" }}"));
            inner.push(field(choices, &word, TypeExpr::String));
        }
        self.types.push(object(&self.name, &type_name, inner));
        let ty = TypeExpr::Ref(TypeId::at(group_version(&self.name), &*type_name));
        let around = field(choices, &name, ty);
        self.push(&place.ty, around);
    }

    /// Some fields are in an object of their own in the version.
    fn nest(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let (name, type_name) = (self.fresh("n"), self.fresh("N"));
        let mut inner = Vec::new();
        for _ in 0..1 + choices.below(3) {
            let Some(field) = self.common(choices, place, |_| true) else { break };
            self.remove(&place.ty, &field.name);
            self.moved(below(&below(&place.path, &name), &field.name), below(&place.path, &field.name));
            inner.push(field);
        }
        if inner.is_empty() {
            return;
        }
        self.types.push(object(&self.name, &type_name, inner));
        let ty = TypeExpr::Ref(TypeId::at(group_version(&self.name), &*type_name));
        let around = field(choices, &name, ty);
        self.push(&place.ty, around);
    }

    fn keep(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let Some(field) = self.common(choices, place, |_| true) else { return };
        self.remove(&place.ty, &field.name);
        self.rules.push(format!("keep = [\"{}\"]", below(&place.path, &field.name)));
    }

    fn add(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let name = self.fresh("x");
        let ty = scalar(choices);
        let field = field(choices, &name, ty);
        self.push(&place.ty, field);
        self.added.push(below(&place.path, &name));
    }

    fn presence(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let Some(mut field) = self.common(choices, place, |_| true) else { return };
        set_presence(choices, &mut field);
        let Some(fields) = self.own(&place.ty) else { return };
        fields.iter_mut().filter(|other| other.name == field.name).for_each(|other| *other = field.clone());
        if choices.once_in(5) {
            self.rules.push(format!("always = [\"{}\"]", below(&place.path, &field.name)));
        }
    }

    fn empty(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let own = self.types.iter().find(|ty| ty.id.name == place.ty);
        let all: Vec<&Field> =
            own.into_iter().flat_map(Type::named).filter(|field| field.may_be_absent()).collect();
        let Some(field) = choices.one(&all) else { return };
        self.rules.push(format!("empty-is-absent = [\"{}\"]", below(&place.path, &field.name)));
    }

    /// A function of the user's own code.
    fn function(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let Some(Signature { module, version, hub }) = choices.one(functions::ALL) else { return };
        let mut side = |types: &[&str], letter: &str| -> Vec<(Field, String)> {
            types
                .iter()
                .map(|ty| {
                    let name = self.fresh(letter);
                    let is_optional = ty.starts_with("Option");
                    let expr = if ty.contains("i32") { TypeExpr::Int32 } else { TypeExpr::String };
                    let mut field = Field::new(&*name, expr);
                    if !is_optional {
                        (field.presence, field.omit, field.required) =
                            (hubgen_model::Presence::Value, hubgen_model::Omit::Exact, true);
                    }
                    (field, format!("\"{}: {ty}\"", below(&place.path, &name)))
                })
                .collect()
        };
        let (version, hub) = (side(version, "f"), side(hub, "g"));
        let list = |side: &[(Field, String)]| {
            side.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", ")
        };
        let (from, to) = (list(&version), list(&hub));
        self.rules
            .push(format!("function = [{{ module = \"{module}\", version = [{from}], hub = [{to}] }}]"));
        version.into_iter().for_each(|(field, _)| self.push(&place.ty, field));
        hub.into_iter().for_each(|(field, _)| self.hub_push(&place.ty, field));
    }

    fn words(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let Some(field) = self.common(choices, place, |field| field.ty == TypeExpr::String) else { return };
        let path = below(&place.path, &field.name);
        let words = [
            "words = { x = \"X\" }",
            "words = { x = \"y\", y = \"x\" }",
            "words = { x = \"y\", z = \"Z\" }",
            "words = { x = \"X\" }, also = { y = \"X\" }",
        ][choices.below(4)];
        self.rules.push(format!("words = [{{ from = \"{path}\", to = \"{path}\", {words} }}]"));
    }

    fn table(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let texts = || TypeExpr::List(Box::new(TypeExpr::String));
        let json = || TypeExpr::Raw(RawForm::Json);
        let (version, hub, rows): (Vec<TypeExpr>, Vec<TypeExpr>, &str) = match choices.below(12) {
            0 => (
                vec![TypeExpr::String],
                vec![TypeExpr::String, TypeExpr::Int32],
                "[[\"{a}:{b}\"], [\"{a}\", \"{b}\"]], [[\"{a}\"], [\"{a}\", 0]]",
            ),
            1 => (vec![TypeExpr::Bool], vec![TypeExpr::String], "[[true], [\"x\"]], [[false], [\"X\"]]"),
            2 => (
                vec![TypeExpr::String, TypeExpr::String],
                vec![TypeExpr::String, TypeExpr::Bool],
                "[[\"x\", \"{a}\"], [\"{a}\", true]], [[\"\", \"{a}\"], [\"{a}\", false]], [[\"{}\", \"{a}\"], [\"{a}\", \"{}\"]]",
            ),
            3 => (vec![TypeExpr::Int64], vec![TypeExpr::Int32], "[[\"{a}\"], [\"{a}\"]]"),
            // Rows for fields without values, on either side and on both.
            4 => {
                (vec![TypeExpr::String], vec![TypeExpr::String], "[[\"\"], [\"x\"]], [[\"{a}\"], [\"{a}\"]]")
            }
            5 => (vec![TypeExpr::Bool], vec![TypeExpr::Bool], "[[true], [\"\"]], [[\"{a}\"], [\"{a}\"]]"),
            6 => (
                vec![TypeExpr::String, TypeExpr::Int32],
                vec![TypeExpr::String],
                "[[\"\", \"\"], [\"X\"]], [[\"x\", 1], [\"\"]], [[\"{a}\", 0], [\"{a}\"]]",
            ),
            // Lists.
            7 => (vec![TypeExpr::String], vec![texts()], "[[\"{a}\"], [[\"{a}\"]]]"),
            8 => (
                vec![TypeExpr::String],
                vec![texts()],
                "[[\"\"], [[\"x\"]]], [[\"{a:,}\"], [[\"{a}\", \"...\"]]]",
            ),
            9 => (
                vec![texts()],
                vec![texts(), TypeExpr::String],
                "[[[\"v{a}\", \"...\"]], [[\"{a}\", \"...\"], \"\"]], [[[\"{a}\"]], [\"\", \"{a}\"]], [[\"{a}\"], [\"{a}\", \"x\"]]",
            ),
            // JSON of any form.
            10 => (
                vec![json()],
                vec![TypeExpr::String, TypeExpr::Bool],
                "[[true], [\"\", true]], [[false], [\"x\", \"\"]], [[\"{a}\"], [\"{a}\", \"\"]]",
            ),
            _ => (
                vec![json()],
                vec![texts()],
                "[[\"{a}\"], [[\"{a}\"]]], [[[\"{a}\", \"...\"]], [[\"{a}\", \"...\"]]]",
            ),
        };
        let (version, hub) = (&version[..], &hub[..]);
        let mut side = |types: &[TypeExpr], letter: &str| -> Vec<(Field, String)> {
            let field = |ty: &TypeExpr| {
                let name = self.fresh(letter);
                let path = format!("\"{}\"", below(&place.path, &name));
                (field(choices, &name, ty.clone()), path)
            };
            types.iter().map(field).collect()
        };
        let (version, hub) = (side(version, "r"), side(hub, "s"));
        let list =
            |side: &[(Field, String)]| side.iter().map(|(_, path)| &**path).collect::<Vec<_>>().join(", ");
        let (from, to) = (list(&version), list(&hub));
        self.rules.push(format!("table = [{{ version = [{from}], hub = [{to}], rows = [{rows}] }}]"));
        version.into_iter().for_each(|(field, _)| self.push(&place.ty, field));
        hub.into_iter().for_each(|(field, _)| self.hub_push(&place.ty, field));
    }

    fn wrap(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let (name, type_name) = (self.fresh("w"), self.fresh("W"));
        let ty = scalar(choices);
        let mut value = Field::new("v", ty.clone());
        (value.presence, value.omit, value.required) =
            (hubgen_model::Presence::Value, hubgen_model::Omit::Exact, true);
        let more = field(choices, "u", TypeExpr::String);
        let hub = self.hub_name.to_owned();
        self.hub.push(object(&hub, &type_name, vec![value, more]));
        let wrapped = TypeExpr::Ref(TypeId::at(group_version(&hub), &*type_name));
        let many = choices.below(3);
        let of = |ty: TypeExpr| match many {
            1 => TypeExpr::List(Box::new(ty)),
            2 => TypeExpr::Map(Box::new(ty)),
            _ => ty,
        };
        let (own, hub) = (field(choices, &name, of(ty)), field(choices, &name, of(wrapped)));
        self.push(&place.ty, own);
        self.hub_push(&place.ty, hub);
        let path = below(&place.path, &name);
        self.rules.push(format!("wrap = [{{ from = \"{path}\", to = \"{path}\", field = \"v\" }}]"));
    }

    fn number(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let [own, hub] = ["d", "s"].map(|letter| self.fresh(letter));
        let paths = [&own, &hub].map(|name| below(&place.path, name));
        let form = ["text\"", "percent\"", "duration\", unit = \"s\"", "quantity\", unit = \"Mi\""]
            [choices.below(4)];
        let number = [TypeExpr::Int32, TypeExpr::Int64][choices.below(2)].clone();
        let text = [TypeExpr::String, TypeExpr::IntOrString][choices.below(2)].clone();
        let is_list = choices.once_in(4);
        let of = |ty: TypeExpr| if is_list { TypeExpr::List(Box::new(ty)) } else { ty };
        let (mut own, hub) = (field(choices, &own, of(number)), field(choices, &hub, of(text)));
        // Both may be absent, or neither.
        (own.presence, own.omit, own.required) = (hub.presence, hub.omit, hub.required);
        if (hub.presence, hub.omit) == (hubgen_model::Presence::Value, hubgen_model::Omit::Empty) && !is_list
        {
            return;
        }
        self.push(&place.ty, own);
        self.hub_push(&place.ty, hub);
        let [from, to] = paths;
        self.rules.push(format!("number = [{{ from = \"{from}\", to = \"{to}\", as = \"{form} }}]"));
    }

    fn keyed(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let [own, list, type_name] = ["j", "z", "J"].map(|letter| self.fresh(letter));
        let written = |name: &str, ty: TypeExpr| {
            let mut field = Field::new(name, ty);
            (field.presence, field.omit, field.required) =
                (hubgen_model::Presence::Value, hubgen_model::Omit::Exact, true);
            field
        };
        let hub = self.hub_name.to_owned();
        let is_object = choices.once_in(2);
        let mut members = if is_object {
            let ty = scalar(choices);
            vec![field(choices, "m", ty), field(choices, "v", TypeExpr::String)]
        } else {
            vec![written("v", scalar(choices)), field(choices, "u", TypeExpr::String)]
        };
        let value = if is_object {
            self.types.push(object(&self.name, &type_name, members.clone()));
            TypeExpr::Ref(TypeId::at(group_version(&self.name), &*type_name))
        } else {
            members[0].ty.clone()
        };
        members.insert(0, written("k", TypeExpr::String));
        self.hub.push(object(&hub, &type_name, members));
        let item = TypeExpr::Ref(TypeId::at(group_version(&hub), &*type_name));
        let paths = [&own, &list].map(|name| below(&place.path, name));
        let own = field(choices, &own, TypeExpr::Map(Box::new(value)));
        let list = field(choices, &list, TypeExpr::List(Box::new(item)));
        self.push(&place.ty, own);
        self.hub_push(&place.ty, list);
        let [from, to] = paths;
        let value = if is_object { "" } else { ", value = \"v\"" };
        self.rules.push(format!("keyed = [{{ from = \"{from}\", to = \"{to}\", key = \"k\"{value} }}]"));
    }

    fn split(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let [own, number, name] = ["p", "q", "q"].map(|letter| self.fresh(letter));
        let paths = [&own, &number, &name].map(|name| below(&place.path, name));
        let fields = [
            field(choices, &own, TypeExpr::IntOrString),
            field(choices, &number, TypeExpr::Int32),
            field(choices, &name, TypeExpr::String),
        ];
        let [own, number, name] = fields;
        self.push(&place.ty, own);
        self.hub_push(&place.ty, number);
        self.hub_push(&place.ty, name);
        let [own, number, name] = paths;
        self.rules
            .push(format!("split = [{{ field = \"{own}\", number = \"{number}\", name = \"{name}\" }}]"));
    }

    fn element(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let [own, list, type_name] = ["e", "l", "E"].map(|letter| self.fresh(letter));
        let value = scalar(choices);
        let members = vec![field(choices, "k", TypeExpr::String), field(choices, "v", value.clone())];
        let hub = self.hub_name.to_owned();
        self.hub.push(object(&hub, &type_name, members));
        let element = TypeExpr::List(Box::new(TypeExpr::Ref(TypeId::at(group_version(&hub), &*type_name))));
        let (path, list_path) = (below(&place.path, &own), below(&place.path, &list));
        let (own, list) = (field(choices, &own, value), field(choices, &list, element));
        self.push(&place.ty, own);
        self.hub_push(&place.ty, list);
        let last = choices.once_in(2);
        self.rules.push(format!(
            "element = [{{ field = \"{path}\", list = \"{list_path}\", where = {{ k = \"K\" }}, value = \"v\", last = {last} }}]"
        ));
    }

    /// `hoist` or `head`.
    fn shared(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let [own, list, type_name] = ["h", "i", "H"].map(|letter| self.fresh(letter));
        let is_head = choices.once_in(2);
        let ty = if is_head { TypeExpr::String } else { scalar(choices) };
        let mut value = field(choices, "v", ty.clone());
        let mut own_field = field(choices, &own, ty);
        let mut flag = Field::new("t", TypeExpr::Bool);
        flag.presence = hubgen_model::Presence::Value;
        if is_head {
            for field in [&mut value, &mut own_field] {
                field.presence = hubgen_model::Presence::Value;
            }
        } else {
            own_field.presence = value.presence;
        }
        let hub = self.hub_name.to_owned();
        for (version, types) in [(&hub, &mut *self.hub), (&self.name, &mut self.types)] {
            types.push(object(version, &type_name, vec![value.clone(), flag.clone()]));
        }
        for to_hub in [false, true] {
            let version = if to_hub { &hub } else { &self.name };
            let element = TypeExpr::Ref(TypeId::at(group_version(version), &*type_name));
            let field = Field::new(&*list, TypeExpr::List(Box::new(element)));
            if to_hub { self.hub_push(&place.ty, field) } else { self.push(&place.ty, field) }
        }
        self.push(&place.ty, own_field);
        let (path, list) = (below(&place.path, &own), below(&place.path, &list));
        let mut rule = String::new();
        let operator = if is_head { "head" } else { "hoist" };
        let _ = write!(rule, "{operator} = [{{ field = \"{path}\", list = \"{list}\", element = \"v\"");
        rule.push_str(if is_head { ", set = [\"t\"] }]" } else { " }]" });
        self.rules.push(rule);
    }

    fn tag(&mut self, choices: &mut Choices<'_>, place: &Place) {
        let name = self.fresh("k");
        let Some(set) = self.common(choices, place, |_| true) else { return };
        let field = field(choices, &name, TypeExpr::String);
        self.hub_push(&place.ty, field);
        let (path, set) = (below(&place.path, &name), below(&place.path, &set.name));
        self.rules
            .push(format!("tag = [{{ path = \"{path}\", set = [[\"{set}\", \"A\"]], otherwise = \"B\" }}]"));
    }

    /// A field is in another object.
    fn elsewhere(&mut self, choices: &mut Choices<'_>, place: &Place, places: &[Place]) {
        let Some(other) = choices.one(places) else { return };
        let Some(mut field) = self.common(choices, place, |_| true) else { return };
        self.remove(&place.ty, &field.name);
        let name = self.fresh("y");
        self.moved(below(&other.path, &name), below(&place.path, &field.name));
        field.name = name;
        self.push(&other.ty, field);
    }
}

fn fields<'t>(types: &'t mut [Type], name: &str) -> Option<&'t mut Vec<Field>> {
    let ty = types.iter_mut().find(|ty| ty.id.name == name)?;
    let TypeBody::Struct(fields) = &mut ty.body;
    Some(fields)
}

fn below(path: &str, name: &str) -> String {
    format!("{path}.{name}")
}

/// The types with their paths from the kind. An object in itself, as a move may have left it, has no end: its path ends
/// where the type comes again.
fn places(types: &[Type]) -> Vec<Place> {
    let top = Place { ty: "Spec".to_owned(), path: "spec".to_owned() };
    let mut out = vec![top];
    let mut around: Vec<Vec<String>> = vec![Vec::new()];
    let mut at = 0;
    while let Some(place) = out.get(at).cloned() {
        let mut types_around = around[at].clone();
        types_around.push(place.ty.clone());
        at += 1;
        let ty = types.iter().find(|ty| ty.id.name == place.ty);
        for field in ty.into_iter().flat_map(Type::named) {
            if let Some(id) = field.ty.named().filter(|id| !types_around.contains(&id.name)) {
                out.push(Place { ty: id.name.clone(), path: below(&place.path, &field.name) });
                around.push(types_around.clone());
            }
        }
    }
    out
}

/// The same type in another version.
fn copied(ty: &Type, version: &str) -> Type {
    let mut ty = ty.clone();
    ty.id.group_version = group_version(version);
    let TypeBody::Struct(fields) = &mut ty.body;
    for id in fields.iter_mut().filter_map(|field| field.ty.named_mut()) {
        id.group_version = group_version(version);
    }
    ty
}
