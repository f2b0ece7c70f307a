//! Finds the function that a rule names, and checks that its types are those of the fields.

use hubgen_model::functions::{OF_RULES, Parameter, RuleFunction};
use hubgen_model::rules::{FieldPath, Function};
use hubgen_model::{Field, PlainType};

use super::path::resolve;
use super::refusal::Refusal;
use super::{Callee, Mapper, ResolvedPath, value_table};

impl Mapper<'_> {
    /// The function that a rule names.
    ///
    /// # Errors
    /// When there is no such function, or its types are not those of the fields.
    pub(super) fn callee(
        &self,
        function: &Function,
        version: &[ResolvedPath],
        hub: &[ResolvedPath],
    ) -> Result<Callee, Refusal> {
        match function {
            Function::Named(name) => self.named(name, version, hub),
            Function::Own { module, version: version_types, hub: hub_types, reads } => {
                states(module, version, version_types)?;
                states(module, hub, hub_types)?;
                let (paths, types): (Vec<&FieldPath>, Vec<PlainType>) =
                    reads.iter().map(|(path, ty)| (path, ty.clone())).unzip();
                let reads =
                    paths.into_iter().map(|path| self.metadata(path)).collect::<Result<Vec<_>, _>>()?;
                states(module, &reads, &types)?;
                Ok(Callee::Own { module: module.clone(), reads })
            }
            Function::Table(table) => {
                Ok(Callee::Table(value_table::typed(self.types, self.sharing, table, [version, hub])?))
            }
        }
    }

    /// A field of the metadata, from the version's kind. The hub has the same metadata.
    fn metadata(&self, path: &FieldPath) -> Result<ResolvedPath, Refusal> {
        let kind = &self.ruled.ok_or_else(|| "there are no rules".to_owned())?.1.kind.value;
        let root = self.types.api.root(self.version, kind);
        let root = root.ok_or_else(|| format!("{} has no {kind}", self.version))?;
        Ok(resolve(self.types, root, &path.0)?)
    }

    /// One of our own functions.
    fn named(&self, name: &str, version: &[ResolvedPath], hub: &[ResolvedPath]) -> Result<Callee, Refusal> {
        let found = RuleFunction::find(name).ok_or_else(|| {
            let names: Vec<&str> = OF_RULES.iter().map(|function| function.name).collect();
            Refusal {
                message: format!("unknown function `{name}`"),
                help: format!("name one of {}, or a module of your own code with `module`", names.join(", ")),
            }
        })?;
        takes(name, version, found.version)?;
        takes(name, hub, found.hub)?;
        if let (Some(own), Some(hub)) = (version.first(), hub.first())
            && found.version.first() == Some(&Parameter::Object)
            && !self.sharing.same(&own.field().ty, &hub.field().ty)
        {
            return Err(format!("`{name}` needs the same type on both sides").into());
        }
        Ok(Callee::Named { name: name.to_owned(), exact: found.is_exact })
    }
}

/// Checks the types that a rule states for the fields of one side.
fn states(module: &str, paths: &[ResolvedPath], types: &[PlainType]) -> Result<(), Refusal> {
    for (path, stated) in paths.iter().zip(types) {
        match PlainType::from_field(path.field()) {
            Some(ty) if ty.is(stated) => {}
            Some(ty) => {
                return Err(Refusal {
                    message: format!("the rule states that {path} is {stated}, but it is {ty}"),
                    help: format!("write `{ty}`, and use this type in the functions of `{module}`"),
                });
            }
            None => {
                return Err(Refusal {
                    message: format!("functions cannot take {path}, which is {}", path.field().ty),
                    help: format!("name fields of other types: {}", PlainType::EXPECTED),
                });
            }
        }
    }
    Ok(())
}

/// Checks the types of the fields that a rule passes to one of our own functions.
fn takes(name: &str, paths: &[ResolvedPath], types: &[Parameter]) -> Result<(), String> {
    if paths.len() != types.len() {
        let types: Vec<String> = types.iter().map(Parameter::to_string).collect();
        return Err(format!("`{name}` needs {}; the rule names {} fields", types.join(", "), paths.len()));
    }
    match paths.iter().zip(types).find(|(path, ty)| !ty.fits(path.field())) {
        Some((path, ty)) => Err(format!("`{name}` needs {ty}; {path} is {}", type_of(path.field()))),
        None => Ok(()),
    }
}

/// The type of a field, in Rust if it is plain.
fn type_of(field: &Field) -> String {
    PlainType::from_field(field).map_or_else(|| field.ty.to_string(), |ty| ty.to_string())
}
