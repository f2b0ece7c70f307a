//! The fields that upstream keeps in annotations.

use hubgen_model::rules::{Annotation, At, FieldPath, Form, Rule};
use hubgen_model::{Type, TypeExpr};

use super::path::resolve;
use super::{Kept, Mapper, Mapping, Op};

impl<'a> Mapper<'a> {
    /// Resolves the fields that upstream keeps in annotations.
    pub(super) fn keep_all(&mut self, hub: &'a Type) {
        let Some((_, rules)) = self.ruled else { return };
        let Some(own) = rules.versions.get(self.version) else { return };
        let like = own.like.as_ref().and_then(|like| rules.versions.get(&like.value));
        for version in like.into_iter().chain([own]) {
            let elements: Vec<&FieldPath> = version.rules.iter().filter_map(list_of_element).collect();
            for rule in &version.rules {
                let Rule::Keep { path, annotation: Some(annotation) } = &rule.value else { continue };
                let shows_element = elements.contains(&path);
                match self.kept(hub, path, annotation, shows_element) {
                    Ok(kept) => {
                        self.showing.extend(shows_element.then_some(self.mapping.kept.len()));
                        self.mapping.kept.push(kept);
                    }
                    Err(message) => self.problem(
                        rule,
                        path,
                        message,
                        "`as` is \"text\" for a scalar, \"internal\" for an object, \"zero\" for an optional number, or a version of the family",
                    ),
                }
            }
            for rule in own.types.values().flat_map(|(_, rules)| rules) {
                if let Rule::Keep { path, annotation: Some(_) } = &rule.value {
                    self.problem(
                        rule,
                        path,
                        "an annotation belongs to the whole object, but the type may occur in it several times",
                        "move the rule to the version's own table, with the path from the kind",
                    );
                }
            }
        }
    }

    fn kept(
        &mut self,
        hub: &'a Type,
        path: &FieldPath,
        annotation: &Annotation,
        shows_element: bool,
    ) -> Result<Kept, String> {
        let resolved = resolve(self.types, hub, &path.0)?;
        if let Some(field) = resolved.0.iter().find(|field| field.is_nullable()) {
            return Err(format!("an annotation cannot keep the `null` of `{}`", field.name));
        }
        let ty = &resolved.field().ty;
        let plain = [TypeExpr::String, TypeExpr::Int32, TypeExpr::Int64, TypeExpr::Bool, TypeExpr::Quantity];
        let via = match (&annotation.form, ty) {
            (Form::Text, ty) if plain.contains(ty) => None,
            (Form::Internal, TypeExpr::Ref(_)) => None,
            (Form::Zero, TypeExpr::Int32 | TypeExpr::Int64) if resolved.may_be_absent() => None,
            (Form::Version(other), _) => {
                let kind = &self.ruled.ok_or("there are no rules")?.1.kind.value;
                let root =
                    self.types.api.root(other, kind).ok_or_else(|| format!("{other} has no {kind}"))?;
                let own = resolve(self.types, root, &path.0)?.field().ty.clone();
                let is_json = matches!(&own, TypeExpr::Ref(_))
                    || matches!(&own, TypeExpr::List(inner) if matches!(**inner, TypeExpr::Ref(_)));
                if !is_json {
                    return Err(format!(
                        "`{path}` is {own} in {other}; its JSON can only be kept of an object or a list of objects"
                    ));
                }
                let mut mapper = Mapper::new(self.types, self.sharing, self.ruled, other);
                mapper.locate_all(root, hub);
                let value = mapper
                    .value(&own, ty, "")
                    .ok_or_else(|| format!("`{path}` is {own} in {other}, but {ty} in the hub"))?;
                Some((other.clone(), own, value))
            }
            (form, ty) => return Err(format!("{ty} cannot be kept as {form}")),
        };
        if shows_element && !matches!(ty, TypeExpr::List(_)) {
            return Err(format!("`{path}` is {ty}; `element` needs a list"));
        }
        Ok(Kept { path: resolved, annotation: annotation.clone(), via, shown: None })
    }

    /// Resolves which element of a kept list is a field of the version. Runs once the ops
    /// are known.
    pub(super) fn show_elements(&mut self) {
        let Mapping { pairs, kept, .. } = &mut self.mapping;
        for at in std::mem::take(&mut self.showing) {
            let kept = &mut kept[at];
            let ops = pairs.values().flat_map(|pair| &pair.from_hub.ops);
            let mut shown = ops.filter_map(|op| match op {
                Op::FromElement { list, element, .. } if kept.path.ends_with(list) => Some(element.clone()),
                _ => None,
            });
            kept.shown = shown.next();
        }
    }
}

fn list_of_element(rule: &At<Rule>) -> Option<&FieldPath> {
    match &rule.value {
        Rule::Element { list, .. } => Some(list),
        _ => None,
    }
}
