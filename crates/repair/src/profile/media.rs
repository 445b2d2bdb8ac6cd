//! Images, documents and sounds: what each target takes.

use interlingua_model::MediaKind;

use super::Scope;
use super::media_bedrock::{BEDROCK, BEDROCK_CLAUDE};
use super::media_words::{
    AUDIO, COMMON, EVERYTHING, FILED, GEMINI, GEMINI_OLD, GIVEN, HEARS, IMAGES, INVENTOR,
    LARGE_CONTEXT, LINKED, NO, NOTHING, OLD_GEMINI, OLD_NAMES, SEES, SMALL_CONTEXT, UNSEEN, YES,
};

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of data, each yes or no on its own")]
pub struct Media {
    /// What the target's own clients may write.
    pub written: Places,
    /// What can be said to it in its dialect.
    pub said: Places,
    /// Types that images may say they have; `None` where any will do.
    pub image_types: Option<&'static [&'static str]>,
    /// Other names of types that images may have.
    pub image_names: &'static [&'static str],
    /// Types that documents may say they have; `None` where any will do.
    pub document_types: Option<&'static [&'static str]>,
    /// Types that nothing may say it has.
    pub refused_types: &'static [&'static str],
    /// A type is no single word, such as `png`.
    pub whole_types: bool,
    /// Types that sounds may say they have, where they are written anew; `None` where any will do.
    pub audio_types: Option<&'static [&'static str]>,
    /// An image is of the type that it says.
    pub exact_types: bool,
    /// What is checked of the data of an image.
    pub images: Checked,
    /// What the address of an image must be; and of a document, if both are fetched.
    pub addresses: Fetched,
    /// Data of any kind are base64, in either alphabet.
    pub base64: bool,
    /// Characters of base64 that an image may have, and a document.
    pub image_size: Option<usize>,
    pub document_size: Option<usize>,
    /// Pixels of the longer side of an image.
    pub image_side: Option<u32>,
    /// From how many images on their sides are shorter, and how short.
    pub crowd: Option<(usize, u32)>,
    /// The field that asks for images to be made smaller, where there is one.
    pub downsizing: bool,
    /// How many images a request may have, and pages of documents.
    pub most_images: Option<usize>,
    pub most_pages: Option<usize>,
    /// How many a message may have.
    pub message_images: Option<usize>,
    pub message_documents: Option<usize>,
    /// Some text stands beside a document, which has a name of letters and digits.
    pub named_documents: bool,
    /// A document that is given as data has a name, whatever it is, unless this field inside this
    /// one says which it is.
    pub named_data: Option<(&'static str, &'static str)>,
    /// What results do not take, and the user may show, follows them in a turn of its own.
    pub result_follows: bool,
    /// Results that failed hold something else than text.
    pub failed_media: bool,
    /// Results of a search stand beside other blocks of a result, and some sources are cited while
    /// others are not.
    pub mixed_sources: bool,
}

/// What is taken, by who says it.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    pub instructions: Kinds,
    pub user: Kinds,
    pub assistant: Kinds,
    pub result: Kinds,
}

/// What is taken, by what it is.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    pub image: Sources,
    pub document: Sources,
    pub audio: Sources,
    pub video: Sources,
}

/// What is taken, by where it is.
#[derive(Clone, Copy, Debug)]
pub struct Sources {
    pub data: bool,
    pub address: Address,
    /// In the provider's own store of files.
    pub file: bool,
    pub text: Plain,
}

impl Media {
    /// Whether an image may say that it is of this type.
    pub fn takes_type(&self, mime: &str) -> bool {
        let fits =
            |known: &&str| *known == mime || known.ends_with('/') && mime.starts_with(*known);
        self.image_types.is_none_or(|types| types.iter().chain(self.image_names).any(fits))
    }

    /// Whether a type is a single word where that is none.
    pub fn is_bare(&self, mime: &str) -> bool {
        self.whole_types && !mime.is_empty() && !mime.contains('/')
    }
}

impl Kinds {
    pub fn of(&self, kind: MediaKind) -> Sources {
        match kind {
            MediaKind::Image => self.image,
            MediaKind::Document => self.document,
            MediaKind::Audio => self.audio,
            MediaKind::Video => self.video,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    No,
    Any,
    /// In the provider's own cloud, by how it begins.
    Begins(&'static str),
}

/// What becomes of a document that is plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// It is taken as such.
    Taken,
    /// It is taken as data.
    AsData,
    /// It is said as text.
    AsText,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// Nobody looks.
    Unchecked,
    /// An image is not in the address itself, unless as base64.
    NoData,
    /// Something can be fetched from there, and safely.
    Https,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    Unchecked,
    /// The first bytes are those of an image.
    Start,
    /// The header tells type and size.
    Header,
}

pub(super) const ANYWHERE: Places = Places {
    instructions: EVERYTHING,
    user: EVERYTHING,
    assistant: EVERYTHING,
    result: EVERYTHING,
};
pub(super) const NOWHERE: Places =
    Places { instructions: NOTHING, user: NOTHING, assistant: NOTHING, result: NOTHING };

pub(super) const ANYTHING: Media = Media {
    written: ANYWHERE,
    said: ANYWHERE,
    image_types: None,
    image_names: &[],
    document_types: None,
    refused_types: &[],
    whole_types: false,
    audio_types: None,
    exact_types: false,
    images: Checked::Unchecked,
    addresses: Fetched::Unchecked,
    base64: false,
    image_size: None,
    document_size: None,
    image_side: None,
    crowd: None,
    downsizing: false,
    most_images: None,
    most_pages: None,
    message_images: None,
    message_documents: None,
    named_documents: false,
    named_data: None,
    result_follows: false,
    failed_media: true,
    mixed_sources: true,
};

const ANTHROPIC: Media = Media {
    written: Places { assistant: Kinds { document: YES, ..NOTHING }, ..ANTHROPIC_SAYS },
    said: ANTHROPIC_SAYS,
    image_types: Some(COMMON),
    document_types: Some(&["application/pdf"]),
    exact_types: true,
    images: Checked::Header,
    addresses: Fetched::Https,
    image_size: Some(10 * 1024 * 1024),
    image_side: Some(8000),
    crowd: Some((20, 2000)),
    downsizing: true,
    most_images: Some(600),
    most_pages: Some(600),
    failed_media: false,
    mixed_sources: false,
    ..ANYTHING
};
const ANTHROPIC_SAYS: Places = Places {
    user: Kinds { image: YES, document: YES, ..NOTHING },
    result: Kinds { image: YES, document: YES, ..NOTHING },
    ..NOWHERE
};
/// Models with a context of 200,000 tokens.
const SMALLER: Media = Media { most_images: Some(100), most_pages: Some(100), ..ANTHROPIC };

/// Passes over what it cannot see.
const DEEPSEEK: Media = Media {
    written: Places { instructions: NOTHING, ..ANYWHERE },
    said: NOWHERE,
    image_types: Some(COMMON),
    document_types: Some(&["application/pdf"]),
    ..ANYTHING
};

/// Servers that take whatever their clients write.
const COMPATIBLE: Media = Media { said: SAYS, audio_types: Some(AUDIO), ..ANYTHING };
/// What any server can be told.
const SAYS: Places = Places { user: PICTURES, result: PICTURES, ..NOWHERE };
const PICTURES: Kinds = Kinds { image: LINKED, audio: GIVEN, ..NOTHING };
const FILMS: Kinds = Kinds { video: LINKED, ..PICTURES };
const FILES: Kinds = Kinds { document: FILED, ..PICTURES };
const FILES_AND_FILMS: Kinds = Kinds { document: YES, ..FILMS };
const WATCHES: Places = Places { user: FILMS, result: FILMS, ..NOWHERE };

/// Newer models ignore images where these do not belong.
const OPENAI: Media = Media {
    written: Places { instructions: IMAGES, user: HEARD, assistant: IMAGES, result: IMAGES },
    said: Places { user: FILES, result: FILES, ..NOWHERE },
    audio_types: Some(AUDIO),
    named_data: Some(("file", "file_id")),
    ..ANYTHING
};
const OLD_OPENAI: Media = Media { written: Places { user: HEARD, ..NOWHERE }, ..OPENAI };

/// What the user may say: a document by its address is a part of another name.
const HEARD: Kinds =
    Kinds { video: NO, document: Sources { address: Address::No, ..YES }, ..EVERYTHING };

const RESPONSES: Media = Media {
    written: RESPONSES_SAYS,
    said: RESPONSES_SAYS,
    image_types: Some(&["image/"]),
    images: Checked::Start,
    addresses: Fetched::NoData,
    ..ANYTHING
};
const RESPONSES_SAYS: Places =
    Places { instructions: PARTS, user: PARTS, assistant: NOTHING, result: PARTS };
/// "'`input_file`' is not supported by llamacpp at this moment"
const PICTURED: Kinds = Kinds { image: YES, document: NO, audio: NO, video: NO };
const PARTS: Kinds = Kinds { image: YES, document: YES, audio: GIVEN, video: NO };

pub(super) static ROWS: &[(Scope, Media)] = &[
    (Scope::flavors("anthropic", &["deepseek"]), DEEPSEEK),
    (Scope::models("anthropic", LARGE_CONTEXT), ANTHROPIC),
    (Scope::models("anthropic", SMALL_CONTEXT), SMALLER),
    (Scope::all("anthropic"), ANTHROPIC),
    (OLD_NAMES, OLD_OPENAI),
    (
        Scope {
            dialect: "openai-chat",
            flavors: INVENTOR,
            models: &["gpt-5-2", "gpt-5-3", "gpt-5-4", "gpt-5-5", "gpt-5-6", "gpt-6"],
        },
        OPENAI,
    ),
    (
        Scope {
            dialect: "openai-chat",
            flavors: INVENTOR,
            models: &["gpt-5", "gpt-4", "gpt-3", "o1", "o3", "o4"],
        },
        OLD_OPENAI,
    ),
    (Scope::flavors("openai-chat", INVENTOR), OPENAI),
    (
        Scope::flavors("openai-chat", &["openrouter"]),
        Media {
            said: Places {
                user: FILES_AND_FILMS,
                result: FILES_AND_FILMS,
                assistant: Kinds { image: LINKED, ..NOTHING },
                ..NOWHERE
            },
            ..COMPATIBLE
        },
    ),
    (
        Scope {
            dialect: "openai-chat",
            flavors: &["deepseek"],
            models: &["deepseek-vl", "deepseek-ocr", "vision"],
        },
        Media {
            // Replies are strings.
            written: Places { instructions: IMAGES, user: IMAGES, ..NOWHERE },
            said: Places {
                user: Kinds { image: LINKED, ..NOTHING },
                result: Kinds { image: LINKED, ..NOTHING },
                ..NOWHERE
            },
            ..ANYTHING
        },
    ),
    (
        Scope::flavors("openai-chat", &["deepseek", "generic"]),
        Media { written: NOWHERE, said: NOWHERE, ..ANYTHING },
    ),
    (Scope::flavors("openai-chat", &["vllm"]), Media { said: WATCHES, ..COMPATIBLE }),
    (Scope::flavors("openai-chat", &["qwen", "glm"]), Media { said: WATCHES, ..COMPATIBLE }),
    (
        Scope::flavors("openai-chat", &["ollama"]),
        Media {
            written: HEARS,
            said: Places {
                user: Kinds { image: GIVEN, audio: GIVEN, ..NOTHING },
                result: Kinds { image: GIVEN, audio: GIVEN, ..NOTHING },
                ..NOWHERE
            },
            image_types: Some(&["image/jpeg", "image/png", "image/webp"]),
            image_names: &["image/jpg"],
            ..COMPATIBLE
        },
    ),
    (
        Scope::flavors("openai-chat", &["llama.cpp"]),
        Media {
            written: Places { user: SEES, instructions: SEES, assistant: SEES, result: SEES },
            ..COMPATIBLE
        },
    ),
    (
        Scope::flavors("openai-chat", &["lm-studio"]),
        Media {
            written: Places {
                instructions: UNSEEN,
                assistant: UNSEEN,
                result: UNSEEN,
                user: EVERYTHING,
            },
            ..COMPATIBLE
        },
    ),
    // The user may not speak after results.
    (
        Scope::flavors("openai-chat", &["mistral"]),
        Media { said: Places { user: PICTURES, ..NOWHERE }, ..COMPATIBLE },
    ),
    (Scope::all("openai-chat"), COMPATIBLE),
    (
        Scope::flavors("openai-responses", &["llama.cpp"]),
        Media {
            written: Places {
                instructions: PICTURED,
                user: PICTURED,
                assistant: EVERYTHING,
                ..NOWHERE
            },
            said: Places { user: PICTURED, ..NOWHERE },
            ..ANYTHING
        },
    ),
    (Scope::all("openai-responses"), RESPONSES),
    (Scope::models("gemini", &["computer-use"]), GEMINI),
    (Scope::models("gemini", GEMINI_OLD), OLD_GEMINI),
    (Scope::all("gemini"), GEMINI),
    (Scope::models("bedrock", &["claude"]), BEDROCK_CLAUDE),
    (Scope::models("bedrock", super::tool_words::NOT_CLAUDE), BEDROCK),
    (Scope::all("bedrock"), BEDROCK_CLAUDE),
];
