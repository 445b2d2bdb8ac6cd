//! Texts and contents: what each target takes.

use interlingua_model::EmptyText;

use super::Scope;

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of data, each yes or no on its own")]
pub struct Texts {
    /// What a text of a turn must hold.
    pub least: Least,
    /// This is asked of a message as a whole: a text may hold less beside something that holds enough.
    /// Calls of the user's do not count.
    pub as_a_whole: bool,
    /// What a text in the list of a tool's result must hold.
    pub least_in_result: Least,
    /// What a text of the instructions must hold.
    pub least_in_system: Least,
    /// What becomes of an empty text between two blocks of reasoning.
    pub between_reasoning: EmptyText,
    /// An empty text that this issuer sealed goes back as it is.
    pub sealed_by: Option<&'static str>,
    /// Whose reasoning is written; any other's is left out.
    pub reasoning_of: Option<&'static str>,
    pub reasoning_alone: Alone,
    /// Reasoning is written among the texts.
    pub reasoning_in_content: bool,
    /// A result may be a string, which may be empty.
    pub result_strings: bool,
    /// A failed result must hold something.
    pub failed_result_holds: bool,
    /// There are reports that a result without content is refused.
    pub empty_result_doubtful: bool,
    /// Whose content must be a string.
    pub strings: Strings,
    pub no_content: NoContent,
    /// No field of a message may be null, but for the content of the assistant's.
    pub nulls_refused: bool,
}

/// What a text must hold to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Least {
    /// Nothing: it may be empty.
    Nothing,
    /// Something, be it blank.
    Something,
    /// More than white space.
    Words,
}

/// Whether a turn of the assistant's may hold reasoning and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    Taken,
    /// If the assistant's next turn says more.
    BeforeMore,
    Refused,
}

/// Whose content must be a string where the dialect also has lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strings {
    Nobodys,
    /// What the assistant and the tools say.
    Replies,
    Everybodys,
}

/// What becomes of a message whose content is null or not there. One with calls needs none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoContent {
    Taken,
    /// Null is refused, but for the assistant's.
    NullRefusedOfOthers,
    /// Null is taken, nothing at all is refused.
    AbsenceRefused,
    Refused,
    /// The assistant's must hold something: what stands beside it does not count.
    SilenceRefused,
}

pub(super) static ROWS: &[(Scope, Texts)] = &[
    (Scope::flavors("anthropic", &["deepseek"]), Texts { result_strings: true, ..BASE }),
    (Scope::all("anthropic"), CLAUDE),
    // Null is taken from gpt-5.6 on.
    (
        Scope { dialect: "openai-chat", flavors: INVENTOR, models: TALKING },
        Texts { no_content: NoContent::Refused, ..BASE },
    ),
    (
        Scope {
            dialect: "openai-chat",
            flavors: INVENTOR,
            models: &["^gpt-5-6", "^gpt-5-7", "^gpt-5-8", "^gpt-5-9"],
        },
        BASE,
    ),
    (
        Scope {
            dialect: "openai-chat",
            flavors: INVENTOR,
            models: &["^gpt-3", "^gpt-4", "^gpt-5", "^o1", "^o3", "^o4"],
        },
        Texts { no_content: NoContent::Refused, ..BASE },
    ),
    (
        Scope::flavors("openai-chat", &["deepseek"]),
        Texts { strings: Strings::Replies, no_content: NoContent::AbsenceRefused, ..BASE },
    ),
    (
        Scope::flavors("openai-chat", &["llama.cpp"]),
        Texts { no_content: NoContent::AbsenceRefused, ..BASE },
    ),
    (
        Scope::flavors("openai-chat", &["groq"]),
        Texts { no_content: NoContent::NullRefusedOfOthers, nulls_refused: true, ..BASE },
    ),
    (Scope::flavors("openai-chat", &["ollama"]), Texts { no_content: NoContent::Refused, ..BASE }),
    (
        Scope::flavors("openai-chat", &["generic"]),
        Texts { strings: Strings::Everybodys, no_content: NoContent::Refused, ..BASE },
    ),
    (
        Scope::flavors("openai-chat", &["moonshot"]),
        Texts { reasoning_alone: Alone::Refused, no_content: NoContent::SilenceRefused, ..BASE },
    ),
    (
        Scope::flavors("openai-chat", &["mistral"]),
        Texts { no_content: NoContent::SilenceRefused, reasoning_in_content: true, ..BASE },
    ),
    (
        Scope::flavors("openai-chat", &["xai"]),
        Texts {
            least: Least::Something,
            as_a_whole: true,
            reasoning_alone: Alone::Refused,
            no_content: NoContent::SilenceRefused,
            ..BASE
        },
    ),
    (Scope::all("openai-chat"), BASE),
    (Scope::all("openai-responses"), BASE),
    (
        Scope::all("gemini"),
        Texts {
            least: Least::Something,
            least_in_system: Least::Something,
            sealed_by: Some("google"),
            reasoning_of: Some("google"),
            ..BASE
        },
    ),
    (
        Scope::models("bedrock", OTHER_VENDORS),
        Texts { least_in_result: Least::Nothing, reasoning_alone: Alone::Taken, ..CONVERSE },
    ),
    (Scope::all("bedrock"), CONVERSE),
];

/// What asks for nothing.
const BASE: Texts = Texts {
    least: Least::Nothing,
    as_a_whole: false,
    least_in_result: Least::Nothing,
    least_in_system: Least::Nothing,
    between_reasoning: EmptyText::Drop,
    sealed_by: None,
    reasoning_of: None,
    reasoning_alone: Alone::Taken,
    reasoning_in_content: false,
    result_strings: false,
    failed_result_holds: false,
    empty_result_doubtful: false,
    strings: Strings::Nobodys,
    no_content: NoContent::Taken,
    nulls_refused: false,
};

const CLAUDE: Texts = Texts {
    least: Least::Words,
    least_in_result: Least::Something,
    least_in_system: Least::Something,
    between_reasoning: EmptyText::Space,
    reasoning_of: Some("anthropic"),
    reasoning_alone: Alone::BeforeMore,
    result_strings: true,
    empty_result_doubtful: true,
    ..BASE
};

const CONVERSE: Texts = Texts { result_strings: false, failed_result_holds: true, ..CLAUDE };

/// Its models that only talk, whatever their generation.
const TALKING: &[&str] = &[
    "^gpt-4-chat",
    "^gpt-5-chat",
    "^gpt-5-1-chat",
    "^gpt-5-2-chat",
    "^gpt-5-3-chat",
    "^gpt-5-4-chat",
    "^gpt-5-5-chat",
    "^gpt-5-6-chat",
    "^gpt-6-chat",
];

pub(super) const INVENTOR: &[&str] = &["", "openai", "azure"];

/// Models of Converse that are not Claude.
pub(super) const OTHER_VENDORS: &[&str] = &[
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
];
