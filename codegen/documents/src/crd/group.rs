//! What is known about the schemas of one group while types are made of them.

use std::collections::HashMap;

use hubgen_model::{Api, GroupVersion, TypeId};

use super::definition::{Definition, Version};
use super::names::Occurrence;
use super::tree::{Property, Reader, Tree};
use super::{Imported, Objects, Options};
use crate::Diagnostic;

/// The fields that every kind has, of which no schema describes more than names.
pub(super) const OBJECT_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The schema of one version of a definition.
pub(super) struct Root<'a> {
    pub(super) definition: &'a Definition,
    pub(super) version: &'a Version,
    pub(super) reader: Reader,
    /// The properties that become fields.
    pub(super) properties: Vec<Property<'a>>,
}

impl<'a> Root<'a> {
    pub(super) fn new(definition: &'a Definition, version: &'a Version, options: &Options) -> Self {
        let reader = Reader { docs: options.docs, preserves: definition.preserves };
        let mut properties = reader.properties(&version.schema);
        properties.retain(|property| !OBJECT_FIELDS.contains(&property.name));
        Self { definition, version, reader, properties }
    }

    pub(super) fn group_version(&self) -> GroupVersion {
        self.definition.group_version(self.version)
    }
}

/// An object that becomes a type of its own.
pub(super) struct Nested<'a> {
    pub(super) tree: &'a Tree<'a>,
    pub(super) properties: &'a [Property<'a>],
}

/// The types of one group.
pub(super) struct Group<'a, 'o> {
    pub(super) options: &'o Options,
    pub(super) kubernetes: &'o Api,
    pub(super) imported: &'o mut Imported,
    pub(super) errors: &'o mut Vec<Diagnostic>,
    /// Which objects were mapped as the user asked.
    pub(super) used: Vec<Objects>,
    /// The numbers of shapes by their descriptions, each with the number of levels below it.
    pub(super) shapes: HashMap<String, (usize, usize)>,
    /// The levels below each shape.
    pub(super) heights: Vec<usize>,
    pub(super) occurrences: Vec<Occurrence>,
    pub(super) nested: Vec<Nested<'a>>,
    /// The type of each object, by the address of its tree.
    pub(super) types: HashMap<*const Tree<'a>, TypeId>,
}

impl<'o> Group<'_, 'o> {
    pub(super) fn new(
        options: &'o Options,
        kubernetes: &'o Api,
        imported: &'o mut Imported,
        errors: &'o mut Vec<Diagnostic>,
    ) -> Self {
        Self {
            options,
            kubernetes,
            imported,
            errors,
            used: Vec::new(),
            shapes: HashMap::new(),
            heights: Vec::new(),
            occurrences: Vec::new(),
            nested: Vec::new(),
            types: HashMap::new(),
        }
    }
}
