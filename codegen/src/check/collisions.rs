//! Types and properties become structs, files and fields.

use std::collections::BTreeMap;

use hubgen_model::{Api, Type};

use super::Faults;
use crate::emit::{field_name, is_ident, module_ident};

pub fn check(api: &Api, faults: &mut Faults) {
    for version in api.versions.values() {
        let mut modules: BTreeMap<String, &str> = BTreeMap::new();
        for ty in version.types.values() {
            let name = &ty.id.name;
            if !is_ident(name) || !name.starts_with(|c: char| c.is_ascii_uppercase()) {
                faults.ty(
                    &ty.id,
                    format!("`{name}` cannot name a Rust type"),
                    "begin with a capital, and use letters and digits only: DeploymentSpec",
                );
                continue;
            }
            let module = module_ident(name).to_string();
            if let Some(other) = modules.get(&module) {
                faults.ty(
                    &ty.id,
                    format!("`{name}` and `{other}` would both be the file {module}.rs"),
                    "give one of them a name that differs in more than capitals",
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
        let name = field_name(&field.name);
        if !is_ident(&name) {
            faults.field(
                &ty.id,
                &field.name,
                format!("`{}` cannot name a Rust field", field.name),
                "a property's name needs a letter or a digit",
            );
            continue;
        }
        if let Some(other) = names.get(&name) {
            faults.field(
                &ty.id,
                &field.name,
                format!("`{}` and `{other}` would both be the Rust field `{name}`", field.name),
                "Rust fields are in snake case, without punctuation: rename or remove one of the two",
            );
        }
        names.insert(name, &field.name);
    }
}
