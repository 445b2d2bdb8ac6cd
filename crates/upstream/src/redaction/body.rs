//! Redacts a body chunk by chunk.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use interlingua::ApiError;
use interlingua_wire::frame::{aws_message_len, edit_aws_message};

use super::{MIN_SECRET_BYTES, Redactor, overwrite};

/// Redacts the body of one response, also where a secret is split between chunks.
///
/// Only bytes that may be the beginning of a secret wait for the next chunk. Messages of the AWS
/// event stream, which have a checksum, wait until they are complete.
pub(crate) struct BodyRedactor {
    redactor: Arc<Redactor>,
    has_aws_messages: bool,
    /// Received bytes that wait for more.
    held: BytesMut,
    /// Redacted bytes that were not returned yet.
    ready: VecDeque<Bytes>,
    /// How the body has ended.
    end: Option<Result<(), ApiError>>,
}

impl BodyRedactor {
    pub(crate) fn new(redactor: Arc<Redactor>, has_aws_messages: bool) -> Self {
        let (held, ready) = (BytesMut::new(), VecDeque::new());
        Self { redactor, has_aws_messages, held, ready, end: None }
    }

    /// Adds the next bytes of the body; returns the first that are redacted.
    pub(crate) fn push(&mut self, chunk: Bytes) -> Option<Bytes> {
        let is_clean = !self.has_aws_messages
            && self.is_empty()
            && !self.redactor.contains_secret(&chunk)
            && self.redactor.cut_secret_len(&chunk) == 0;
        if is_clean {
            return Some(chunk);
        }
        if self.has_aws_messages {
            self.push_messages(chunk);
        } else {
            self.push_text(chunk);
        }
        self.pop()
    }

    fn push_text(&mut self, chunk: Bytes) {
        let mut rest = chunk;
        // Joined with no more than can belong to a secret that begins in the held bytes.
        while !self.held.is_empty() && !rest.is_empty() {
            let next = rest.split_to(rest.len().min(self.redactor.max_bytes));
            let mut joined = mem::take(&mut self.held);
            joined.extend_from_slice(&next);
            self.release(joined.freeze());
        }
        self.release(rest);
    }

    /// Ends the body; what was held back follows, and then the end.
    pub(crate) fn finish(&mut self, end: Result<(), ApiError>) {
        let mut held = mem::take(&mut self.held);
        self.redactor.redact_in_place(&mut held);
        let cut = self.redactor.cut_secret_len(&held);
        if cut >= MIN_SECRET_BYTES {
            let start = held.len() - cut;
            overwrite(&mut held[start..]);
        }
        self.make_ready(held.freeze());
        self.end = Some(end);
    }

    pub(crate) fn pop(&mut self) -> Option<Bytes> {
        self.ready.pop_front()
    }

    pub(crate) fn take_end(&mut self) -> Option<Result<(), ApiError>> {
        self.end.take()
    }

    /// Whether there are redacted bytes, or an end, that were not returned yet.
    pub(crate) fn is_ready(&self) -> bool {
        !self.ready.is_empty() || self.end.is_some()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty() && !self.is_ready()
    }

    fn release(&mut self, text: Bytes) {
        let mut text = self.redactor.redact(text);
        let cut = self.redactor.cut_secret_len(&text);
        if cut > 0 {
            let held = text.split_off(text.len() - cut);
            self.held.extend_from_slice(&held);
        }
        self.make_ready(text);
    }

    fn push_messages(&mut self, chunk: Bytes) {
        let received = if self.held.is_empty() {
            chunk
        } else {
            self.held.extend_from_slice(&chunk);
            if complete_message(&self.held).is_ok_and(|length| length.is_none()) {
                return;
            }
            mem::take(&mut self.held).freeze()
        };
        let mut end = 0;
        let is_framed = loop {
            match complete_message(&received[end..]) {
                Ok(Some(length)) => end += length,
                Ok(None) => break true,
                Err(NotAwsMessage) => break false,
            }
        };
        self.make_ready(self.redact_messages(received.slice(..end)));
        let rest = received.slice(end..);
        if is_framed {
            self.held.extend_from_slice(&rest);
        } else {
            // The frame reader rejects the stream here.
            self.has_aws_messages = false;
            self.push_text(rest);
        }
    }

    /// Overwrites the secrets in complete messages, with checksums that match.
    fn redact_messages(&self, messages: Bytes) -> Bytes {
        if !self.redactor.contains_secret(&messages) {
            return messages;
        }
        let mut messages = BytesMut::from(messages);
        let mut rest = &mut messages[..];
        while let Ok(Some(length)) = complete_message(rest) {
            let (message, after) = rest.split_at_mut(length);
            edit_aws_message(message, |text| self.redactor.redact_in_place(text));
            rest = after;
        }
        messages.freeze()
    }

    fn make_ready(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            self.ready.push_back(bytes);
        }
    }
}

/// The bytes cannot be messages of the AWS event stream.
struct NotAwsMessage;

/// The length of the first message; `None` if it is not complete.
fn complete_message(received: &[u8]) -> Result<Option<usize>, NotAwsMessage> {
    match aws_message_len(received) {
        Some(length) if !(1..=MAX_AWS_MESSAGE_BYTES).contains(&length) => Err(NotAwsMessage),
        length => Ok(length.filter(|length| *length <= received.len())),
    }
}

/// AWS allows 16 MiB for the payload.
const MAX_AWS_MESSAGE_BYTES: usize = 17 * 1024 * 1024;
