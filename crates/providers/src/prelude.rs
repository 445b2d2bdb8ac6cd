//! What the files of providers and families need.

pub(crate) use interlingua_model::{Spelling, SpellingSet};

pub(crate) use crate::base::call_spellings::{
    ALL_BUT_EMPTY_IDS, ALL_BUT_NULL_CALL, LENIENT_SPELLINGS, MORE_LENIENT_SPELLINGS,
};
pub(crate) use crate::base::fields::{
    anthropic as anthropic_fields, gemini as gemini_fields, openai_chat as openai_chat_fields,
    openai_responses as openai_responses_fields,
};
pub(crate) use crate::base::{
    cache, calls, media, media_parts, reasoning, roles, setting_fields, settings, settings_bedrock,
    settings_gemini, texts, tool_lists, tool_shapes, tools,
};
pub(crate) use crate::endpoints::{AuthScheme, EndpointPaths};
pub(crate) use crate::preset::{
    AlternateDialect, GLOBAL_LOCATION, PRESET_DEFAULTS, ProviderPreset, UrlParam,
    openai_chat_preset,
};
pub(crate) use crate::profile::Profile;
pub(crate) use crate::profile::cache::CacheProfile;
pub(crate) use crate::profile::calls::{
    ArgumentForm, CallIdFormat, CallProfile, OrphanResults, ResultPlacement, UniqueIds,
};
pub(crate) use crate::profile::media::{MediaByContainer, MediaByKind, MediaProfile, NOTHING};
pub(crate) use crate::profile::reasoning::{
    BudgetSupport, CallSealing, EffortWithTools, OffMode, ReasoningEcho, ReasoningProfile,
    ReasoningReplay,
};
pub(crate) use crate::profile::roles::{
    EmptyConversation, FirstRole, InstructionPlacement, LastRole, MergePolicy, RoleProfile,
};
pub(crate) use crate::profile::settings::{
    ChoiceWithoutTools, ConflictCondition, FieldConflict, ForcedCall, MaxTokensLimits,
    NumberFormat, ResponseFormatSupport, SamplingRanges, SettingsProfile, ToolChoiceSupport,
    ValueRange,
};
pub(crate) use crate::profile::texts::{
    MissingContent, ReasoningOnlyTurn, StringContent, TextMinimum, TextProfile,
};
pub(crate) use crate::profile::tools::{
    HostedToolMixing, OpenApiSubset, SchemaDraft, SchemaRoot, StrictMode, ToolProfile,
};
pub(crate) use crate::profile::web_search;
pub(crate) use crate::spelling::openai_chat::{
    CacheBreakpointSpelling, Capability, ContentWithoutText, Flavor, GENERIC, OPENAI,
    ReasoningControl, ReasoningHistory,
};
pub(crate) use crate::variant::{OwnApi, RelayedVendor, Variant};
