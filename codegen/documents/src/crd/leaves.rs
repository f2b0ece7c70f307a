//! Objects that become types of Kubernetes.

use hubgen_model::{Api, Field, Omit, TypeExpr, TypeId};

use super::presence::{self, Absent};
use super::tree::{Property, Shape, Tree};

/// The types of Kubernetes that objects of equal shape become. Each of them writes the same JSON as a
/// type of our own with these fields: what it may omit, it distinguishes from its zero value. Most types
/// of Kubernetes do not, so that `name: ""` would be lost. Types with few fields that any API may have,
/// such as `name` and `value`, are not here: an equal shape would be a coincidence.
const LEAVES: [(&str, &str, &str); 14] = [
    ("meta.k8s.io", "v1", "LabelSelector"),
    ("meta.k8s.io", "v1", "LabelSelectorRequirement"),
    ("", "v1", "Affinity"),
    ("", "v1", "NodeAffinity"),
    ("", "v1", "NodeSelector"),
    ("", "v1", "NodeSelectorRequirement"),
    ("", "v1", "NodeSelectorTerm"),
    ("", "v1", "PodAffinity"),
    ("", "v1", "PodAffinityTerm"),
    ("", "v1", "PodAntiAffinity"),
    ("", "v1", "PreferredSchedulingTerm"),
    ("", "v1", "ResourceRequirements"),
    ("", "v1", "TopologySpreadConstraint"),
    ("", "v1", "WeightedPodAffinityTerm"),
];

/// The type of Kubernetes that an object becomes, if any.
pub(super) fn leaf_type(kubernetes: &Api, properties: &[Property<'_>], absent: Absent) -> Option<TypeId> {
    let types = LEAVES.iter().map(|(group, version, name)| TypeId::new(*group, *version, *name));
    types.into_iter().find(|id| Comparison { kubernetes, absent, exact: true }.object(properties, id))
}

/// Whether an object has the properties of a type, though the type may write other JSON.
pub(super) fn has_shape(kubernetes: &Api, properties: &[Property<'_>], id: &TypeId) -> bool {
    let absent = Absent::default();
    Comparison { kubernetes, absent, exact: false }.object(properties, id)
}

/// Whether an object can become a type, though the type may write other JSON. The type may have more
/// fields.
pub(super) fn fits(kubernetes: &Api, properties: &[Property<'_>], id: &TypeId) -> Result<(), String> {
    let comparison = Comparison { kubernetes, absent: Absent::default(), exact: false };
    let Some(ty) = kubernetes.find(id) else { return Err("there is no such type".to_owned()) };
    for property in properties {
        let Some(field) = ty.field(property.name) else {
            return Err(format!("it has no field `{}`", property.name));
        };
        comparison
            .part(&property.tree, &field.ty)
            .map_err(|message| format!("`{}`: {message}", property.name))?;
    }
    Ok(())
}

/// Whether fields of the same type and presence are written for the same values.
fn omits_the_same(own: &Field, field: &Field) -> bool {
    let is_collection = matches!(own.ty, TypeExpr::List(_) | TypeExpr::Map(_));
    match (own.omit, field.omit) {
        // They write a different empty list.
        (Omit::Exact, Omit::Never) => !is_collection,
        (own, field) => own == field,
    }
}

struct Comparison<'a> {
    kubernetes: &'a Api,
    /// What is the same as an absent field of a type of our own.
    absent: Absent,
    /// Whether both must write the same JSON.
    exact: bool,
}

impl Comparison<'_> {
    fn object(&self, properties: &[Property<'_>], id: &TypeId) -> bool {
        let Some(ty) = self.kubernetes.find(id) else { return false };
        ty.fields().len() == properties.len()
            && properties
                .iter()
                .all(|property| ty.field(property.name).is_some_and(|field| self.field(property, field)))
    }

    fn field(&self, property: &Property<'_>, field: &Field) -> bool {
        let mut own = Field::new(property.name, field.ty.clone());
        own.required = property.required;
        presence::set(&mut own, &property.presence(), self.absent);
        let writes_the_same = own.presence == field.presence && omits_the_same(&own, field);
        property.required == field.required
            && (!self.exact || writes_the_same)
            && self.value(&property.tree, &field.ty)
    }

    /// Whether a value can become a type, of which it may have fewer fields.
    fn part(&self, tree: &Tree<'_>, ty: &TypeExpr) -> Result<(), String> {
        match (&tree.shape, ty) {
            (Shape::List(items), TypeExpr::List(ty)) => self.part(items, ty),
            (Shape::Map(values), TypeExpr::Map(ty)) => self.part(values, ty),
            (Shape::Object(properties), TypeExpr::Ref(id)) => fits(self.kubernetes, properties, id),
            (Shape::Int64, TypeExpr::Int32) => Ok(()),
            _ if self.value(tree, ty) => Ok(()),
            _ => Err(format!("the schema does not describe {ty}")),
        }
    }

    fn value(&self, tree: &Tree<'_>, ty: &TypeExpr) -> bool {
        let format = || tree.node.get("format").and_then(crate::node::Node::str);
        match (&tree.shape, ty) {
            (Shape::Bool, TypeExpr::Bool)
            | (Shape::Int32, TypeExpr::Int32)
            | (Shape::Int64, TypeExpr::Int64)
            | (Shape::Double, TypeExpr::Double)
            | (Shape::String, TypeExpr::String)
            | (Shape::Quantity, TypeExpr::Quantity)
            | (Shape::IntOrString, TypeExpr::IntOrString) => true,
            (Shape::String, TypeExpr::Time | TypeExpr::MicroTime) => {
                !self.exact && format() == Some("date-time")
            }
            (Shape::String, TypeExpr::Bytes) => !self.exact && format() == Some("byte"),
            (Shape::String, TypeExpr::Duration) | (Shape::Raw(..), TypeExpr::Raw(_)) => !self.exact,
            (Shape::List(items), TypeExpr::List(ty)) => self.value(items, ty),
            (Shape::Map(values), TypeExpr::Map(ty)) => self.value(values, ty),
            (Shape::Object(properties), TypeExpr::Ref(id)) => self.object(properties, id),
            _ => false,
        }
    }
}
