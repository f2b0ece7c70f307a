//! Empty values, as constants.

use std::collections::BTreeMap;

use super::{OrArray, OrBool, OrStrings, Strings};
use crate::json::Raw;
use crate::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};
use crate::{Str, StrMap};

/// A type with an empty value that is a constant.
///
/// New objects are copies of a constant: a function that makes one field by field would be
/// compiled for every type. `#[derive(ApiType)]` implements it.
///
/// # Safety
/// `STATIC` refers to a constant, which owns nothing, so that each copy of its bytes is a value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no constant empty value, which a field of an API type needs",
    note = "use `Option<Box<T>>` instead of `Box<T>`",
    note = "add `#[derive(ApiType)]` to your own types"
)]
#[allow(unsafe_code, reason = "safe code copies the bytes of the constant")]
pub unsafe trait Empty: Sized + 'static {
    /// The empty value.
    const EMPTY: Self;

    /// A reference to the empty value, which can be copied byte by byte.
    const STATIC: &'static Self;
}

macro_rules! empty {
    ($([$($generics:ident),*] $rust:ty = $value:expr),* $(,)?) => {$(
        // SAFETY: both are the same constant.
        #[allow(unsafe_code, reason = "the promise of the trait")]
        unsafe impl<$($generics: 'static),*> Empty for $rust {
            const EMPTY: Self = $value;
            const STATIC: &'static Self = &$value;
        }
    )*};
}

empty! {
    [] bool = false,
    [] i32 = 0,
    [] i64 = 0,
    [] f32 = 0.0,
    [] f64 = 0.0,
    [] u16 = 0,
    [] u32 = 0,
    [] u64 = 0,
    [] Str = Self::new(),
    [] String = Self::new(),
    [] Time = Self(jiff::Timestamp::UNIX_EPOCH),
    [] MicroTime = Self(jiff::Timestamp::UNIX_EPOCH),
    [] Duration = Self(0),
    [] Quantity = Self::ZERO,
    [] IntOrString = Self::Int(0),
    [] Raw = Self::NULL,
    [] Strings = Self(Vec::new()),
    [T] Option<T> = None,
    [T] Vec<T> = Self::new(),
    [T] StrMap<T> = Self::new(),
    [K, T] BTreeMap<K, T> = Self::new(),
    [T] OrBool<T> = Self::Bool(false),
    [T] OrArray<T> = Self::Array(Vec::new()),
    [T] OrStrings<T> = Self::Strings(Vec::new()),
}
