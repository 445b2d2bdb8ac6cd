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
use crate::pairing::{self, Spot};
use crate::profile::roles::Instructions;
use crate::work::many::Moved;

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
    remind_all(work);
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
        work.remove_turn(last);
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
    if is_text(work) {
        // What comes later is put aside: a turn less moves nothing then.
        let mut aside = work.put_aside(1);
        while is_text(work) {
            work.change(Place::turn(0), "instructions at the beginning go into the place for them");
            for block in work.remove_turn(0).into_value().blocks {
                work.system().push(block);
            }
            work.bring_back(&mut aside);
        }
        while work.bring_back(&mut aside) {}
    }
    if work.profile.roles.instructions == Instructions::Leading {
        join(work);
    }
}

/// Makes the instructions one text: parts of a message may become messages of their own.
fn join(work: &mut Work<'_>) {
    let texts: Vec<&Text> =
        work.conversation().system.iter().map_while(|block| words(block)).collect();
    let joined = texts.len();
    if joined < 2 {
        return;
    }
    let between = Text::new(BLANK_LINE);
    let mut pieces = Vec::with_capacity(joined * 2);
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        if !pieces.is_empty() {
            pieces.push(&between);
        }
        pieces.push(text);
    }
    let text = Text::concat(pieces);
    work.remove_systems(1..joined);
    work.system()[0].edit().body = Body::Text { text, citations: Vec::new() };
}

/// The turns of instructions that may not stand where they do.
fn misplaced(work: &Work<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut spoken = None;
    // The last turn of which something may be left.
    let mut before = None;
    let silent = |turn: &Turn| instructs(turn) && turn.blocks.is_empty();
    let mut turn = 0;
    for run in work.turns().chunk_by(|a, b| instructs(a) == instructs(b)) {
        let end = turn + run.len();
        if instructs(&run[0]) {
            let next = work.turns().get(end);
            for (at, this) in (turn..end).zip(run) {
                if !may_stand(work, at, [before, spoken, next]) {
                    found.push(at);
                }
                before = Some(this).filter(|this| !silent(this)).or(before);
            }
        } else {
            spoken = run.last();
            before = spoken;
        }
        turn = end;
    }
    found
}

/// `before` is the turn before of which something may be left; `spoken` and `next` are those around the
/// run of instructions.
fn may_stand(
    work: &Work<'_>,
    turn: usize,
    [before, spoken, next]: [Option<&Verbatim<Turn>>; 3],
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
            before.is_none_or(|turn| !is_assistants(turn) && !has_result(turn))
        }
    }
}

fn has_result(turn: &Turn) -> bool {
    turn.blocks.iter().any(|block| is_result(block))
}

/// Makes the user's what may not stand where it does. Results come first, so it joins those that it stood
/// before.
fn remind_all(work: &mut Work<'_>) {
    let mut gone = Vec::new();
    let mut joining = Joining::default();
    // From the end, so that what is still to be looked at stays in its place.
    let (mut looked, mut answer) = (work.turns().len(), None);
    for turn in misplaced(work).into_iter().rev() {
        while looked > turn + 1 {
            looked -= 1;
            let said = &work.turns()[looked];
            answer = if is_assistants(said) || opens(said) {
                None
            } else {
                answer.or(has_result(said).then_some(looked))
            };
        }
        let silent = work.blocks(turn).is_empty();
        if !remind(work, turn) {
            gone.push(turn);
        } else if let Some(answer) = answer.filter(|_| !silent) {
            joining.take(work, turn, answer);
            gone.push(turn);
        }
    }
    joining.land(work);
    gone.reverse();
    work.remove_turns(&gone);
}

/// Reminders on their way into a turn with results.
#[derive(Default)]
struct Joining {
    answer: usize,
    /// Those of each turn, the last turn first.
    held: Vec<Vec<Moved>>,
}

impl Joining {
    fn take(&mut self, work: &mut Work<'_>, turn: usize, answer: usize) {
        let has_result = has_result(&work.turns()[turn]);
        if self.answer != answer || has_result {
            self.land(work);
        }
        self.answer = answer;
        if !has_result {
            let spots: Vec<Spot> = (0..work.blocks(turn).len()).map(|at| (turn, at)).collect();
            self.held.push(work.lift(&spots));
            return;
        }
        while let Some(last) = work.blocks(turn).len().checked_sub(1) {
            work.carry((turn, last), (answer, behind_results(work, answer)));
        }
    }

    fn land(&mut self, work: &mut Work<'_>) {
        if !self.held.is_empty() {
            let at = behind_results(work, self.answer);
            let all = self.held.drain(..).rev().flatten().map(|block| (at, block)).collect();
            work.land(self.answer, all);
        }
    }
}

fn behind_results(work: &Work<'_>, turn: usize) -> usize {
    let last = work.blocks(turn).iter().rposition(|block| is_result(block));
    last.map_or(0, |at| at + 1)
}

/// Makes a turn of instructions the user's. Whether anything of it is left; if not, it must go.
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
