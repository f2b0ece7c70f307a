//! Reflection drops objects by their fields, so a type cannot do anything else when it is dropped.

use hubgen_machinery::ApiType;

#[derive(ApiType)]
struct Lock {
    path: String,
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn main() {}
