//! Writes the types of schemas as Rust source that users own from then on, instead of the schemas.
//!
//! What is written is read again before anything changes: a model that is not the same is an error, so that nothing is
//! lost silently.

mod roots;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io, process};

use hubgen_documents::folder::{Files, Folder};
use hubgen_documents::project::{self, Output, Project};
use hubgen_documents::schema::Carried;
use hubgen_documents::{Diagnostic, boxes};
use hubgen_model::{Api, Field, GroupVersion, Origin, RustName, Type, TypeBody};
use hubgen_plan::sharing::Sharing;

use crate::boxed::Boxed;
use crate::check::Texts;
use crate::emit::{self, Context, Elsewhere, Homes};
use crate::enums::Enums;
use crate::generate::{self, Inputs};
use crate::naming::field_name;
use crate::rust::Written;
use crate::target::Target;

/// Source of the types of a repository, and what it replaces.
pub struct Adopted {
    folder: Folder,
    wanted: Files,
    /// The files of the source, below the root of the repository.
    pub source: Vec<PathBuf>,
    /// The schemas and the generated code that are removed.
    pub removed: Vec<PathBuf>,
    /// What the schemas specify and the source does not: descriptions only. Besides, what every object has, and a
    /// schema does not list.
    pub warnings: Vec<Diagnostic>,
}

impl Adopted {
    /// Changes the repository.
    ///
    /// # Errors
    /// If a file cannot be written, replaced or removed.
    pub fn write(self) -> Result<(), Diagnostic> {
        self.folder.changes(&self.wanted).write()
    }
}

/// Makes source of the schemas of a repository. Nothing is written.
///
/// # Errors
/// All errors in schemas and rules, files that the source would replace, and what attributes in Rust cannot specify.
pub fn adopt(project: &Project, carried: &Carried<'_>) -> Result<Adopted, Vec<Diagnostic>> {
    let target = Target::project(project);
    let file = project.root.join(project::FILE);
    if project.source.is_some() {
        let help = "there is nothing to do: change the types in that module";
        return Err(vec![Diagnostic::file(file, "the types are in Rust already (`source`)", help)]);
    }
    let Output::Modules(_) = &project.output else {
        let help = "remove `crates`, and generate modules first: types in your source are in your crate";
        return Err(vec![Diagnostic::file(file, "code is generated as crates", help)]);
    };
    let schemas = project.root.join(&project.schemas);
    let (api, texts, mut warnings) = source(&schemas, carried, &target)?;
    let config = config(&file, project)?;
    warnings.extend(verify(&api, &texts, &config, project, carried)?);
    let names: Vec<PathBuf> = api.own_versions().map(|(name, _)| schema_file(project, name)).collect();
    let mut folder = Folder { root: project.root.clone(), files: Files::new() };
    let generated = Folder::read(&project.root.join(&project.out))?;
    target.generator.refuse_newer(&generated).map_err(|error| vec![error])?;
    let foreign = generated.files.iter().filter(|(_, text)| !target.generator.wrote(text));
    let foreign: Vec<Diagnostic> = foreign
        .map(|(path, _)| {
            let help = "move it elsewhere: the folder becomes the source of your types";
            Diagnostic::file(
                project.out.join(path),
                "this file is among generated files, but was not generated",
                help,
            )
        })
        .collect();
    if !foreign.is_empty() {
        return Err(foreign);
    }
    folder.files.extend(generated.files.into_iter().map(|(path, text)| (project.out.join(path), text)));
    // Which types are boxed is in the source from then on.
    let decisions = project.schemas.join(boxes::FILE);
    for path in names.into_iter().chain([decisions, PathBuf::from(project::FILE)]) {
        match fs::read_to_string(project.root.join(&path)) {
            Ok(text) => drop(folder.files.insert(path, text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let message = format!("cannot be read: {error}");
                return Err(vec![Diagnostic::file(path, message, "check its permissions")]);
            }
        }
    }
    let source: Vec<PathBuf> = texts.keys().map(|path| project.out.join(path)).collect();
    let mut wanted: Files = source.iter().cloned().zip(texts.into_values()).collect();
    wanted.insert(PathBuf::from(project::FILE), config);
    let removed = folder.files.keys().filter(|path| !wanted.contains_key(*path)).cloned().collect();
    Ok(Adopted { folder, wanted, source, removed, warnings })
}

/// The schema of a version, below the root.
fn schema_file(project: &Project, name: &GroupVersion) -> PathBuf {
    project.schemas.join(name.group_or_core()).join(format!("{}.json", name.version))
}

/// The model of the schemas, its types as source, and warnings.
fn source(
    schemas: &Path,
    carried: &Carried<'_>,
    target: &Target,
) -> Result<(Api, Files, Vec<Diagnostic>), Vec<Diagnostic>> {
    let Inputs { mut api, rules, defaults, .. } = generate::read(schemas, carried, target)?;
    let warnings = roots::complete(&mut api);
    for version in api.versions.values_mut().filter(|version| version.origin == Origin::Generated) {
        version.origin = Origin::Written;
    }
    let plan = hubgen_plan::build(&api, &rules.rules).map_err(|problems| rules.diagnostics(problems))?;
    let mut decisions = carried.boxes()?;
    let own = boxes::read(&schemas.join(boxes::FILE))?;
    decisions.extend(own.as_ref().map(boxes::Document::boxes).unwrap_or_default());
    let (types, sharing) = (plan.types(&api), Sharing::default());
    let enums = if target.enums {
        Enums::of_versions(types, &sharing, &plan.conversions)
    } else {
        Enums::constants_only(&sharing, &Written::default())
    };
    let context = Context {
        homes: &Homes::new(target, &api),
        api: &api,
        sharing: &sharing,
        boxed: &Boxed::find(types, &sharing, &decisions, &Written::default()),
        enums: &enums,
        texts: &Texts::default(),
        elsewhere: &Elsewhere::default(),
        defaults: &defaults,
        is_owned: true,
    };
    let files = emit::owned_files(context.homes, &context)
        .map_err(|error| vec![Diagnostic::message(error.to_string(), "this is a bug in the emitter")])?;
    Ok((api, files, warnings))
}

/// The text of `hubgen.toml` with the source.
fn config(file: &Path, project: &Project) -> Result<String, Vec<Diagnostic>> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            let message = format!("cannot be read: {error}");
            return Err(vec![Diagnostic::file(file, message, "check its permissions")]);
        }
    };
    // The folder of generated code follows from that of the source.
    let is_place = |line: &&str| {
        let key = line.split('=').next().unwrap_or_default().trim();
        line.contains('=') && ["out", "module"].contains(&key)
    };
    let end = text.lines().take_while(|line| !line.trim_start().starts_with('[')).count();
    let (top, tables): (Vec<_>, Vec<_>) = text.lines().enumerate().partition(|(at, _)| *at < end);
    let path = project.out.display().to_string().replace('\\', "/");
    let mut lines: Vec<String> =
        top.into_iter().map(|(_, line)| line).filter(|line| !is_place(line)).map(str::to_owned).collect();
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines.push(format!("source = {path:?}"));
    if !tables.is_empty() {
        lines.push(String::new());
    }
    lines.extend(tables.into_iter().map(|(_, line)| line.to_owned()));
    Ok(lines.join("\n") + "\n")
}

/// A folder that is removed again.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("hubgen-adopt-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It is among temporary files, which the system removes otherwise.
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Checks that the source has the same model. Returns what only descriptions differ in.
fn verify(
    api: &Api,
    files: &Files,
    config: &str,
    project: &Project,
    carried: &Carried<'_>,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let failed = |error: io::Error| {
        let help = "check permissions and free space of the folder of temporary files";
        vec![Diagnostic::message(format!("the source cannot be checked: {error}"), help)]
    };
    let scratch = Scratch::new().map_err(failed)?;
    let mut all: Files = files.iter().map(|(path, text)| (project.out.join(path), text.clone())).collect();
    all.insert(PathBuf::from(project::FILE), config.to_owned());
    Folder { root: scratch.0.clone(), files: Files::new() }
        .changes(&all)
        .write()
        .map_err(|error| vec![error])?;
    // Errors name the files as they would be. Nobody can correct these, as they do not exist.
    let renamed = |mut errors: Vec<Diagnostic>| {
        for error in &mut errors {
            if let Ok(path) = error.file.strip_prefix(&scratch.0) {
                error.file = project.root.join(path);
                error.help = format!("this is what the file would have, and nothing was written: {HELP}");
            }
        }
        errors
    };
    let again = Project::read(&scratch.0.join(project::FILE)).map_err(renamed)?;
    let target = Target::project(&again);
    let schemas = scratch.0.join(&again.schemas);
    let found = generate::api(&schemas, carried, &target).map_err(renamed)?;
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for (name, version) in api.own_versions() {
        let names = version.types.keys();
        let others = found.versions.get(name).into_iter().flat_map(|version| version.types.keys());
        let mut names: Vec<&String> = names.chain(others).collect();
        names.sort();
        names.dedup();
        for ty in names {
            let [expected, found] = [api, &found].map(|api| {
                api.versions.get(name).and_then(|version| version.types.get(ty)).cloned().map(named)
            });
            let what = format!("{name} {ty}");
            match (expected, found) {
                (Some(expected), Some(found)) => {
                    compare(&what, &expected, &found, &mut errors, &mut warnings)
                }
                _ => errors.push(Diagnostic::message(format!("{what} is not the same type in Rust"), HELP)),
            }
        }
    }
    if errors.is_empty() { Ok(warnings) } else { Err(errors) }
}

const HELP: &str = "keep the schemas, or change them to what attributes can specify";

/// A type in which all fields have their names in Rust.
fn named(mut ty: Type) -> Type {
    let TypeBody::Struct(fields) = &mut ty.body;
    for field in fields {
        field.rust_name = RustName::Written(field_name(field));
    }
    ty
}

/// Adds how two types differ.
fn compare(
    what: &str,
    expected: &Type,
    found: &Type,
    errors: &mut Vec<Diagnostic>,
    warnings: &mut Vec<Diagnostic>,
) {
    if expected == found {
        return;
    }
    let mut note = |what: String, is_description: bool| {
        let message = format!("attributes in Rust cannot specify {what} as the schema does");
        let error = Diagnostic::message(message, HELP);
        if is_description { warnings.push(error.warning()) } else { errors.push(error) }
    };
    let bare = |ty: &Type| {
        let mut ty = ty.clone();
        ty.description = None;
        if let Some(definition) = ty.kind.as_mut().and_then(|kind| kind.definition.as_mut()) {
            definition.type_meta.values_mut().for_each(|schema| {
                schema.as_object_mut().and_then(|schema| schema.shift_remove("description"));
            });
        }
        ty.body = TypeBody::Struct(Vec::new());
        ty
    };
    let [of_expected, of_found] = [expected, found].map(|ty| bare(ty).kind.and_then(|kind| kind.definition));
    if of_expected.map(|it| it.type_meta) != of_found.map(|it| it.type_meta) {
        note(
            format!("`apiVersion` and `kind` of {what}, which are `type: string` without other keywords,"),
            false,
        );
    } else if bare(expected) != bare(found) {
        note(format!("{what} as a whole"), false);
    } else if bare_fields(expected) != bare_fields(found) {
        note(format!("the names of the fields of {what}"), false);
    } else if expected.description != found.description || expected.kind != found.kind {
        note(format!("the description of {what}, or of its `apiVersion` and `kind`,"), true);
    }
    for (expected, found) in expected.fields().iter().zip(found.fields()).filter(|(a, b)| a != b) {
        let without = |field: &Field| Field { description: None, ..field.clone() };
        let is_description = without(expected) == without(found);
        note(format!("{what}.{}", expected.name), is_description);
    }
}

fn bare_fields(ty: &Type) -> Vec<&str> {
    ty.fields().iter().map(|field| field.name.as_str()).collect()
}
