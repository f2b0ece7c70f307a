//! The text formats: JSON, YAML and the scalars that have a syntax of their own.

mod json;
mod scalar;
mod yaml;
