//! CustomResourceDefinitions as files of a folder.

use std::path::{Path, PathBuf};

use hubgen_model::{Api, GroupVersion, Origin, Version};
use hubgen_validation::definition::{Object, objects};
use hubgen_yaml as yaml;
use serde_json::Value;

use crate::Diagnostic;
use crate::crd::definitions;
use crate::folder::{Changes, Files, Folder, PART};
use crate::generated::Generator;
use crate::project::Project;
use crate::schema::Sources;

/// The files of the definitions of all kinds: `<plural>.<group>.yaml`, in YAML as kubectl and controller-gen
/// write it.
///
/// # Errors
/// Those of [`definitions`].
pub fn files(api: &Api, project: &Project, generator: &Generator) -> Result<Files, Vec<Diagnostic>> {
    let written = |(name, definition): (String, Value)| {
        let group = definition["spec"]["group"].as_str().unwrap_or_default();
        let is_source = |(name, version): (&GroupVersion, &Version)| {
            name.group == group && version.origin == Origin::Written
        };
        let origin = match &project.source {
            Some(source) if api.own_versions().any(is_source) => source.path.clone(),
            _ => project.schemas.join(group),
        };
        let origin = origin.display().to_string().replace('\\', "/");
        let text = format!("# {}\n{}", generator.first_line(&origin), yaml::from_value(&definition));
        (file(&name), text)
    };
    let sources = Sources::new(project.root.join(&project.schemas));
    let definitions = definitions(api).map_err(|faults| sources.locate_all(faults))?;
    Ok(definitions.into_iter().map(written).collect())
}

/// The file of a definition with this `metadata.name`.
fn file(name: &str) -> PathBuf {
    PathBuf::from(format!("{name}.yaml"))
}

/// The names of the definitions in a file of people. Nothing is wrong with a file that is not YAML.
fn names(text: &str) -> Vec<String> {
    let documents = yaml::documents(text).map_while(Result::ok);
    let values = documents.filter_map(|document| serde_json::from_slice::<Value>(&document.json).ok());
    let names = values.flat_map(|value| {
        let objects = objects(&value).into_iter().filter(Object::is_definition);
        objects
            .filter_map(|object| Some(object.json["metadata"]["name"].as_str()?.to_owned()))
            .collect::<Vec<_>>()
    });
    names.collect()
}

/// Why a file of people cannot stay beside the definitions; `None` if it can.
fn objection(path: &Path, text: &str, files: &Files) -> Option<String> {
    if files.contains_key(path) {
        return Some("a generated file would replace this one, which was not generated".to_owned());
    }
    if !["yaml", "yml", "json"].into_iter().any(|extension| has(path, extension)) {
        return None;
    }
    let name = names(text).into_iter().find(|name| files.contains_key(&file(name)))?;
    Some(format!("this file was not generated, and defines {name}, as a generated file would"))
}

fn has(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// What has to change in the folder of definitions so that it contains these files, and no others that the
/// generator wrote. Files of people are left alone.
///
/// # Errors
/// - For each file that the generator did not write and that would be replaced, or that contains one of the
///   definitions: somebody would apply both.
/// - If a newer version of the tool wrote one of the files.
pub fn changes<'a>(
    files: &'a Files,
    project: &Project,
    generator: &Generator,
) -> Result<Changes<'a>, Vec<Diagnostic>> {
    let folder = project.root.join(&project.crds);
    let mut there = Folder::read(&folder)?;
    // An earlier run may have been interrupted while writing a file.
    let is_part = |path: &Path| has(path, PART) && files.contains_key(&path.with_extension(""));
    let mut errors = Vec::new();
    there.files.retain(|path, text| {
        let is_own = is_part(path) || generator.wrote(text);
        if let Some(message) = objection(path, text, files).filter(|_| !is_own) {
            let help = "move it elsewhere, or choose another folder with `crds` in hubgen.toml";
            errors.push(Diagnostic::file(folder.join(path), message, help));
        }
        is_own
    });
    if !errors.is_empty() {
        return Err(errors);
    }
    generator.refuse_newer(&there).map_err(|error| vec![error])?;
    Ok(there.changes(files))
}
