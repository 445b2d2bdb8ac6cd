//! Calls and their results: what each target takes.

use super::Scope;

#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// Where the results of calls must stand.
    pub answers: Answers,
    /// Results that answer no call.
    pub strays: Strays,
    /// A call has one result and no more.
    pub one_each: bool,
    /// Which calls must differ in their ids.
    pub unique: Unique,
    /// What an id looks like.
    pub ids: Ids,
    /// What arguments look like.
    pub arguments: Arguments,
    /// A result has the name of its call.
    pub named_results: bool,
    /// Results stand in the order of their calls, because nothing else tells whose they are.
    pub ordered_results: bool,
    /// A list of calls that may not be there when it is empty.
    pub empty_list: Option<&'static str>,
    /// A field of a call that its result repeats.
    pub repeated: Option<&'static str>,
    /// Fields of the body by which the provider holds the conversation up to here, each with the type
    /// it must have for that, if it has one.
    pub continues: &'static [(&'static str, Option<&'static str>)],
    /// Calls that only this dialect knows, and what answers them.
    pub pairs: &'static [Pair],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// Before anything else that comes after all the model said in a row.
    FirstAfterRun,
    /// Before anything else that comes after the model's turn.
    FirstAfterTurn,
    /// Anywhere in the next turn.
    NextTurn,
    /// As many as there are calls in the next turn; the turn of the calls comes after the user's.
    Counted,
    /// Before the model speaks again.
    BeforeNext,
    /// Anywhere or nowhere.
    Anywhere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strays {
    Refused,
    /// Taken where other results may stand.
    AmongResults,
    /// Taken if any call before has the id.
    AfterTheirCall,
    Taken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unique {
    /// All of the conversation.
    Conversation,
    /// Those of one turn.
    Turn,
    /// None.
    No,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ids {
    /// What an id may hold besides letters and digits; `None` if anything.
    pub others: Option<&'static str>,
    /// The fewest and the most characters.
    pub least: usize,
    pub most: usize,
    /// How no id may begin.
    pub reserved: Option<&'static str>,
    /// Calls and results have no ids at all.
    pub absent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// A JSON object.
    Object,
    /// JSON, in a string.
    Json,
    /// As `Json`, or nothing.
    JsonOrNothing,
    /// Any string.
    Any,
}

/// A kind of call that only one dialect knows.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub call: &'static str,
    pub results: Results,
    /// The field of the call, and that of the result, by which they find each other.
    pub ids: (&'static str, &'static str),
    /// How the id of a call must begin.
    pub prefix: Option<&'static str>,
    pub from: Answerer,
}

/// What answers such a call.
#[derive(Clone, Copy, Debug)]
pub enum Results {
    /// These kinds.
    Kinds(&'static [&'static str]),
    /// Every kind that ends so, but one.
    Ending(&'static str, &'static str),
}

/// Who answers such a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answerer {
    /// The provider, in the model's own words.
    Provider,
    /// The client.
    Client,
}

impl Ids {
    pub fn fit(&self, id: &str) -> bool {
        let count = id.chars().count();
        let of = |letter: char| {
            letter.is_ascii_alphanumeric()
                || self.others.is_none_or(|others| others.contains(letter))
        };
        (self.least..=self.most).contains(&count)
            && id.chars().all(of)
            && self.reserved.is_none_or(|begin| !id.starts_with(begin))
    }
}

impl Results {
    pub fn include(&self, kind: &str) -> bool {
        match self {
            Self::Kinds(kinds) => kinds.contains(&kind),
            Self::Ending(end, but) => kind.ends_with(end) && kind != *but,
        }
    }
}

pub(super) static ROWS: &[(Scope, Calls)] = &[
    (Scope::all("anthropic"), MESSAGES),
    (
        chat(
            &["mistral"],
            &[
                "open-mistral",
                "open-mixtral",
                "mistral-tiny",
                "-2402",
                "-2403",
                "-2405",
                "-2407",
                "-2409",
                "-2410",
                "-2411",
                "-2501",
                "-2503",
                "-2505",
                "pixtral",
                "codestral-mamba",
            ],
        ),
        Calls { ids: NINE, ..MISTRAL },
    ),
    (Scope::flavors("openai-chat", &["mistral"]), MISTRAL),
    (chat(INVENTOR, FORTY), Calls { ids: UP_TO_40, ..CHAT }),
    (chat(INVENTOR, SIXTY_FOUR), CHAT),
    (chat(INVENTOR, OLDER), Calls { ids: UP_TO_40, ..CHAT }),
    (Scope::flavors("openai-chat", INVENTOR), CHAT),
    (
        Scope::flavors("openai-chat", &["generic"]),
        Calls { ids: UP_TO_40, arguments: Arguments::Json, ..CHAT },
    ),
    (
        chat(&["openrouter"], &["anthropic/"]),
        Calls { strays: Strays::Taken, ids: ANY, empty_list: None, ..CHAT },
    ),
    (
        chat(&["openrouter"], &["google/"]),
        Calls { strays: Strays::AmongResults, one_each: true, ids: ANY, empty_list: None, ..CHAT },
    ),
    (Scope::flavors("openai-chat", &["openrouter"]), Calls { ids: ANY, ..CHAT }),
    (
        Scope::flavors("openai-chat", &["gemini-compat"]),
        Calls { strays: Strays::AmongResults, one_each: true, ids: ANY, empty_list: None, ..CHAT },
    ),
    (
        Scope::flavors("openai-chat", &["deepseek"]),
        Calls { strays: Strays::AmongResults, ids: ANY, empty_list: None, ..CHAT },
    ),
    (
        Scope::flavors("openai-chat", &["qwen"]),
        Calls {
            strays: Strays::AmongResults,
            ids: ANY,
            arguments: Arguments::Json,
            empty_list: None,
            ..CHAT
        },
    ),
    (Scope::flavors("openai-chat", &["moonshot"]), Calls { ids: ANY, empty_list: None, ..CHAT }),
    (
        Scope::flavors("openai-chat", &["glm"]),
        Calls {
            unique: Unique::Conversation,
            ids: ANY,
            arguments: Arguments::Json,
            empty_list: None,
            ..CHAT
        },
    ),
    (Scope::flavors("openai-chat", &["ollama"]), Calls { arguments: Arguments::Json, ..LENIENT }),
    (
        Scope::flavors("openai-chat", &["vllm"]),
        Calls { arguments: Arguments::JsonOrNothing, ..LENIENT },
    ),
    (
        Scope::flavors("openai-chat", &["groq", "xai", "cerebras", "llama.cpp", "lm-studio"]),
        LENIENT,
    ),
    (Scope::all("openai-chat"), CHAT),
    (Scope::all("openai-responses"), RESPONSES),
    (
        vertex(&["gemini-3-pro-image", "gemini-3-1-flash-image", "gemini-3-1-pro-image"]),
        Calls { named_results: true, ..GEMINI },
    ),
    (vertex(&["gemini-2-5"]), GEMINI),
    (
        vertex(&["gemini-2", "gemini-1", "gemini-pro-vision", "gemini-exp", "learnlm"]),
        Calls { ids: Ids { absent: true, ..ANY }, ..GEMINI },
    ),
    (Scope::flavors("gemini", &["vertex"]), Calls { named_results: true, ..GEMINI }),
    (Scope::all("gemini"), GEMINI),
    (Scope::models("bedrock", &["claude"]), CLAUDE_BEHIND_CONVERSE),
    (
        Scope::models(
            "bedrock",
            &[
                "amazon-",
                "meta-",
                "mistral-",
                "cohere-",
                "deepseek-",
                "qwen-",
                "openai-",
                "moonshot",
                "minimax-",
                "ai21-",
                "writer-",
                "zai-",
                "google-",
                "nvidia-",
                "twelvelabs-",
                "xai-",
            ],
        ),
        CONVERSE,
    ),
    (Scope::all("bedrock"), CLAUDE_BEHIND_CONVERSE),
];

/// The inventor of the dialect, and who serves the same models.
const INVENTOR: &[&str] = &["", "openai", "azure"];

/// Models with ids of up to 40 characters whose names look like those of newer ones.
const FORTY: &[&str] = &[
    "gpt-5-20",
    "gpt-5-chat",
    "gpt-5-1-chat",
    "gpt-5-2-chat",
    "gpt-5-3-chat",
    "gpt-5-4-chat",
    "gpt-5-5-chat",
    "gpt-5-6-chat",
];
const SIXTY_FOUR: &[&str] =
    &["gpt-5-2", "gpt-5-3", "gpt-5-4", "gpt-5-5", "gpt-5-6", "gpt-5-7", "gpt-5-8", "gpt-5-9"];
const OLDER: &[&str] = &["gpt-3", "gpt-4", "gpt-5", "o1", "o3", "o4"];

const ANY: Ids = Ids { others: None, least: 1, most: usize::MAX, reserved: None, absent: false };
const UP_TO_64: Ids = Ids { most: 64, ..ANY };
const UP_TO_40: Ids = Ids { most: 40, ..ANY };
/// "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9."
const NINE: Ids = Ids { others: Some(""), least: 9, most: 9, ..ANY };

const MESSAGES: Calls = Calls {
    answers: Answers::FirstAfterRun,
    strays: Strays::Refused,
    one_each: true,
    unique: Unique::Conversation,
    ids: Ids { others: Some("_-"), reserved: Some("srvtoolu_"), ..ANY },
    arguments: Arguments::Object,
    named_results: false,
    ordered_results: false,
    empty_list: None,
    repeated: Some("toolset_name"),
    continues: &[("thread", Some("continue"))],
    pairs: &[Pair {
        call: "server_tool_use",
        results: Results::Ending("_tool_result", "mcp_tool_result"),
        ids: ("id", "tool_use_id"),
        prefix: Some("srvtoolu_"),
        from: Answerer::Provider,
    }],
};

const CHAT: Calls = Calls {
    answers: Answers::FirstAfterTurn,
    one_each: false,
    unique: Unique::No,
    ids: UP_TO_64,
    arguments: Arguments::Any,
    empty_list: Some("tool_calls"),
    repeated: None,
    continues: &[],
    pairs: &[],
    ..MESSAGES
};

const MISTRAL: Calls =
    Calls { one_each: true, unique: Unique::Turn, ids: ANY, empty_list: None, ..CHAT };

const LENIENT: Calls =
    Calls { answers: Answers::Anywhere, strays: Strays::Taken, ids: ANY, empty_list: None, ..CHAT };

const RESPONSES: Calls = Calls {
    answers: Answers::BeforeNext,
    strays: Strays::AfterTheirCall,
    empty_list: None,
    continues: &[("previous_response_id", None), ("conversation", None), ("prompt", None)],
    pairs: &[
        client_pair("local_shell_call", &["local_shell_call_output"]),
        client_pair("shell_call", &["shell_call_output"]),
        client_pair("apply_patch_call", &["apply_patch_call_output"]),
        client_pair("computer_call", &["computer_call_output"]),
    ],
    ..CHAT
};

const GEMINI: Calls = Calls {
    answers: Answers::Counted,
    ordered_results: true,
    unique: Unique::No,
    ids: ANY,
    repeated: None,
    continues: &[],
    pairs: &[],
    ..MESSAGES
};

const CONVERSE: Calls = Calls {
    answers: Answers::NextTurn,
    unique: Unique::No,
    ids: Ids { others: Some("_.:-"), most: 64, ..ANY },
    repeated: None,
    continues: &[],
    pairs: &[],
    ..MESSAGES
};

const CLAUDE_BEHIND_CONVERSE: Calls = Calls {
    unique: Unique::Conversation,
    ids: Ids { others: Some("_-"), most: 64, ..ANY },
    ..CONVERSE
};

/// Some models of some servers that speak the dialect.
const fn chat(flavors: &'static [&'static str], models: &'static [&'static str]) -> Scope {
    let mut scope = Scope::flavors("openai-chat", flavors);
    scope.models = models;
    scope
}

const fn vertex(models: &'static [&'static str]) -> Scope {
    let mut scope = Scope::models("gemini", models);
    scope.flavors = &["vertex"];
    scope
}

const fn client_pair(call: &'static str, results: &'static [&'static str]) -> Pair {
    Pair {
        call,
        results: Results::Kinds(results),
        ids: ("call_id", "call_id"),
        prefix: None,
        from: Answerer::Client,
    }
}
