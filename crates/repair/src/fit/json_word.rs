//! The word "JSON" is said where an answer in JSON needs it, and no schema can be asked for.
//!
//! Where it is said only after the model first spoke, it counts if nothing else of the request needs a
//! repair; otherwise it is said at the head, as it was when the conversation was shorter.
//!
//! ## Why
//! > Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.
//!
//! ## Example
//! ```text
//! before   answer: any JSON                               user: "list the files"
//! after    answer: any JSON   system: "Answer in JSON."   user: "list the files"
//! ```

use interlingua_model::{Block, Format, Place};
use interlingua_wire::Text;

use super::answer_format::lacks_word;
use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    let any = work.conversation().settings.format == Some(Format::Json);
    if !any || work.profile.params.format.schema || !lacks_word(work, work.is_untouched()) {
        return;
    }
    work.system().push(Block::text(Text::word(ANSWER)).into());
    work.change(Place::SYSTEM, "said that the answer is to be JSON: the word must be there");
}

const ANSWER: &str = "Answer in JSON.";
