//! What a conversation holds at all, found in one look: most rules need not look for what is not there.

use interlingua_model::{Block, Body, Conversation, Source, ToolResult, Verbatim};

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
}

/// What is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey(u8);

impl Survey {
    pub(crate) fn of(conversation: &Conversation) -> Self {
        let mut survey = Self::default();
        survey.note(About::Cache, conversation.tools.iter().any(|tool| tool.cache.is_some()));
        survey.blocks(&conversation.system);
        for turn in &conversation.turns {
            survey.note(About::Extras, !turn.extras.is_empty());
            survey.blocks(&turn.blocks);
        }
        survey
    }

    pub(crate) fn has(self, about: About) -> bool {
        self.0 & about.bit() != 0
    }

    fn note(&mut self, about: About, there: bool) {
        if there {
            self.0 |= about.bit();
        }
    }

    fn blocks(&mut self, blocks: &[Verbatim<Block>]) {
        for block in blocks {
            self.note(About::Cache, block.cache.is_some());
            self.note(About::Extras, !block.extras.is_empty());
            match &block.body {
                Body::Text { text, .. } | Body::Refusal(text) => {
                    self.note(About::Blank, text.is_blank());
                }
                Body::Media(media) => {
                    self.note(About::Media, true);
                    if let Source::Blocks(blocks) = &media.source {
                        self.blocks(blocks);
                    }
                }
                Body::Foreign { .. } => self.note(About::Foreign, true),
                Body::ToolResult(result) => self.result(result),
                Body::Thinking(_) | Body::Data(_) | Body::ToolCall(_) => {}
            }
        }
    }

    fn result(&mut self, result: &ToolResult) {
        let texts = result.content.iter().filter(|block| block.body.as_text().is_some()).count();
        self.note(About::Blank, texts == 0);
        self.note(About::RichResult, texts < result.content.len());
        self.blocks(&result.content);
    }
}

impl About {
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}
