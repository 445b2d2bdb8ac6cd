//! Calls and their results: the rows.

use super::super::Scope;
use super::marks::{ALL_MARKS, LOOSE, LOOSER, MOST_MARKS, NO_NULLS, NULL_TAKEN};
use super::{
    Answerer, Answers, Arguments, Calls, Ids, ItemIds, Letters, Pair, Results, Strays, Unique,
};

pub(in crate::profile) static ROWS: &[(Scope, Calls)] = &[
    (
        Scope::flavors("anthropic", &["deepseek"]),
        Calls { ids: Ids { of_calls: true, ..SOME }, caller: None, pairs: &[], ..MESSAGES },
    ),
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
        Calls { ids: UP_TO_40, arguments: Arguments::Json, old: false, ..CHAT },
    ),
    (
        chat(&["openrouter"], &["anthropic/"]),
        Calls { strays: Strays::Taken, ids: SOME, empty_list: true, complete: NULL_TAKEN, ..CHAT },
    ),
    (
        chat(&["openrouter"], &["google/"]),
        Calls {
            strays: Strays::AmongResults,
            one_each: true,
            ids: SOME,
            empty_list: true,
            complete: NULL_TAKEN,
            ..CHAT
        },
    ),
    (Scope::flavors("openai-chat", &["openrouter"]), Calls { ids: SOME, ..CHAT }),
    (
        Scope::flavors("openai-chat", &["gemini-compat"]),
        Calls {
            strays: Strays::AmongResults,
            one_each: true,
            ids: SOME,
            empty_list: true,
            complete: LOOSE,
            ..CHAT
        },
    ),
    (
        Scope::flavors("openai-chat", &["deepseek"]),
        Calls {
            strays: Strays::AmongResults,
            ids: SOME,
            empty_list: true,
            old_results: false,
            complete: NULL_TAKEN,
            ..CHAT
        },
    ),
    (
        Scope::flavors("openai-chat", &["qwen"]),
        Calls {
            strays: Strays::AmongResults,
            ids: SOME,
            arguments: Arguments::Json,
            empty_list: true,
            complete: NULL_TAKEN,
            ..CHAT
        },
    ),
    (
        Scope::flavors("openai-chat", &["moonshot"]),
        Calls { ids: SOME, empty_list: true, old_results: false, ..CHAT },
    ),
    (
        Scope::flavors("openai-chat", &["glm"]),
        Calls {
            unique: Unique::Conversation,
            ids: SOME,
            arguments: Arguments::Json,
            empty_list: true,
            old_results: false,
            ..CHAT
        },
    ),
    (
        Scope::flavors("openai-chat", &["ollama"]),
        Calls { arguments: Arguments::Json, complete: LOOSER, ..LENIENT },
    ),
    (
        Scope::flavors("openai-chat", &["vllm"]),
        Calls {
            arguments: Arguments::JsonOrNothing,
            old_results: false,
            complete: &["object arguments", "other arguments", "no call"],
            ..LENIENT
        },
    ),
    (
        Scope::flavors("openai-chat", &["lm-studio"]),
        Calls { complete: LOOSER, old_results: false, ..LENIENT },
    ),
    (
        Scope::flavors("openai-chat", &["llama.cpp"]),
        Calls { complete: &["no type", "null arguments", "other arguments"], ..LENIENT },
    ),
    (Scope::flavors("openai-chat", &["groq"]), Calls { complete: NO_NULLS, ..LENIENT }),
    // A function's message has a name, and only the user's may have one.
    (Scope::flavors("openai-chat", &["xai"]), Calls { old_results: false, ..LENIENT }),
    (Scope::flavors("openai-chat", &["cerebras"]), Calls { old: false, ..LENIENT }),
    (Scope::all("openai-chat"), CHAT),
    (
        Scope::flavors("openai-responses", &["llama.cpp"]),
        Calls {
            answers: Answers::Anywhere,
            strays: Strays::Taken,
            unique: Unique::No,
            old: false,
            old_results: false,
            ids: ANY,
            freeform: false,
            sides: false,
            item_ids: None,
            continues: &[],
            pairs: &[],
            ..RESPONSES
        },
    ),
    (
        Scope::flavors("openai-responses", &["codex"]),
        Calls { continues: &[("conversation", None), ("prompt", None)], ..RESPONSES },
    ),
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

const ANY: Ids = Ids {
    of: None,
    least: 0,
    most: usize::MAX,
    reserved: None,
    never: None,
    absent: false,
    of_calls: false,
};
const SOME: Ids = Ids { least: 1, ..ANY };
const UP_TO_64: Ids = Ids { most: 64, ..SOME };
const UP_TO_40: Ids = Ids { most: 40, ..SOME };
/// "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9."
const NINE: Ids = Ids { of: Some(&Letters::and(b"")), least: 9, most: 9, ..ANY };

const MESSAGES: Calls = Calls {
    answers: Answers::FirstAfterRun,
    strays: Strays::Refused,
    one_each: true,
    unique: Unique::Conversation,
    sides: true,
    old: false,
    old_results: false,
    ids: Ids { of: Some(&Letters::and(b"_-")), least: 1, reserved: Some("srvtoolu_"), ..ANY },
    crossing_ids: None,
    arguments: Arguments::Object,
    named_results: false,
    ordered_results: false,
    empty_list: true,
    complete: &[],
    freeform: true,
    freeform_mark: None,
    item_ids: None,
    caller: Some("caller"),
    repeated: Some("toolset_name"),
    continues: &[("thread", Some("continue"))],
    pairs: &[Pair {
        call: "server_tool_use",
        results: Results::Ending("_tool_result", "mcp_tool_result"),
        ids: ("id", &["tool_use_id"]),
        prefix: Some("srvtoolu_"),
        from: Answerer::Provider,
        unless: None,
    }],
};

const CHAT: Calls = Calls {
    answers: Answers::FirstAfterTurn,
    one_each: false,
    unique: Unique::No,
    old: true,
    old_results: true,
    ids: UP_TO_64,
    arguments: Arguments::Any,
    empty_list: false,
    complete: ALL_MARKS,
    caller: None,
    repeated: None,
    continues: &[],
    pairs: &[],
    ..MESSAGES
};

const MISTRAL: Calls = Calls {
    one_each: true,
    unique: Unique::Turn,
    old: false,
    old_results: false,
    ids: Ids { least: 1, never: Some("null"), ..ANY },
    crossing_ids: Some(NINE),
    empty_list: true,
    complete: &[
        "no id",
        "empty id",
        "null arguments",
        "other arguments",
        "no call",
        "empty call",
        "null call",
    ],
    ..CHAT
};

const LENIENT: Calls = Calls {
    answers: Answers::Anywhere,
    strays: Strays::Taken,
    ids: ANY,
    empty_list: true,
    complete: MOST_MARKS,
    ..CHAT
};

const RESPONSES: Calls = Calls {
    answers: Answers::BeforeNext,
    unique: Unique::Kind,
    ids: Ids { least: 1, ..UP_TO_64 },
    strays: Strays::AfterTheirCall,
    empty_list: true,
    complete: &[],
    freeform_mark: Some("custom output"),
    item_ids: Some(ItemIds {
        most: 64,
        message: "msg",
        reasoning: "rs",
        call: "fc",
        freeform: "ctc",
        freeform_mark: "custom output",
        others: &[
            ("web_search_call", "ws"),
            ("image_generation_call", "ig"),
            ("compaction", "cmp"),
            ("local_shell_call", "lsh"),
            ("tool_search_call", "tsc"),
            ("tool_search_output", "tso"),
            ("additional_tools", "at"),
            ("agent_message", "amsg"),
        ],
        needed: &["item_reference"],
    }),
    continues: &[("previous_response_id", None), ("conversation", None), ("prompt", None)],
    pairs: &[
        client_pair("local_shell_call", &["local_shell_call_output"]),
        client_pair("shell_call", &["shell_call_output"]),
        client_pair("apply_patch_call", &["apply_patch_call_output"]),
        client_pair("computer_call", &["computer_call_output"]),
        Pair {
            unless: Some(("execution", "client")),
            ..client_pair("tool_search_call", &["tool_search_output"])
        },
    ],
    ..CHAT
};

const GEMINI: Calls = Calls {
    answers: Answers::Counted,
    ordered_results: true,
    unique: Unique::No,
    ids: ANY,
    caller: None,
    repeated: None,
    continues: &[],
    pairs: &[],
    ..MESSAGES
};

const CONVERSE: Calls = Calls {
    answers: Answers::NextTurn,
    one_each: false,
    unique: Unique::No,
    sides: false,
    ids: Ids { of: Some(&Letters::and(b"_.:-")), least: 1, most: 64, ..ANY },
    caller: None,
    repeated: None,
    continues: &[],
    pairs: &[],
    ..MESSAGES
};

const CLAUDE_BEHIND_CONVERSE: Calls = Calls {
    one_each: true,
    unique: Unique::Conversation,
    sides: true,
    ids: Ids { of: Some(&Letters::and(b"_-")), least: 1, most: 64, ..ANY },
    ..CONVERSE
};

/// Some models of some servers that speak the dialect.
const fn chat(flavors: &'static [&'static str], models: &'static [&'static str]) -> Scope {
    Scope::of("openai-chat", flavors, models)
}

const fn vertex(models: &'static [&'static str]) -> Scope {
    Scope::of("gemini", &["vertex"], models)
}

const fn client_pair(call: &'static str, results: &'static [&'static str]) -> Pair {
    Pair {
        call,
        results: Results::Kinds(results),
        ids: ("call_id", &["call_id", "id"]),
        prefix: None,
        from: Answerer::Client,
        unless: None,
    }
}
