//! What the model and descriptors say about a type is the same.

use hubgen_model::{Api, Field, Omit, Presence, RawForm, Type, TypeBody, TypeExpr, TypeId, Version};
use hubgen_plan::Types;
use hubgen_plan::sharing::Sharing;

use hubgen_interpret::runtime::Snapshot;

/// One of each type of the model. The match makes the compiler ask for those that are missing.
fn all(this: &TypeId) -> Vec<TypeExpr> {
    use TypeExpr::*;
    let boxed = || Box::new(String);
    let all = vec![
        Bool,
        Int32,
        Int64,
        Float,
        Double,
        String,
        Uint16,
        Uint32,
        Uint64,
        Bytes,
        Time,
        MicroTime,
        Duration,
        Quantity,
        IntOrString,
        Raw(RawForm::Json),
        Strings,
        Ref(this.clone()),
        List(boxed()),
        Map(boxed()),
        OrBool(boxed()),
        OrArray(boxed()),
        OrStrings(boxed()),
    ];
    for ty in &all {
        match ty {
            Bool | Int32 | Int64 | Float | Double | String | Uint16 | Uint32 | Uint64 | Bytes | Time
            | MicroTime | Duration | Quantity | IntOrString | Raw(_) | Strings | Ref(_) | List(_)
            | Map(_) | OrBool(_) | OrArray(_) | OrStrings(_) => {}
        }
    }
    all
}

#[test]
fn types_are_empty_and_fields_are_written_alike() {
    let id = TypeId::new("example.com", "v1", "Everything");
    let fields: Vec<Field> = all(&id)
        .into_iter()
        .enumerate()
        .flat_map(|(index, ty)| {
            let of = |what: &str, presence, omit| {
                let mut field = Field::new(format!("field{index}{what}"), ty.clone());
                (field.presence, field.omit) = (presence, omit);
                field
            };
            let omits = [Omit::Never, Omit::Empty, Omit::Zero, Omit::Exact];
            // A type that contains itself by value has no end.
            let may_be_value = !matches!(ty, TypeExpr::Ref(_));
            let values = omits.map(|omit| of(&format!("Value{omit:?}"), Presence::Value, omit));
            let pointers = omits.map(|omit| of(&format!("Pointer{omit:?}"), Presence::Pointer, omit));
            values.into_iter().filter(|_| may_be_value).chain(pointers).collect::<Vec<_>>()
        })
        .collect();
    let ty = Type {
        id: id.clone(),
        body: TypeBody::Struct(fields.clone()),
        kind: None,
        since: None,
        until: None,
        description: None,
        refuses_unknown: false,
        facts: None,
    };
    let mut api = Api::default();
    let mut version = Version::default();
    version.types.insert(id.name.clone(), ty);
    api.versions.insert(id.group_version.clone(), version);
    let (hubs, sharing) = (Default::default(), Sharing::default());
    let types = Types { api: &api, hubs: &hubs };
    let snapshot = Snapshot::new(types, &sharing, &Default::default(), [&id]).unwrap();
    let object = snapshot.object(&id).unwrap();
    let described = object.descriptor();
    assert_eq!(described.fields.len(), fields.len());
    for (ours, theirs) in fields.iter().zip(&*described.fields) {
        let Field { name, ty, omit, .. } = ours;
        assert_eq!(theirs.name, name.as_str());
        assert_eq!(theirs.ty.has_empty(), ty.has_empty(), "{ty}");
        assert_eq!(theirs.omit, *omit);
        let written = theirs.omit.writes_absent(theirs.pointer, theirs.ty.has_empty());
        assert_eq!(written, ours.writes_absent(), "{name}: {ty}");
    }
}
