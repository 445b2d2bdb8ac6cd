//! Tools and their schemas: what each target takes.

use super::Scope;
pub use super::names::Names;
use super::names::{ANY_NAME, PLAIN, SHORT};
use super::searches::{self, Search};
use super::tool_keys::{self, Kinds};
use super::tool_words::{
    BUILT_IN, CHOICES, CHOICES_AND_MORE, FIXED_NAMES, NOT_CLAUDE, NOT_GEMINI, NOT_STRICT,
    NOT_STRICT_EITHER, OLD_GEMINI,
};

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of data, each yes or no on its own")]
pub struct Tools {
    /// Calls in the history need tools in the request.
    pub history_needs_tools: bool,
    /// It can be said that no tool is to be called.
    pub takes_no_choice: bool,
    /// What a tool may be called.
    pub names: Names,
    /// What a tool may be called in a call of the history.
    pub called: Names,
    /// Names that tools of a type must have, by how the type begins.
    pub fixed_names: &'static [(&'static str, &'static str)],
    /// Tools known by their type have names like any others.
    pub named_types: bool,
    /// Two tools may not have one name.
    pub unique: bool,
    /// Blocks of this kind bring tools along.
    pub added: Option<&'static str>,
    /// Blocks of these kinds are calls and results of the provider's own tools.
    pub served: &'static [&'static str],
    /// Tools stand in groups, and have their names within these.
    pub groups: bool,
    /// How many there may be.
    pub most: Option<usize>,
    /// Tools stand in a list, even if there is but one.
    pub listed: bool,
    /// A list without tools is taken.
    pub empty_list: bool,
    /// Null is taken for a list without tools.
    pub null_list: bool,
    /// How many characters a description may have.
    pub description: Option<usize>,
    pub kinds: &'static Kinds,
    pub schema: Schema,
    /// What is asked of a tool that is to be held to its schema.
    pub strict: Strict,
    /// Knows tools that are loaded when they are looked for.
    pub deferral: bool,
    /// Has a place for examples of a tool's input.
    pub examples: bool,
    /// Whether the provider's own tools and functions may stand together.
    pub mixing: Mixing,
    /// The provider's own tools that do not stand beside functions unless they may.
    pub built_in: &'static [&'static str],
    /// How the provider is asked to search the web by itself, if it does.
    pub search: Option<&'static Search>,
}

/// What is asked of the schema of a tool.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of data, each yes or no on its own")]
pub struct Schema {
    pub root: Root,
    /// What may not stand at the root.
    pub not_at_root: &'static [&'static str],
    /// What properties at the root may be called, where that is looked at.
    pub properties: Option<Names>,
    /// `null` stands for no schema.
    pub null: bool,
    /// The drafts of JSON Schema that are checked.
    pub draft: Draft,
    /// An array says what it holds.
    pub items: bool,
    /// Properties are not a list.
    pub mapped: bool,
    /// A reference stands alone, and items are no list.
    pub bare_references: bool,
    /// What a schema may not have anywhere.
    pub refused: &'static [&'static str],
    /// A narrower kind of schema: no references, a type is one word, and nothing is said by several.
    pub narrow: bool,
    /// The provider's own kind of schema, where it has one.
    pub own: Option<OwnSchema>,
    /// References are followed and `$schema` left out when a schema comes from elsewhere.
    pub inlined: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// Anything, or nothing.
    Free,
    /// Some schema.
    Any,
    /// If there is one, it says that it is one of an object.
    Object,
    /// Is there, and says that it is one of an object.
    Needed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draft {
    Unchecked,
    Seven,
    TwentyTwenty,
}

/// Which fields a schema of the provider's own kind has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnSchema {
    Narrow,
    /// Also `additionalProperties`, `defs` and `ref`.
    Wide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strict {
    /// Nothing is asked.
    Unchecked,
    /// Objects are closed and list all properties as required; without these keywords.
    Closed(&'static [&'static str]),
    /// Objects are closed, patterns plain, and there are not too many tools and optional properties.
    Compiled { tools: usize, optional: usize },
    /// All tools are held to it, or none.
    Alike,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mixing {
    Free,
    /// Only if the field of this name in the tool config says so.
    Asked(&'static str),
    Never,
}

pub(super) static ROWS: &[(Scope, Tools)] = &[
    (
        Scope::flavors("anthropic", &["deepseek"]),
        Tools { named_types: true, unique: true, kinds: &tool_keys::DEEPSEEK, ..COMPATIBLE },
    ),
    (Scope::all("anthropic"), ANTHROPIC),
    (
        DOTTED,
        Tools {
            names: Names { marks: Some("_-."), ..PLAIN },
            called: Names { marks: Some("_-."), ..PLAIN },
            ..OPENAI
        },
    ),
    (
        Scope {
            dialect: "openai-chat",
            flavors: INVENTOR,
            models: &["chatgpt-", "-chat", "gpt-4-1-", "gpt-4-5"],
        },
        OPENAI,
    ),
    (Scope { dialect: "openai-chat", flavors: INVENTOR, models: &["gpt-4-1106"] }, OLD_OPENAI),
    (Scope { dialect: "openai-chat", flavors: INVENTOR, models: &["gpt-4-1"] }, OPENAI),
    (Scope { dialect: "openai-chat", flavors: INVENTOR, models: &["gpt-4", "gpt-3"] }, OLD_OPENAI),
    (Scope::flavors("openai-chat", INVENTOR), OPENAI),
    (ROUTED, Tools { search: Some(&searches::ROUTER), ..COMPATIBLE }),
    (
        Scope::flavors("openai-chat", &["openrouter"]),
        Tools {
            most: None,
            kinds: &tool_keys::CHAT_OPEN,
            search: Some(&searches::ROUTER),
            ..OPENAI
        },
    ),
    (
        Scope::flavors("openai-chat", &["generic"]),
        Tools {
            names: PLAIN,
            called: PLAIN,
            kinds: &tool_keys::CHAT_CLOSED,
            empty_list: false,
            ..COMPATIBLE
        },
    ),
    (
        Scope::flavors("openai-chat", &["deepseek"]),
        Tools {
            names: PLAIN,
            called: PLAIN,
            unique: true,
            schema: Schema { root: Root::Object, ..FREE },
            ..COMPATIBLE
        },
    ),
    (
        Scope::flavors("openai-chat", &["mistral"]),
        Tools {
            names: PLAIN,
            called: PLAIN,
            kinds: &tool_keys::CHAT_UNTYPED,
            schema: Schema { draft: Draft::Seven, ..FREE },
            ..COMPATIBLE
        },
    ),
    (Scope::flavors("openai-chat", &["qwen"]), Tools { names: SHORT, called: SHORT, ..COMPATIBLE }),
    (
        Scope::flavors("openai-chat", &["moonshot"]),
        Tools {
            schema: Schema { root: Root::Object, bare_references: true, ..FREE },
            ..COMPATIBLE
        },
    ),
    (
        Scope::flavors("openai-chat", &["gemini-compat"]),
        Tools { schema: Schema { refused: NOT_GEMINI, narrow: true, ..FREE }, ..COMPATIBLE },
    ),
    (Scope::flavors("openai-chat", &["cerebras"]), Tools { strict: Strict::Alike, ..COMPATIBLE }),
    (Scope::flavors("openai-chat", &["vllm"]), Tools { empty_list: false, ..COMPATIBLE }),
    (
        Scope::flavors("openai-chat", &["ollama"]),
        Tools { schema: Schema { mapped: true, ..FREE }, ..COMPATIBLE },
    ),
    (
        Scope::flavors("openai-chat", &["llama.cpp"]),
        Tools { kinds: &tool_keys::ANYTHING, ..COMPATIBLE },
    ),
    (Scope::all("openai-chat"), COMPATIBLE),
    (
        Scope::flavors("openai-responses", &["llama.cpp"]),
        // "'tools' must be an array of objects"
        Tools { kinds: &tool_keys::PASSED_OVER, groups: true, null_list: false, ..COMPATIBLE },
    ),
    (Scope::flavors("openai-responses", &["azure"]), Tools { search: None, ..RESPONSES }),
    (Scope::all("openai-responses"), RESPONSES),
    (
        Scope { dialect: "gemini", flavors: VERTEX, models: &[] },
        Tools {
            kinds: &tool_keys::VERTEX,
            schema: Schema { own: Some(OwnSchema::Wide), ..GEMINI.schema },
            mixing: Mixing::Never,
            ..GEMINI
        },
    ),
    (Scope::models("gemini", OLD_GEMINI), Tools { mixing: Mixing::Never, ..GEMINI }),
    (Scope::all("gemini"), GEMINI),
    (Scope::models("bedrock", &["claude"]), BEDROCK_CLAUDE),
    (Scope::models("bedrock", NOT_CLAUDE), BEDROCK),
    (Scope::all("bedrock"), BEDROCK_CLAUDE),
];

const FREE: Schema = Schema {
    root: Root::Free,
    not_at_root: &[],
    properties: None,
    null: false,
    draft: Draft::Unchecked,
    items: false,
    mapped: false,
    bare_references: false,
    refused: &[],
    narrow: false,
    own: None,
    inlined: false,
};

const ANTHROPIC: Tools = Tools {
    history_needs_tools: true,
    takes_no_choice: true,
    names: Names { most: Some(128), ..PLAIN },
    called: PLAIN,
    fixed_names: FIXED_NAMES,
    named_types: true,
    unique: true,
    added: None,
    served: &[],
    groups: false,
    most: None,
    listed: true,
    empty_list: true,
    null_list: true,
    description: None,
    kinds: &tool_keys::ANTHROPIC,
    schema: Schema {
        root: Root::Needed,
        not_at_root: CHOICES,
        properties: Some(Names { marks: Some("_.-"), ..PLAIN }),
        draft: Draft::TwentyTwenty,
        ..FREE
    },
    strict: Strict::Compiled { tools: 20, optional: 24 },
    deferral: true,
    examples: true,
    mixing: Mixing::Free,
    built_in: &[],
    search: Some(&searches::MESSAGES),
};

/// Servers that look at nothing in particular.
const COMPATIBLE: Tools = Tools {
    history_needs_tools: false,
    names: ANY_NAME,
    called: ANY_NAME,
    fixed_names: &[],
    named_types: false,
    unique: false,
    kinds: &tool_keys::CHAT_OPEN,
    schema: FREE,
    strict: Strict::Unchecked,
    deferral: false,
    examples: false,
    search: None,
    ..ANTHROPIC
};

const OPENAI: Tools = Tools {
    names: PLAIN,
    called: PLAIN,
    most: Some(128),
    empty_list: false,
    kinds: &tool_keys::CHAT_INVENTED,
    schema: Schema { root: Root::Object, not_at_root: CHOICES_AND_MORE, items: true, ..FREE },
    strict: Strict::Closed(NOT_STRICT),
    ..COMPATIBLE
};
const OLD_OPENAI: Tools = Tools { description: Some(1024), ..OPENAI };

const RESPONSES: Tools = Tools {
    unique: true,
    groups: true,
    empty_list: true,
    kinds: &tool_keys::RESPONSES,
    schema: Schema { null: true, ..OPENAI.schema },
    added: Some("additional_tools"),
    strict: Strict::Closed(NOT_STRICT_EITHER),
    search: Some(&searches::RESPONSES),
    ..OPENAI
};

const GEMINI: Tools = Tools {
    names: Names { marks: Some("_.:-"), letter_first: true, ..PLAIN },
    called: Names { empty: false, ..ANY_NAME },
    unique: true,
    most: Some(512),
    kinds: &tool_keys::AI_STUDIO,
    schema: Schema {
        root: Root::Any,
        null: true,
        own: Some(OwnSchema::Narrow),
        inlined: true,
        ..FREE
    },
    listed: false,
    mixing: Mixing::Asked("includeServerSideToolInvocations"),
    built_in: BUILT_IN,
    search: Some(&searches::GEMINI),
    ..COMPATIBLE
};

const BEDROCK: Tools = Tools {
    history_needs_tools: true,
    takes_no_choice: false,
    names: PLAIN,
    called: PLAIN,
    served: &[],
    listed: false,
    empty_list: false,
    kinds: &tool_keys::BEDROCK,
    schema: Schema { root: Root::Needed, ..FREE },
    ..COMPATIBLE
};
const BEDROCK_CLAUDE: Tools = Tools { unique: true, schema: ANTHROPIC.schema, ..BEDROCK };

/// The inventor, and who serves the same models.
const INVENTOR: &[&str] = &["", "openai", "azure"];
const DOTTED: Scope = Scope { dialect: "openai-chat", flavors: &["azure"], models: &["o4"] };
/// Behind the router these answer in their own words.
const ROUTED: Scope =
    Scope { dialect: "openai-chat", flavors: &["openrouter"], models: &["anthropic/", "google/"] };
const VERTEX: &[&str] = &["vertex"];
