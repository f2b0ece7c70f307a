// The module has no file of its own.
pub mod api {
    pub mod v1alpha1;
}
