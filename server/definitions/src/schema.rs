//! Schemas, each compiled once however many versions and definitions have it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};

use hubgen_machinery::reflect::Described;
use hubgen_validation::{FieldErrors, Schema};
use serde_json::Value;

use crate::shape;

/// A schema that compiles. Of most definitions no object is ever written, so it is kept as text until one is.
pub struct CompiledSchema {
    /// The schema as it is in the definition, in JSON.
    text: Arc<str>,
    schema: OnceLock<Schema>,
    /// How its fields are owned and merged. Most kinds are never written, so it is made with the first write.
    shape: OnceLock<Described>,
}

impl CompiledSchema {
    /// The schema as it is in the definition, in JSON.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// What prunes, defaults and validates objects.
    pub fn schema(&self) -> &Schema {
        self.schema.get_or_init(|| {
            let schema = serde_json::from_str(&self.text).expect("it was JSON");
            Schema::compile_stored(&schema).expect("it was compiled before")
        })
    }

    pub(crate) fn shape(&self) -> Described {
        self.shape.get_or_init(|| shape::of(&serde_json::from_str(&self.text).unwrap_or_default())).clone()
    }
}

/// The schemas that are in use, to compile each once.
#[derive(Default)]
pub struct Schemas {
    by_text: HashMap<Arc<str>, Weak<CompiledSchema>>,
}

impl Schemas {
    /// A schema, which is compiled to see whether it can be.
    ///
    /// # Errors
    /// When the API server would refuse the schema.
    pub(crate) fn compiled(&mut self, schema: &Value) -> Result<Arc<CompiledSchema>, FieldErrors> {
        let text: Arc<str> = schema.to_string().into();
        if let Some(known) = self.by_text.get(&text).and_then(Weak::upgrade) {
            return Ok(known);
        }
        Schema::compile_stored(schema)?;
        let made =
            CompiledSchema { text: Arc::clone(&text), schema: OnceLock::new(), shape: OnceLock::new() };
        let made = Arc::new(made);
        self.by_text.insert(text, Arc::downgrade(&made));
        Ok(made)
    }

    /// Forgets schemas that nobody uses any more.
    pub fn forget_unused(&mut self) {
        self.by_text.retain(|_, schema| schema.strong_count() > 0);
    }
}
