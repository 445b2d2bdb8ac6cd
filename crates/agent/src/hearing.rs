//! Maps stream events of a reply to [`Progress`].

use interlingua::JsonString;
use interlingua_model::{BlockContent, Delta, StreamEvent};

use crate::Progress;

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
