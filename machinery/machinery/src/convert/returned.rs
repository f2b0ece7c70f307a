//! What a function of the user's own code returns: its results, or why it refuses its parameters.

use std::fmt::Display;

use super::{ConvertError, Results};
use crate::StrMap;

/// What a function of a rule returns: one value or several as a tuple, or a [`Result`] of these.
#[diagnostic::on_unimplemented(
    message = "a function of a rule cannot return `{Self}`",
    note = "it returns the types that the rule states, as a tuple if they are several, or a `Result` of that whose error \
            implements `Display`"
)]
pub trait Returned {
    /// The value, or the tuple of values.
    type Values;

    /// The values.
    ///
    /// # Errors
    /// The function's own words.
    fn returned(self) -> Result<Self::Values, String>;
}

impl<R: Results> Returned for R {
    type Values = R;

    fn returned(self) -> Result<R, String> {
        Ok(self)
    }
}

impl<R, E: Display> Returned for Result<R, E> {
    type Values = R;

    fn returned(self) -> Result<R, String> {
        self.map_err(|error| error.to_string())
    }
}

/// The results of a function of the user's own code, which the rule for some fields names.
///
/// # Errors
/// When the function refuses them.
///
/// ```
/// use hubgen_machinery::convert::called;
///
/// let days = |days: i32| if days < 0 { Err("days are not negative") } else { Ok(days * 24) };
/// assert_eq!(called("crate::days", &["spec.days"], days(2)), Ok(48));
/// let error = called("crate::days", &["spec.days"], days(-1)).unwrap_err();
/// assert_eq!(error.to_string(), "spec.days: crate::days: days are not negative");
/// ```
pub fn called<R: Returned>(module: &str, fields: &[&str], returned: R) -> Result<R::Values, ConvertError> {
    returned.returned().map_err(|message| ConvertError::Refused {
        paths: fields.iter().map(|field| (*field).to_owned()).collect(),
        function: module.to_owned(),
        message,
    })
}

/// The same, with an error of a field as the object around the field sees it. `path` is that of the field.
///
/// # Errors
/// The same.
pub fn at<T>(path: &str, converted: Result<T, ConvertError>) -> Result<T, ConvertError> {
    converted.map_err(|error| error.below(path))
}

/// Converts the elements of a list by functions that may fail.
///
/// # Errors
/// The first error, with the element's index.
pub fn each_of<A, B>(
    list: Vec<A>,
    convert: impl Fn(A) -> Result<B, ConvertError>,
) -> Result<Vec<B>, ConvertError> {
    let element = |(index, value)| convert(value).map_err(|error| error.below(&format!("[{index}]")));
    list.into_iter().enumerate().map(element).collect()
}

/// Converts the values of a map by functions that may fail.
///
/// # Errors
/// The first error, with the value's key.
pub fn each_value_of<A, B>(
    map: StrMap<A>,
    convert: impl Fn(A) -> Result<B, ConvertError>,
) -> Result<StrMap<B>, ConvertError> {
    let value = |(key, value): (crate::Str, A)| match convert(value) {
        Ok(value) => Ok((key, value)),
        Err(error) => Err(error.below(&format!("[{key}]"))),
    };
    map.into_iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_path_from_the_kind() {
        let refused =
            |value: i32| called("crate::days", &["a", "b.c"], Err::<i32, _>(format!("not {value}")));
        let error = at("spec.items", each_of(vec![vec![1]], |inner| each_of(inner, refused))).unwrap_err();
        let expected = "spec.items[0][0].a, spec.items[0][0].b.c: crate::days: not 1";
        assert_eq!(error.to_string(), expected);
        let error = at("spec", each_value_of(StrMap::from_iter([("k", 2)]), refused)).unwrap_err();
        assert_eq!(error.to_string(), "spec[k].a, spec[k].b.c: crate::days: not 2");
    }
}
