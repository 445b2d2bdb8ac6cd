//! Fields that the model of a conversation has no name for: which of them each target knows.
//!
//! Only a client of the same dialect sends them; across dialects they are left out anyway.

mod anthropic;
mod bedrock;
mod gemini;
mod openai_chat;
mod openai_responses;
mod openai_responses_items;

use interlingua_model::{Body, Form, MediaKind, Role};

use interlingua_wire::Node;

use super::Scope;
use super::cache::OLD;
use super::scope::GROQ_PLAIN;
use crate::shape::Key;
pub(super) use anthropic::{CACHE as CACHE_CONTROL, LOOSE_CACHE};
pub(super) use bedrock::CACHE_POINT;

#[expect(clippy::struct_excessive_bools, reason = "each is a quirk of its own")]
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// `camelCase` and `snake_case` are one, and numbers may be strings.
    pub either_case: bool,
    /// Fields that are not known are passed over, and what is known may stand anywhere.
    pub open: bool,
    /// Fields of the body; `None` takes any. What the settings hold is there as a whole.
    pub body: Option<&'static [Key]>,
    /// Fields of a turn, by who speaks; of one who is not there, any.
    pub turns: &'static [(Role, &'static [Key])],
    /// Fields of a block, by what it is; of one that is not there, any.
    pub blocks: &'static [(Part, &'static [Key])],
    /// As `blocks`, of calls that take free text, and of what they came to.
    pub freeform: &'static [(Part, &'static [Key])],
    /// Blocks that only this dialect has; `None` takes any.
    pub foreign: Option<&'static [Foreign]>,
    /// Instructions outside the turns are texts and nothing else.
    pub plain_system: bool,
    /// How the kind of a part begins where each item is a turn of its own; empty where none is.
    pub part: &'static str,
    /// Whether the target takes an item as it is written, where it looks at little of it.
    pub takes: Option<fn(Node<'_>) -> bool>,
    /// Fields of the body that may not be there at all, not even to say nothing.
    pub absent: &'static [&'static str],
    /// What only the last turn may hold.
    pub last_only: &'static [&'static str],
    /// How instructions begin that clients write for another provider's accounts.
    pub labels: &'static [&'static str],
    /// Nobody but the user may have a name.
    pub only_user_named: bool,
    /// Its clients write what it knows, and not what its relatives know: a field that is not listed
    /// here is one that is newer than this list.
    pub trusts: bool,
    /// Nothing is said of a block that only another dialect knows.
    pub own_blocks_only: bool,
}

/// A kind of block that only one dialect has.
#[derive(Clone, Copy, Debug)]
pub struct Foreign {
    /// With `*` at the end, any that has a name and begins so.
    pub kind: &'static str,
    /// `None` where it goes back as it came.
    pub keys: Option<&'static [Key]>,
    /// Other keys are fine, too.
    pub open: bool,
    pub side: Side,
    /// The beginning of the beta that lets it in; empty where nobody has to ask.
    pub beta: &'static str,
}

/// Where a block may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Anywhere,
    User,
    Assistant,
    Instructions,
    Result,
    /// The user's words, or a tool's result.
    UserOrResult,
    /// Anywhere but in what the assistant says.
    Client,
    /// What the user or the model says.
    Turns,
    /// That, or a tool's result.
    TurnsOrResult,
    /// Anything but a tool's result.
    NotResult,
    /// Wherever an image may stand as it was written.
    Pictures,
}

/// What a block is, as far as its fields are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Text,
    Refusal,
    Thinking,
    Redacted,
    Image,
    Document,
    Audio,
    Video,
    Data,
    Call,
    Result,
}

impl Part {
    /// What this is; `None` for what only one dialect has.
    pub fn of(body: &Body) -> Option<Self> {
        Some(match body {
            Body::Text { .. } => Self::Text,
            Body::Refusal(_) => Self::Refusal,
            Body::Thinking(thinking) if thinking.form == Form::Redacted => Self::Redacted,
            Body::Thinking(_) => Self::Thinking,
            Body::Media(media) => match media.kind {
                MediaKind::Image => Self::Image,
                MediaKind::Document => Self::Document,
                MediaKind::Audio => Self::Audio,
                MediaKind::Video => Self::Video,
            },
            Body::Data(_) => Self::Data,
            Body::ToolCall(_) => Self::Call,
            Body::ToolResult(_) => Self::Result,
            Body::Foreign { .. } => return None,
        })
    }
}

const fn foreign(kind: &'static str, side: Side, keys: &'static [Key]) -> Foreign {
    Foreign { kind, keys: Some(keys), open: false, side, beta: "" }
}

/// With these keys, and any others.
const fn open(kind: &'static str, side: Side, keys: &'static [Key]) -> Foreign {
    Foreign { kind, keys: Some(keys), open: true, side, beta: "" }
}

const fn opaque(kind: &'static str, side: Side) -> Foreign {
    Foreign { kind, keys: None, open: false, side, beta: "" }
}

pub(super) static ROWS: &[(Scope, Fields)] = &[
    (Scope::flavors("anthropic", &["deepseek"]), anthropic::DEEPSEEK),
    (Scope::all("anthropic"), anthropic::FIELDS),
    (Scope::flavors("openai-chat", &["mistral"]), openai_chat::MISTRAL),
    (Scope::of("openai-chat", &["groq"], GROQ_PLAIN), openai_chat::GROQ_PLAIN),
    (Scope::flavors("openai-chat", &["groq"]), openai_chat::GROQ),
    (Scope::flavors("openai-chat", &["cerebras"]), openai_chat::CEREBRAS),
    (Scope::flavors("openai-chat", &["generic"]), openai_chat::GENERIC),
    (Scope::of("openai-chat", &["azure"], OLD), openai_chat::OLD_AZURE),
    (Scope::flavors("openai-chat", &["azure"]), openai_chat::AZURE),
    (Scope::of("openai-chat", &["", "openai"], OLD), openai_chat::OLD_OPENAI),
    (Scope::flavors("openai-chat", &["", "openai"]), openai_chat::OPENAI),
    (Scope::flavors("openai-chat", &["vllm"]), openai_chat::VLLM),
    (Scope::flavors("openai-chat", &["llama.cpp"]), openai_chat::LLAMA),
    (Scope::flavors("openai-chat", &["ollama"]), openai_chat::OLLAMA),
    (Scope::flavors("openai-chat", &["deepseek"]), openai_chat::DEEPSEEK),
    (Scope::flavors("openai-chat", &["xai"]), openai_chat::XAI),
    (Scope::flavors("openai-chat", &["lm-studio"]), openai_chat::STUDIO),
    (Scope::all("openai-chat"), openai_chat::OTHERS),
    (Scope::flavors("openai-responses", &["llama.cpp"]), openai_responses::LLAMA),
    (Scope::flavors("openai-responses", &["codex"]), openai_responses::CODEX),
    (Scope::flavors("openai-responses", &["relay"]), openai_responses::RELAY),
    (Scope::all("openai-responses"), openai_responses::FIELDS),
    (Scope::flavors("gemini", &["vertex"]), gemini::VERTEX),
    (Scope::all("gemini"), gemini::STUDIO),
    (Scope::all("bedrock"), bedrock::FIELDS),
];

const ANY: Fields = Fields {
    either_case: false,
    open: false,
    body: None,
    turns: &[],
    blocks: &[],
    freeform: &[],
    foreign: None,
    plain_system: false,
    part: "",
    takes: None,
    absent: &[],
    last_only: &[],
    labels: LABELS,
    only_user_named: false,
    trusts: false,
    own_blocks_only: false,
};

/// "x-anthropic-billing-header: `cc_version=2.1.117.48f`; `cc_entrypoint=cli`; cch=71fea;"
const LABELS: &[&str] = &["x-anthropic-billing-header:"];
