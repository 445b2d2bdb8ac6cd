//! Rules about images and documents: sizes, types and URLs, judged by headers only.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::profile::profile;
use super::view;
use crate::image::{self, ImageHeader};
use crate::json::{JsonExt as _, str_field};
use crate::{CheckContext, Request};

/// The images and documents of a request.
#[derive(Default)]
struct MediaSurvey {
    /// Base64 images.
    images: Vec<Image>,
    /// Paths of URLs that cannot be fetched, with their error messages.
    unreachable: Vec<(String, &'static str)>,
    image_count: usize,
    /// Path of the first image above the limit.
    first_excess_image: Option<String>,
    /// Pages of all documents, and path of the last counted document.
    page_count: usize,
    last_document: String,
}

struct Image {
    path: String,
    declared_type: String,
    base64_bytes: usize,
    header: Option<ImageHeader>,
    /// Whether the request allows to downscale the image if it is too large.
    is_downsized: bool,
}

impl MediaSurvey {
    fn memoized(request: &Request<'_>, cx: &mut CheckContext) -> std::rc::Rc<Self> {
        cx.memoized(|| {
            let mut survey = Self::default();
            let image_limit = max_images(request);
            for block in view::blocks(request.body) {
                survey.add_block(block.block_type(), block.value, image_limit, &|| block.path());
                for inner in view::result_blocks(&block) {
                    survey
                        .add_block(inner.block_type(), inner.value, image_limit, &|| inner.path());
                }
            }
            survey
        })
    }

    fn add_block(
        &mut self,
        kind: &str,
        value: &Value,
        max_images: usize,
        path: &dyn Fn() -> String,
    ) {
        if !matches!(kind, "image" | "document") {
            return;
        }
        let Some(source) = value.field("source") else { return };
        let source_type = str_field(source, "type");
        if kind == "image" {
            self.image_count += 1;
            if self.image_count == max_images + 1 {
                self.first_excess_image = Some(path());
            }
        }
        match (kind, source_type) {
            (_, "url") => {
                let error = url_error(str_field(source, "url"));
                let located =
                    error.map(|message| (format!("{}.{kind}.source.url", path()), message));
                self.unreachable.extend(located);
            }
            ("image", "base64") => {
                let data = str_field(source, "data");
                let oversized = value.pointer("/transformations/oversized_image");
                self.images.push(Image {
                    path: format!("{}.image.source.base64", path()),
                    declared_type: str_field(source, "media_type").to_owned(),
                    base64_bytes: data.len(),
                    header: image::read_header(data),
                    is_downsized: oversized.is_some_and(|oversized| oversized == "downsize"),
                });
            }
            ("document", "base64") => {
                let pages = pdf_page_count(str_field(source, "data"));
                if pages > 0 {
                    self.page_count += pages;
                    self.last_document = path();
                }
            }
            _ => {}
        }
    }
}

/// The error message for a URL that cannot be fetched.
fn url_error(url: &str) -> Option<&'static str> {
    let has_host = |rest: &str| !rest.is_empty() && !rest.starts_with('/');
    match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
        (Some(rest), _) if has_host(rest) => None,
        (_, Some(rest)) if has_host(rest) => Some(INSECURE_URL_ERROR),
        _ => Some(UNREACHABLE_URL_ERROR),
    }
}

/// Counts the page objects of a PDF. Newer files may have them in compressed streams, which are not
/// counted.
fn pdf_page_count(data: &str) -> usize {
    let Ok(bytes) = STANDARD.decode(data) else { return 0 };
    let type_keys =
        bytes.windows(PDF_TYPE_KEY.len()).enumerate().filter(|(_, window)| *window == PDF_TYPE_KEY);
    let is_page = |at: usize| {
        let rest = bytes[at + PDF_TYPE_KEY.len()..].trim_ascii_start();
        rest.strip_prefix(b"/Page").is_some_and(|rest| !rest.starts_with(b"s"))
    };
    type_keys.filter(|(at, _)| is_page(*at)).count()
}

fn max_images(request: &Request<'_>) -> usize {
    if profile(request.model).context_window > 200_000 {
        MAX_IMAGES_LARGE_CONTEXT
    } else {
        MAX_IMAGES_SMALL_CONTEXT
    }
}

pub(super) fn image_too_large(request: &Request<'_>, cx: &mut CheckContext) {
    for Image { path, base64_bytes: bytes, .. } in &MediaSurvey::memoized(request, cx).images {
        if *bytes > MAX_IMAGE_BYTES {
            cx.reject_filled(path, &[("bytes", &bytes), ("most", &MAX_IMAGE_BYTES)]);
        }
    }
}

pub(super) fn media_mismatch(request: &Request<'_>, cx: &mut CheckContext) {
    for Image { path, declared_type: declared, header, .. } in
        &MediaSurvey::memoized(request, cx).images
    {
        if let Some(actual) =
            header.map(|header| header.media_type).filter(|actual| actual != declared)
        {
            cx.reject_filled(path, &[("said", &declared), ("found", &actual)]);
        }
    }
}

pub(super) fn undecodable_image(request: &Request<'_>, cx: &mut CheckContext) {
    for Image { path, header, .. } in &MediaSurvey::memoized(request, cx).images {
        // Only the header is decoded, so that errors after it are not detected.
        if header.is_none() {
            cx.reject(path, cx.message());
        }
    }
}

pub(super) fn unreachable_media(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, message) in &MediaSurvey::memoized(request, cx).unreachable {
        cx.reject(path, *message);
    }
}

pub(super) fn image_dimensions(request: &Request<'_>, cx: &mut CheckContext) {
    let media = MediaSurvey::memoized(request, cx);
    let has_many_images = media.image_count > MANY_IMAGES;
    for Image { path, header, .. } in media.images.iter().filter(|image| !image.is_downsized) {
        let Some((width, height)) = header.and_then(|header| header.dimensions) else { continue };
        let (longer_side, path) = (width.max(height), format!("{path}.data"));
        if longer_side > MAX_SIDE_PIXELS {
            let message = format!(
                "{path}: image dimensions exceed max allowed size: {longer_side} pixels > {MAX_SIDE_PIXELS} pixels"
            );
            cx.reject(path, message);
        } else if has_many_images && longer_side > MAX_SIDE_PIXELS_MANY_IMAGES {
            let message = format!(
                "{path}: At least one of the image dimensions exceed max allowed size for many-image requests: {MAX_SIDE_PIXELS_MANY_IMAGES} pixels"
            );
            cx.reject(path, message);
        }
    }
}

pub(super) fn too_many_images(request: &Request<'_>, cx: &mut CheckContext) {
    let (media, limit) = (MediaSurvey::memoized(request, cx), max_images(request));
    if let Some(path) = &media.first_excess_image {
        cx.reject_filled(path, &[("count", &media.image_count), ("most", &limit)]);
    }
}

pub(super) fn too_many_pages(request: &Request<'_>, cx: &mut CheckContext) {
    let (media, limit) = (MediaSurvey::memoized(request, cx), max_images(request));
    if media.page_count > limit {
        cx.reject_filled(&media.last_document, &[("most", &limit)]);
    }
}

const MAX_IMAGE_BYTES: usize = 10 * 1024 * 1024;
/// Images and pages per request, for context windows up to 200,000 tokens and for larger ones.
const MAX_IMAGES_SMALL_CONTEXT: usize = 100;
const MAX_IMAGES_LARGE_CONTEXT: usize = 600;
/// Pixels of the longer side, with a lower limit in requests with many images.
const MAX_SIDE_PIXELS: u32 = 8000;
const MANY_IMAGES: usize = 20;
const MAX_SIDE_PIXELS_MANY_IMAGES: u32 = 2000;
const PDF_TYPE_KEY: &[u8] = b"/Type";
const UNREACHABLE_URL_ERROR: &str = "Unable to download the file";
const INSECURE_URL_ERROR: &str = "Only HTTPS URLs are supported.";
