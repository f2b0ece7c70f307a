//! What expressions can name.

use crate::cel::ast::Name;
use crate::cel::shape::{Objects, Shape, escape, is_reserved};
use crate::cel::types::Type;

/// The name of the type of the value that rules are about. Upstream makes up another one each time.
const SELF_TYPE: &str = "selfType";

/// What expressions can name, besides the functions of Kubernetes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    variables: Vec<(Name, Type)>,
    objects: Objects,
    is_new: bool,
}

impl Environment {
    /// The variables of rules in a schema: `self` is a value of this shape, and `oldSelf` the one that it replaces,
    /// optional or not. New expressions may call only what a server of the version before understands, too.
    pub(crate) fn of_rules(shape: &Shape, has_optional_old: bool, is_new: bool) -> Self {
        let mut objects = Objects::new();
        let ty = shape.ty(SELF_TYPE, &mut objects);
        let old = if has_optional_old { Type::optional(ty.clone()) } else { ty.clone() };
        Self { variables: vec![("self".into(), ty), ("oldSelf".into(), old)], objects, is_new }
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&Type> {
        self.variables.iter().find(|(found, _)| **found == *name).map(|(_, ty)| ty)
    }

    /// The type of a field of an object type.
    pub(crate) fn field(&self, object: &str, field: &str) -> Option<&Type> {
        let fields = self.objects.get(object)?;
        // A word that CEL reserves can be a field as it is.
        fields.get(field).or_else(|| fields.get(&escape(field).filter(|_| is_reserved(field))?))
    }

    pub(crate) fn is_new(&self) -> bool {
        self.is_new
    }
}
