//! Progress of a running agent, and how stream events of a reply become progress.

use interlingua::{JsonString, Ledger};
use interlingua_model::{BlockContent, Delta, StreamEvent, ToolCall};

use crate::ToolOutput;

/// An event of a running agent. Text is streamed in pieces.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A piece of the model's reasoning, if the provider shows it.
    Reasoning(&'a str),
    /// A piece of the model's text.
    Text(&'a str),
    /// A call is complete and about to run.
    ToolCall(&'a ToolCall),
    /// A call has a result.
    ToolResult(&'a ToolCall, &'a ToolOutput),
    /// A call is not run, for this reason: the guard rejected it, or it was denied.
    CallRejected(&'a ToolCall, &'a str),
    /// The request or the reply was repaired.
    Repaired(&'a Ledger),
    /// The reply was empty; the model is called once more.
    EmptyReply,
}

/// Distinguishes text from reasoning.
#[derive(Debug, Default)]
pub(crate) struct ProgressMapper {
    open_kind: Option<TextKind>,
}

#[derive(Clone, Copy, Debug)]
enum TextKind {
    Text,
    Reasoning,
}

impl ProgressMapper {
    pub(crate) fn on_event(
        &mut self,
        event: &StreamEvent,
        on_progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) {
        match event {
            StreamEvent::BlockStart { block, .. } => match &block.content {
                BlockContent::Text { text, .. } | BlockContent::Refusal(text) => {
                    self.open_block(TextKind::Text, text, on_progress);
                }
                BlockContent::Reasoning(reasoning) => {
                    self.open_block(TextKind::Reasoning, &reasoning.text, on_progress);
                }
                _ => self.open_kind = None,
            },
            StreamEvent::Delta { delta: Delta::Text(text), .. } => self.emit(text, on_progress),
            StreamEvent::BlockEnd { .. } => self.open_kind = None,
            _ => {}
        }
    }

    fn open_block(
        &mut self,
        text_kind: TextKind,
        text: &JsonString,
        on_progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) {
        self.open_kind = Some(text_kind);
        self.emit(text, on_progress);
    }

    fn emit(&self, text: &JsonString, on_progress: &mut (dyn FnMut(Progress<'_>) + Send)) {
        if text.is_empty() {
            return;
        }
        match self.open_kind {
            Some(TextKind::Text) => on_progress(Progress::Text(&text.unescape())),
            Some(TextKind::Reasoning) => on_progress(Progress::Reasoning(&text.unescape())),
            None => {}
        }
    }
}
