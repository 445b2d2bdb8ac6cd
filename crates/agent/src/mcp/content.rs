//! Converts the result of an MCP tool call to a tool's output.

use interlingua::{JsonString, RawJson, Verbatim};
use interlingua_model::{Block, BlockContent, Media, MediaKind, MediaSource};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::ToolOutput;

pub(super) fn tool_output(result: CallToolResult) -> ToolOutput {
    let mut content: Vec<Verbatim<Block>> = result.content.into_iter().map(to_block).collect();
    // Structured content repeats the text, if there is any.
    if content.is_empty()
        && let Some(value) = result.structured_content
        && let Ok(json) = RawJson::parse(value.to_string())
    {
        content.push(Block::new(BlockContent::Json(json)).into());
    }
    ToolOutput { content, is_error: result.is_error.unwrap_or(false) }
}

fn to_block(content: ContentBlock) -> Verbatim<Block> {
    let block = match content {
        ContentBlock::Text(text) => Block::text(JsonString::new(&text.text)),
        ContentBlock::Image(image) => media_block(MediaKind::Image, &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => media_block(MediaKind::Audio, &audio.mime_type, &audio.data),
        ContentBlock::Resource(resource) => match resource.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                Block::text(JsonString::new(&format!("{uri}\n{text}")))
            }
            ResourceContents::BlobResourceContents { mime_type, blob, .. } => {
                let mime = mime_type.unwrap_or_default();
                let kind = match mime.split('/').next() {
                    Some("image") => MediaKind::Image,
                    Some("audio") => MediaKind::Audio,
                    Some("video") => MediaKind::Video,
                    _ => MediaKind::Document,
                };
                media_block(kind, &mime, &blob)
            }
            other => unknown_block(&other),
        },
        ContentBlock::ResourceLink(link) => {
            let description = link.description.unwrap_or_default();
            Block::text(JsonString::new(
                format!("{} ({}) {description}", link.name, link.uri).trim_end(),
            ))
        }
        other => unknown_block(&other),
    };
    block.into()
}

/// Content of an unknown type becomes JSON.
fn unknown_block(unknown: &impl serde::Serialize) -> Block {
    let json = serde_json::to_string(unknown).ok().and_then(|text| RawJson::parse(text).ok());
    Block::new(BlockContent::Json(json.unwrap_or(RawJson::NULL)))
}

fn media_block(kind: MediaKind, mime: &str, data: &str) -> Block {
    let mime = Some(JsonString::new(mime)).filter(|mime| !mime.is_empty());
    let source = MediaSource::Base64 { mime, data: JsonString::new(data) };
    Block::new(BlockContent::Media(Box::new(Media { kind, source, name: None, detail: None })))
}
