//! A case of the generator with one kind at two versions, converted in every way: by the code that the generator prints,
//! by the interpreter, with kinds that are made at run time, and as JSON that is not decoded.

use std::path::Path;
use std::sync::Arc;

use hubgen_codegen::{Target, kinds};
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;
use hubgen_interpret::runtime::{Model, entries};
use hubgen_interpret::{NewObject, Version};
use hubgen_laws::objects::Source;
use hubgen_laws::versions::{AnyObject, Convertible};
use hubgen_laws::{objects, versions};
use hubgen_machinery::convert::Functions;
use hubgen_machinery::scheme::Scheme;
use hubgen_model::TypeId;

/// The case, and the code that the generator prints for it.
pub struct Case {
    /// The folder below `codegen/codegen/tests/modules`.
    pub folder: &'static str,
    /// The older version, as `jobs.example.com/v1alpha1`.
    pub older: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// An empty object of the older version, and one of the hub.
    pub empty: [fn() -> AnyObject; 2],
    /// The same versions with their generated conversions.
    pub compiled: fn() -> [versions::Version; 2],
    /// The generated Scheme.
    pub scheme: fn() -> Scheme,
    /// Values that are generated often, each with the name of its field.
    pub words: &'static [(&'static str, &'static str)],
}

impl Case {
    fn model(&self) -> hubgen_codegen::Kinds {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/codegen/tests/modules");
        let root = root.join(self.folder);
        let project = Project::read(&root.join("hubgen.toml")).unwrap();
        let carried = Carried::new(hubgen_schemas::kubernetes().iter().copied());
        kinds(&root.join(&project.schemas), &carried, &Target::project(&project)).unwrap()
    }

    /// The versions as the interpreter converts them, over compiled types.
    fn interpreted(&self) -> Vec<Version> {
        let plan = Arc::new(self.model().plan.conversions.remove(0));
        let (hub, [older, newest]) = (plan.hub.clone(), self.empty);
        let new: Arc<NewObject> = Arc::new(move |id: &TypeId| if *id == hub { newest() } else { older() });
        (0..2).map(|at| Version::new(&plan, at, &new, &Functions::none()).unwrap().unwrap()).collect()
    }

    /// A Scheme with the kinds made at run time.
    fn made(&self) -> Scheme {
        let kinds = self.model();
        let model = Model {
            api: &kinds.api,
            plan: &kinds.plan,
            defaults: &kinds.defaults,
            canonical: &kinds.canonical,
            behaviours: &kinds.behaviours,
            functions: &Functions::none(),
            over_json: false,
        };
        let mut scheme = Scheme::new();
        let family = kinds.plan.families.iter().find(|family| family.kind == self.kind).unwrap();
        for entry in entries(model, family).unwrap() {
            scheme.add(entry).unwrap();
        }
        scheme
    }

    /// Checks all laws, of generated and of interpreted conversions.
    pub fn all_laws_hold(&self) {
        let [old, hub] = (self.compiled)();
        assert_eq!(versions::check_all(&[&old, &hub], self.words, 500), Ok(true));
        let versions = self.interpreted();
        versions::check(&[&versions[0], &versions[1]], self.words, 500).unwrap();
    }

    /// Compares all ways of converting. Objects that one of them refuses, all refuse, with the same error.
    pub fn all_ways_convert_alike(&self) {
        let (compiled, interpreted) = ((self.compiled)(), self.interpreted());
        let (made, scheme) = (self.made(), (self.scheme)());
        let mut accepted = 0;
        for bytes in (0..300).map(objects::bytes) {
            for (at, version) in compiled.iter().enumerate() {
                let object = version.generate(&mut Source::new(&bytes, self.words));
                let hub = match (version.try_to_hub(&*object), interpreted[at].try_to_hub(&*object)) {
                    (Ok(hub), Ok(other)) => {
                        versions::same(&*other, &*hub).unwrap();
                        hub
                    }
                    (Err(one), Err(other)) => {
                        assert_eq!(one, other);
                        continue;
                    }
                    (one, other) => panic!("{:?}, but {:?}", one.err(), other.err()),
                };
                let shown = compiled[0].try_from_hub(&*hub).map_err(|error| error.to_string());
                let other = interpreted[0].try_from_hub(&*hub).map_err(|error| error.to_string());
                assert_eq!(shown.as_ref().err(), other.as_ref().err());
                let (Ok(shown), Ok(other)) = (shown, other) else { continue };
                versions::same(&*other, &*shown).unwrap();
                // The same object, of a type that is made at run time.
                let json = hubgen_machinery::json::encode(&*object).unwrap();
                let to = |scheme: &Scheme| {
                    let to = Arc::clone(scheme.named(self.older, self.kind).unwrap());
                    let (object, _) = scheme.decode(&json).unwrap();
                    scheme.convert(object, &to).unwrap().encode().unwrap()
                };
                assert_eq!(to(&made), to(&scheme));
                accepted += 1;
            }
        }
        assert!(accepted > 100, "{accepted} are accepted");
    }
}
