//! Who speaks when: what each target takes.

use super::Scope;
use super::texts::{INVENTOR, OTHER_VENDORS};

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of data, each yes or no on its own")]
pub struct Roles {
    /// Where instructions may stand among the turns.
    pub instructions: Instructions,
    /// Instructions at the head of what crosses go into a place of their own.
    pub head_apart: bool,
    /// Knows the developer.
    pub developer: bool,
    /// Knows the system among the turns.
    pub system: bool,
    /// The words of which a turn must have one to say whose it is; none where it need not.
    pub named: &'static [&'static str],
    /// Takes turns of anybody, whoever that may be.
    pub anybody: bool,
    /// There must be instructions.
    pub instructed: bool,
    pub joined: Joined,
    pub first: First,
    pub last: Last,
    /// What a last block of the assistant's ends with, in its kind, if the provider itself goes on.
    pub resumes: &'static [&'static str],
    /// A turn of the user's or of instructions may be without content.
    pub empty_turns: bool,
    /// An assistant's turn may say nothing and call nothing.
    pub silent_assistant: bool,
    /// A turn without content is also written that came in another dialect.
    pub writes_empty: bool,
    /// The assistant's turn at the end may be without content.
    pub silent_last: bool,
    pub none: NoTurns,
    /// The field of the turns.
    pub list: &'static str,
    /// The turns may be one string.
    pub string: bool,
    /// What a turn says is listed in place of the turn: one that says nothing is not there.
    pub items: bool,
    /// The user may speak right after a tool.
    pub user_after_results: bool,
    /// A turn of the assistant's may both say something and call tools.
    pub words_with_calls: bool,
    /// Words come before calls, there are reports.
    pub words_before_calls: bool,
}

/// Where instructions may stand among the turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    Anywhere,
    /// Right after the user's, and before the assistant's or at the end.
    BeforeReplies,
    /// Not after the assistant's or a tool's, and not at the end.
    NotAfterReplies,
    /// In one message, the first, if they come from another dialect.
    Leading,
    /// Only in a place of their own.
    Apart,
}

impl Instructions {
    /// Whether those in the midst of the conversation are said by the user in the end.
    pub fn are_apart(self, crosses: bool) -> bool {
        match self {
            Self::Apart | Self::BeforeReplies => true,
            Self::Leading => crosses,
            Self::Anywhere | Self::NotAfterReplies => false,
        }
    }
}

/// Which neighbours of one role must be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    None,
    /// Those of the assistant's before a call.
    BeforeCalls,
    /// The assistant's at the end.
    AtTheEnd,
    /// All that hold no results, also where dialects are crossed.
    Words,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    Anyone,
    /// The user, or instructions.
    NotTheAssistant,
    User,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    Anyone,
    /// The assistant, whose words the model goes on with, unless it thinks.
    PrefillUnlessThinking,
    /// The user, or the assistant with this field true.
    UserUnless(&'static str),
    User,
}

/// What becomes of a conversation that nobody speaks in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTurns {
    /// Taken, if the list is there.
    Taken,
    Refused,
    /// Taken, if one of these fields says where to go on from.
    Unless(&'static [&'static str]),
    /// Refused, and so is one without the user.
    UserNeeded,
}

pub(super) static ROWS: &[(Scope, Roles)] = &[
    (
        Scope::flavors("anthropic", &["deepseek"]),
        Roles { none: NoTurns::Refused, head_apart: true, writes_empty: false, ..BASE },
    ),
    (Scope::models("anthropic", NEWER), NEWEST),
    (Scope::models("anthropic", MIDDLE), Roles { instructions: Instructions::Apart, ..NEWEST }),
    (Scope::models("anthropic", OLDER), PREFILLED),
    (Scope::all("anthropic"), NEWEST),
    (
        Scope {
            dialect: "openai-chat",
            flavors: &["mistral"],
            models: &["^open-mistral", "^open-mixtral", "^mistral-tiny", "-2402", "-2403"],
        },
        Roles { words_with_calls: false, ..MISTRAL },
    ),
    (Scope::flavors("openai-chat", &["mistral"]), MISTRAL),
    (Scope::flavors("openai-chat", INVENTOR), Roles { none: NoTurns::Refused, ..BASE }),
    (Scope::flavors("openai-chat", &["openrouter"]), Roles { none: NoTurns::Refused, ..BASE }),
    (Scope::flavors("openai-chat", &["deepseek"]), PLAIN),
    (Scope::flavors("openai-chat", &["vllm", "lm-studio", "qwen"]), TEMPLATED),
    (
        Scope::flavors("openai-chat", &["generic"]),
        Roles { none: NoTurns::Refused, joined: Joined::AtTheEnd, ..TEMPLATED },
    ),
    (
        Scope::flavors("openai-chat", &["llama.cpp"]),
        Roles { joined: Joined::AtTheEnd, anybody: true, developer: true, ..TEMPLATED },
    ),
    (
        Scope::flavors("openai-chat", &["ollama"]),
        Roles { anybody: true, developer: true, ..TEMPLATED },
    ),
    (
        Scope::flavors("openai-chat", &["moonshot"]),
        Roles { silent_assistant: false, silent_last: false, ..PLAIN },
    ),
    (
        Scope::flavors("openai-chat", &["xai"]),
        Roles { empty_turns: false, silent_assistant: false, silent_last: false, ..BASE },
    ),
    (Scope::flavors("openai-chat", &["glm"]), Roles { none: NoTurns::UserNeeded, ..PLAIN }),
    (Scope::all("openai-chat"), BASE),
    (
        Scope::flavors("openai-responses", &["llama.cpp"]),
        Roles { head_apart: true, list: "input", items: true, ..BASE },
    ),
    (
        Scope::flavors("openai-responses", &["codex"]),
        Roles {
            instructed: true,
            system: false,
            string: false,
            none: NoTurns::Unless(&["conversation", "prompt"]),
            ..RESPONSES
        },
    ),
    (Scope::all("openai-responses"), RESPONSES),
    (Scope::flavors("gemini", &["vertex"]), Roles { named: &["user", "model"], ..GEMINI }),
    (Scope::all("gemini"), GEMINI),
    (Scope::models("bedrock", NEWER), CONVERSE),
    (Scope::models("bedrock", MIDDLE), CONVERSE),
    (Scope::models("bedrock", OLDER), Roles { last: Last::PrefillUnlessThinking, ..CONVERSE }),
    (Scope::models("bedrock", &["claude"]), CONVERSE),
    (Scope::models("bedrock", OTHER_VENDORS), Roles { last: Last::Anyone, ..CONVERSE }),
    (Scope::all("bedrock"), CONVERSE),
];

/// What asks for nothing.
const BASE: Roles = Roles {
    instructions: Instructions::Anywhere,
    head_apart: false,
    developer: true,
    system: true,
    named: &[],
    anybody: false,
    instructed: false,
    joined: Joined::None,
    first: First::Anyone,
    last: Last::Anyone,
    resumes: &[],
    empty_turns: true,
    silent_assistant: true,
    writes_empty: true,
    silent_last: true,
    none: NoTurns::Taken,
    list: "messages",
    string: true,
    items: false,
    user_after_results: true,
    words_with_calls: true,
    words_before_calls: false,
};

/// Models whose servers know four roles.
const PLAIN: Roles = Roles { developer: false, ..BASE };

/// Servers that run whatever model they are given, by its chat template: "system message must be at the
/// beginning".
const TEMPLATED: Roles = Roles { instructions: Instructions::Leading, ..PLAIN };

const MISTRAL: Roles = Roles {
    instructions: Instructions::NotAfterReplies,
    first: First::NotTheAssistant,
    last: Last::UserUnless("prefix"),
    silent_assistant: false,
    silent_last: false,
    none: NoTurns::Refused,
    user_after_results: false,
    ..PLAIN
};

const NEWEST: Roles = Roles {
    instructions: Instructions::BeforeReplies,
    last: Last::User,
    resumes: &["server_tool_use", "_tool_result"],
    empty_turns: false,
    silent_assistant: false,
    silent_last: false,
    none: NoTurns::Refused,
    ..BASE
};

const PREFILLED: Roles = Roles {
    instructions: Instructions::Apart,
    last: Last::PrefillUnlessThinking,
    silent_last: true,
    ..NEWEST
};

const RESPONSES: Roles = Roles {
    list: "input",
    none: NoTurns::Unless(&["previous_response_id", "conversation", "prompt"]),
    head_apart: true,
    items: true,
    ..BASE
};

const GEMINI: Roles = Roles {
    list: "contents",
    instructions: Instructions::Apart,
    joined: Joined::BeforeCalls,
    last: Last::User,
    empty_turns: false,
    silent_assistant: false,
    silent_last: false,
    none: NoTurns::Refused,
    ..BASE
};

const CONVERSE: Roles = Roles {
    instructions: Instructions::Apart,
    joined: Joined::All,
    first: First::User,
    words_before_calls: true,
    ..NEWEST_OF_CONVERSE
};

const NEWEST_OF_CONVERSE: Roles = Roles { resumes: &[], ..NEWEST };

/// Generations of Claude: those that take instructions among the messages, those that do not, and
/// those that go on with the assistant's words.
const NEWER: &[&str] =
    &["fable-5", "mythos-5", "opus-5", "sonnet-5-5", "haiku-5-5", "mythos-preview", "opus-4-8"];
const MIDDLE: &[&str] = &["sonnet-5", "opus-4-7", "opus-4-6", "sonnet-4-6"];
const OLDER: &[&str] = &[
    "opus-4",
    "4-opus",
    "sonnet-4",
    "4-sonnet",
    "haiku-4-5",
    "3-7-sonnet",
    "3-5-sonnet",
    "3-5-haiku",
    "claude-3-",
];
