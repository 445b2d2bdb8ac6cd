//! How each server that speaks this dialect speaks it, as data: one row per server.

mod rows;

pub use rows::FLAVORS;

/// The quirks of one server. A quirk is a field here, never a name asked for elsewhere.
#[derive(Debug)]
pub struct Flavor {
    pub name: &'static str,
    /// The field that limits the length of the answer.
    pub max_tokens: &'static str,
    pub seed: &'static str,
    /// The word of `tool_choice` for "some tool must be called".
    pub required: &'static str,
    /// The content of an assistant message that has calls and no text.
    pub no_text: NoText,
    /// Lists of parts are read in the user's messages; who reads none takes one string.
    pub lists: bool,
    /// What the assistant says between a tool and the user, where the one may not follow the other.
    pub bridge: Option<&'static str>,
    pub reasoning: Reasoning,
    pub control: Control,
    /// Words of effort the server has other words for; the rest pass.
    pub efforts: &'static [(&'static str, &'static str)],
    pub cache: CacheMark,
    pub skills: &'static [Skill],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoText {
    Null,
    Empty,
    Omitted,
}

/// Where an assistant message of the history carries reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reasoning {
    Nowhere,
    /// A string field of this name.
    Field(&'static str),
    /// The list `reasoning_details`, which carries seals of any issuer.
    Details,
    /// Chunks of type `thinking` in the content.
    Content,
}

/// How reasoning is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    None,
    /// `reasoning_effort`
    Effort,
    /// `reasoning{effort, max_tokens, enabled, exclude}`
    Object,
    /// `thinking{type}`
    Thinking,
    /// `thinking{type}` and `reasoning_effort`
    ThinkingAndEffort,
    /// `enable_thinking` and `thinking_budget`
    Enable,
}

/// How a cache breakpoint is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMark {
    None,
    /// `cache_control{type: ephemeral, ttl}`
    Control,
    /// `prompt_cache_breakpoint{mode: explicit, ttl}`, which only the newest models know: it is
    /// written for clients that wrote it.
    Breakpoint,
}

/// What a server can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skill {
    /// The role `developer`.
    Developer,
    /// Lists of parts where a string would do, by role.
    SystemParts,
    AssistantParts,
    ToolParts,
    /// Images and files in tool messages, from clients that write them there.
    ToolMedia,
    /// `name` on tool messages.
    ToolName,
    /// `tool_choice` with the name of one tool, or with a list of them.
    NamedChoice,
    AllowedTools,
    CustomTools,
    /// Arguments in the history that are not JSON.
    AnyArguments,
    Parallel,
    StreamOptions,
    JsonObject,
    JsonSchema,
    /// `file` parts; file data given by its URL.
    Files,
    FileUrls,
    Video,
    /// `refusal` on assistant messages, and `images`.
    Refusal,
    AssistantImages,
    /// `extra_content.google.thought_signature`
    GoogleSignature,
    /// Replies may begin with reasoning in `<think>` tags.
    ThinkTags,
    Answers,
    TopK,
    Seed,
    /// Both of them, or only the one.
    Penalties,
    PresencePenalty,
    Verbosity,
    Metadata,
    User,
    ServiceTier,
    CacheKey,
    Store,
}

impl Flavor {
    /// The row of this name; the first row for none, and for a name nobody knows.
    pub fn find(name: Option<&str>) -> &'static Flavor {
        let found = FLAVORS.iter().find(|flavor| Some(flavor.name) == name);
        found.unwrap_or(&FLAVORS[0])
    }

    pub fn can(&self, skill: Skill) -> bool {
        self.skills.contains(&skill)
    }

    /// The server's word for an effort.
    pub fn effort(&self, word: &str) -> Option<&'static str> {
        self.efforts.iter().find(|(theirs, _)| *theirs == word).map(|(_, ours)| *ours)
    }
}

/// The names, in the order of the rows.
pub const NAMES: &[&str] = &{
    let mut names = [""; FLAVORS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = FLAVORS[at].name;
        at += 1;
    }
    names
};
