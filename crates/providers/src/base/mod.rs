//! What the vendor of each dialect accepts of its newest models, and what a careful copy accepts.

pub(crate) mod cache;
pub(crate) mod call_spellings;
pub(crate) mod calls;
pub(crate) mod fields;
pub(crate) mod media;
pub(crate) mod media_parts;
pub(crate) mod reasoning;
pub(crate) mod roles;
pub(crate) mod setting_fields;
pub(crate) mod settings;
pub(crate) mod settings_bedrock;
pub(crate) mod settings_gemini;
pub(crate) mod texts;
pub(crate) mod tool_lists;
pub(crate) mod tool_shapes;
pub(crate) mod tools;

use crate::profile::Profile;
use crate::profile::cache::CacheProfile;
use crate::profile::reasoning::ReasoningProfile;
use crate::profile::roles::{EmptyConversation, RoleProfile};
use crate::profile::texts::TextProfile;
use crate::variant::Base;

/// The facts from which the variants of a dialect differ; `None` for dialects without providers.
pub(crate) fn find(dialect: &str, base: Base) -> Option<&'static Profile> {
    Some(match (dialect, base) {
        ("anthropic", _) => &ANTHROPIC,
        ("openai-chat", Base::Vendor) => &OPENAI_CHAT,
        ("openai-chat", Base::Copy) => &CHAT_COPY,
        ("openai-responses", _) => &OPENAI_RESPONSES,
        ("gemini", _) => &GEMINI,
        ("bedrock", _) => &BEDROCK,
        _ => return None,
    })
}

static ANTHROPIC: Profile = Profile {
    cache: CacheProfile {
        request_breakpoint_field: Some("cache_control"),
        not_on_reasoning: true,
        ..cache::LIMITED
    },
    calls: calls::MESSAGES,
    fields: fields::anthropic::FIELDS,
    media: media::ANTHROPIC,
    settings: settings::CLAUDE_NO_FORCED_CALL,
    roles: roles::CLAUDE,
    texts: texts::CLAUDE,
    reasoning: reasoning::FABLE_5,
    tools: tools::ANTHROPIC,
};

static OPENAI_CHAT: Profile = Profile {
    cache: cache::UNLIMITED,
    calls: calls::CHAT,
    fields: fields::openai_chat::OPENAI,
    media: media::OPENAI,
    settings: settings::OPENAI_CHAT,
    roles: RoleProfile { empty_conversation: EmptyConversation::Rejected, ..roles::BASE },
    texts: texts::BASE,
    reasoning: reasoning::NO_REPLAY,
    tools: tools::OPENAI,
};

static CHAT_COPY: Profile = Profile {
    cache: cache::UNLIMITED,
    calls: calls::CHAT,
    fields: fields::openai_chat::DEFAULT,
    media: media::COMPATIBLE,
    settings: settings::COMPATIBLE,
    roles: roles::BASE,
    texts: texts::BASE,
    reasoning: reasoning::UNRESTRICTED,
    tools: tools::COMPATIBLE,
};

static OPENAI_RESPONSES: Profile = Profile {
    cache: cache::UNLIMITED,
    calls: calls::RESPONSES,
    fields: fields::openai_responses::FIELDS,
    media: media::RESPONSES,
    settings: settings::RESPONSES_API,
    roles: roles::RESPONSES,
    texts: texts::BASE,
    // For an unknown model, an effort may or may not enable reasoning.
    reasoning: ReasoningProfile { effort_enables: false, ..reasoning::RESPONSES_ITEMS },
    tools: tools::RESPONSES,
};

static GEMINI: Profile = Profile {
    cache: cache::UNLIMITED,
    calls: calls::GEMINI,
    fields: fields::gemini::STUDIO,
    media: media_parts::GEMINI,
    settings: settings_gemini::STUDIO,
    roles: roles::GEMINI,
    texts: TextProfile { reasoning_issuer: Some("google"), ..texts::BASE },
    reasoning: reasoning::GEMINI_3,
    tools: tools::GEMINI,
};

/// The newest Claude behind Converse.
static BEDROCK: Profile = Profile {
    cache: CacheProfile { breakpoint_block_kind: Some("cachePoint"), ..cache::LIMITED },
    calls: calls::CLAUDE_BEHIND_CONVERSE,
    fields: fields::bedrock::FIELDS,
    media: media::BEDROCK_CLAUDE,
    settings: settings_bedrock::on_bedrock(settings::CLAUDE_NO_FORCED_CALL),
    roles: roles::CONVERSE,
    texts: texts::CONVERSE,
    reasoning: reasoning::FABLE_5,
    tools: tools::BEDROCK_CLAUDE,
};
