//! A call that must be sealed and is not gets the value that its provider documents for it.
//!
//! Some models seal the first call of each step and want the seal back. A call of another model, or one
//! whose seal got lost, carries the documented word that tells the provider not to ask.
//!
//! In the provider's own dialect only calls of the current turn are touched; from another dialect all
//! of them, so that old turns are written the same way every time.
//!
//! ## Why
//! > Function call is missing a thought_signature in functionCall parts. This is required for tools to
//! > work correctly, and missing thought_signature may lead to degraded model performance.
//!
//! ## Example
//! ```text
//! before   model: call `bash`
//! after    model: call `bash`, sealed "skip_thought_signature_validator"
//! ```

use std::ops::Range;

use interlingua_model::{Block, Body, Place, Role, Seal, Verbatim};
use interlingua_wire::Text;

use crate::profile::thinking::SealedCalls;
use crate::{Work, thoughts};

pub fn apply(work: &mut Work<'_>) {
    let rule = work.profile.thinking.sealed_calls;
    if rule == SealedCalls::Free {
        return;
    }
    for step in steps(work) {
        let places =
            || step.clone().flat_map(|turn| (0..work.blocks(turn).len()).map(move |at| (turn, at)));
        let block = |(turn, at): &(usize, usize)| work.block(*turn, *at);
        let first = places().find(|place| is_call(work, block(place)));
        let Some((turn, at)) = first else { continue };
        let sealed = match rule {
            SealedCalls::Step => places().any(|place| {
                let one = block(&place);
                let carried = matches!(one.body, Body::ToolCall(_) | Body::Thinking(_));
                is_sealed(one) && carried || is_signed_entry(one)
            }),
            SealedCalls::First | SealedCalls::Free => is_sealed(work.block(turn, at)),
        };
        if !sealed {
            let seal = Seal::new(Text::word(ISSUER), Text::word(SKIP));
            work.edit(turn, at).seal = Some(Box::new(seal));
            work.change(Place::block(turn, at), "said that the call's signature is not known");
        }
    }
}

/// A call that can be sealed; the older form of one cannot, and nobody asks for it there.
fn is_call(work: &Work<'_>, block: &Verbatim<Block>) -> bool {
    let field = work.profile.thinking.sealable;
    let text = block.text_for(work.profile.dialect).filter(|_| !field.is_empty());
    matches!(block.body, Body::ToolCall(_))
        && text.is_none_or(|text| text.doc().root().get(field).is_some())
}

/// An entry of no known type that has a signature.
fn is_signed_entry(block: &Block) -> bool {
    let Body::Foreign { json, .. } = &block.body else { return false };
    let doc = json.doc();
    doc.root().get("signature").is_some_and(|seal| !seal.word().is_empty())
}

fn is_sealed(block: &Block) -> bool {
    block.seal.as_deref().is_some_and(|seal| seal.origin.issuer == ISSUER)
}

/// What the model said at once, where calls must be sealed.
fn steps(work: &Work<'_>) -> Vec<Range<usize>> {
    if !work.is_own() {
        return thoughts::runs(work);
    }
    let turns = work.turns();
    let asks = |at: &usize| {
        let turn = &turns[*at];
        let answers = |block: &Block| matches!(block.body, Body::ToolResult(_));
        turn.role == Role::User
            && !turn.blocks.is_empty()
            && !turn.blocks.iter().any(|block| answers(block))
    };
    let current = (0..turns.len()).rev().find(asks).map_or(0, |at| at + 1);
    (current..turns.len())
        .filter(|at| turns[*at].role == Role::Assistant)
        .map(|at| at..at + 1)
        .collect()
}

const ISSUER: &str = "google";
/// Documented for calls that the model did not make itself.
const SKIP: &str = "skip_thought_signature_validator";
