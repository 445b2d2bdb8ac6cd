//! Media that the target does not take there are left out, and the text says so.
//!
//! Some models see no images, some hear nothing, none sees what the assistant is said to have shown; a
//! file in one provider's store is not in another's. What cannot be taken leaves a note in its place,
//! so that the model knows that something was there. A plain document is said as text or as data where
//! it is not taken as such, and an image in a result goes after the results where only the user shows
//! images.
//!
//! ## Why
//! > Invalid 'messages\[9\]'. Image URLs are only allowed for messages with role 'user', but this message
//! > with role 'tool' contains an image URL.
//!
//! > Failed to deserialize the JSON body into the target type: messages\[0\]: unknown variant
//! > `image_url`, expected `text`
//!
//! > The image field in the ContentBlock object at messages.1.content.0 is only supported in user
//! > messages.
//!
//! > Unable to submit request because `function_response.parts` is not supported for this model.
//!
//! ## Example
//! ```text
//! before   user: "what is this?", an image
//! after    user: "what is this?", "[image omitted: this model takes none]"
//! ```

use interlingua_model::{Block, Body, Extras, Media, MediaKind, Source, Verbatim};
use interlingua_wire::{Json, Text};

use crate::Work;
use crate::media::{self, Side, Spot, base64, follow};
use crate::profile::media::{Address, Kinds, Places, Plain, Sources};

pub fn apply(work: &mut Work<'_>) {
    let mut leaving = Vec::new();
    for spot in media::all(work) {
        let Some(one) = media::media(work, &spot) else { continue };
        match fate(work, &spot, one) {
            Fate::Stays => {}
            Fate::Follows => {
                let noun = media::noun(one.kind);
                work.change(spot.place(), format!("the {noun} of a result follows the results"));
                media::edit(work, &spot, |_| {});
            }
            Fate::Leaves => leaving.push(spot),
            Fate::AsData(text) => {
                if holds_media(&one.source) {
                    let what = "a document is sent as a plain file, without its images";
                    work.loss(spot.place(), what);
                } else {
                    work.change(spot.place(), "a plain document is sent as a file");
                }
                let data = Text::new(&base64::encode(text.as_bytes()));
                let source = Source::Base64 { mime: Some(Text::word("text/plain")), data };
                media::edit_media(work, &spot, |media| media.source = source);
            }
            Fate::AsPlain(text) => {
                let what = "the document is plain text here, its type is left out";
                work.loss(spot.place(), what);
                media::edit_media(work, &spot, |media| media.source = Source::Text(text));
            }
            Fate::AsText(text) => {
                let Beside { said, lost } = beside(media::block(work, &spot), one);
                if holds_media(&one.source) {
                    work.loss(spot.place(), "a document is said as text, without its images");
                } else {
                    work.change(spot.place(), "a plain document is said as text");
                }
                if !lost.is_empty() {
                    let what = format!("left out {} of the document", lost.join(", "));
                    work.loss(spot.place(), what);
                }
                let words: Vec<_> = said.into_iter().chain([text]).collect();
                media::say(work, &spot, Text::new(&words.join("\n\n")));
            }
            Fate::Goes(why) => media::omit(work, &spot, &why),
        }
    }
    follow::results(work, &leaving);
}

enum Fate {
    Stays,
    /// Is written in a message of its own, after the results.
    Follows,
    /// Goes into a turn of its own, after the results.
    Leaves,
    AsData(String),
    /// Is plain text that was given as data.
    AsPlain(Text),
    AsText(String),
    Goes(String),
}

/// What is said of a document beside what stands in it.
struct Beside {
    /// Its title, and where it is from.
    said: Vec<String>,
    lost: Vec<String>,
}

fn beside(block: &Block, one: &Media) -> Beside {
    let contents = |text: Text| Some(text.contents().into_owned()).filter(|text| !text.is_empty());
    let mut said: Vec<String> = one.name.clone().and_then(contents).into_iter().collect();
    let mut lost = Vec::new();
    let extras = block.extras.all().map_or(&[][..], |(_, extras)| extras);
    for (key, value) in extras.iter().filter(|(key, _)| !Extras::is_memory(key)) {
        match value.text().and_then(contents).filter(|_| *key == CONTEXT) {
            Some(context) => said.push(context),
            None if *value == Json::NULL => {}
            None => lost.push(format!("`{key}`")),
        }
    }
    Beside { said, lost }
}

fn fate(work: &Work<'_>, spot: &Spot, one: &Media) -> Fate {
    let rules = &work.profile.media;
    let own =
        media::block(work, spot).text_for(work.profile.dialect).is_some() && stays(work, spot);
    let places = if own { &rules.written } else { &rules.said };
    // Whatever it holds, what is written as a file is one.
    let is_file = own && media::block(work, spot).extras.find(work.profile.dialect, FILE).is_some();
    let kind = if is_file { MediaKind::Document } else { one.kind };
    let sources = side(places, spot.side).of(kind);
    let taken = takes(work, one, sources, own);
    // What is changed is not written there by the client any more.
    let changed = takes(work, one, side(&rules.said, spot.side).of(one.kind), false);
    if let Some(text) = plain(&one.source) {
        return match sources.text {
            Plain::Taken if taken && one.kind == MediaKind::Document => Fate::Stays,
            Plain::AsData if own && is_cited(work, spot) => Fate::Stays,
            _ if text.trim().is_empty() => Fate::Goes("it is empty".to_owned()),
            Plain::AsData if taken && changed => Fate::AsData(text),
            // Blocks that stand there without their document are looked at on their own. The model and
            // instructions say nothing but texts.
            Plain::AsText
                if matches!(one.source, Source::Blocks(_))
                    && !work.is_own()
                    && matches!(spot.side, Side::User | Side::Result) =>
            {
                Fate::Stays
            }
            Plain::Taken | Plain::AsData | Plain::AsText => Fate::AsText(text),
        };
    }
    let leaves = !taken
        && rules.result_follows
        && spot.side == Side::Result
        && takes(work, one, rules.said.user.of(kind), own);
    if taken || leaves {
        return match wrong_type(one, kind, rules, own) {
            Some(mime) => match written(one, &mime) {
                Some(text) if sources.text == Plain::Taken && changed => Fate::AsPlain(text),
                _ if mime.is_empty() => Fate::Goes("of what type it is is not known".to_owned()),
                _ => Fate::Goes(format!("the type `{mime}` is not taken")),
            },
            None if leaves => Fate::Leaves,
            None => Fate::Stays,
        };
    }
    if own && spot.side == Side::Result && takes(work, one, rules.said.result.of(one.kind), false) {
        return Fate::Follows;
    }
    Fate::Goes(why(work, spot, one, sources))
}

/// Whether the message around it leaves as it came, or has its place for it all the same.
fn stays(work: &Work<'_>, spot: &Spot) -> bool {
    let turn = spot.place().index.map(|turn| turn as usize);
    let dialect = work.profile.dialect;
    spot.side != Side::Assistant
        || turn.is_none_or(|turn| work.turns()[turn].text_for(dialect).is_some())
}

fn side(places: &Places, side: Side) -> Kinds {
    match side {
        Side::Instructions => places.instructions,
        Side::User => places.user,
        Side::Assistant => places.assistant,
        Side::Result => places.result,
    }
}

fn takes(work: &Work<'_>, media: &Media, sources: Sources, own: bool) -> bool {
    match &media.source {
        Source::Base64 { .. } | Source::Text(_) | Source::Blocks(_) => sources.data,
        Source::Url { url, .. } => match sources.address {
            Address::No => false,
            Address::Any => true,
            Address::Begins(start) => url.raw().starts_with(start),
        },
        Source::File { .. } => sources.file && (own || is_kin(work)),
    }
}

/// The client's provider keeps its files where the target finds them.
fn is_kin(work: &Work<'_>) -> bool {
    let (from, to) = (work.conversation().source.0, work.profile.dialect.0);
    let maker = |dialect: &str| dialect.split('-').next().unwrap_or_default().to_owned();
    from == to || maker(from) == maker(to)
}

/// A document that is text, or blocks, of which what is no text says what it is.
fn plain(source: &Source) -> Option<String> {
    let said = |block: &Verbatim<Block>| match &block.body {
        Body::Text { text, .. } | Body::Refusal(text) => text.contents().into_owned(),
        Body::Data(json) | Body::Foreign { json, .. } => json.as_str().to_owned(),
        Body::Media(media) => {
            format!("[{} omitted: this is a plain document]", media::noun(media.kind))
        }
        Body::Thinking(_) | Body::ToolCall(_) | Body::ToolResult(_) => String::new(),
    };
    match source {
        Source::Text(text) => Some(text.contents().into_owned()),
        Source::Blocks(blocks) => Some(blocks.iter().map(said).collect::<Vec<_>>().join("\n\n")),
        Source::Base64 { .. } | Source::Url { .. } | Source::File { .. } => None,
    }
}

/// A document of blocks of which one is no text.
fn holds_media(source: &Source) -> bool {
    let is_media = |block: &Verbatim<Block>| matches!(block.body, Body::Media(_));
    matches!(source, Source::Blocks(blocks) if blocks.iter().any(is_media))
}

/// Plain documents are taken if they are to be cited.
fn is_cited(work: &Work<'_>, spot: &Spot) -> bool {
    let extras = &media::block(work, spot).extras;
    let citations = extras.find(work.profile.dialect, "citations").map(Json::doc);
    citations.is_some_and(|doc| {
        doc.root().get("enabled").and_then(interlingua_wire::Node::boolean) == Some(true)
    })
}

/// The type of an image or a document that the target does not take.
fn wrong_type(
    media: &Media,
    kind: MediaKind,
    rules: &crate::profile::media::Media,
    own: bool,
) -> Option<String> {
    let Source::Base64 { mime, data } = &media.source else { return None };
    // Where no type is said, what is written tells the one that the first letters show.
    let shown = (mime.is_none() && !own && data.raw().starts_with(GIF)).then_some("image/gif");
    let mime = mime.as_ref().map(Text::contents).or(shown.map(Into::into)).unwrap_or_default();
    // Where documents of all types are taken, it is the type that says what something is, too.
    let is_image =
        rules.document_types.is_none() && !own && mime.to_ascii_lowercase().starts_with("image");
    let taken = match kind {
        MediaKind::Image => rules.takes_type(&mime),
        MediaKind::Document => rules.document_types.is_none_or(|types| types.contains(&&*mime)),
        MediaKind::Audio => {
            let bare = mime.split(';').next().unwrap_or_default();
            own || rules.audio_types.is_none_or(|types| types.contains(&bare))
        }
        MediaKind::Video => true,
    };
    let taken = taken && (!is_image || rules.takes_type(&mime));
    let refused = rules.refused_types.contains(&&*mime) || rules.is_bare(&mime);
    (!taken || refused).then(|| mime.into_owned())
}

/// The text of a document that is given as data, and of a type that is text; or of none, if it is text.
fn written(media: &Media, mime: &str) -> Option<Text> {
    let Source::Base64 { data, .. } = &media.source else { return None };
    let is_text = mime.starts_with("text/") || mime == "application/json" || mime.is_empty();
    if media.kind != MediaKind::Document || !is_text {
        return None;
    }
    let bytes = base64::decode(&base64::tidy(&data.contents()), usize::MAX)?;
    let text = String::from_utf8(bytes).ok()?;
    let is_odd = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}');
    (!mime.is_empty() || !text.contains(is_odd)).then(|| Text::new(&text))
}

fn why(work: &Work<'_>, spot: &Spot, one: &Media, sources: Sources) -> String {
    let rules = &work.profile.media;
    let noun = media::noun(one.kind);
    let anywhere = rules.said.user.of(one.kind);
    match &one.source {
        Source::File { .. } if sources.data || anywhere.data => {
            "it is in another provider's store of files".to_owned()
        }
        Source::Url { .. } if sources.data || anywhere.data && spot.side == Side::User => {
            "it is not fetched from an address".to_owned()
        }
        _ if !anywhere.data => format!("no {noun} is taken here"),
        _ => match spot.side {
            Side::Assistant => "it was shown by the assistant".to_owned(),
            Side::Instructions => "instructions are text".to_owned(),
            Side::User | Side::Result => format!("no {noun} is taken here"),
        },
    }
}

/// The field of a document that says in words where it is from.
const CONTEXT: &str = "context";
/// How `GIF8` begins in base64.
const GIF: &str = "R0lGOD";

/// What a file that holds something else than a document has among its extras.
const FILE: &str = "part file";
