//! A block that only one dialect knows, told in words to those who do not know it.
//!
//! The words are a function of the block alone: the same in every turn, so that prompt caches hold.

use std::borrow::Cow;

use interlingua_model::{Block, Body, DialectId, Source};
use interlingua_wire::{Field, Kind, Node, Text};

use crate::profile::told::{self, BARE, SILENT, Told};
use crate::strange;

/// What is told of a block.
pub(crate) struct Words {
    pub(crate) text: Text,
    /// The block holds nothing else.
    pub(crate) whole: bool,
    /// An image that stood in it.
    pub(crate) shown: Option<Source>,
}

/// The words for a block that another dialect than this one knows; `None` for any other, and for one
/// that says nothing.
pub(crate) fn words(block: &Block, dialect: DialectId) -> Option<Words> {
    let is_known = matches!(&block.body, Body::Foreign { dialect: of, .. } if *of == dialect);
    if is_known { None } else { told(block) }
}

/// As [`words`], whoever knows the block.
pub(crate) fn told(block: &Block) -> Option<Words> {
    let Body::Foreign { dialect: of, kind, json } = &block.body else { return None };
    if strange::is_thought(kind) {
        return None;
    }
    let doc = json.doc();
    let (node, kind) = (doc.root(), kind.contents());
    if let Some(row) = told::find(of.0, &kind) {
        let shown = row.shown.and_then(|(within, key)| picture(node.get(within)?.get(key)?));
        // What is shown need not be told.
        let row = if shown.is_some() { &Told { texts: &[], ..*row } } else { row };
        let text = Text::new(&in_words(row, &kind, node));
        return (!text.is_blank()).then_some(Words { text, whole: false, shown });
    }
    if let Some(text) = node.get("text").and_then(Node::text).filter(|text| !text.is_blank()) {
        let whole = node.fields().all(|field| PLAIN.iter().any(|key| field.is(key)));
        return Some(Words { text, whole, shown: None });
    }
    let mut lines = Vec::new();
    node.get("content").into_iter().for_each(|content| texts(content, &mut lines));
    if lines.is_empty() {
        lines.extend(medium(&kind).map(|noun| format!("[{noun} omitted: it cannot be read]")));
    }
    let text = (!lines.is_empty()).then(|| Text::new(&lines.join("\n\n")))?;
    Some(Words { text, whole: false, shown: None })
}

/// The image at an address, or in it.
fn picture(address: Node<'_>) -> Option<Source> {
    let address = address.text().filter(|address| !address.is_blank())?;
    let Some(held) = address.strip_prefix("data:") else {
        return Some(Source::Url { mime: None, url: address });
    };
    let (mime, data) = held.split_once(",")?;
    let mime = mime.contents().strip_suffix(";base64").map(Text::new)?;
    Some(Source::Base64 { mime: Some(mime), data })
}

/// What a block that cannot be read was to show.
fn medium(kind: &str) -> Option<&'static str> {
    MEDIA.iter().find(|(word, _)| kind.contains(word)).map(|(_, noun)| *noun)
}

fn in_words(row: &Told, kind: &str, node: Node<'_>) -> String {
    let held = (!row.inside.is_empty()).then(|| node.find(|field| is_spelled(field, row.inside)));
    let node = held.flatten().unwrap_or(node);
    let mut lines = Vec::new();
    if row.headed {
        lines.extend(heading(node));
    }
    row.texts.iter().filter_map(|key| node.get(key)).for_each(|value| tell(value, &mut lines));
    if !row.labelled {
        return lines.join("\n\n");
    }
    let word = |key: &&str| node.get(key).map(Node::word).filter(|word| !word.is_empty());
    let names: Vec<_> = row.names.iter().filter_map(word).collect();
    let name = if names.is_empty() { kind.to_owned() } else { names.join(".") };
    let mut head = format!("[{name}]");
    for value in row.written.iter().filter_map(|key| node.get(key)).filter(|it| !it.is_null()) {
        head.push(' ');
        head.push_str(&as_written(value));
    }
    // One line beside its name is told in that line.
    match lines.as_slice() {
        [] => head,
        [one] if !one.contains('\n') => format!("{head} {one}"),
        _ => format!("{head}\n{}", lines.join("\n")),
    }
}

fn as_written(value: Node<'_>) -> String {
    value.text().map_or_else(|| value.raw().to_owned(), |text| text.contents().into_owned())
}

/// The texts of a list of parts, or the one text that stands in its place.
fn texts(content: Node<'_>, lines: &mut Vec<String>) {
    let inner =
        content.items().filter(|part| !is_thought(*part)).filter_map(|part| part.get("text"));
    for text in [content].into_iter().chain(inner).filter_map(Node::text) {
        if !text.is_blank() {
            lines.push(text.contents().into_owned());
        }
    }
}

/// Everything that a value says to a reader, a line each.
fn tell(node: Node<'_>, lines: &mut Vec<String>) {
    match node.kind() {
        Kind::Null => {}
        Kind::Bool | Kind::Number => lines.push(node.raw().to_owned()),
        Kind::String => lines.extend(readable(node)),
        Kind::Array => node.items().for_each(|item| tell(item, lines)),
        Kind::Object if is_thought(node) => {}
        Kind::Object if is_data(node) => lines.push(DATA.to_owned()),
        Kind::Object => {
            let heading = heading(node);
            let headed = heading.is_some();
            lines.extend(heading);
            let in_heading = |field: &Field<'_>| {
                headed && field.value.is_string() && HEADING.iter().any(|key| field.is(key))
            };
            for field in node.fields().filter(|field| !is_silent(*field) && !in_heading(field)) {
                tell_field(field, lines);
            }
        }
    }
}

fn tell_field(field: Field<'_>, lines: &mut Vec<String>) {
    let scalar = !field.value.is_object() && !field.value.is_array();
    if !scalar || BARE.iter().any(|key| field.is(key)) {
        return tell(field.value, lines);
    }
    let mut said = Vec::new();
    tell(field.value, &mut said);
    lines.extend(said.into_iter().map(|said| format!("{}: {said}", field.name())));
}

/// What something is called, and where it stands.
fn heading(node: Node<'_>) -> Option<String> {
    let word = |key: &str| node.get(key).filter(|it| it.is_string()).map(Node::word);
    let title = word("title").filter(|title| !title.is_empty());
    let place = word("url").or_else(|| word("source")).filter(|place| !place.is_empty());
    match (title, place) {
        (Some(title), Some(place)) => Some(format!("{title} ({place})")),
        (title, place) => title.or(place).map(Cow::into_owned),
    }
}

fn readable(text: Node<'_>) -> Option<String> {
    let said = text.word();
    if said.starts_with("data:") {
        return Some(DATA.to_owned());
    }
    (!said.trim().is_empty()).then(|| said.into_owned())
}

/// Bytes of a file, which nobody reads as text.
fn is_data(node: Node<'_>) -> bool {
    let types = ["media_type", "mime_type", "mimeType"].into_iter();
    let mime = types.filter_map(|key| node.get(key)).map(Node::word).next();
    node.get("data").is_some_and(Node::is_string)
        && mime.is_none_or(|mime| !mime.starts_with("text/"))
}

fn is_thought(node: Node<'_>) -> bool {
    node.get("type").and_then(Node::text).is_some_and(|kind| strange::is_thought(&kind))
}

fn is_silent(field: Field<'_>) -> bool {
    let name = field.name();
    SILENT.contains(&&*name) || name.ends_with("_id")
}

/// Whether a field has this name, in either spelling.
fn is_spelled(field: Field<'_>, name: &str) -> bool {
    field.name().replace('_', "").eq_ignore_ascii_case(name)
}

const DATA: &str = "[data omitted]";

/// What a block has that is nothing but its text.
const PLAIN: &[&str] = &["type", "text", "cache_control"];

const HEADING: &[&str] = &["title", "url", "source"];

/// By what the kinds of blocks are known that show something, and what that is.
const MEDIA: &[(&str, &str)] = &[
    ("image", "image"),
    ("document", "document"),
    ("file", "document"),
    ("audio", "audio"),
    ("video", "video"),
];
