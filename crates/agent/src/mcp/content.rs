//! What an MCP server gives, as the content of a result.

use interlingua::model::{Block, Body, Media, MediaKind, Source};
use interlingua::{Json, Text, Verbatim};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::Given;

pub(super) fn given(result: CallToolResult) -> Given {
    let mut content: Vec<Verbatim<Block>> = result.content.into_iter().map(block).collect();
    // Structured content repeats what is said, where anything is.
    if content.is_empty()
        && let Some(value) = result.structured_content
        && let Ok(json) = Json::parse(value.to_string())
    {
        content.push(Block::new(Body::Data(json)).into());
    }
    Given { content, is_error: result.is_error.unwrap_or(false) }
}

fn block(content: ContentBlock) -> Verbatim<Block> {
    let block = match content {
        ContentBlock::Text(text) => Block::text(Text::new(&text.text)),
        ContentBlock::Image(image) => media(MediaKind::Image, &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => media(MediaKind::Audio, &audio.mime_type, &audio.data),
        ContentBlock::Resource(resource) => match resource.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                Block::text(Text::new(&format!("{uri}\n{text}")))
            }
            ResourceContents::BlobResourceContents { mime_type, blob, .. } => {
                let mime = mime_type.unwrap_or_default();
                let kind = match mime.split('/').next() {
                    Some("image") => MediaKind::Image,
                    Some("audio") => MediaKind::Audio,
                    Some("video") => MediaKind::Video,
                    _ => MediaKind::Document,
                };
                media(kind, &mime, &blob)
            }
            other => data(&other),
        },
        ContentBlock::ResourceLink(link) => {
            let about = link.description.unwrap_or_default();
            Block::text(Text::new(format!("{} ({}) {about}", link.name, link.uri).trim_end()))
        }
        other => data(&other),
    };
    block.into()
}

/// What is newer than we are.
fn data(unknown: &impl serde::Serialize) -> Block {
    let json = serde_json::to_string(unknown).ok().and_then(|text| Json::parse(text).ok());
    Block::new(Body::Data(json.unwrap_or(Json::NULL)))
}

fn media(kind: MediaKind, mime: &str, data: &str) -> Block {
    let mime = Some(Text::new(mime)).filter(|mime| !mime.is_empty());
    let source = Source::Base64 { mime, data: Text::new(data) };
    Block::new(Body::Media(Box::new(Media { kind, source, name: None, detail: None })))
}
