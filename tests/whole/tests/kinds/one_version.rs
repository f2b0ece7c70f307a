//! Kinds with one version that need no generator: their derive gives the same as `hubgen crds` and `hubgen generate`.

// Compiled here, and read by the generator.
#[path = "one_version/src/api.rs"]
#[allow(missing_docs, unreachable_pub, unused_qualifications)]
mod api;

use std::path::Path;

use hubgen_codegen::Target;
use hubgen_documents::generated::Generator;
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;
use hubgen_machinery::crd::{Crd, HasCrd};
use hubgen_validation::Schema;

/// The definitions of the derive are byte for byte what `hubgen crds` writes.
#[test]
fn definitions_are_those_of_the_generator() {
    let project = Project::read(Path::new("tests/kinds/one_version/hubgen.toml")).unwrap();
    let carried = Carried::new(hubgen_schemas::kubernetes().iter().copied());
    let schemas = project.root.join(&project.schemas);
    let model = hubgen_codegen::api(&schemas, &carried, &Target::project(&project)).unwrap();
    let generator = Generator::of_tool("hubgen crds");
    let mut files = hubgen_documents::crd_files::files(&model, &project, &generator).unwrap();
    let derived = [api::Policy::crd(), api::Gadget::crd(), api::Rodent::crd()];
    for crd in &derived {
        let written = files.remove(Path::new(&format!("{}.yaml", crd.name()))).unwrap();
        let (_, definition) = written.split_once('\n').unwrap();
        let derived = crd.yaml();
        let differ = derived.lines().zip(definition.lines()).enumerate().find(|(_, (a, b))| a != b);
        assert_eq!(differ, None, "{}", crd.name());
        assert_eq!(derived.len(), definition.len(), "{}", crd.name());
        check(crd);
    }
    assert!(files.is_empty(), "{:?}", files.keys());
}

/// Checks a definition as the API server would.
fn check(crd: &Crd) {
    assert_eq!(&Crd::new(&crd.value()).unwrap(), crd);
    let schemas = Schema::compile_crd(&crd.value()).unwrap();
    assert_eq!(schemas.len(), 1);
}
