//! A document has a name of letters, digits, single blanks, hyphens and brackets; or just a name, where
//! any will do.
//!
//! ## Why
//! > The document file name can only contain alphanumeric characters, whitespace characters, hyphens,
//! > parentheses, and square brackets. The name can't contain more than one consecutive whitespace
//! > character.
//!
//! > Missing required parameter: 'messages\[1\].content\[1\].file.file_id'.
//!
//! ## Example
//! ```text
//! before   user: the document `report.v2.pdf`
//! after    user: the document `report-v2-pdf`
//! ```

use interlingua_model::{MediaKind, Source};
use interlingua_wire::{Json, Node, Text};

use crate::Work;
use crate::media::{self, Spot};

pub fn apply(work: &mut Work<'_>) {
    if let Some(known_by) = work.profile.media.named_data.filter(|_| work.is_own()) {
        any_name(work, known_by);
    }
    if !work.profile.media.named_documents {
        return;
    }
    for (at, spot) in media::all(work).iter().enumerate() {
        let Some(one) = media::media(work, spot).filter(|one| one.kind == MediaKind::Document)
        else {
            continue;
        };
        let name = one.name.as_ref().map(Text::contents).unwrap_or_default();
        if fits(&name) || !spot.is_seen() {
            continue;
        }
        let better = spelled(&name).unwrap_or_else(|| format!("document-{}", at + 1));
        let what = match &*name {
            "" => format!("a document without a name is called `{better}`"),
            name => format!("the document `{name}` is called `{better}`"),
        };
        rename(work, spot, what, &better);
    }
}

/// Those of other dialects are named where they are written.
fn any_name(work: &mut Work<'_>, (outer, inner): (&str, &str)) {
    for spot in media::all(work) {
        let nameless = media::media(work, &spot).is_some_and(|one| {
            let is_data =
                matches!(&one.source, Source::Base64 { mime: Some(mime), .. } if mime == PDF);
            one.kind == MediaKind::Document && is_data && one.name.is_none()
        });
        let is_known = || {
            let written = media::block(work, &spot).text_for(work.profile.dialect).map(Json::doc);
            let holder = written.as_ref().and_then(|written| written.root().get(outer));
            holder.and_then(|it| it.get(inner)).is_some_and(Node::is_string)
        };
        if nameless && !is_known() {
            let what = format!("a file without a name is called `{USUAL}`");
            rename(work, &spot, what, USUAL);
        }
    }
}

fn rename(work: &mut Work<'_>, spot: &Spot, what: String, better: &str) {
    work.change(spot.place(), what);
    let better = Text::new(better);
    media::edit_media(work, spot, |media| media.name = Some(better));
}

fn fits(name: &str) -> bool {
    let mut pairs = name.chars().zip(name.chars().skip(1));
    let doubled = pairs.any(|(one, other)| one.is_whitespace() && other.is_whitespace());
    !name.is_empty() && name.chars().count() <= MOST && name.chars().all(is_known) && !doubled
}

fn is_known(c: char) -> bool {
    c.is_ascii_alphanumeric() || c.is_whitespace() || "-()[]".contains(c)
}

fn spelled(name: &str) -> Option<String> {
    let mut spelled = String::with_capacity(name.len());
    for c in name.trim().chars().take(MOST) {
        match c {
            c if c.is_whitespace() && spelled.ends_with(' ') => {}
            c if c.is_whitespace() => spelled.push(' '),
            c => spelled.push(if is_known(c) { c } else { '-' }),
        }
    }
    (!spelled.is_empty()).then_some(spelled)
}

const MOST: usize = 200;
const PDF: &str = "application/pdf";
const USUAL: &str = "document.pdf";
