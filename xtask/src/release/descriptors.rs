//! Descriptor sets: the numbers and exact types of fields, from `generated.proto` files.

use std::fs;
use std::path::{Path, PathBuf};

use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

use super::failed;
use super::modules::Module;
use crate::import::{Errors, failed_at};

/// The name of all files with the messages of a package.
const GENERATED: &str = "generated.proto";

/// Compiles the `generated.proto` files of the modules to a `FileDescriptorSet`.
pub fn compile(modules: &[Module]) -> Result<Vec<u8>, Errors> {
    let mut names = Vec::new();
    for module in modules {
        let mut files = Vec::new();
        walk(&module.folder, &mut files)?;
        // Names of imports have `/` everywhere.
        let name = |file: &PathBuf| {
            let below = file.strip_prefix(&module.folder).unwrap_or(file);
            let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
            format!("{}/{}", module.path, parts.join("/"))
        };
        names.extend(files.iter().map(name));
    }
    names.sort();
    let mut resolver = ChainFileResolver::new();
    resolver.add(GoogleFileResolver::new());
    let folders = modules.iter().map(|module| (module.path, module.folder.clone())).collect();
    resolver.add(OfModules(folders));
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(false);
    let compiled = compiler.open_files(&names);
    compiled.map_err(|error| failed(format!("{error:?}"), "give the modules as they are published"))?;
    Ok(compiler.encode_file_descriptor_set())
}

fn walk(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), Errors> {
    let entries = fs::read_dir(folder).map_err(|error| failed_at(folder, "cannot be read", &error))?;
    for entry in entries {
        let path = entry.map_err(|error| failed_at(folder, "cannot be read", &error))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            // Examples, and copies of other modules, are not part of the API.
            if !["vendor", "third_party", "testdata", "testapigroup", "examples"].contains(&name) {
                walk(&path, out)?;
            }
        } else if name == GENERATED {
            out.push(path);
        }
    }
    Ok(())
}

/// Finds `k8s.io/api/apps/v1/generated.proto` in the folder of the module `k8s.io/api`.
struct OfModules(Vec<(&'static str, PathBuf)>);

impl FileResolver for OfModules {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        for (path, folder) in &self.0 {
            let Some(below) = name.strip_prefix(path).and_then(|rest| rest.strip_prefix('/')) else {
                continue;
            };
            let file = folder.join(below);
            let text = fs::read_to_string(&file).map_err(|error| {
                protox::Error::new(std::io::Error::new(error.kind(), format!("{}: {error}", file.display())))
            })?;
            return File::from_source(name, &text);
        }
        Err(protox::Error::file_not_found(name))
    }
}
