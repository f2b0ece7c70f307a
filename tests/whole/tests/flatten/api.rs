//! The types of `codegen/codegen/tests/modules/flatten`, and the code that is generated for them.

#[path = "../../../../codegen/codegen/tests/modules/flatten/expected/mod.rs"]
pub mod generated;
#[path = "../../../../codegen/codegen/tests/modules/flatten/src/api/v1.rs"]
pub mod v1;
#[path = "../../../../codegen/codegen/tests/modules/flatten/src/api/v1beta1.rs"]
pub mod v1beta1;
