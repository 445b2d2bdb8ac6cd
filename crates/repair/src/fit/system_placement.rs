//! Instructions among the turns go where the target takes them.
//!
//! Those that begin the conversation go into the target's own place for instructions; of what crosses,
//! into one message where only the first may be theirs. Those in the midst stay where they are, as
//! words of the user that are marked as a reminder: so the turns before them keep their bytes. They come
//! after the results of tools that they stood before.
//!
//! ## Why
//! > role 'system' is not supported on this model
//!
//! > messages.3: role 'system' must follow a 'user' message or an 'assistant' message ending in a server
//! > tool result
//!
//! > messages.0: use the top-level 'system' parameter for the initial system prompt
//!
//! > Please use a valid role: user, model.
//!
//! > Unexpected role 'system' after role 'tool'
//!
//! > system message must be at the beginning
//!
//! ## Example
//! ```text
//! before   system: "Be brief."   user: "hi"   system: "It is late."
//! after    (its place: "Be brief.")   user: "hi"   user: "<system-reminder>It is late.</system-reminder>"
//! ```

use interlingua_model::{Block, Body, Place, Role, Turn, Verbatim};
use interlingua_wire::Text;

use super::empty_turn::EMPTY_MESSAGE;
use super::string_content::BLANK_LINE;
use crate::Work;
use crate::look::{instructs, is_assistants, is_result, words};
use crate::pairing;
use crate::profile::roles::Instructions;

pub fn apply(work: &mut Work<'_>) {
    let written_there = match work.profile.roles.instructions {
        Instructions::Anywhere => true,
        // Where dialects are crossed, writing puts instructions into their place.
        Instructions::Apart | Instructions::BeforeReplies => !work.is_own(),
        Instructions::NotAfterReplies => false,
        // A client of the same kind of server knows what its template takes.
        Instructions::Leading => work.is_own(),
    };
    if written_there || !work.turns().iter().any(|turn| instructs(turn)) {
        return;
    }
    lead(work);
    // From the end, so that what is still to be looked at stays in its place.
    for turn in misplaced(work).into_iter().rev() {
        remind(work, turn);
    }
    if work.profile.roles.instructions == Instructions::NotAfterReplies {
        not_last(work);
    }
}

/// The last turn is the user's: instructions there are, and those before them stay as they are, as they
/// do when somebody goes on.
fn not_last(work: &mut Work<'_>) {
    while let Some(last) = work.turns().len().checked_sub(1) {
        if !instructs(&work.turns()[last]) {
            return;
        }
        if remind(work, last) {
            return;
        }
    }
}

/// Puts the instructions at the beginning into the place for them.
fn lead(work: &mut Work<'_>) {
    let heads = work.leading() + usize::from(!work.conversation().system.is_empty());
    match work.profile.roles.instructions {
        Instructions::NotAfterReplies => return,
        Instructions::Leading if heads < 2 => return,
        _ => {}
    }
    let is_text = |work: &Work<'_>| {
        let first = work.turns().first();
        first.is_some_and(|turn| {
            instructs(turn)
                && !turn.blocks.is_empty()
                && turn.blocks.iter().all(|block| words(block).is_some())
        })
    };
    while is_text(work) {
        work.change(Place::turn(0), "instructions at the beginning go into the place for them");
        for block in work.remove_turn(0).into_value().blocks {
            work.system().push(block);
        }
    }
    if work.profile.roles.instructions == Instructions::Leading {
        join(work);
    }
}

/// Makes the instructions one text: parts of a message may become messages of their own.
fn join(work: &mut Work<'_>) {
    while let [first, second, ..] = work.conversation().system.as_slice()
        && let (Some(head), Some(tail)) = (words(first), words(second))
    {
        let between = if head.is_empty() || tail.is_empty() { "" } else { BLANK_LINE };
        let text = Text::concat([head, &Text::new(between), tail]);
        work.remove_system(1);
        work.system()[0].edit().body = Body::Text { text, citations: Vec::new() };
    }
}

/// The turns of instructions that may not stand where they do.
fn misplaced(work: &Work<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut spoken = None;
    let mut turn = 0;
    for run in work.turns().chunk_by(|a, b| instructs(a) == instructs(b)) {
        let end = turn + run.len();
        if instructs(&run[0]) {
            let next = work.turns().get(end);
            found.extend((turn..end).filter(|turn| !may_stand(work, *turn, spoken, next)));
        } else {
            spoken = run.last();
        }
        turn = end;
    }
    found
}

/// `spoken` and `next` are the turns around the run of instructions.
fn may_stand(
    work: &Work<'_>,
    turn: usize,
    spoken: Option<&Verbatim<Turn>>,
    next: Option<&Verbatim<Turn>>,
) -> bool {
    let this = &work.turns()[turn];
    match work.profile.roles.instructions {
        Instructions::Anywhere => true,
        Instructions::Apart => false,
        Instructions::Leading => turn == 0 && work.conversation().system.is_empty(),
        // A turn without words directs by its other fields.
        Instructions::BeforeReplies if this.blocks.is_empty() && !this.extras.is_empty() => true,
        Instructions::BeforeReplies => {
            let ends = |turn: &Turn| work.resumes(turn) && ends_in_result(turn);
            spoken.is_some_and(|turn| !is_assistants(turn) || ends(turn))
                && next.is_none_or(|turn| is_assistants(turn))
        }
        Instructions::NotAfterReplies => {
            // Of those without a word, nothing may be left.
            let silent = |turn: &Verbatim<Turn>| instructs(turn) && turn.blocks.is_empty();
            let before = work.turns()[..turn].iter().rfind(|turn| !silent(turn));
            before.is_none_or(|turn| !is_assistants(turn) && !has_result(turn))
        }
    }
}

fn has_result(turn: &Turn) -> bool {
    turn.blocks.iter().any(|block| is_result(block))
}

/// Makes a turn of instructions the user's. Results come first, so it joins those that it stood
/// before. Whether anything of it is left.
fn remind(work: &mut Work<'_>, turn: usize) -> bool {
    if work.blocks(turn).is_empty() {
        // Whoever spoke between two answers, be it without a word, keeps them apart.
        let before = turn.checked_sub(1).map(|before| &work.turns()[before]);
        if before.is_some_and(|before| is_assistants(before)) {
            work.turn(turn).role = Role::User;
            work.insert(turn, 0, Block::text(Text::word(EMPTY_MESSAGE)));
            work.change(Place::turn(turn), "instructions without a word are said by the user");
            return true;
        }
        work.loss(Place::turn(turn), "left out instructions without a word: they have no place");
        work.remove_turn(turn);
        return false;
    }
    let what = "instructions in the midst of the conversation are said by the user, as a reminder";
    work.change(Place::turn(turn), what);
    let (head, tail) = (Text::new(HEAD), Text::new(TAIL));
    for block in 0..work.blocks(turn).len() {
        if let Body::Text { text, .. } = &work.block(turn, block).body {
            let marked = Text::concat([&head, text, &tail]);
            work.edit(turn, block).body = Body::Text { text: marked, citations: Vec::new() };
        }
    }
    work.turn(turn).role = Role::User;
    let after = work.turns().iter().enumerate().skip(turn + 1);
    let run = after.take_while(|(_, turn)| !is_assistants(turn) && !opens(turn));
    let Some((answer, _)) = run.filter(|(_, turn)| has_result(turn)).last() else { return true };
    while let Some(last) = work.blocks(turn).len().checked_sub(1) {
        let results = work.blocks(answer).iter().rposition(|block| is_result(block));
        work.carry((turn, last), (answer, results.map_or(0, |at| at + 1)));
    }
    work.remove_turn(turn);
    true
}

/// Whether a turn calls before it answers, whoever says it: results after it are of these calls.
fn opens(turn: &Turn) -> bool {
    let pairs = |block: &&Verbatim<Block>| is_result(block) || pairing::call(block).is_some();
    turn.blocks.iter().find(pairs).is_some_and(|first| !is_result(first))
}

/// Whether a turn that goes on by itself has what its last call gave.
fn ends_in_result(turn: &Turn) -> bool {
    turn.blocks.last().is_some_and(|last| {
        matches!(&last.body, Body::Foreign { kind, .. } if kind.contents().ends_with("_result"))
    })
}

const HEAD: &str = "<system-reminder>\n";
const TAIL: &str = "\n</system-reminder>";
