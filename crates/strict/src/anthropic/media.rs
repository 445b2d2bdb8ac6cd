//! Images and documents, as far as they can be judged without being drawn.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::profile::profile;
use super::view;
use crate::image::{self, Header};
use crate::rule::{Fields as _, string};
use crate::{Evidence, Findings, Request, Rule};

/// What is known of the images and documents of a request.
#[derive(Default)]
struct Media {
    /// Those that stand in the request as base64.
    images: Vec<Image>,
    /// Addresses from which nothing can be fetched, and what is said of them.
    nowhere: Vec<(String, &'static str)>,
    /// The place of the first image that is too many, if it is.
    count: usize,
    beyond: Option<String>,
    /// Pages of all documents, and where the last one counted stands.
    pages: usize,
    last_page: String,
}

struct Image {
    path: String,
    said: String,
    bytes: usize,
    header: Option<Header>,
    /// An image that is too large is made smaller.
    downsized: bool,
}

impl Media {
    fn of(request: &Request<'_>, findings: &mut Findings) -> std::rc::Rc<Self> {
        findings.shared(|| {
            let mut media = Self::default();
            let most = most_images(request);
            for block in view::blocks(request.body) {
                media.look(block.kind(), block.value, most, &|| block.path());
                for inner in view::inside(&block) {
                    media.look(inner.kind(), inner.value, most, &|| inner.path());
                }
            }
            media
        })
    }

    fn look(&mut self, kind: &str, value: &Value, most: usize, path: &dyn Fn() -> String) {
        if !matches!(kind, "image" | "document") {
            return;
        }
        let Some(source) = value.field("source") else { return };
        let from = string(source, "type");
        if kind == "image" {
            self.count += 1;
            if self.count == most + 1 {
                self.beyond = Some(path());
            }
        }
        match (kind, from) {
            (_, "url") => {
                let refused = refused(string(source, "url"));
                let nowhere = refused.map(|words| (format!("{}.{kind}.source.url", path()), words));
                self.nowhere.extend(nowhere);
            }
            ("image", "base64") => {
                let data = string(source, "data");
                let oversized = value.pointer("/transformations/oversized_image");
                self.images.push(Image {
                    path: format!("{}.image.source.base64", path()),
                    said: string(source, "media_type").to_owned(),
                    bytes: data.len(),
                    header: image::header(data),
                    downsized: oversized.is_some_and(|oversized| oversized == "downsize"),
                });
            }
            ("document", "base64") => {
                let pages = pages(string(source, "data"));
                if pages > 0 {
                    self.pages += pages;
                    self.last_page = path();
                }
            }
            _ => {}
        }
    }
}

/// What is said of an address from which nothing is fetched.
fn refused(url: &str) -> Option<&'static str> {
    let names = |rest: &str| !rest.is_empty() && !rest.starts_with('/');
    match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
        (Some(rest), _) if names(rest) => None,
        (_, Some(rest)) if names(rest) => Some(INSECURE),
        _ => Some(UNREACHABLE),
    }
}

/// The pages of a PDF: its page objects, where they stand in the open. Newer files may hide them in
/// compressed streams; those are not counted.
fn pages(data: &str) -> usize {
    let Ok(bytes) = STANDARD.decode(data) else { return 0 };
    let named = bytes.windows(PAGE.len()).enumerate().filter(|(_, window)| *window == PAGE);
    let is_page = |at: usize| {
        let rest = bytes[at + PAGE.len()..].trim_ascii_start();
        rest.strip_prefix(b"/Page").is_some_and(|rest| !rest.starts_with(b"s"))
    };
    named.filter(|(at, _)| is_page(*at)).count()
}

fn most_images(request: &Request<'_>) -> usize {
    if profile(request.model).context > 200_000 { MANY } else { FEW }
}

fn size(request: &Request<'_>, findings: &mut Findings) {
    for Image { path, bytes, .. } in &Media::of(request, findings).images {
        if *bytes > MOST {
            let words =
                format!("{path}: image exceeds 10 MB maximum: {bytes} bytes > {MOST} bytes");
            findings.add(path, words);
        }
    }
}

fn mismatch(request: &Request<'_>, findings: &mut Findings) {
    for Image { path, said, header, .. } in &Media::of(request, findings).images {
        if let Some(found) = header.map(|header| header.kind).filter(|found| found != said) {
            let words = format!(
                "{path}: The image was specified using the {said} media type, but the image appears to be a {found} image"
            );
            findings.add(path, words);
        }
    }
}

fn undecodable(request: &Request<'_>, findings: &mut Findings) {
    for Image { path, header, .. } in &Media::of(request, findings).images {
        // Whether what follows the first bytes can be read is not known here.
        if header.is_none() {
            findings.add(path, UNDECODABLE);
        }
    }
}

fn unreachable(request: &Request<'_>, findings: &mut Findings) {
    for (path, words) in &Media::of(request, findings).nowhere {
        findings.add(path, *words);
    }
}

fn dimensions(request: &Request<'_>, findings: &mut Findings) {
    let media = Media::of(request, findings);
    let many = media.count > CROWD;
    for Image { path, header, .. } in media.images.iter().filter(|image| !image.downsized) {
        let Some((width, height)) = header.and_then(|header| header.size) else { continue };
        let (longest, path) = (width.max(height), format!("{path}.data"));
        if longest > LONGEST {
            let words = format!(
                "{path}: image dimensions exceed max allowed size: {longest} pixels > {LONGEST} pixels"
            );
            findings.add(path, words);
        } else if many && longest > LONGEST_OF_MANY {
            let words = format!(
                "{path}: At least one of the image dimensions exceed max allowed size for many-image requests: {LONGEST_OF_MANY} pixels"
            );
            findings.add(path, words);
        }
    }
}

fn too_many(request: &Request<'_>, findings: &mut Findings) {
    let (media, most) = (Media::of(request, findings), most_images(request));
    if let Some(path) = &media.beyond {
        let words = format!("Too much media: {} images > {most} maximum", media.count);
        findings.add(path, words);
    }
}

fn too_many_pages(request: &Request<'_>, findings: &mut Findings) {
    let (media, most) = (Media::of(request, findings), most_images(request));
    if media.pages > most {
        let words = format!("A maximum of {most} PDF pages may be provided.");
        findings.add(&media.last_page, words);
    }
}

const MOST: usize = 10 * 1024 * 1024;
/// Images and pages in a request to a model with a context of 200,000 tokens, and to larger ones.
const FEW: usize = 100;
const MANY: usize = 600;
/// Pixels of the longer side, and from how many images on it must be shorter.
const LONGEST: u32 = 8000;
const CROWD: usize = 20;
const LONGEST_OF_MANY: u32 = 2000;
const PAGE: &[u8] = b"/Type";
const UNDECODABLE: &str = "Could not process image";
const UNREACHABLE: &str = "Unable to download the file";
const INSECURE: &str = "Only HTTPS URLs are supported.";

pub(super) const RULES: [Rule; 7] = [
    Rule {
        name: "image-too-large",
        status: 400,
        when: "An image in base64 is larger than 10 MB.",
        words: "{path}: image exceeds 10 MB maximum: {bytes} bytes > {most} bytes",
        evidence: Evidence::Inferred,
        source: "L5; public code 56262009662 with the earlier limit of 5 MB, documentation of images",
        check: size,
    },
    Rule {
        name: "media-mismatch",
        status: 400,
        when: "An image is not of the type that it says.",
        words: "{path}: The image was specified using the {said} media type, but the image appears to be a {found} image",
        evidence: Evidence::Seen,
        source: "L7; public code 51825969579",
        check: mismatch,
    },
    Rule {
        name: "undecodable-image",
        status: 400,
        when: "An image in base64 is no PNG, JPEG, GIF or WebP, or its header is cut or broken.",
        words: UNDECODABLE,
        evidence: Evidence::Quoted,
        source: "L8",
        check: undecodable,
    },
    Rule {
        name: "unreachable-media",
        status: 400,
        when: "The address of an image or document is none from which something can be fetched.",
        words: "Unable to download the file\nOnly HTTPS URLs are supported.",
        evidence: Evidence::Seen,
        source: "L8; live probe 69439831363; of http, https://github.com/BrokkAi/brokk-app/issues/2269",
        check: unreachable,
    },
    Rule {
        name: "image-dimensions",
        status: 400,
        when: "A side of an image in base64 has more than 8000 pixels or, among more than 20 images, more than 2000; one that may be made smaller is accepted.",
        words: "{path}.data: image dimensions exceed max allowed size: {pixels} pixels > 8000 pixels\n{path}.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
        evidence: Evidence::Seen,
        source: "L6; public code 28908041882, 68360401111, the first wording 59430705902",
        check: dimensions,
    },
    Rule {
        name: "too-many-images",
        status: 400,
        when: "There are more than 100 images, or 600 where the context is larger than 200,000 tokens.",
        words: "Too much media: {count} images > {most} maximum",
        evidence: Evidence::Quoted,
        source: "L9; claude-code-hub's rules, how it goes on is ours",
        check: too_many,
    },
    Rule {
        name: "too-many-pages",
        status: 400,
        when: "The PDF documents in base64 have more than 100 pages, or 600 where the context is larger than 200,000 tokens; page objects in compressed streams are not counted.",
        words: "A maximum of {most} PDF pages may be provided.",
        evidence: Evidence::Quoted,
        source: "L9; claude-code-hub's rules, how it goes on is ours",
        check: too_many_pages,
    },
];
