//! Runs a program over reflection, op by op.

use std::any::Any;

use hubgen_machinery::StrMap;
use hubgen_machinery::convert::{self, ConvertError, Functions, is_unset, join, split};
use hubgen_machinery::json::Raw;
use hubgen_machinery::reflect::{Lent, List, Map, Reflect, Scalar, Slot, SlotMut, copy_slot, slots_equal};
use hubgen_machinery::scalar::IntOrString;
use hubgen_model::TypeId;
use hubgen_plan::program::Program;
use hubgen_plan::program::ops::{Absence, Each, FieldCopy, First, Op, Rest, When};
use hubgen_plan::{Direction, Mapping, ResolvedPath};

use crate::access::{IsAbsent, clear_if_unset, field_mut, field_of, is_set, read, set_text, text, write};
use crate::value::Values;
use crate::{element, function};

/// The programs of a version, and the functions that they call.
#[derive(Clone, Copy)]
pub(crate) struct Programs<'a> {
    pub(crate) mapping: &'a Mapping,
    /// Those of the user's own code.
    pub(crate) functions: &'a Functions,
    /// The object whose metadata functions read; `None` where none of them does.
    pub(crate) whole: Option<&'a dyn Reflect>,
}

impl Values for Programs<'_> {
    fn object(
        &self,
        (version, hub): (&TypeId, &TypeId),
        from: &dyn Reflect,
        to: &mut dyn Reflect,
        direction: Direction,
    ) -> Result<(), ConvertError> {
        let key = (version.clone(), hub.clone());
        let pair = self.mapping.pairs.get(&key);
        let pair = pair.unwrap_or_else(|| panic!("{version} does not convert to {hub}"));
        run(*self, pair.program(direction), from, to, direction)
    }
}

fn run(
    programs: Programs<'_>,
    program: &Program,
    from: &dyn Reflect,
    to: &mut dyn Reflect,
    direction: Direction,
) -> Result<(), ConvertError> {
    let mut opened = from.boxed_copy();
    for path in &program.opened {
        if read(&*opened, path).is_absent() {
            write(&mut *opened, path).present();
        }
    }
    let mut run =
        Run { programs, direction, original: from, source: opened, target: to, present: Vec::new() };
    program.ops.iter().try_for_each(|op| run.op(op))?;
    run.close(program);
    Ok(())
}

struct Run<'a> {
    programs: Programs<'a>,
    direction: Direction,
    /// The object to convert.
    original: &'a dyn Reflect,
    /// A copy of it, with the objects that the program opens.
    source: Box<dyn Reflect>,
    target: &'a mut dyn Reflect,
    /// Objects of the target that exist because an element of theirs does.
    present: Vec<&'a ResolvedPath>,
}

impl<'a> Run<'a> {
    fn op(&mut self, op: &'a Op) -> Result<(), ConvertError> {
        match op {
            Op::Copy(copy) => self.copy(copy)?,
            // It is set last, if the object around it is present.
            Op::Word { .. } => {}
            // Nothing reads the field, and the target has none for it.
            Op::Drop { .. } => {}
            Op::Call { function, from, to, .. } => {
                let call = function::Call {
                    own: self.programs.functions,
                    whole: self.programs.whole,
                    callee: function,
                    direction: self.direction,
                    original: self.original,
                };
                call.apply((from, &*self.source), (to, self.target))?;
            }
            Op::Split { from, number, name } => {
                let value = scalar(&read(&*self.source, from)).cloned().unwrap_or_default();
                let (first, second) = split(value);
                if let SlotMut::Int32(slot) = write(self.target, number).present() {
                    *slot = first;
                }
                set_text(write(self.target, name), &second);
                for path in [number, name].into_iter().filter(|path| path.may_be_absent()) {
                    clear_if_unset(self.target, path);
                }
            }
            Op::Join { number, name, to } => {
                let number = match read(&*self.source, number) {
                    Slot::Int32(number) => number,
                    _ => 0,
                };
                let joined = join(number, text(&*self.source, name).into());
                copy_slot(&Slot::Scalar(&joined), write(self.target, to).present());
                if to.may_be_absent() {
                    clear_if_unset(self.target, to);
                }
            }
            Op::ToElement { list, element } => {
                let value = read(self.original, &element.field);
                let is_empty = element.is_absent_where_empty() && is_unset(false, &value);
                if !value.is_absent()
                    && !is_empty
                    && let SlotMut::List(list) = write(self.target, list).present()
                    && let SlotMut::Struct(target) = list.push()
                {
                    element::make(element, target, &value);
                }
            }
            Op::FromElement { list, element, present } => {
                if let Slot::List(list) = read(&*self.source, list)
                    && let Some(at) = element::position(element, list)
                    && let Slot::Struct(found) = list.get(at)
                    && let Some(value) = element::value(element, found)
                {
                    copy_slot(&value, write(self.target, &element.field).present());
                    self.present.extend(present);
                }
            }
            Op::Spread { list, first, each } => self.spread(list, first, each)?,
            Op::Gather { list, first, each } => self.gather(list, first, each)?,
            Op::Rest(rest) => self.rest(rest),
        }
        Ok(())
    }

    /// Copies the value of one field into another.
    fn copy(&mut self, copy: &FieldCopy) -> Result<(), ConvertError> {
        let slot = read(&*self.source, &copy.from);
        if matches!(slot, Slot::Null)
            && copy.to.field().is_nullable()
            && copy.absence != Absence::EmptyIsAbsent
        {
            write(self.target, &copy.to).set_null();
            return Ok(());
        }
        if copy.absence == Absence::Never && self.is_opened(&copy.from) {
            return Ok(());
        }
        if slot.is_absent() {
            // If the target should become an empty object, the program has opened the source.
            return Ok(());
        }
        self.programs
            .value(&copy.value, &slot, write(self.target, &copy.to).present(), self.direction)
            .map_err(|error| error.below(&copy.from.to_string()))?;
        if matches!(copy.absence, Absence::WhereEmpty | Absence::EmptyIsAbsent) {
            clear_if_unset(self.target, &copy.to);
        }
        Ok(())
    }

    /// Whether an object around a field is absent, and reads as an empty one.
    fn is_opened(&self, field: &ResolvedPath) -> bool {
        field.parents().any(|parent| read(self.original, &parent).is_absent())
    }

    fn spread(&mut self, list: &FieldCopy, first: &[First], each: &[Each]) -> Result<(), ConvertError> {
        self.copy(list)?;
        let SlotMut::List(list) = write(self.target, &list.to).present() else { return Ok(()) };
        for first in first {
            let value = text(&*self.source, &first.field);
            if list.is_empty()
                && !value.is_empty()
                && let SlotMut::Struct(target) = list.push()
            {
                set_text(field_mut(target, &first.element.name), value);
                for field in &first.set {
                    if let SlotMut::Bool(slot) = field_mut(target, &field.name) {
                        *slot = true;
                    }
                }
            }
        }
        for each in each {
            let value = read(&*self.source, &each.field);
            // Without a common value, each element keeps its own.
            if value.is_absent() || !each.field.may_be_absent() && is_unset(false, &value) {
                continue;
            }
            for index in 0..list.len() {
                let SlotMut::Struct(target) = list.get_mut(index) else { continue };
                field_mut(target, &each.element.name).clear();
                let slot = field_mut(target, &each.element.name).present();
                self.programs.value(&each.value, &value, slot, self.direction)?;
            }
        }
        Ok(())
    }

    /// Copies unknown fields, of which some are fields of the other type.
    fn rest(&mut self, rest: &Rest) {
        // Both the map and fields beside it are written.
        let mut map = StrMap::<Raw>::new();
        let unknown: &mut dyn Map = Lent::new_mut(&mut map);
        if let Slot::Map(source) = read(&*self.source, &rest.from) {
            source.visit(&mut |key, slot| copy_slot(&slot, unknown.entry(key)));
        }
        for place in &rest.given {
            let value = read(&*self.source, place);
            convert::into_rest_any(unknown, &place.field().name, place.may_be_absent(), &value);
        }
        for place in &rest.taken {
            let name = &place.field().name;
            if let Some(index) = self.target.position(name) {
                convert::from_rest_any(unknown, name, self.target, index);
            }
        }
        if self.direction == Direction::FromHub {
            unknown.retain(&mut |key| rest.conflicts().all(|name| name != key));
        }
        copy_slot(&Slot::Map(unknown), write(self.target, &rest.to));
    }

    fn gather(&mut self, list: &FieldCopy, first: &[First], each: &[Each]) -> Result<(), ConvertError> {
        for each in each {
            let SlotMut::List(list) = write(&mut *self.source, &list.from).present() else { continue };
            if !agree(list, &each.element.name) {
                continue;
            }
            if let Slot::Struct(object) = list.get(0) {
                let value = field_of(object, &each.element.name);
                if !value.is_absent() {
                    let slot = write(self.target, &each.field).present();
                    self.programs.value(&each.value, &value, slot, self.direction)?;
                }
            }
            for index in 0..list.len() {
                if let SlotMut::Struct(object) = list.get_mut(index) {
                    field_mut(object, &each.element.name).clear();
                }
            }
        }
        for first in first {
            if let Slot::List(list) = read(&*self.source, &list.from)
                && !list.is_empty()
                && let Slot::Struct(object) = list.get(0)
            {
                copy_slot(&field_of(object, &first.element.name), write(self.target, &first.field));
            }
        }
        self.copy(list)
    }

    /// Creates or clears optional objects: they exist if a field in them has a value.
    fn close(self, program: &Program) {
        for parent in &program.parents {
            let is_there = match &parent.when {
                When::Filled | When::EmptyIsAbsent(_) => false,
                When::With(source) | When::OnlyWith(source) => !read(self.original, source).is_absent(),
                When::Always => true,
            };
            if is_there || self.present.contains(&&parent.path) {
                write(self.target, &parent.path).present();
            } else if matches!(parent.when, When::OnlyWith(_)) {
                write(self.target, &parent.path).clear();
            } else {
                clear_if_unset(self.target, &parent.path);
            }
        }
        for op in &program.ops {
            let Op::Word { to, cases, otherwise } = op else { continue };
            if to.parents().all(|parent| !read(self.target, &parent).is_absent()) {
                let case = cases.iter().find(|(path, _)| is_set(self.original, path));
                set_text(write(self.target, to), case.map_or(otherwise, |(_, word)| word));
            }
        }
    }
}

/// Whether the list has elements and a field is equal in all of them.
fn agree(list: &dyn List, name: &str) -> bool {
    let value = |index| match list.get(index) {
        Slot::Struct(object) => field_of(object, name),
        _ => Slot::Absent,
    };
    !list.is_empty() && (1..list.len()).all(|index| slots_equal(&value(index), &value(0)))
}

fn scalar<'a>(slot: &Slot<'a>) -> Option<&'a IntOrString> {
    let Slot::Scalar(value) = slot else { return None };
    let value: &'a dyn Scalar = *value;
    (value as &dyn Any).downcast_ref()
}
