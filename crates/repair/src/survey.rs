//! What a conversation holds at all, found in one look: most rules need not look for what is not there.

use interlingua_model::{
    Args, Block, Body, Conversation, Role, Source, ToolResult, Turn, Verbatim,
};
use interlingua_wire::Text;

use crate::thoughts;

/// Something that a rule is about. A rule that is about something does nothing where it is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Cache marks.
    Cache,
    /// Fields that the model has no name for, of turns or blocks.
    Extras,
    /// Blocks that only one dialect has.
    Foreign,
    Media,
    /// Texts without words, and results without text.
    Blank,
    /// Results of something else than text.
    RichResult,
    /// Results that do not say which call they answer.
    Unnamed,
    /// Arguments that are no object.
    OddArguments,
    /// Calls that take free text.
    Freeform,
    Thinking,
    /// Thinking and seals, and fields that may hold either.
    Reasoning,
    /// Thinking that nobody vouches for.
    UnsealedThinking,
    /// Thinking where it is not the first thing that the assistant says in a single turn, and followed
    /// by more.
    OddThinking,
    /// Turns in which nothing is said but thoughts, or what only one dialect knows.
    ThinTurn,
}

/// What is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    /// A bit for each of what rules are about.
    there: u16,
    ids: Option<Lengths>,
    /// What is called, and one more than a few at the most.
    called: Vec<Text>,
}

/// How many bytes spell the shortest text, and the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lengths {
    pub(crate) least: usize,
    pub(crate) most: usize,
}

/// What a block does for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// Something, to anybody.
    Something,
    Thought,
    /// Something, to whom it may concern.
    Perhaps,
    Nothing,
}

impl Survey {
    #[inline(never)]
    pub(crate) fn of(conversation: &Conversation) -> Self {
        let mut survey = Self::default();
        survey.note(About::Cache, conversation.tools.iter().any(|tool| tool.cache.is_some()));
        survey.blocks(&conversation.system);
        // Whether the assistant has the word.
        let mut speaks = false;
        let mut thought = false;
        for turn in &conversation.turns {
            let thinks = survey.turn(turn);
            let assistants = turn.role == Role::Assistant;
            survey.note(About::OddThinking, thinks && !assistants);
            // Several turns in a row are looked at as one.
            survey.note(About::OddThinking, speaks && assistants && (thinks || thought));
            if turn.role == Role::User {
                (speaks, thought) = (false, false);
            } else if assistants {
                (speaks, thought) = (true, thinks);
            }
        }
        // Words to go on with are told apart by who asks.
        survey.note(About::OddThinking, thought);
        survey
    }

    pub(crate) fn has(&self, about: About) -> bool {
        self.there & about.bit() != 0
    }

    /// How long the ids of calls and results are, if there are any.
    pub(crate) fn ids(&self) -> Option<Lengths> {
        self.ids
    }

    /// What is called, if that is not more than a few.
    pub(crate) fn called(&self) -> Option<&[Text]> {
        (self.called.len() <= FEW).then_some(&self.called)
    }

    fn note(&mut self, about: About, there: bool) {
        if there {
            self.there |= about.bit();
        }
    }

    fn id(&mut self, id: &Text) {
        let length = id.raw().len();
        let ids = self.ids.get_or_insert(Lengths { least: length, most: length });
        ids.least = ids.least.min(length);
        ids.most = ids.most.max(length);
    }

    fn call(&mut self, name: &Text) {
        if self.called.len() <= FEW && !self.called.contains(name) {
            self.called.push(name.clone());
        }
    }

    /// Looks at a turn; whether there is thinking in it.
    fn turn(&mut self, turn: &Turn) -> bool {
        self.extras(!turn.extras.is_empty());
        let assistants = turn.role == Role::Assistant;
        let (mut solid, mut thinks, mut perhaps) = (false, false, false);
        let mut last = Says::Nothing;
        for (at, block) in turn.blocks.iter().enumerate() {
            let says = self.block(block);
            // What says nothing may not be there in the end.
            if says != Says::Nothing {
                last = says;
            }
            match says {
                // Calls are the assistant's to make, and results are the user's to bring.
                Says::Something => {
                    solid |= match block.body {
                        Body::ToolCall(_) => assistants,
                        Body::ToolResult(_) => turn.role == Role::User,
                        _ => true,
                    }
                }
                Says::Thought => {
                    self.note(About::OddThinking, at > 0 && !thinks);
                    thinks = true;
                }
                Says::Perhaps => perhaps = true,
                Says::Nothing => {}
            }
        }
        self.note(About::ThinTurn, !solid);
        self.note(About::OddThinking, thinks && (perhaps || last == Says::Thought));
        thinks
    }

    /// Whether there are fields without a name.
    fn extras(&mut self, there: bool) {
        self.note(About::Extras, there);
        self.note(About::Reasoning, there);
    }

    fn blocks(&mut self, blocks: &[Verbatim<Block>]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) -> Says {
        self.note(About::Cache, block.cache.is_some());
        self.extras(!block.extras.is_empty());
        self.note(About::Reasoning, block.seal.is_some());
        match &block.body {
            Body::Text { text, .. } | Body::Refusal(text) => {
                if text.is_blank() {
                    self.note(About::Blank, true);
                    return Says::Nothing;
                }
            }
            Body::Media(media) => {
                self.note(About::Media, true);
                match &media.source {
                    Source::Text(text) if text.is_blank() => {
                        self.note(About::Blank, true);
                        return Says::Perhaps;
                    }
                    Source::Blocks(blocks) => {
                        self.note(About::Blank, blocks.is_empty());
                        self.blocks(blocks);
                        return Says::Perhaps;
                    }
                    Source::Text(_)
                    | Source::Base64 { .. }
                    | Source::Url { .. }
                    | Source::File { .. } => {}
                }
            }
            Body::Foreign { .. } => {
                self.note(About::Foreign, true);
                return Says::Perhaps;
            }
            Body::Thinking(thinking) => {
                self.note(About::Thinking, true);
                self.note(About::Reasoning, true);
                self.note(About::Blank, thinking.text.is_empty());
                self.note(About::UnsealedThinking, !thoughts::is_sealed(block));
                return Says::Thought;
            }
            Body::ToolCall(call) => {
                self.id(&call.id);
                self.call(&call.name);
                match &call.args {
                    Args::Json(json) => self.note(About::OddArguments, !json.is_object()),
                    Args::Malformed(_) => self.note(About::OddArguments, true),
                    Args::Freeform(_) => self.note(About::Freeform, true),
                }
            }
            Body::ToolResult(result) => self.result(result),
            Body::Data(_) => {}
        }
        Says::Something
    }

    fn result(&mut self, result: &ToolResult) {
        self.id(&result.call);
        self.note(About::Unnamed, result.call.is_empty());
        let texts = result.content.iter().filter(|block| block.body.as_text().is_some()).count();
        self.note(About::Blank, texts == 0);
        self.note(About::RichResult, texts < result.content.len());
        self.blocks(&result.content);
    }
}

impl About {
    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// How many are a few.
const FEW: usize = 8;
