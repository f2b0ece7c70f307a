//! Types built at run time: what they support, what they refuse, and how long they live.

#![allow(missing_docs)]

use std::sync::Arc;

use hubgen_machinery::canonical::{self, CanonicalForm};
use hubgen_machinery::defaults::{BelowDef, Condition, Context, DefaultStep, Is, TableDef, Tables};
use hubgen_machinery::reflect::runtime::{FieldDef, NodeDef, StructDef, TypeDef, Types, TypesError};
use hubgen_machinery::reflect::{
    Fact, Facts, Held, KindName, ListType, Reflect, Slot, SlotMut, StructType, Type, Words, equal,
};
use hubgen_machinery::storage::Owned;
use hubgen_machinery::{ApiType, json, protobuf};

/// A compiled type that the types built at run time refer to.
#[derive(ApiType)]
struct Meta {
    #[field(number = 1)]
    name: String,
}

fn field(name: &str, number: u32, ty: TypeDef) -> FieldDef {
    FieldDef { number: vec![number], ..FieldDef::new(name, ty) }
}

fn pointer(name: &str, number: u32, ty: TypeDef) -> FieldDef {
    FieldDef { pointer: true, ..field(name, number, ty) }
}

/// A kind, and a struct that contains itself in every supported way.
fn definitions() -> Vec<StructDef> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Words>();
    let compiled = <Meta as hubgen_machinery::reflect::Value>::TYPE;
    let sizes = NodeDef {
        ty: TypeDef::Is(Type::String),
        facts: Facts::from_iter([Fact::OneOf(words(&["small", "large"]))]),
    };
    let tree = StructDef {
        kind: Some(KindName { api_version: Held::Static("a.example.com/v1"), kind: Held::Static("Tree") }),
        fields: vec![
            field("metadata", 1, TypeDef::Is(compiled)),
            field("root", 2, TypeDef::Struct(1)),
            field("sizes", 3, TypeDef::List(Box::new(sizes))),
            field("at", 4, TypeDef::Is(Type::Time)),
        ],
        ..StructDef::new("Tree")
    };
    let node = StructDef {
        fields: vec![
            field("name", 1, TypeDef::Is(Type::String)),
            pointer("left", 2, TypeDef::Struct(1)),
            FieldDef {
                facts: Facts::from_iter([Fact::List(ListType::Map(words(&["name"])))]),
                ..field("children", 3, TypeDef::List(TypeDef::Struct(1).into()))
            },
            field("named", 4, TypeDef::Map(TypeDef::Struct(1).into())),
            pointer("rest", 5, TypeDef::EitherBool(Box::new(TypeDef::Struct(1)))),
            pointer("items", 6, TypeDef::EitherArray(Box::new(TypeDef::Struct(1)))),
            pointer("needs", 7, TypeDef::EitherStrings(Box::new(TypeDef::Struct(1)))),
            pointer("weight", 8, TypeDef::Is(Type::Int32)),
            field("rows", 9, TypeDef::List(TypeDef::List(TypeDef::Is(Type::Int64).into()).into())),
        ],
        ..StructDef::new("Node")
    };
    vec![tree, node]
}

const TREE: &str = r#"{"kind":"Tree","apiVersion":"a.example.com/v1","metadata":{"name":"oak"},"root":{"name":"r","left":{"name":"l","weight":0},"children":[{"name":"a"},{"name":"b","rest":false}],"named":{"x":{"name":"c"}},"rest":{"name":"d"},"items":[{"name":"e"}],"needs":["f"],"rows":[[1,2],[3]]},"sizes":["small"],"at":"2006-01-02T15:04:05Z"}"#;

fn tree(types: &Arc<Types>, text: &str) -> Box<dyn Reflect> {
    let mut object = types.object(0);
    let notes = json::decode_into(text.as_bytes(), &mut *object).unwrap();
    assert_eq!((&*notes.kind, notes.unknown.len(), notes.duplicate.len()), ("Tree", 0, 0));
    object
}

#[test]
fn objects_are_read_and_written() {
    let types = Types::new(definitions()).unwrap();
    let object = tree(&types, TREE);
    assert_eq!(String::from_utf8(json::encode(&*object).unwrap()).unwrap(), TREE);
    let bytes = protobuf::encode(&*object);
    let mut again = types.object(0);
    protobuf::decode_into(&bytes, &mut *again).unwrap();
    assert!(equal(&*again, &*object), "{}", String::from_utf8_lossy(&json::encode(&*again).unwrap()));
    assert!(protobuf::covers(object.descriptor()));
    let copy = object.boxed_copy();
    drop(object);
    assert!(equal(&*copy, &*again));
    assert_eq!(protobuf::encode(&*copy), bytes);
}

#[test]
fn invalid_values_are_refused_as_with_compiled_types() {
    let types = Types::new(definitions()).unwrap();
    for (text, expected) in [
        (
            r#"{"root":{"rest":1}}"#,
            "line 1, column 17, root.rest: expected an object, true or false, found a number",
        ),
        (
            r#"{"root":{"needs":{"name":[]}}}"#,
            "line 1, column 26, root.needs.name: expected a string, found an array",
        ),
        (
            r#"{"root":{"children":[{},{"weight":"1"}]}}"#,
            "line 1, column 35, root.children[1].weight: expected a 32-bit integer, found a string",
        ),
    ] {
        let error = json::decode_into(text.as_bytes(), &mut *types.object(0)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let notes =
        json::decode_into(br#"{"root":{"size":1,"name":"a","name":"b"}}"#, &mut *types.object(0)).unwrap();
    assert_eq!(
        (notes.unknown, notes.duplicate),
        (vec!["root.size".to_owned()], vec!["root.name".to_owned()])
    );
    // An element of two bytes becomes a struct, so the memory of the struct is counted.
    let many = format!(r#"{{"root":{{"children":[{}{{}}]}}}}"#, "{},".repeat(1_000_000));
    let error = json::decode_into(many.as_bytes(), &mut *types.object(0)).unwrap_err();
    assert!(error.to_string().contains("bytes of memory"), "{error}");
}

#[test]
fn fields_and_nodes_have_the_facts_of_the_definition() {
    let types = Types::new(definitions()).unwrap();
    let tree = types.describe(0);
    let Type::List(node) = &tree.fields[2].ty else { panic!("sizes is a list") };
    assert!(tree.fields[2].facts.enumeration().is_empty());
    assert_eq!(node.facts.enumeration().iter().collect::<Vec<_>>(), ["small", "large"]);
    let Type::Struct(root) = &tree.fields[1].ty else { panic!("root is a struct") };
    assert!(root.compiled().is_none());
    assert_eq!(root.descriptor().fields[2].facts.keys().iter().collect::<Vec<_>>(), ["name"]);
    let Type::Struct(metadata) = &tree.fields[0].ty else { panic!("metadata is a struct") };
    assert!(metadata.compiled().is_some(), "it is the compiled type");
    assert_eq!(format!("{:?}", tree.fields[1].ty), "Node");
}

#[test]
fn types_of_two_snapshots_are_different() {
    let [one, other] = [(); 2].map(|()| Types::new(definitions()).unwrap());
    let [mut a, b] = [&one, &other].map(|types| tree(types, TREE));
    assert!(!equal(&*a, &*b));
    // They can still be copied into each other where the types agree.
    hubgen_machinery::reflect::copy_into(&*b, &mut *a);
    assert!(equal(&*a, &*tree(&one, TREE)));
    let (there, gone) = (Arc::downgrade(&one), Arc::downgrade(&other));
    drop((one, other, b));
    assert!(there.upgrade().is_some() && gone.upgrade().is_none());
    drop(a);
    assert!(there.upgrade().is_none());
}

#[test]
fn a_type_lives_as_long_as_a_reference_to_it() {
    let types = Types::new(definitions()).unwrap();
    let root = types.object(0).descriptor().share();
    drop(types);
    let Type::Struct(ty) = &root.fields[1].ty else { panic!("root is a struct") };
    assert_eq!((&*root.name, &*ty.descriptor().name), ("Tree", "Node"));
    assert_eq!(root.below(ty).name, "Node");
    let ty: StructType = ty.clone();
    drop(root);
    assert!(std::panic::catch_unwind(|| ty.descriptor()).is_err(), "the type is freed");
}

#[test]
fn invalid_definitions_are_refused() {
    let refused = |change: &dyn Fn(&mut Vec<StructDef>)| {
        let mut all = definitions();
        change(&mut all);
        Types::new(all).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&|all| all[1].fields[1].ty = TypeDef::List(TypeDef::Struct(2).into())),
        "Node.left: struct 2 does not exist; there are 2 structs"
    );
    assert_eq!(
        refused(&|all| all[1].fields[1].name = "name".into()),
        "Node.name is defined twice; rename one of the two fields"
    );
    assert_eq!(
        refused(&|all| all[1].fields[1].number = vec![1, 2]),
        "Node.left: the protobuf number [1, 2] is already used; give the field another number"
    );
    assert_eq!(
        refused(&|all| all[1].fields[1].pointer = false),
        "Node contains itself in a field that cannot be absent; make the field a pointer or a list"
    );
    assert_eq!(
        refused(&|all| all[1].fields[0].ty = TypeDef::Is(Type::Enum(&["a"]))),
        "Node.name: a run-time type cannot have a field of type Enum([\"a\"]); define it as a list, a map or a \
         string"
    );
    let many =
        (0..=65_536).map(|index| FieldDef::new(format!("f{index}"), TypeDef::Is(Type::Bool))).collect();
    let many = StructDef { fields: many, ..StructDef::new("Many") };
    assert_eq!(Types::new(vec![many]).unwrap_err(), TypesError::TooManyFields("Many".to_owned()));
}

#[test]
fn defaults_and_canonical_forms_built_at_run_time_apply() {
    let types = Types::new(definitions()).unwrap();
    let set = |field: &str, path: &[usize], value: &str, when| DefaultStep::Set {
        field: field.to_owned(),
        path: path.to_vec(),
        value: value.to_owned(),
        when,
    };
    let is_named = Condition {
        field: "name".to_owned(),
        path: vec![0],
        is: Is::NoneOf(vec![String::new(), "a".to_owned()]),
    };
    let below = |field: &str, index| BelowDef { field: field.to_owned(), index, table: 1 };
    // The table of a node refers to itself, as its type does.
    let tables = Tables::new(vec![
        TableDef {
            steps: vec![set("sizes", &[2], r#"["large"]"#, Vec::new())],
            below: vec![below("root", 1)],
        },
        TableDef {
            steps: vec![set("weight", &[7], "7", vec![is_named])],
            below: vec![below("left", 1), below("children", 2), below("named", 3)],
        },
    ]);
    let mut object = types.object(0);
    let text = r#"{"root":{"name":"r","children":[{"name":"a"},{"name":"b"}],"named":{"x":{"name":"c","weight":0}}}}"#;
    json::decode_into(text.as_bytes(), &mut *object).unwrap();
    let context = Context { now: "2006-01-02T15:04:05Z".parse().unwrap() };
    tables.get(0).apply(&mut *object, &context);
    let once = object.boxed_copy();
    tables.get(0).apply(&mut *object, &context);
    assert!(equal(&*once, &*object), "the second time changes nothing");
    let form: CanonicalForm<Owned> = CanonicalForm {
        at: vec!["root".to_owned()],
        steps: vec![canonical::Rewrite::Constant {
            list: "children".to_owned(),
            field: "name".to_owned(),
            value: "z".to_owned(),
        }],
    };
    form.apply(&mut *object);
    let expected = concat!(
        r#"{"kind":"Tree","apiVersion":"a.example.com/v1","metadata":{},"root":{"name":"r","#,
        r#""children":[{"name":"z"},{"name":"z","weight":7}],"named":{"x":{"name":"c","weight":0}},"weight":7},"#,
        r#""sizes":["large"],"at":null}"#
    );
    assert_eq!(String::from_utf8(json::encode(&*object).unwrap()).unwrap(), expected);
    let gone = Arc::downgrade(&tables);
    drop(tables);
    assert!(gone.upgrade().is_none(), "tables that refer to themselves are freed as well");
}

#[test]
fn a_dynamic_object_has_value_semantics() {
    use hubgen_machinery::reflect::runtime::Dynamic;
    let types = Types::new(definitions()).unwrap();
    let object = tree(&types, TREE);
    let object: Box<Dynamic> = object.downcast().unwrap_or_else(|_| panic!("it is dynamic"));
    let node = types.object(1);
    assert_ne!(*node.downcast_ref::<Dynamic>().unwrap(), *object);
    let mut other = Dynamic::clone(&object);
    assert_eq!(other, *object);
    assert!(
        format!("{object:?}").starts_with(r#"Tree { metadata: Meta { name: "oak" }, root: Node { name: "r""#)
    );
    assert_eq!(serde_json::to_string(&*object).unwrap(), TREE);
    // Absent, then present and empty, then absent again.
    let weight = other.descriptor().position("root").unwrap();
    let SlotMut::Struct(root) = other.write(weight) else { panic!("root is a struct") };
    assert!(matches!(root.field("weight"), Some(Slot::Absent)));
    root.field_mut("weight").unwrap().present();
    assert!(matches!(root.field("weight"), Some(Slot::Int32(0))));
    root.field_mut("weight").unwrap().clear();
    assert!(matches!(root.field("weight"), Some(Slot::Absent)));
}
