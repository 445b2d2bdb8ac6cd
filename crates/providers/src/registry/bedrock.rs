//! Amazon Bedrock, a relay to many vendors in a dialect of its own.

use crate::prelude::*;
use crate::relays::IN_CONVERSE;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    name: "bedrock",
    otel_name: Some("aws.bedrock"),
    dialect: "bedrock",
    base_url: "https://bedrock-runtime.{region}.amazonaws.com",
    auth: AuthScheme::SigV4,
    key_vars: &["AWS_BEARER_TOKEN_BEDROCK"],
    url_params: &[UrlParam {
        name: "region",
        env_vars: &["AWS_REGION", "AWS_DEFAULT_REGION"],
        default: Some("us-east-1"),
    }],
    models_url: Some("https://bedrock.{region}.amazonaws.com"),
    variants: &[Variant {
        vendors: IN_CONVERSE,
        // Converse checks these whatever the model accepts.
        profile: |p| {
            p.roles.instruction_placement = InstructionPlacement::SeparateField;
            p.roles.allows_empty_last_assistant = false;
            p.media.max_images = None;
            p.media.max_pdf_pages = None;
        },
        models: &[
            (&["*claude-3-*", "*3-5-sonnet*", "*3-5-haiku*"], |p| {
                p.settings.body_betas = settings_bedrock::NO_BETAS;
            }),
            // Models without reasoning, which reject additional fields.
            (&["*claude-3-5*", "*claude-3-haiku*", "*claude-3-sonnet*", "*claude-3-opus*"], |p| {
                p.settings.fields = setting_fields::BEDROCK_OLD_CLAUDE;
                p.reasoning.configurable = false;
            }),
            (&["*3-7-sonnet*"], |p| p.settings.body_betas = settings_bedrock::BETAS_3_7),
            // Titan and Nova take turns in any order.
            (&["*amazon.*"], |p| {
                p.roles.merge_policy = MergePolicy::Never;
                p.roles.first_role = FirstRole::Any;
            }),
            (&["*amazon.nova*"], |p| {
                p.settings.sampling.top_k = ValueRange::NEVER;
                p.settings.fields = setting_fields::BEDROCK_NOVA;
                p.reasoning.effort_only = true;
            }),
            (&["*openai.*"], |p| {
                p.settings.sampling.top_k = ValueRange::NEVER;
                p.reasoning.effort_only = true;
            }),
            (&["*openai.gpt-5*"], |p| p.reasoning.replay = ReasoningReplay::Redacted),
            (&["*deepseek.r1*"], |p| p.reasoning.effort_only = true),
        ],
        ..Variant::vendor("bedrock", "")
    }],
    ..PRESET_DEFAULTS
};
