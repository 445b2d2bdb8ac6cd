//! Entries of `tool_calls`, and the legacy `function_call`, both ways.

use std::borrow::Cow;

use interlingua_model::{
    Args, Block, Body, Extras, Ledger, Place, Seal, Section, ToolCall, Verbatim, derive_id,
};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Json, Kind, Node, Text};

use super::ID;
use super::encode::Pen;
use super::flavor::Skill;
use super::mark;
use super::parts::{self, odd};
use super::reasoning::GOOGLE;
use crate::{freeform, note};

/// What makes the id of a call that has none: the reply it comes in, and its number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nameless<'r> {
    pub(super) reply: Option<&'r Text>,
    pub(super) number: usize,
}

impl Nameless<'_> {
    pub(super) fn id(self, name: &Text) -> Text {
        match self.reply {
            Some(reply) => derive_id("call_", &Text::concat([reply, name]), self.number),
            None => derive_id("call_", name, self.number),
        }
    }
}

/// One entry of `tool_calls`.
pub(super) fn decode(
    node: Node<'_>,
    nameless: Nameless<'_>,
    place: Place,
    ledger: &mut Ledger,
) -> Verbatim<Block> {
    match usual(node) {
        Some(call) => Verbatim::read(Block::new(Body::ToolCall(call)), ID, node.json()),
        None => any(node, nameless, place, ledger),
    }
}

/// As [`decode`], however it is written.
pub(super) fn any(
    node: Node<'_>,
    nameless: Nameless<'_>,
    place: Place,
    ledger: &mut Ledger,
) -> Verbatim<Block> {
    let entry = Entry::read(node);
    let name = entry.name.and_then(Node::text).unwrap_or_default();
    let args = if entry.freeform {
        Args::Freeform(entry.input.map(parts::text_of).unwrap_or_default())
    } else {
        args(entry.input)
    };
    let id = entry.id.and_then(Node::text).filter(|id| !id.is_empty());
    if id.is_none() && place.section == Section::Reply {
        odd(ledger, place, "a call without an id gets one");
    }
    let id_mark = match (&id, entry.id) {
        (Some(_), _) => None,
        (None, Some(_)) => Some(mark::EMPTY_ID),
        (None, None) => Some(mark::NO_ID),
    };
    let id = id.unwrap_or_else(|| nameless.id(&name));
    let mut block = Block::new(Body::ToolCall(ToolCall { id, name, args }));
    if entry.has_more {
        block = block.sealed(signature(node));
        block.extras = extras(node, block.seal.is_some());
    }
    if place.section == Section::Turns {
        let [kind, tool, arguments] = entry.marks();
        for mark in [kind, tool, arguments, id_mark].into_iter().flatten() {
            block.extras.put(ID, Text::word(mark), Json::NULL);
        }
    }
    if entry.is_misshapen() {
        odd(ledger, place, "a call that is not written as one is written anew");
        return Verbatim::new(block);
    }
    Verbatim::read(block, ID, node.json())
}

/// What most entries are: a function with its arguments, everything there once and of its kind.
pub(super) fn usual(node: Node<'_>) -> Option<ToolCall> {
    let [id, kind, function] = node.only(["id", "type", "function"])?;
    let [name, arguments] = function?.only(["name", "arguments"])?;
    let is_function = kind?.plain_word()? == "function";
    let id = id?.text().filter(|id| !id.is_empty())?;
    let arguments = arguments.filter(|arguments| arguments.is_string() && is_function)?;
    Some(ToolCall { id, name: name?.text()?, args: args(Some(arguments)) })
}

/// The fields of an entry, found in one pass.
struct Entry<'d> {
    node: Node<'d>,
    id: Option<Node<'d>>,
    kind: Option<Node<'d>>,
    /// What kind it is said to be.
    said: Cow<'d, str>,
    function: Option<Node<'d>>,
    name: Option<Node<'d>>,
    /// The arguments, or the free text.
    input: Option<Node<'d>>,
    freeform: bool,
    /// There are fields that not every entry has.
    has_more: bool,
}

impl<'d> Entry<'d> {
    fn read(node: Node<'d>) -> Self {
        let [mut id, mut kind, mut function, mut custom] = [None; 4];
        let mut count = 0;
        for field in node.fields() {
            count += 1;
            if field.is("id") {
                id = Some(field.value);
            } else if field.is("type") {
                kind = Some(field.value);
            } else if field.is("function") {
                function = Some(field.value);
            } else if field.is("custom") {
                custom = Some(field.value);
            }
        }
        let said = kind.map(Node::word).unwrap_or_default();
        let (payload, freeform) = match (&*said, function, custom) {
            ("custom", _, Some(custom)) => (custom, true),
            ("function" | "", Some(function), _) => (function, false),
            // Some clients leave out what holds the name, or call it otherwise.
            _ => (function.or(node.get(&said)).unwrap_or(node), false),
        };
        let (mut name, mut input) = (None, None);
        for field in payload.fields() {
            if field.is("name") {
                name = Some(field.value);
            } else if !freeform && field.is("arguments") || freeform && field.is("input") {
                input = Some(field.value);
            }
        }
        let usual = usize::from(id.is_some())
            + usize::from(kind.is_some())
            + usize::from(function.is_some());
        Self { node, id, kind, said, function, name, input, freeform, has_more: count != usual }
    }

    /// Whether something is of another type than it must be, for any server.
    fn is_misshapen(&self) -> bool {
        let name = match self.function {
            Some(_) if !self.freeform => self.name,
            function => function.and_then(|function| function.get("name")),
        };
        !self.node.is_object()
            || self.kind.is_some_and(|kind| !kind.is_string())
            || self.function.is_some_and(|function| !function.is_object())
            || name.is_some_and(|name| !name.is_string() && !name.is_null())
    }

    /// What a replayed call lacks: not every server minds.
    fn marks(&self) -> [Option<&'static str>; 3] {
        let arguments = match self.input.map(Node::kind) {
            None => Some(mark::NO_ARGUMENTS),
            Some(Kind::String) => None,
            // What is no text is none of the free text that is looked for.
            Some(_) if self.freeform => Some(mark::NO_ARGUMENTS),
            Some(Kind::Null) => Some(mark::NULL_ARGUMENTS),
            Some(Kind::Object) => Some(mark::OBJECT_ARGUMENTS),
            Some(Kind::Array | Kind::Number | Kind::Bool) => Some(mark::OTHER_ARGUMENTS),
        };
        let elsewhere = match &*self.said {
            "function" => !self.function.is_some_and(Node::is_object),
            "custom" => !self.node.get("custom").is_some_and(Node::is_object),
            _ => false,
        };
        let named = self.name.is_some_and(|name| !self.freeform || name.is_string());
        let tool = elsewhere || !named;
        let kind = self.kind.is_none().then_some(mark::NO_TYPE);
        [kind, tool.then_some(mark::NO_TOOL), arguments]
    }
}

/// A legacy call: it has no id, and its text is that of the `function_call`.
pub(super) fn decode_legacy(node: Node<'_>, nameless: Nameless<'_>) -> Verbatim<Block> {
    let name = node.get("name").map(parts::text_of).unwrap_or_default();
    let id = nameless.id(&name);
    let call = ToolCall { id, name, args: args(node.get("arguments")) };
    let mut block = Block::new(Body::ToolCall(call));
    block.extras.put(ID, Text::word(mark::LEGACY), Json::NULL);
    Verbatim::read(block, ID, node.json())
}

/// Arguments come as a string that should hold JSON; some servers write the JSON itself.
pub(super) fn args(node: Option<Node<'_>>) -> Args {
    let Some(node) = node else { return Args::Malformed(Text::EMPTY) };
    match node.kind() {
        Kind::String => match node.inner_json() {
            Some(json) => Args::Json(json),
            None => Args::Malformed(node.text().unwrap_or_default()),
        },
        Kind::Null => Args::Malformed(Text::EMPTY),
        Kind::Bool | Kind::Number | Kind::Array | Kind::Object => Args::Json(node.json()),
    }
}

/// A call to a tool that was wrapped for its provider, unwrapped for the client.
pub(super) fn unwrap(block: &mut Block) {
    let Body::ToolCall(call) = &mut block.body else { return };
    call.args = Args::Freeform(match &call.args {
        Args::Json(json) => unwrapped(json),
        Args::Malformed(text) | Args::Freeform(text) => text.clone(),
    });
}

/// Whether a call to a function came without arguments.
pub(super) fn is_bare(call: &ToolCall) -> bool {
    matches!(&call.args, Args::Malformed(text) if text.is_blank())
}

/// The free text inside wrapped arguments; the arguments themselves if they are something else.
pub(super) fn unwrapped(args: &Json) -> Text {
    freeform::unwrapped(args).unwrap_or_else(|| Text::new(args.as_str()))
}

/// The seal that Gemini's compatible endpoint puts on a call or a message.
pub(super) fn signature(node: Node<'_>) -> Option<Seal> {
    let extra = node.get("extra_content")?;
    let data = ["google", "vertex"].into_iter().find_map(|vendor| {
        extra.get(vendor)?.get("thought_signature")?.text().filter(|data| !data.is_empty())
    })?;
    Some(Seal::new(Text::word(GOOGLE), data))
}

/// Writes the seal back where [`signature`] reads it.
pub(super) fn write_signature(seal: &Seal, o: &mut Object<'_>) {
    o.object("extra_content", |o| {
        o.object("google", |o| o.text("thought_signature", &seal.data));
    });
}

fn extras(node: Node<'_>, signed: bool) -> Extras {
    let mut extras = Extras::default();
    for field in node.fields() {
        let known = match &*field.name() {
            "id" | "type" | "function" | "custom" => true,
            "extra_content" => signed,
            _ => false,
        };
        if !known {
            extras.keep(ID, field);
        } else if field.is("extra_content") || field.is("custom") {
            mark::hold(&mut extras, &field.name());
        }
    }
    extras
}

/// Writes the calls of one message: one that was written in the old way is so again.
pub(super) fn encode(calls: &[(Place, &Verbatim<Block>)], o: &mut Object<'_>, pen: &mut Pen<'_>) {
    let is_legacy = |block: &Block| mark::is_legacy(&block.extras);
    let mut legacy = calls.iter().filter(|(_, block)| is_legacy(block));
    let (old, again) = (legacy.next(), legacy.next());
    if let (Some((_, block)), None) = (old, again) {
        match (block.text_for(ID), &block.body) {
            (Some(text), _) => o.json("function_call", text),
            (None, Body::ToolCall(call)) => o.object("function_call", |o| {
                o.text("name", &call.name);
                o.text("arguments", &call.args.to_text());
            }),
            (None, _) => {}
        }
    }
    let as_old = |block: &Block| is_legacy(block) && again.is_none();
    if calls.iter().all(|(_, block)| as_old(block)) {
        return;
    }
    o.array("tool_calls", |a| {
        for (place, block) in calls.iter().filter(|(_, block)| !as_old(block)) {
            match block.text_for(ID).filter(|_| !is_legacy(block)) {
                Some(text) => a.item().json(text),
                None => encode_one(block, *place, a, pen),
            }
        }
    });
}

fn encode_one(block: &Block, place: Place, out: &mut Array<'_>, pen: &mut Pen<'_>) {
    let call = match &block.body {
        Body::ToolCall(call) => call,
        Body::Foreign { json, .. } => return out.item().json(json),
        Body::Text { .. }
        | Body::Refusal(_)
        | Body::Thinking(_)
        | Body::Media(_)
        | Body::Data(_)
        | Body::ToolResult(_) => return,
    };
    let args = wrapped(call, place, pen);
    out.object(|o| {
        write(call, args.as_ref(), o);
        let mut signed = false;
        if let Some(seal) = block.seal.as_deref() {
            signed = pen.flavor.can(Skill::GoogleSignature) && seal.origin.issuer == GOOGLE;
            if signed {
                write_signature(seal, o);
            } else if !pen.carries_details() {
                pen.seal_stays(place);
            }
        }
        for (key, value) in block.extras.of(ID).iter().filter(|(key, _)| !mark::is(key)) {
            if !(signed && key == "extra_content") {
                o.key_text(key).json(value);
            }
        }
    });
    if block.cache.is_some() {
        pen.cache_stays(place);
    }
    pen.note_extras(&block.extras, place);
}

/// The fields of an entry; `wrapped` are arguments in another form than the call has them.
pub(super) fn write(call: &ToolCall, wrapped: Option<&Text>, o: &mut Object<'_>) {
    o.text("id", &call.id);
    if let (Args::Freeform(input), None) = (&call.args, wrapped) {
        o.known("type", "custom");
        o.object("custom", |o| {
            o.text("name", &call.name);
            o.text("input", input);
        });
        return;
    }
    o.known("type", "function");
    o.object("function", |o| {
        o.text("name", &call.name);
        match (&call.args, wrapped) {
            (Args::Json(json), None) => o.key("arguments").string(json.as_str()),
            (Args::Malformed(text) | Args::Freeform(text), None) | (_, Some(text)) => {
                o.text("arguments", text);
            }
        }
    });
}

/// The arguments in the form the server takes, where that is another than the call has.
fn wrapped(call: &ToolCall, place: Place, pen: &mut Pen<'_>) -> Option<Text> {
    let wrap =
        |key: &'static str, text: &Text| Text::new(Json::object(|o| o.text(key, text)).as_str());
    match &call.args {
        Args::Freeform(_) if pen.flavor.can(Skill::CustomTools) => None,
        Args::Freeform(input) => Some(wrap("input", input)),
        Args::Json(json) if json.is_object() => None,
        Args::Json(_) | Args::Malformed(_) if pen.flavor.can(Skill::AnyArguments) => None,
        Args::Json(json) => {
            pen.ledger.change(
                note::ARGS_WRAPPED,
                place,
                "arguments that are no object are put into one",
            );
            Some(Text::new(Json::object(|o| o.json("_raw", json)).as_str()))
        }
        Args::Malformed(text) if text.is_blank() => {
            pen.ledger.change(note::ARGS_WRAPPED, place, "missing arguments are written as {}");
            Some(Text::word("{}"))
        }
        Args::Malformed(text) => {
            pen.ledger.change(
                note::ARGS_WRAPPED,
                place,
                "arguments that are not JSON are put into an object",
            );
            Some(wrap("_raw", text))
        }
    }
}
