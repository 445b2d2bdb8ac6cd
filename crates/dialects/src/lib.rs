//! One folder per wire dialect. To add one, write the folder and add a line to [`DIALECTS`].
//!
//! - **decode** accepts any JSON: malformed input is kept and noted.
//! - **encode** cannot fail: what the dialect does not support is left out and noted.
//! - A value that still has its original text in the target dialect is written as that text.

pub mod anthropic;
mod arguments;
#[cfg(feature = "bedrock")]
pub mod bedrock;
pub mod body;
mod char_offsets;
mod freeform;
pub mod gemini;
pub mod media;
mod name_set;
pub mod native;
pub mod note;
mod notice;
pub mod openai_chat;
pub mod openai_responses;
mod pending_events;
pub mod run;
mod spellings;
mod tool_output;

use bytes::Bytes;
use interlingua_model::{
    ApiError, Block, BlockContent, Citation, Conversation, DialectId, Ledger, Reply, ReplyContext,
    Role, StreamEvent, Target, Tool, Turn, Verbatim,
};
use interlingua_wire::{Frame, Framing, JsonDoc, JsonNode, JsonString, RawJson};

/// All dialects. The runners of the corpus and of the laws iterate over this list.
pub const DIALECTS: &[&dyn Dialect] = &[
    &anthropic::Anthropic,
    &openai_chat::OpenAiChat,
    &openai_responses::OpenAiResponses,
    &gemini::Gemini,
    #[cfg(feature = "bedrock")]
    &bedrock::Bedrock,
    &native::Native,
];

/// A wire dialect, in both directions. It converts bytes to bytes and does no IO.
pub trait Dialect: Sync {
    /// The dialect's name.
    fn id(&self) -> DialectId;

    /// Framing of the dialect's streams.
    fn framing(&self) -> Framing {
        Framing::Sse
    }

    /// Name of an event without content that may be repeated as a heartbeat.
    fn heartbeat_event(&self) -> Option<&'static str> {
        None
    }

    /// Bytes that clients ignore between two events of a stream.
    fn heartbeat_bytes(&self) -> &'static [u8] {
        b": ping\n\n"
    }

    /// Whether clients wait longer for the first event if they receive heartbeat bytes.
    fn heartbeat_extends_timeout(&self) -> bool {
        true
    }

    /// Issuers of the seals that clients of this dialect carry in a dedicated reasoning field.
    /// Empty if there is no such field, or if one field carries the seals of all issuers.
    fn seal_issuers(&self) -> &'static [&'static str] {
        &[]
    }

    /// Converts a foreign reply block of this dialect to content that other dialects have.
    fn portable_content(&self, _kind: &JsonString, _block: &RawJson) -> Option<BlockContent> {
        None
    }

    /// Decodes the web search that a reply block of this dialect reports.
    fn decode_web_search(&self, _kind: &JsonString, _block: &RawJson) -> Option<WebSearch> {
        None
    }

    /// Encodes a web search without its results as a reply block of this dialect.
    fn encode_web_search(&self, _search: &WebSearch) -> Option<BlockContent> {
        None
    }

    /// Whether replies of this dialect report a search together with its results. In other dialects
    /// the results are known only from citations, so the search is written at the end of the reply.
    fn has_web_search_results(&self) -> bool {
        false
    }

    /// Encodes a web search with its results.
    fn encode_web_search_results(
        &self,
        _search: &WebSearch,
        _citations: &[Citation],
    ) -> Vec<BlockContent> {
        Vec::new()
    }

    /// The request field that contains the turns.
    fn turns_key(&self) -> &'static str {
        "messages"
    }

    /// The keys below which a reply, or an event of its stream, has the lists that become blocks and
    /// citations. Other lists, such as log probabilities and arguments, are not decoded.
    fn reply_list_keys(&self) -> &'static [&'static str];

    /// The HTTP status of an error in this dialect. Status 529 exists only in Anthropic's API.
    fn error_status(&self, error: &ApiError) -> u16 {
        match error.kind.response_status(error.status) {
            529 => 503,
            status => status,
        }
    }

    /// Whether a request can carry a cache key, so that the provider finds its cached prefix.
    fn supports_prompt_cache_key(&self, _flavor: Option<&str>) -> bool {
        false
    }

    /// Whether beta features, which Anthropic's clients send in a header, can be sent in the body.
    fn has_betas_field(&self) -> bool {
        false
    }

    /// The keys of an object field that the model holds; `None` if it holds the whole object or
    /// nothing of it.
    fn known_subfields(&self, _field: &str) -> Option<&'static [&'static str]> {
        None
    }

    /// The names of its flavors. The first is the dialect as its vendor defines it.
    fn flavors(&self) -> &'static [&'static str] {
        &[]
    }

    /// Decodes a request body. Any JSON results in a conversation, which keeps the body as its
    /// original text.
    fn decode_request(&self, body: &JsonDoc, ledger: &mut Ledger) -> Verbatim<Conversation>;

    /// Encodes a request body. What the dialect does not support is left out and noted.
    fn encode_request(
        &self,
        conversation: &Verbatim<Conversation>,
        target: &Target,
        ledger: &mut Ledger,
    ) -> Bytes;

    /// Decodes a complete reply. Some providers send an error with status 200.
    fn decode_reply(
        &self,
        body: &JsonDoc,
        cx: &ReplyContext,
        ledger: &mut Ledger,
    ) -> Result<Verbatim<Reply>, ApiError>;

    /// Encodes a complete reply.
    fn encode_reply(&self, reply: &Reply, cx: &ReplyContext, ledger: &mut Ledger) -> Vec<u8>;

    /// A reader for one stream in this dialect.
    fn reader(&self, cx: &ReplyContext) -> Box<dyn StreamReader>;

    /// A writer for one stream in this dialect.
    fn writer(&self, cx: &ReplyContext) -> Box<dyn StreamWriter>;

    /// Decodes the body of a response with a status other than 2xx: JSON, an HTML page or nothing.
    fn decode_error(&self, status: u16, body: &[u8]) -> ApiError;

    /// Encodes the body of an error response; its status is [`Dialect::error_status`].
    fn encode_error(&self, error: &ApiError) -> Vec<u8>;

    /// Decodes one element of the dialect's list of turns.
    fn decode_turn(&self, turn: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Turn>;

    /// Decodes one block of a turn with this role.
    fn decode_block(&self, block: JsonNode<'_>, role: Role, ledger: &mut Ledger)
    -> Verbatim<Block>;

    /// Decodes the dialect's field for the system prompt.
    fn decode_system(
        &self,
        system: JsonNode<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>>;

    /// Decodes one element of the dialect's list of tools.
    fn decode_tool(&self, tool: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Tool>;
}

/// A web search that a provider ran.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WebSearch {
    /// The id of the search.
    pub id: JsonString,
    /// What was searched for, if it is known.
    pub query: Option<JsonString>,
}

/// Reads the frames of one stream. Its events satisfy the laws of [`StreamEvent`] for any input.
pub trait StreamReader: Send {
    /// Reads one frame and appends its events.
    fn read(&mut self, frame: Frame, events: &mut Vec<StreamEvent>, ledger: &mut Ledger);

    /// Handles the end of the stream. A reply that lacks only its end marker gets a stop event; an
    /// incomplete one gets an error event.
    fn finish(&mut self, events: &mut Vec<StreamEvent>, ledger: &mut Ledger);

    /// What clients of the dialect still need after the frames of an ended reply.
    fn missing_end(&self) -> MissingEnd {
        MissingEnd::Nothing
    }

    /// Announces that frames are forwarded unchanged to clients of the same dialect.
    fn enable_passthrough(&mut self) {}

    /// The replacement for the frame that was just read, if clients would misread it.
    fn rewrite_frame(&mut self) -> Option<Vec<u8>> {
        None
    }

    /// Whether the stop reason was received: if the stream ended now, the reply would be complete.
    fn has_stop_reason(&self) -> bool {
        false
    }

    /// Whether the end marker was received, after which nothing belongs to the reply.
    fn is_terminated(&self) -> bool {
        false
    }
}

/// What is missing at the end of a stream with frames forwarded unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingEnd {
    /// The client has everything.
    Nothing,
    /// These bytes, which mark the end.
    Marker(&'static [u8]),
    /// The stop reason, before the end marker that was just received.
    StopReason,
    /// The event that ends a failed reply.
    ErrorEvent,
}

/// Writes the frames of one stream from events that satisfy the laws.
pub trait StreamWriter: Send {
    /// Appends the frames of one event to `out`.
    fn write(&mut self, event: &StreamEvent, out: &mut Vec<u8>, ledger: &mut Ledger);

    /// Records a frame that was forwarded to the client, so that later writes continue after it.
    fn observe_passthrough(&mut self, _frame: &Frame) {}
}

/// Finds a dialect by its name, such as `openai-chat`.
pub fn find_dialect(name: &str) -> Option<&'static dyn Dialect> {
    DIALECTS.iter().copied().find(|dialect| dialect.id().0 == name)
}

/// Converts a foreign reply block to content that clients of `to` can display. The native dialect
/// keeps foreign blocks.
pub fn portable_block(block: &Block, target: DialectId) -> Option<Block> {
    let BlockContent::Foreign { dialect, kind, json } = &block.content else { return None };
    let source = find_dialect(dialect.0).filter(|_| *dialect != target && target != native::ID)?;
    let as_search =
        || find_dialect(target.0)?.encode_web_search(&source.decode_web_search(kind, json)?);
    source.portable_content(kind, json).or_else(as_search).map(Block::new)
}

/// Decodes the web search that a reply block reports.
pub fn decode_web_search(block: &Block) -> Option<WebSearch> {
    let BlockContent::Foreign { dialect, kind, json } = &block.content else { return None };
    find_dialect(dialect.0)?.decode_web_search(kind, json)
}
