//! The rows of a target, looked up once: the same few models are asked again and again.

use std::cell::RefCell;

use interlingua_model::DialectId;
use interlingua_wire::Text;

use super::{Aim, cache, calls, fields, media, params, roles, scope, texts, thinking, tools};

/// One row of each table.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub cache: &'static cache::Cache,
    pub calls: &'static calls::Calls,
    pub fields: &'static fields::Fields,
    pub media: &'static media::Media,
    pub params: &'static params::Params,
    pub roles: &'static roles::Roles,
    pub texts: &'static texts::Texts,
    pub thinking: &'static thinking::Thinking,
    pub tools: &'static tools::Tools,
}

/// A target, and its rows.
struct Known {
    dialect: DialectId,
    flavor: Option<&'static str>,
    model: Option<Text>,
    rows: Rows,
}

impl Rows {
    /// The rows of a target, from memory if it was asked for a moment ago on this thread.
    pub(super) fn remembered(
        dialect: DialectId,
        flavor: Option<&'static str>,
        model: Option<&Text>,
    ) -> Option<Self> {
        RECENT.with_borrow_mut(|recent| {
            let same = |known: &Known| {
                known.dialect == dialect && known.flavor == flavor && known.model.as_ref() == model
            };
            if let Some(known) = recent.iter().find(|known| same(known)) {
                return Some(known.rows);
            }
            let rows = Self::looked_up(&Aim::new(dialect, flavor, model))?;
            if recent.len() == MOST {
                recent.remove(0);
            }
            // A copy of its own: the name is a piece of a request, which must not be kept for it.
            let model = model.map(|model| Text::new(&model.contents()));
            recent.push(Known { dialect, flavor, model, rows });
            Some(rows)
        })
    }

    fn looked_up(aim: &Aim) -> Option<Self> {
        Some(Self {
            cache: scope::first(cache::ROWS, aim)?,
            calls: scope::first(calls::ROWS, aim)?,
            fields: scope::first(fields::ROWS, aim)?,
            media: scope::first(media::ROWS, aim)?,
            params: scope::first(params::ROWS, aim)?,
            roles: scope::first(roles::ROWS, aim)?,
            texts: scope::first(texts::ROWS, aim)?,
            thinking: scope::first(thinking::ROWS, aim)?,
            tools: scope::first(tools::ROWS, aim)?,
        })
    }
}

thread_local! {
    static RECENT: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// As many targets as an agent and its helpers ask at a time.
const MOST: usize = 16;
