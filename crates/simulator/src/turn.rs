//! A turn of the simulated model, before it is encoded for an API.

/// One turn of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    pub blocks: Vec<Block>,
    pub stop_reason: StopReason,
    /// The stop sequence that ended the turn.
    pub stop_sequence: Option<String>,
    pub usage: Usage,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Reasoning; the API seals it.
    Thinking(String),
    /// Reasoning without readable text.
    Redacted(String),
    Text(String),
    Call(Call),
    /// A summary of the conversation; the API seals it.
    Summary(String),
}

/// A tool call. The arguments are text, because a model may write anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    /// The group the tool is declared in, where the API has groups.
    pub namespace: Option<String>,
    pub arguments: String,
    /// The tool takes free text instead of JSON.
    pub is_custom: bool,
    /// The id to give the call; by default it follows from the request.
    pub id: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StopReason {
    #[default]
    End,
    ToolCalls,
    /// The token limit is reached.
    MaxTokens,
    Refusal,
    /// A stop sequence of the request is reached.
    StopSequence,
}

/// Token counts. They do not overlap: `input` excludes `cached`, `output` excludes `thinking`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub input: u64,
    pub cached: u64,
    pub output: u64,
    pub thinking: u64,
}

impl Turn {
    /// A turn with the stop reason that its blocks imply, and its output tokens counted.
    pub fn new(blocks: Vec<Block>) -> Self {
        let has_call = blocks.iter().any(|block| matches!(block, Block::Call(_)));
        let stop_reason = if has_call { StopReason::ToolCalls } else { StopReason::End };
        let mut turn = Self { blocks, stop_reason, ..Self::default() };
        turn.count_tokens();
        turn
    }

    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Counts the tokens of the output.
    pub fn count_tokens(&mut self) {
        self.usage.thinking = 0;
        self.usage.output = 0;
        for block in &self.blocks {
            let (bucket, tokens) = match block {
                Block::Thinking(text) | Block::Redacted(text) => {
                    (&mut self.usage.thinking, estimate_tokens(text))
                }
                Block::Text(text) | Block::Summary(text) => {
                    (&mut self.usage.output, estimate_tokens(text))
                }
                Block::Call(call) => (
                    &mut self.usage.output,
                    estimate_tokens(&call.name) + estimate_tokens(&call.arguments) + 4,
                ),
            };
            *bucket += tokens;
        }
    }

    /// Ends the turn before the first of these sequences that its text contains.
    pub fn apply_stop_sequences(&mut self, sequences: &[String]) {
        let cut = self.blocks.iter().enumerate().find_map(|(at, block)| {
            let Block::Text(text) = block else { return None };
            let hits = sequences.iter().filter(|sequence| !sequence.is_empty());
            let hits = hits.filter_map(|sequence| Some((text.find(sequence.as_str())?, sequence)));
            hits.min_by_key(|(offset, _)| *offset).map(|(offset, sequence)| (at, offset, sequence))
        });
        let Some((at, offset, sequence)) = cut else { return };
        self.blocks.truncate(at + 1);
        if let Some(Block::Text(text)) = self.blocks.last_mut() {
            text.truncate(offset);
        }
        // A text block that is now empty is dropped.
        self.blocks.pop_if(|block| *block == Block::Text(String::new()));
        self.stop_reason = StopReason::StopSequence;
        self.stop_sequence = Some(sequence.clone());
        self.count_tokens();
    }

    /// Ends the turn at the token limit, possibly within a block. Reasoning over the limit is left
    /// out, because partial reasoning is never sealed.
    pub fn apply_token_limit(&mut self, max_tokens: u64) {
        let mut left = max_tokens;
        let mut blocks = Vec::new();
        for block in std::mem::take(&mut self.blocks) {
            let (whole, cost) = (block.clone(), Self::new(vec![block]).usage);
            let cost = cost.output + cost.thinking;
            if cost <= left {
                left -= cost;
                blocks.push(whole);
                continue;
            }
            match whole {
                Block::Text(text) if left > 0 => {
                    blocks.push(Block::Text(truncate_to_tokens(&text, left)));
                }
                Block::Call(mut call) if left > 4 => {
                    call.arguments = truncate_to_tokens(&call.arguments, left - 4);
                    blocks.push(Block::Call(call));
                }
                _ => {}
            }
            self.stop_reason = StopReason::MaxTokens;
            break;
        }
        self.blocks = blocks;
        self.count_tokens();
        if self.stop_reason == StopReason::MaxTokens {
            self.usage.output =
                max_tokens.saturating_sub(self.usage.thinking).max(self.usage.output);
        }
    }
}

/// Estimates four bytes per token.
pub fn estimate_tokens(text: &str) -> u64 {
    text.len().div_ceil(4) as u64
}

fn truncate_to_tokens(text: &str, tokens: u64) -> String {
    let max_bytes = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(4);
    let mut end = max_bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}
