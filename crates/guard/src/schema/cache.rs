//! Caches compiled schemas across requests: an agent sends the same tools with every turn.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use interlingua_wire::RawJson;

use super::{Schema, SkipReason, ValidationLimits};

/// LRU cache of compiled schemas, bounded in entries and bytes.
#[derive(Debug)]
pub struct SchemaCache {
    state: Mutex<CacheState>,
    max_entries: usize,
    max_bytes: usize,
}

/// A compiled schema, or why it was skipped: both are cached.
pub(crate) type CompileResult = Result<Arc<Schema>, SkipReason>;

#[derive(Debug, Default)]
struct CacheState {
    by_text: HashMap<Box<str>, CacheEntry>,
    bytes: usize,
    /// Number of lookups so far, used as LRU time.
    clock: u64,
}

#[derive(Debug)]
struct CacheEntry {
    compiled: CompileResult,
    limits: ValidationLimits,
    last_used: u64,
}

impl SchemaCache {
    /// An empty cache with these bounds.
    pub fn new(max_entries: usize, max_bytes: usize) -> Self {
        Self { state: Mutex::default(), max_entries, max_bytes }
    }

    /// Number of cached schemas.
    pub fn len(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).by_text.len()
    }

    /// Whether nothing is cached.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn get_or_compile(
        &self,
        schema: &RawJson,
        limits: &ValidationLimits,
    ) -> CompileResult {
        // A schema too large to compile is too large to cache.
        if schema.as_str().len() > limits.max_schema_bytes {
            return Err(SkipReason::SchemaTooLarge);
        }
        if let Some(cached) = self.get(schema.as_str(), limits) {
            return cached;
        }
        // Compiled without the lock, so that other requests are not blocked.
        let compiled = Schema::compile(schema, limits).map(Arc::new);
        self.insert(schema.as_str(), *limits, compiled.clone());
        compiled
    }

    fn get(&self, text: &str, limits: &ValidationLimits) -> Option<CompileResult> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let now = state.clock;
        let entry = state.by_text.get_mut(text).filter(|entry| entry.limits == *limits)?;
        entry.last_used = now;
        Some(entry.compiled.clone())
    }

    fn insert(&self, text: &str, limits: ValidationLimits, compiled: CompileResult) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = state.clock;
        // Copied: the text is a slice of the whole request, which would stay in memory.
        if state
            .by_text
            .insert(text.into(), CacheEntry { compiled, limits, last_used: now })
            .is_none()
        {
            state.bytes += text.len();
        }
        while state.by_text.len() > self.max_entries || state.bytes > self.max_bytes {
            let oldest = state.by_text.iter().min_by_key(|(_, entry)| entry.last_used);
            let Some(oldest) = oldest.map(|(text, _)| text.clone()) else { break };
            state.bytes -= oldest.len();
            state.by_text.remove(&oldest);
        }
    }
}

impl Default for SchemaCache {
    fn default() -> Self {
        Self::new(MAX_ENTRIES, MAX_BYTES)
    }
}

const MAX_ENTRIES: usize = 1024;
/// Bytes of schema texts; the compiled forms take several times as much.
const MAX_BYTES: usize = 8 * 1024 * 1024;
