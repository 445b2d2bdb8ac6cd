//! Tools and their schemas: what each target takes.

use super::Scope;

#[derive(Clone, Copy, Debug)]
pub struct Tools {
    /// Calls in the history need tools in the request.
    pub history_needs_tools: bool,
    /// It can be said that no tool is to be called.
    pub takes_no_choice: bool,
}

pub(super) static ROWS: &[(Scope, Tools)] = &[
    (Scope::all("anthropic"), Tools { history_needs_tools: true, ..BASE }),
    (Scope::all("openai-chat"), BASE),
    (Scope::all("openai-responses"), BASE),
    (Scope::all("gemini"), BASE),
    (Scope::all("bedrock"), Tools { history_needs_tools: true, takes_no_choice: false }),
];

const BASE: Tools = Tools { history_needs_tools: false, takes_no_choice: true };
