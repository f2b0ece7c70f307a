//! The sizes of values, from what a schema allows.

use super::super::Range;
use super::{Coster, Entries, Local, Path};
use crate::cel::ast::{ACCUMULATOR, Expr, Id, Kind, Literal, Name};
use crate::cel::shape::ShapeKind;
use crate::cel::types::Type;

impl Coster<'_> {
    pub(super) fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| *local.name == *name)
    }

    pub(super) fn path(&self, expr: &Expr) -> Path {
        if let Some(local) = expr.as_ident().and_then(|name| self.local(name)) {
            return local.path.clone();
        }
        self.paths.get(&expr.id).cloned().unwrap_or_default()
    }

    /// The path of an argument; those from accumulators are not known.
    pub(super) fn known_path(&self, expr: &Expr) -> Path {
        let path = self.path(expr);
        if path.first().is_some_and(|first| &**first == ACCUMULATOR) { Path::new() } else { path }
    }

    /// The size that the schema allows at a path.
    pub(super) fn size_at(&self, path: &[Name]) -> Option<Range> {
        let mut shape = self.shape;
        let (_, fields) = path.split_first()?;
        for name in fields {
            shape = match (&**name, &shape.kind) {
                ("@items", ShapeKind::List(of, _)) | ("@values" | "@items", ShapeKind::Map(of)) => of,
                ("@values", ShapeKind::List(of, _)) => of,
                ("@keys", ShapeKind::Map(_)) => return Some(Range::ZERO),
                (name, ShapeKind::Object(_)) => shape.field(name)?,
                _ => return None,
            };
        }
        Some(Range { min: 0, max: shape.max_size })
    }

    /// The size of an expression, if it is known.
    pub(super) fn size(&mut self, expr: &Expr) -> Option<Range> {
        if let Some(size) = self.sizes.get(&expr.id) {
            return Some(*size);
        }
        let exact = match &expr.kind {
            Kind::Literal(Literal::Text(text)) => Some(text.chars().count()),
            Kind::Literal(Literal::Bytes(bytes)) => Some(bytes.len()),
            Kind::Literal(_) => Some(1),
            Kind::List(items) => Some(items.len()),
            Kind::Map(entries) => Some(entries.len()),
            _ => None,
        };
        if let Some(exact) = exact {
            return Some(Range::of(exact as u64));
        }
        if let Some(size) = self.size_at(&self.path(expr)) {
            self.sizes.insert(expr.id, size);
            return Some(size);
        }
        if is_scalar(self.checked.ty(expr.id)) {
            return Some(Range::ONE);
        }
        expr.as_ident().and_then(|name| self.local(name)).and_then(|local| local.size)
    }

    pub(super) fn size_or_unknown(&mut self, expr: &Expr) -> Range {
        self.size(expr).unwrap_or(Range::UNKNOWN)
    }

    /// The size as Kubernetes' libraries ask for it.
    pub(super) fn known_size(&mut self, expr: &Expr) -> Range {
        self.size(expr).or_else(|| self.size_at(&self.known_path(expr))).unwrap_or(Range::UNKNOWN)
    }

    pub(super) fn entries_of(&self, expr: &Expr) -> Option<Entries> {
        if let Some(entries) = self.entries.get(&expr.id) {
            return Some(*entries);
        }
        expr.as_ident().and_then(|name| self.local(name)).and_then(|local| local.entries)
    }

    pub(super) fn copy_sizes(&mut self, to: Id, from: &Expr) {
        if let Some(size) = self.size(from) {
            self.sizes.insert(to, size);
        }
        if let Some(entries) = self.entries_of(from) {
            self.entries.insert(to, entries);
        }
    }
}

fn is_scalar(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => true,
        Type::Optional(value) => is_scalar(value),
        _ => false,
    }
}
