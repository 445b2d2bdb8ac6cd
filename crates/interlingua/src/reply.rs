//! Decodes a complete reply, restores the client's names, checks its tool calls and encodes it.

use bytes::Bytes;
use interlingua_dialects::{Dialect, StreamWriter, note, portable_block};
use interlingua_guard::{CallChecker, Finding, GuardAction};
use interlingua_model::{
    Block, BlockContent, Ledger, LedgerPath, Reply, ReplyContext, Verbatim, for_each_event,
};
use interlingua_wire::JsonDoc;

use crate::echoed_fields::EchoedFields;
use crate::error::ReplyError;
use crate::limits::ReplyLimits;
use crate::parse::parse_object;
use crate::seal_envelope::{self, WrappingWriter};
use crate::web_search::WebSearchCollector;

/// A complete translated reply.
#[derive(Clone, Debug)]
pub struct TranslatedReply {
    /// The body in the client's dialect.
    pub body: Bytes,
    /// The changes and losses.
    pub ledger: Ledger,
    /// The decoded reply, with the client's names restored.
    pub reply: Box<Verbatim<Reply>>,
    /// The guard's findings about the tool calls of the reply.
    pub findings: Vec<Finding>,
}

/// A decoded reply that is not yet encoded.
#[derive(Debug)]
pub struct DecodedReply {
    body: JsonDoc,
    /// The decoded reply. Boxed, because it is large and moved often.
    pub reply: Box<Verbatim<Reply>>,
    /// The changes and losses of decoding.
    pub ledger: Ledger,
    /// The guard's findings about the tool calls of the reply.
    pub findings: Vec<Finding>,
}

/// Decodes a reply in dialect `from` and checks its tool calls with `call_checker`, if there is
/// one.
pub fn decode_reply(
    body: Bytes,
    from: &dyn Dialect,
    cx: &ReplyContext,
    call_checker: Option<&CallChecker>,
) -> Result<DecodedReply, ReplyError> {
    decode_reply_with_limits(body, from, cx, call_checker, &ReplyLimits::default())
}

/// As [`decode_reply`], with limits.
pub fn decode_reply_with_limits(
    body: Bytes,
    from: &dyn Dialect,
    cx: &ReplyContext,
    call_checker: Option<&CallChecker>,
    limits: &ReplyLimits,
) -> Result<DecodedReply, ReplyError> {
    let mut ledger = Ledger::default();
    let without_marker = strip_done_marker(&body);
    let body = match (parse_object(body), without_marker) {
        (Err(_), Some(body)) => {
            let description = "left out the [DONE] marker after the reply";
            ledger.record_change(note::ODD_INPUT, LedgerPath::REPLY, description);
            parse_object(body)?
        }
        (parsed, _) => parsed?,
    };
    let api_error = |error| ReplyError::Api(Box::new(error));
    limits.check_lists(&body, from.reply_list_keys()).map_err(api_error)?;
    let mut reply = Box::new(from.decode_reply(&body, cx, &mut ledger).map_err(api_error)?);
    limits.check_arguments(&reply.turn).map_err(api_error)?;
    if cx.has_renames() {
        restore_client_names(&mut reply, cx);
    }
    let replacement = reply.id.as_ref().and_then(|id| cx.taken_ids.as_ref()?.replacement_of(id));
    if let Some(id) = replacement.or_else(|| cx.override_id.clone()) {
        reply.edit().id = Some(id);
    }
    let findings = call_checker
        .map(|call_checker| check_calls(call_checker, &mut reply, &mut ledger))
        .unwrap_or_default();
    Ok(DecodedReply { body, reply, ledger, findings })
}

/// Returns the body without a trailing `data: [DONE]`, which some relays append to replies that are
/// not streamed; `None` if there is none.
fn strip_done_marker(body: &Bytes) -> Option<Bytes> {
    let rest = body.trim_ascii_end().strip_suffix(b"[DONE]")?.trim_ascii_end();
    let rest = rest.strip_suffix(b"data:")?;
    Some(body.slice(..rest.len()))
}

impl DecodedReply {
    /// Encodes the reply for a client of dialect `to`.
    pub fn encode(self, to: &dyn Dialect, cx: &ReplyContext) -> TranslatedReply {
        let Self { body, reply, mut ledger, findings } = self;
        let body = match reply.text_for(to.id()) {
            _ if cx.is_verbatim => body.text().as_bytes().clone(),
            Some(_) => {
                // A passed-through reply has lost nothing.
                ledger.entries.retain(|entry| !entry.is_loss);
                EchoedFields::from_exchange(cx, to.id()).fill_in(body.text().as_bytes())
            }
            None => encode_reply(&reply, to, cx, &mut ledger).into(),
        };
        TranslatedReply { body, ledger, reply, findings }
    }
}

/// Encodes a reply for a client of dialect `to`, with foreign seals wrapped if the client carries
/// them.
pub fn encode_reply(
    reply: &Reply,
    to: &dyn Dialect,
    cx: &ReplyContext,
    ledger: &mut Ledger,
) -> Vec<u8> {
    let wrapped = cx
        .carries_foreign_seals
        .then(|| seal_envelope::wrap_reply(reply, to.seal_issuers(), cx.provider_model.as_ref()));
    let wrapped = wrapped.flatten();
    let reply = wrapped.as_ref().unwrap_or(reply);
    let portable = portable_reply(reply, to, cx);
    to.encode_reply(portable.as_ref().unwrap_or(reply), cx, ledger)
}

/// Encodes a complete reply as a stream, for a client that requested one.
pub fn encode_reply_as_stream(
    reply: &Reply,
    to: &dyn Dialect,
    cx: &ReplyContext,
    ledger: &mut Ledger,
) -> Vec<u8> {
    let portable = portable_reply(reply, to, cx);
    let (mut writer, mut out) = (stream_writer(to, cx), Vec::new());
    for_each_event(portable.as_ref().unwrap_or(reply), |event| {
        writer.write(&event, &mut out, ledger);
    });
    out
}

/// Returns the reply with search results added and with blocks that the dialect does not know
/// replaced by portable ones; `None` if there is nothing to change.
fn portable_reply(reply: &Reply, to: &dyn Dialect, cx: &ReplyContext) -> Option<Reply> {
    let to_portable = |block: &Verbatim<Block>| portable_block(block, to.id());
    let with_search_results = WebSearchCollector::apply_to_reply(reply, cx, to.id());
    let blocks = &reply.turn.blocks;
    let with_portable_blocks =
        || blocks.iter().any(|block| to_portable(block).is_some()).then(|| reply.clone());
    let mut portable = with_search_results.or_else(with_portable_blocks)?;
    for block in &mut portable.turn.blocks {
        if let Some(replacement) = to_portable(block) {
            *block = replacement.into();
        }
    }
    Some(portable)
}

/// Returns the stream writer for a client of dialect `to`, which wraps foreign seals if the client
/// carries them.
pub fn stream_writer(to: &dyn Dialect, cx: &ReplyContext) -> Box<dyn StreamWriter> {
    let writer = to.writer(cx);
    if cx.carries_foreign_seals && !to.seal_issuers().is_empty() {
        return Box::new(WrappingWriter::new(writer, to.seal_issuers(), cx.provider_model.clone()));
    }
    writer
}

fn restore_client_names(reply: &mut Verbatim<Reply>, cx: &ReplyContext) {
    for index in 0..reply.turn.blocks.len() {
        let BlockContent::ToolCall(call) = &reply.turn.blocks[index].content else { continue };
        let mut call = call.clone();
        if cx.restore_client_names(&mut call) {
            reply.edit().turn.blocks[index].edit().content = BlockContent::ToolCall(call);
        }
    }
}

/// Checks every call; replaces only the mended ones.
fn check_calls(
    call_checker: &CallChecker,
    reply: &mut Verbatim<Reply>,
    ledger: &mut Ledger,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for index in 0..reply.turn.blocks.len() {
        let Some(finding) = call_checker.check_block(&reply.turn.blocks[index]) else { continue };
        if let GuardAction::Mended(call) = &finding.action {
            reply.edit().turn.blocks[index].edit().content =
                BlockContent::ToolCall((**call).clone());
            record_mended_call(&finding, ledger);
        }
        findings.push(finding);
    }
    findings
}

pub(crate) fn record_mended_call(finding: &Finding, ledger: &mut Ledger) {
    let (id, kind) = (&finding.call.id, finding.kind.name());
    ledger.record_change(
        GUARD_MEND_RULE,
        LedgerPath::REPLY,
        format!("mended the call {id}: {kind}"),
    );
}

/// Ledger rule of calls that the guard mended.
const GUARD_MEND_RULE: &str = "guard-mend";
