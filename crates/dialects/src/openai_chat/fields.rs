//! The fields of a message, as they are found.

use interlingua_model::{Extras, Ledger, Place};
use interlingua_wire::{Field, Json, Node, Text};

use super::parts::{self, odd};
use super::{ID, calls, mark};
use crate::note;

/// The fields of a message, found in one pass.
#[derive(Default)]
pub(super) struct Fields<'d> {
    pub(super) role: Option<Node<'d>>,
    pub(super) content: Option<Node<'d>>,
    pub(super) refusal: Option<Text>,
    pub(super) tool_calls: Option<Node<'d>>,
    pub(super) function_call: Option<Node<'d>>,
    pub(super) tool_call_id: Option<Node<'d>>,
    /// The id of a result's call is there, and null.
    pub(super) null_call: bool,
    pub(super) name: Option<Node<'d>>,
    /// `reasoning_content`, or `reasoning`.
    pub(super) reasoning: Option<Text>,
    pub(super) details: Option<Node<'d>>,
    pub(super) annotations: Option<Node<'d>>,
    pub(super) images: Option<Node<'d>>,
    pub(super) audio: Option<Node<'d>>,
    /// There is a field that may hold a signature.
    pub(super) may_be_signed: bool,
    pub(super) extras: Extras,
    /// There is a field for something that only the assistant says.
    unread: bool,
}

impl<'d> Fields<'d> {
    pub(super) fn read(node: Node<'d>) -> Self {
        Self::of(node, true)
    }

    /// As [`Fields::read`], of a message whose form need not be remembered.
    pub(super) fn read_once(node: Node<'d>) -> Self {
        Self::of(node, false)
    }

    fn of(node: Node<'d>, remembers: bool) -> Self {
        let mut fields = Self::default();
        for field in node.fields() {
            let value = field.value;
            let some = Some(value).filter(|value| !value.is_null());
            // Most messages have nothing else.
            if field.is("role") {
                fields.role = some;
                continue;
            }
            if field.is("content") {
                fields.content = some;
                continue;
            }
            if field.is(CALL) {
                (fields.tool_call_id, fields.null_call) = (some, some.is_none());
                continue;
            }
            if field.is(CALLS) {
                fields.tool_calls = some;
                fields.unread = true;
                if value.is_array() && value.is_empty() {
                    fields.extras.put(ID, Text::word(mark::EMPTY_CALLS), Json::NULL);
                }
                continue;
            }
            let name = field.name();
            fields.may_be_signed |= *name == *"extra_content";
            if mark::FIELDS.contains(&&*name) {
                if remembers {
                    mark::hold(&mut fields.extras, &name);
                }
                fields.unread |= *name == *OLD_CALL;
            } else {
                fields.unread |= UNTHOUGHT.contains(&&*name);
            }
            match &*name {
                "refusal" => fields.refusal = some.map(parts::text_of),
                // What is no object calls nothing.
                "function_call" if some.is_none_or(Node::is_object) => fields.function_call = some,
                "name" => {
                    fields.name = some;
                    fields.keep(field);
                }
                "reasoning_content" if value.is_string() => fields.reasoning = value.text(),
                // Where both are told they are the same.
                "reasoning" if value.is_string() => {
                    fields.reasoning = fields.reasoning.take().or(value.text());
                }
                "reasoning_text" if value.is_string() && !remembers => {
                    fields.reasoning = fields.reasoning.take().or(value.text());
                }
                "reasoning_details" if value.is_array() && !value.is_empty() => {
                    fields.details = some;
                }
                // A relay's list of the same blocks.
                "thinking_blocks" if value.is_array() => {
                    let told = |list: Node<'_>| list.is_array() && !list.is_empty();
                    if !node.get(DETAILS).is_some_and(told) {
                        fields.details = some;
                    }
                }
                "annotations" if some.is_none_or(Node::is_array) => fields.annotations = some,
                "images" if some.is_none_or(are_images) => fields.images = some,
                "audio" => {
                    fields.audio = some;
                    fields.keep(field);
                }
                "extra_content" if calls::signature(node).is_some() => {}
                _ => fields.extras.keep(ID, field),
            }
        }
        fields
    }

    /// Whether there is nothing for the assistant to say but words and calls, each in their own place.
    pub(super) fn are_usual(&self) -> bool {
        self.content.is_none_or(Node::is_string)
            && self.tool_calls.is_none_or(Node::is_array)
            && self.function_call.is_none()
            && self.refusal.is_none()
            && self.reasoning.is_none()
            && self.details.is_none()
            && self.annotations.is_none_or(Node::is_empty)
            && self.images.is_none_or(Node::is_empty)
            && self.audio.is_none()
            && !self.may_be_signed
    }

    pub(super) fn has_empty_content(&self) -> bool {
        self.content.is_some_and(|content| content.is_string() && content.raw() == "\"\"")
    }

    /// Notes what must be a string and is none.
    pub(super) fn settle(&mut self, place: Place, ledger: &mut Ledger) {
        if self.tool_call_id.is_some_and(|id| !id.is_string()) {
            odd(ledger, place, "an id that is no string is read as its JSON");
        }
        if self.name.take_if(|name| !name.is_string()).is_some() {
            ledger.loss(note::ODD_INPUT, place, "left out a name that is no string");
            self.extras.retain(ID, |key, _| key != "name");
        }
    }

    /// Keeps fields that mean nothing in a message of this role.
    pub(super) fn left_by(
        &mut self,
        node: Node<'_>,
        unread: &[&str],
        place: Place,
        ledger: &mut Ledger,
    ) {
        let has_id = self.tool_call_id.is_some() || self.null_call;
        if has_id && unread.contains(&CALL) || self.unread && unread.len() > 1 {
            // Of an empty list of calls, the mark tells.
            let marked = |field: &Field<'_>| {
                field.is(CALLS) && field.value.is_array() && field.value.is_empty()
            };
            for field in node.fields().filter(|field| unread.contains(&&*field.name())) {
                if marked(&field) {
                    mark::hold(&mut self.extras, CALLS);
                } else if field.is(CALL) && !field.value.is_string() && !field.value.is_null() {
                    ledger.loss(note::ODD_INPUT, place, "left out an id that is no string");
                } else if self.extras.find(ID, &field.name()).is_none() {
                    self.keep(field);
                }
            }
        }
    }

    /// Keeps a field; of one that is null, that it is there.
    fn keep(&mut self, field: Field<'_>) {
        if field.value.is_null() {
            mark::hold(&mut self.extras, &field.name());
        } else {
            self.extras.keep(ID, field);
        }
    }
}

/// Whether a list holds images and nothing else: of any other, nobody can tell what it shows.
fn are_images(list: Node<'_>) -> bool {
    let is_image = |item: Node<'_>| {
        let image = item.get("image_url");
        let url = image.and_then(|image| image.text().or_else(|| image.get("url")?.text()));
        item.get("type").is_some_and(|kind| kind.word() == "image_url") && url.is_some()
    };
    list.is_array() && list.items().all(is_image)
}

pub(super) const CALL: &str = "tool_call_id";
pub(super) const DETAILS: &str = "reasoning_details";
pub(super) const CALLS: &str = "tool_calls";
const OLD_CALL: &str = "function_call";
/// What nobody but the assistant says, but in a result.
pub(super) const UNSAID: &[&str] =
    &[CALL, CALLS, OLD_CALL, "reasoning", "reasoning_content", DETAILS];
pub(super) const UNTHOUGHT: &[&str] = &[CALLS, OLD_CALL, "reasoning", "reasoning_content", DETAILS];
