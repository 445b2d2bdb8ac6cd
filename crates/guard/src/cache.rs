//! Compiled schemas, shared by all requests: an agent sends the same tools with every turn.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use interlingua_wire::Json;

use crate::schema::{Beyond, Limits, Schema};

/// A bounded number of schemas, those that were asked for last.
#[derive(Debug)]
pub struct Schemas {
    kept: Mutex<Kept>,
    most: usize,
    most_bytes: usize,
}

/// What a schema compiles to: a failure is kept, too.
pub(crate) type Compiled = Result<Arc<Schema>, Beyond>;

#[derive(Debug, Default)]
struct Kept {
    by_text: HashMap<Box<str>, Entry>,
    bytes: usize,
    /// Counts the questions, so that the oldest can be told.
    asked: u64,
}

#[derive(Debug)]
struct Entry {
    compiled: Compiled,
    limits: Limits,
    asked: u64,
}

impl Schemas {
    pub fn new(most: usize, most_bytes: usize) -> Self {
        Self { kept: Mutex::default(), most, most_bytes }
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).by_text.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn compiled(&self, schema: &Json, limits: &Limits) -> Compiled {
        // What is too large to compile is too large to keep.
        if schema.as_str().len() > limits.schema {
            return Err(Beyond::SchemaSize);
        }
        if let Some(known) = self.known(schema.as_str(), limits) {
            return known;
        }
        // Others go on while this one is compiled.
        let compiled = Schema::compile(schema, limits).map(Arc::new);
        self.keep(schema.as_str(), *limits, compiled.clone());
        compiled
    }

    fn known(&self, text: &str, limits: &Limits) -> Option<Compiled> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.asked += 1;
        let asked = kept.asked;
        let entry = kept.by_text.get_mut(text).filter(|entry| entry.limits == *limits)?;
        entry.asked = asked;
        Some(entry.compiled.clone())
    }

    fn keep(&self, text: &str, limits: Limits, compiled: Compiled) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = kept.asked;
        // The text is copied: it is a part of a whole request.
        if kept.by_text.insert(text.into(), Entry { compiled, limits, asked }).is_none() {
            kept.bytes += text.len();
        }
        while kept.by_text.len() > self.most || kept.bytes > self.most_bytes {
            let oldest = kept.by_text.iter().min_by_key(|(_, entry)| entry.asked);
            let Some(oldest) = oldest.map(|(text, _)| text.clone()) else { break };
            kept.bytes -= oldest.len();
            kept.by_text.remove(&oldest);
        }
    }
}

impl Default for Schemas {
    fn default() -> Self {
        Self::new(MOST, MOST_BYTES)
    }
}

const MOST: usize = 1024;
/// Of the texts; what is compiled from them takes some times as much.
const MOST_BYTES: usize = 8 * 1024 * 1024;
