//! Folds stream events into a reply, and splits a reply into events.

use interlingua_wire::{JsonString, JsonStringBuilder};

use crate::{
    ApiError, Block, BlockContent, Delta, ReasoningForm, Reply, Stop, StopReason, StreamEvent,
    ToolArgs, Usage, Verbatim,
};

/// Accumulates the events of a stream into a [`Reply`].
#[derive(Debug, Default)]
pub struct ReplyAccumulator {
    reply: Reply,
    stopped: bool,
    error: Option<ApiError>,
    open_block: Option<OpenBlock>,
}

/// A block that still receives deltas.
#[derive(Debug)]
struct OpenBlock {
    index: u32,
    block: Block,
    text: JsonStringBuilder,
    args: JsonStringBuilder,
}

impl ReplyAccumulator {
    /// Starts with an empty reply.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an event. An event that is out of order is interpreted leniently: a delta without an
    /// open block is ignored, and a new block ends the open one.
    pub fn push(&mut self, event: &StreamEvent) {
        self.push_owned(event.clone());
    }

    /// As [`ReplyAccumulator::push`], for an owned event.
    pub fn push_owned(&mut self, event: StreamEvent) {
        match event {
            StreamEvent::Start { id, model } => {
                self.reply.id = id;
                self.reply.model = model;
            }
            StreamEvent::BlockStart { index, block } => {
                self.close_block();
                let (text, args) = <(JsonStringBuilder, JsonStringBuilder)>::default();
                self.open_block = Some(OpenBlock { index, block: *block, text, args });
            }
            StreamEvent::Delta { index, delta } => {
                if let Some(open) = self.open_block.as_mut().filter(|open| open.index == index) {
                    open.apply_delta(delta);
                }
            }
            StreamEvent::BlockEnd { .. } => self.close_block(),
            StreamEvent::Usage(usage) => self.reply.usage.update(&usage),
            StreamEvent::Stop(stop) => {
                self.close_block();
                self.reply.stop = stop;
                self.stopped = true;
            }
            StreamEvent::Error(error) => {
                self.close_block();
                self.error = Some(*error);
            }
            StreamEvent::Ping | StreamEvent::Foreign { .. } => {}
        }
    }

    /// The reply accumulated so far, with the blocks that are complete.
    pub fn partial_reply(&self) -> &Reply {
        &self.reply
    }

    /// The last complete block, for editing.
    pub fn last_block_mut(&mut self) -> Option<&mut Block> {
        self.reply.turn.blocks.last_mut().map(Verbatim::edit)
    }

    /// The error that ended the stream, if there was one.
    pub fn error(&self) -> Option<&ApiError> {
        self.error.as_ref()
    }

    /// Returns the complete reply, or the error that ended the stream.
    pub fn finish(mut self) -> Result<Reply, ApiError> {
        self.close_block();
        match self.error {
            Some(error) => Err(error),
            None if self.stopped => Ok(self.reply),
            None => Err(ApiError::truncated_stream()),
        }
    }

    fn close_block(&mut self) {
        if let Some(open) = self.open_block.take() {
            self.reply.turn.blocks.push(Verbatim::new(open.finish()));
        }
    }
}

impl OpenBlock {
    fn apply_delta(&mut self, delta: Delta) {
        match delta {
            Delta::Text(text) => self.text.push(&text),
            Delta::Args(text) => self.args.push(&text),
            Delta::Seal(seal) => self.block.seal = Some(seal),
            Delta::Citation(citation) => {
                if let BlockContent::Text { citations, .. } = &mut self.block.content {
                    citations.push(*citation);
                }
            }
        }
    }

    fn finish(mut self) -> Block {
        match &mut self.block.content {
            BlockContent::Text { text, .. } | BlockContent::Refusal(text) => text.append(self.text),
            BlockContent::Reasoning(thinking) => thinking.text.append(self.text),
            BlockContent::ToolCall(call) => match &mut call.args {
                ToolArgs::Freeform(text) => text.append(self.args),
                ToolArgs::Malformed(text) => {
                    text.append(self.args);
                    call.args = ToolArgs::from_json_string(text);
                }
                ToolArgs::Json(_) => {}
            },
            BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolResult(_)
            | BlockContent::Foreign { .. } => {}
        }
        self.block
    }
}

/// Returns the events that stream this reply, with one delta per block.
pub fn unfold(reply: &Reply) -> Vec<StreamEvent> {
    let mut events = Vec::with_capacity(reply.turn.blocks.len() * 3 + 3);
    for_each_event(reply, |event| events.push(event));
    events
}

/// Passes on the events of [`unfold`]. Only those of one block exist at a time: together they are
/// several times as large as the reply.
pub fn for_each_event(reply: &Reply, mut receive: impl FnMut(StreamEvent)) {
    receive(StreamEvent::Start { id: reply.id.clone(), model: reply.model.clone() });
    let mut events = Vec::new();
    for (index, block) in reply.turn.blocks.iter().enumerate() {
        push_block_events(index as u32, block, &mut events);
        events.drain(..).for_each(&mut receive);
    }
    if reply.usage != Usage::default() {
        receive(StreamEvent::Usage(reply.usage.clone()));
    }
    receive(StreamEvent::Stop(reply.stop.clone()));
}

/// Appends the events of one complete block.
pub fn push_block_events(index: u32, block: &Block, events: &mut Vec<StreamEvent>) {
    let (open, deltas) = split_block(block.clone());
    events.push(StreamEvent::BlockStart { index, block: Box::new(open) });
    events.extend(deltas.map(|delta| StreamEvent::Delta { index, delta }));
    events.push(StreamEvent::BlockEnd { index });
}

/// Splits a complete block into the block with which its events begin, and its deltas.
pub(crate) fn split_block(mut block: Block) -> (Block, impl Iterator<Item = Delta>) {
    let (mut text, mut sources, mut seal) = (None, Vec::new(), None);
    match &mut block.content {
        BlockContent::Text { text: whole, citations } => {
            text = Some(Delta::Text(std::mem::take(whole)));
            sources = std::mem::take(citations);
        }
        BlockContent::Refusal(whole) => text = Some(Delta::Text(std::mem::take(whole))),
        BlockContent::Reasoning(thinking) => {
            text = Some(Delta::Text(std::mem::take(&mut thinking.text)));
            if thinking.form != ReasoningForm::Redacted {
                seal = block.seal.take();
            }
        }
        BlockContent::ToolCall(call) => {
            text = Some(Delta::Args(call.args.to_json_string()));
            call.args = match &call.args {
                ToolArgs::Freeform(_) => ToolArgs::Freeform(JsonString::EMPTY),
                ToolArgs::Json(_) | ToolArgs::Malformed(_) => {
                    ToolArgs::Malformed(JsonString::EMPTY)
                }
            };
        }
        BlockContent::Media(_)
        | BlockContent::Json(_)
        | BlockContent::ToolResult(_)
        | BlockContent::Foreign { .. } => {}
    }
    let text = text
        .filter(|delta| !matches!(delta, Delta::Text(text) | Delta::Args(text) if text.is_empty()));
    let sources = sources.into_iter().map(|citation| Delta::Citation(Box::new(citation)));
    (block, text.into_iter().chain(sources).chain(seal.map(Delta::Seal)))
}

impl Default for Stop {
    fn default() -> Self {
        Self::new(StopReason::EndTurn)
    }
}
