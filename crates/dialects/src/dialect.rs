//! The interface of a dialect, in both directions.

use bytes::Bytes;
use interlingua_model::{
    ApiError, Block, BlockContent, Citation, Conversation, DialectId, Ledger, Reply, ReplyContext,
    Role, StreamEvent, Tool, Turn, Verbatim,
};
use interlingua_providers::Target;
use interlingua_wire::{Frame, Framing, JsonDoc, JsonNode, JsonString, RawJson};

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

    /// The names of its flavors. The first is the dialect as its vendor defines it.
    fn flavors(&self) -> &'static [&'static str] {
        interlingua_providers::flavors(self.id())
    }

    /// The keys below which a reply, or an event of its stream, has the lists that become blocks and
    /// citations. Other lists, such as log probabilities and arguments, are not decoded.
    fn reply_list_keys(&self) -> &'static [&'static str];

    /// The functions that decode and encode its bodies, streams and values.
    fn codec(&self) -> &'static Codec;

    /// Decodes a request body. Any JSON results in a conversation, which keeps the body as its
    /// original text.
    fn decode_request(&self, body: &JsonDoc, ledger: &mut Ledger) -> Verbatim<Conversation> {
        (self.codec().decode_request)(body, ledger)
    }

    /// Encodes a request body. What the dialect does not support is left out and noted.
    fn encode_request(
        &self,
        conversation: &Verbatim<Conversation>,
        target: &Target,
        ledger: &mut Ledger,
    ) -> Bytes {
        (self.codec().encode_request)(conversation, target, ledger)
    }

    /// Decodes a complete reply. Some providers send an error with status 200.
    fn decode_reply(
        &self,
        body: &JsonDoc,
        cx: &ReplyContext,
        ledger: &mut Ledger,
    ) -> Result<Verbatim<Reply>, ApiError> {
        (self.codec().decode_reply)(body, cx, ledger)
    }

    /// Encodes a complete reply.
    fn encode_reply(&self, reply: &Reply, cx: &ReplyContext, ledger: &mut Ledger) -> Vec<u8> {
        (self.codec().encode_reply)(reply, cx, ledger)
    }

    /// A reader for one stream in this dialect.
    fn reader(&self, cx: &ReplyContext) -> Box<dyn StreamReader> {
        (self.codec().reader)(cx)
    }

    /// A writer for one stream in this dialect.
    fn writer(&self, cx: &ReplyContext) -> Box<dyn StreamWriter> {
        (self.codec().writer)(cx)
    }

    /// Decodes the body of a response with a status other than 2xx: JSON, an HTML page or nothing.
    fn decode_error(&self, status: u16, body: &[u8]) -> ApiError {
        (self.codec().decode_error)(status, body)
    }

    /// Encodes the body of an error response; its status is [`Dialect::error_status`].
    fn encode_error(&self, error: &ApiError) -> Vec<u8> {
        (self.codec().encode_error)(error)
    }

    /// Decodes one element of the dialect's list of turns.
    fn decode_turn(&self, turn: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Turn> {
        (self.codec().decode_turn)(turn, ledger)
    }

    /// Decodes one block of a turn with this role.
    fn decode_block(
        &self,
        block: JsonNode<'_>,
        role: Role,
        ledger: &mut Ledger,
    ) -> Verbatim<Block> {
        (self.codec().decode_block)(block, role, ledger)
    }

    /// Decodes the dialect's field for the system prompt.
    fn decode_system(
        &self,
        system: JsonNode<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        (self.codec().decode_system)(system, ledger)
    }

    /// Decodes one element of the dialect's list of tools.
    fn decode_tool(&self, tool: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        (self.codec().decode_tool)(tool, ledger)
    }
}

/// The functions of a dialect, which the methods of [`Dialect`] call.
#[derive(Debug)]
pub struct Codec {
    pub decode_request: fn(&JsonDoc, &mut Ledger) -> Verbatim<Conversation>,
    pub encode_request: fn(&Verbatim<Conversation>, &Target, &mut Ledger) -> Bytes,
    pub decode_reply: fn(&JsonDoc, &ReplyContext, &mut Ledger) -> Result<Verbatim<Reply>, ApiError>,
    pub encode_reply: fn(&Reply, &ReplyContext, &mut Ledger) -> Vec<u8>,
    pub reader: fn(&ReplyContext) -> Box<dyn StreamReader>,
    pub writer: fn(&ReplyContext) -> Box<dyn StreamWriter>,
    pub decode_error: fn(u16, &[u8]) -> ApiError,
    pub encode_error: fn(&ApiError) -> Vec<u8>,
    pub decode_turn: fn(JsonNode<'_>, &mut Ledger) -> Verbatim<Turn>,
    pub decode_block: fn(JsonNode<'_>, Role, &mut Ledger) -> Verbatim<Block>,
    pub decode_system: fn(JsonNode<'_>, &mut Ledger) -> Verbatim<Vec<Verbatim<Block>>>,
    pub decode_tool: fn(JsonNode<'_>, &mut Ledger) -> Verbatim<Tool>,
    /// The keys of an object field that the model holds; `None` if it holds the whole object or
    /// nothing of it.
    pub known_subfields: fn(&str) -> Option<&'static [&'static str]>,
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
