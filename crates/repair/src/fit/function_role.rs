//! A function's message is a tool's where the target knows no functions.
//!
//! The call before it, in its old form, becomes a tool call with an id of its own.
//!
//! ## Why
//! > messages\[2\].role: unknown variant `function`, expected one of `system`, `user`, `assistant`,
//! > `tool`
//!
//! ## Example
//! ```text
//! before   assistant: function call `f`       function `f`: "ok"
//! after    assistant: tool call call_1 `f`    tool call_1: "ok"
//! ```

use interlingua_model::{Body, Place};

use crate::Work;
use crate::look::{is_assistants, is_call};

pub fn apply(work: &mut Work<'_>) {
    if work.profile.roles.function || !work.is_own() {
        return;
    }
    let mut caller = None;
    for turn in 0..work.turns().len() {
        if is_assistants(&work.turns()[turn]) {
            caller = Some(turn);
        } else if is_functions(work, turn) {
            work.change(Place::turn(turn), "the function's message is a tool's");
            for block in 0..work.blocks(turn).len() {
                work.edit(turn, block);
            }
            if let Some(call) = caller.take() {
                say_anew(work, call);
            }
        }
    }
}

fn is_functions(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let named = |body: &Body| matches!(body, Body::ToolResult(result) if result.name.is_some());
    this.blocks.first().is_some_and(|block| named(&block.body))
        && this.text_for(work.profile.dialect).is_some_and(|text| {
            text.doc().root().get("role").is_some_and(|role| role.word() == "function")
        })
}

fn say_anew(work: &mut Work<'_>, turn: usize) {
    for block in 0..work.blocks(turn).len() {
        if is_call(work.block(turn, block)) {
            work.edit(turn, block);
        }
    }
}
