//! Checks that types and properties become distinct structs, files and fields.

use std::collections::BTreeMap;

use hubgen_model::{Api, Type};

use super::Faults;
use crate::naming::{field_name, is_ident, module_ident};

pub fn check(api: &Api, faults: &mut Faults) {
    for (_, version) in api.own_versions() {
        let mut modules: BTreeMap<String, &str> = BTreeMap::new();
        for ty in version.types.values() {
            let name = &ty.id.name;
            if !is_ident(name) || !name.starts_with(|c: char| c.is_ascii_uppercase()) {
                faults.ty(
                    &ty.id,
                    format!("`{name}` cannot be the name of a Rust type"),
                    "begin with a capital, and use letters and digits only: DeploymentSpec",
                );
                continue;
            }
            let module = module_ident(name).to_string();
            if let Some(other) = modules.get(&module) {
                faults.ty(
                    &ty.id,
                    format!("`{name}` and `{other}` would both be written to the file {module}.rs"),
                    "give one of them a name that differs in more than upper and lower case",
                );
            }
            modules.insert(module, name);
            fields(ty, faults);
        }
    }
}

fn fields(ty: &Type, faults: &mut Faults) {
    let mut names: BTreeMap<String, &str> = BTreeMap::new();
    for field in ty.fields() {
        let name = field_name(field);
        if !is_ident(&name) {
            faults.field(
                &ty.id,
                &field.name,
                format!("`{}` cannot be the name of a Rust field", field.name),
                "use at least one letter or digit in the name of a property",
            );
            continue;
        }
        if let Some(other) = names.get(&name) {
            faults.field(
                &ty.id,
                &field.name,
                format!("`{}` and `{other}` would both become the Rust field `{name}`", field.name),
                "rename or remove one of the two: Rust fields are in snake case, without punctuation",
            );
        }
        names.insert(name, &field.name);
    }
}
