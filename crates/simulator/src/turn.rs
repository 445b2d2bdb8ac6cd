//! What a model says in one turn, before any API spells it.

/// One turn of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    pub blocks: Vec<Block>,
    pub stop: Stop,
    /// The text at which it stopped, if it is one that the request names.
    pub sequence: Option<String>,
    pub usage: Usage,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Reasoning; the API seals it.
    Thinking(String),
    /// Reasoning that is shown to nobody.
    Redacted(String),
    Text(String),
    Call(Call),
    /// What was said so far, in short; the API seals it.
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
    pub custom: bool,
    /// The id to give the call; by default it follows from the request.
    pub id: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    #[default]
    End,
    Calls,
    /// The limit of tokens is reached.
    Length,
    Refusal,
    /// A text comes at which the request wants it to stop.
    Sequence,
}

/// Tokens. Each bucket is its own: `input` is without `cached`, `output` without `thinking`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub input: u64,
    pub cached: u64,
    pub output: u64,
    pub thinking: u64,
}

impl Turn {
    /// A turn that stops as its blocks suggest; the output is counted.
    pub fn new(blocks: Vec<Block>) -> Self {
        let called = blocks.iter().any(|block| matches!(block, Block::Call(_)));
        let stop = if called { Stop::Calls } else { Stop::End };
        let mut turn = Self { blocks, stop, ..Self::default() };
        turn.count();
        turn
    }

    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Counts the tokens of the output.
    pub fn count(&mut self) {
        self.usage.thinking = 0;
        self.usage.output = 0;
        for block in &self.blocks {
            let (bucket, tokens) = match block {
                Block::Thinking(text) | Block::Redacted(text) => {
                    (&mut self.usage.thinking, tokens(text))
                }
                Block::Text(text) | Block::Summary(text) => (&mut self.usage.output, tokens(text)),
                Block::Call(call) => {
                    (&mut self.usage.output, tokens(&call.name) + tokens(&call.arguments) + 4)
                }
            };
            *bucket += tokens;
        }
    }

    /// Ends the turn before the first of these texts that the model says.
    pub fn stop_at(&mut self, sequences: &[String]) {
        let cut = self.blocks.iter().enumerate().find_map(|(at, block)| {
            let Block::Text(text) = block else { return None };
            let found = sequences.iter().filter(|sequence| !sequence.is_empty());
            let found =
                found.filter_map(|sequence| Some((text.find(sequence.as_str())?, sequence)));
            found.min_by_key(|(place, _)| *place).map(|(place, sequence)| (at, place, sequence))
        });
        let Some((at, place, sequence)) = cut else { return };
        self.blocks.truncate(at + 1);
        if let Some(Block::Text(text)) = self.blocks.last_mut() {
            text.truncate(place);
        }
        // Nothing was said in a text that stops where it begins.
        self.blocks.pop_if(|block| *block == Block::Text(String::new()));
        self.stop = Stop::Sequence;
        self.sequence = Some(sequence.clone());
        self.count();
    }

    /// Ends the turn where the limit is reached, in the middle of a block if need be. A block of
    /// reasoning that is cut is left out: nothing seals it.
    pub fn limit(&mut self, most: u64) {
        let mut left = most;
        let mut kept = Vec::new();
        for block in std::mem::take(&mut self.blocks) {
            let (whole, cost) = (block.clone(), Self::new(vec![block]).usage);
            let cost = cost.output + cost.thinking;
            if cost <= left {
                left -= cost;
                kept.push(whole);
                continue;
            }
            match whole {
                Block::Text(text) if left > 0 => kept.push(Block::Text(head(&text, left))),
                Block::Call(mut call) if left > 4 => {
                    call.arguments = head(&call.arguments, left - 4);
                    kept.push(Block::Call(call));
                }
                _ => {}
            }
            self.stop = Stop::Length;
            break;
        }
        self.blocks = kept;
        self.count();
        if self.stop == Stop::Length {
            self.usage.output = most.saturating_sub(self.usage.thinking).max(self.usage.output);
        }
    }
}

/// An estimate: four bytes are a token.
pub fn tokens(text: &str) -> u64 {
    text.len().div_ceil(4) as u64
}

fn head(text: &str, tokens: u64) -> String {
    let most = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(4);
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}
