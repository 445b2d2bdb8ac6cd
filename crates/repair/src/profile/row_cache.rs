//! Caches the profile rows of recent targets per thread.

use std::cell::RefCell;

use interlingua_model::DialectId;
use interlingua_wire::JsonString;

use crate::profile::{
    TargetKey, cache, calls, fields, media, reasoning, roles, selector, settings, texts, tools,
};

/// One row of each table.
#[derive(Clone, Copy)]
pub(super) struct ProfileRows {
    pub cache: &'static cache::CacheProfile,
    pub calls: &'static calls::CallProfile,
    pub fields: &'static fields::FieldProfile,
    pub media: &'static media::MediaProfile,
    pub settings: &'static settings::SettingsProfile,
    pub roles: &'static roles::RoleProfile,
    pub texts: &'static texts::TextProfile,
    pub reasoning: &'static reasoning::ReasoningProfile,
    pub tools: &'static tools::ToolProfile,
}

/// A target and its rows.
struct CachedTarget {
    dialect: DialectId,
    flavor: Option<&'static str>,
    model: Option<JsonString>,
    rows: ProfileRows,
}

impl ProfileRows {
    /// The rows of a target, from the cache if it was recently used on this thread.
    pub(super) fn cached(
        dialect: DialectId,
        flavor: Option<&'static str>,
        model: Option<&JsonString>,
    ) -> Option<Self> {
        RECENT.with_borrow_mut(|recent| {
            let is_match = |entry: &CachedTarget| {
                entry.dialect == dialect && entry.flavor == flavor && entry.model.as_ref() == model
            };
            if let Some(entry) = recent.iter().find(|entry| is_match(entry)) {
                return Some(entry.rows);
            }
            let rows = Self::look_up(&TargetKey::new(dialect, flavor, model))?;
            if recent.len() == MAX_TARGETS {
                recent.remove(0);
            }
            // A detached copy: a slice would keep the whole request in memory.
            let model = model.map(|model| JsonString::new(&model.unescape()));
            recent.push(CachedTarget { dialect, flavor, model, rows });
            Some(rows)
        })
    }

    fn look_up(target_key: &TargetKey) -> Option<Self> {
        Some(Self {
            cache: selector::find_row(cache::ROWS, target_key)?,
            calls: selector::find_row(calls::ROWS, target_key)?,
            fields: selector::find_row(fields::ROWS, target_key)?,
            media: selector::find_row(media::ROWS, target_key)?,
            settings: selector::find_row(settings::ROWS, target_key)?,
            roles: selector::find_row(roles::ROWS, target_key)?,
            texts: selector::find_row(texts::ROWS, target_key)?,
            reasoning: selector::find_row(reasoning::ROWS, target_key)?,
            tools: selector::find_row(tools::ROWS, target_key)?,
        })
    }
}

thread_local! {
    static RECENT: RefCell<Vec<CachedTarget>> = const { RefCell::new(Vec::new()) };
}

/// As many targets as an agent and its subagents use concurrently.
const MAX_TARGETS: usize = 16;
