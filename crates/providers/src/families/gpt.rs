//! `OpenAI`'s models, in Chat Completions and the Responses API.

use super::generation::{Generation, generation};
use crate::prelude::*;

const CHAT: &[&str] = &["openai-chat"];
const RESPONSES: &[&str] = &["openai-responses"];

/// Nothing is assumed of an unknown model. Names of fine-tuned models contain that of their base.
pub(super) const GENERATIONS: &[Generation] = &[
    generation(&["*chatgpt-4o*"], &[(CHAT, up_to_gpt_5_1), (RESPONSES, without_reasoning)]),
    generation(&["*chatgpt*"], &[(CHAT, without_breakpoints)]),
    generation(
        &[
            "*gpt-3.5-turbo-1106*",
            "*gpt-3.5-turbo-0125*",
            "*gpt-4-0125*",
            "*gpt-4-1106*",
            "*gpt-4-turbo*",
            "*gpt-4o-2024-05-13*",
        ],
        &[
            (CHAT, |p| {
                gpt_4(p);
                p.settings.max_tokens.max = 4_096;
                p.tools.max_description_chars = Some(1024);
            }),
            (RESPONSES, without_reasoning),
        ],
    ),
    generation(
        &["*gpt-3*"],
        &[
            (CHAT, |p| {
                gpt_4(p);
                p.tools.max_description_chars = Some(1024);
            }),
            (RESPONSES, without_reasoning),
        ],
    ),
    generation(
        &["*gpt-4.1!"],
        &[
            (CHAT, |p| {
                gpt_4(p);
                p.settings.max_tokens.max = 32_768;
            }),
            (RESPONSES, without_reasoning),
        ],
    ),
    generation(&["*gpt-4.5!", "*gpt-4-chat*"], &[(CHAT, gpt_4), (RESPONSES, without_reasoning)]),
    generation(
        &["*gpt-4o*"],
        &[
            (CHAT, |p| {
                gpt_4(p);
                p.settings.max_tokens.max = 16_384;
            }),
            (RESPONSES, without_reasoning),
        ],
    ),
    generation(
        &["*gpt-4*"],
        &[
            (CHAT, |p| {
                gpt_4(p);
                p.tools.max_description_chars = Some(1024);
            }),
            (RESPONSES, without_reasoning),
        ],
    ),
    generation(&["*gpt-5-chat*"], &[(CHAT, gpt_4), (RESPONSES, without_reasoning)]),
    generation(
        &["*gpt-5.1-chat*", "*gpt-5.2-chat*", "*gpt-5.3-chat*"],
        &[(CHAT, chat_tuned), (RESPONSES, |p| always_reasons(p, &["medium"]))],
    ),
    generation(
        &["*gpt-5.4-chat*"],
        &[(CHAT, chat_tuned), (RESPONSES, |p| reasons(p, reasoning::NONE_TO_XHIGH))],
    ),
    generation(
        &["*gpt-5.5-chat*"],
        &[(CHAT, chat_tuned), (RESPONSES, |p| always_reasons(p, reasoning::ALL_EFFORTS))],
    ),
    generation(
        &["*gpt-5.6-chat*"],
        &[(CHAT, chat_tuned), (RESPONSES, |p| always_reasons(p, reasoning::NONE_TO_MAX))],
    ),
    generation(
        &["*gpt-6-chat*"],
        &[
            (CHAT, |p| {
                p.media = media::OLD_OPENAI;
                p.texts.missing_content = MissingContent::Rejected;
                p.reasoning = reasoning::GPT_WITHOUT_REASONING;
            }),
            (RESPONSES, |p| always_reasons(p, reasoning::NONE_TO_MAX)),
        ],
    ),
    generation(
        &["*gpt-5-codex!"],
        &[
            (CHAT, gpt_5),
            (RESPONSES, |p| {
                p.reasoning =
                    ReasoningProfile { always_reasons: true, ..reasoning::RESPONSES_ITEMS };
            }),
        ],
    ),
    generation(&["*gpt-5-pro!"], &[(CHAT, gpt_5), (RESPONSES, |p| always_reasons(p, &["high"]))]),
    generation(
        &["*gpt-5!", "*gpt-5.0!"],
        &[(CHAT, gpt_5), (RESPONSES, |p| always_reasons(p, reasoning::MINIMAL_TO_HIGH))],
    ),
    generation(
        &["*gpt-5.1-codex!"],
        &[
            (CHAT, gpt_5_1),
            (RESPONSES, |p| {
                p.reasoning = reasoning::RESPONSES_ITEMS;
                p.settings.verbosities = settings::MEDIUM_VERBOSITY;
            }),
        ],
    ),
    generation(
        &["*gpt-5.1!"],
        &[(CHAT, gpt_5_1), (RESPONSES, |p| reasons(p, reasoning::NONE_TO_HIGH))],
    ),
    generation(
        &["*gpt-5.2-pro!"],
        &[(CHAT, gpt_5_2), (RESPONSES, |p| always_reasons(p, &["medium", "high", "xhigh"]))],
    ),
    generation(
        &["*gpt-5.2-codex!"],
        &[
            (CHAT, gpt_5_2),
            (RESPONSES, |p| {
                reasons(p, reasoning::NONE_TO_XHIGH);
                p.settings.verbosities = settings::MEDIUM_VERBOSITY;
            }),
        ],
    ),
    generation(
        &["*gpt-5.2!", "*gpt-5.3!"],
        &[(CHAT, gpt_5_2), (RESPONSES, |p| reasons(p, reasoning::NONE_TO_XHIGH))],
    ),
    generation(
        &["*gpt-5.4-pro!"],
        &[(CHAT, gpt_5_4), (RESPONSES, |p| always_reasons(p, &["medium", "high", "xhigh"]))],
    ),
    generation(
        &["*gpt-5.4!"],
        &[(CHAT, gpt_5_4), (RESPONSES, |p| reasons(p, reasoning::NONE_TO_XHIGH))],
    ),
    generation(
        &["*gpt-5.5-pro!"],
        &[
            (CHAT, gpt_5_5),
            (RESPONSES, |p| {
                p.reasoning =
                    ReasoningProfile { always_reasons: true, ..reasoning::RESPONSES_ITEMS };
            }),
        ],
    ),
    generation(
        &["*gpt-5.5!"],
        &[(CHAT, gpt_5_5), (RESPONSES, |p| always_reasons(p, reasoning::ALL_EFFORTS))],
    ),
    generation(
        &["*gpt-5.6!"],
        &[(CHAT, gpt_5_6), (RESPONSES, |p| always_reasons(p, reasoning::NONE_TO_MAX))],
    ),
    generation(&["*gpt-5.7!", "*gpt-5.8!", "*gpt-5.9!"], &[(CHAT, gpt_5_6)]),
    generation(
        &["*gpt-6-astra!"],
        &[
            (CHAT, gpt_5_6),
            (RESPONSES, |p| always_reasons(p, &["low", "medium", "high", "xhigh", "max"])),
        ],
    ),
    generation(
        &["*gpt-6!"],
        &[(CHAT, gpt_5_6), (RESPONSES, |p| always_reasons(p, reasoning::NONE_TO_MAX))],
    ),
    generation(&["*gpt-6*", "*gpt-7*"], &[(CHAT, gpt_5_6)]),
    generation(
        &["*gpt-8*", "*gpt-9*"],
        &[(CHAT, |p| p.settings = settings::OPENAI_CHAT_REASONING)],
    ),
    generation(
        &["o1*", "o3*", "o4*", "*-o1*", "*-o3*", "*-o4*", "ft:o4*"],
        &[
            (CHAT, |p| {
                up_to_gpt_5_1(p);
                p.texts.missing_content = MissingContent::Rejected;
                p.settings = settings::OPENAI_CHAT_REASONING;
                p.settings.sampling.temperature = ValueRange::NEVER;
                p.settings.tool_choice.parallel_setting = false;
                p.reasoning =
                    ReasoningProfile { efforts: Some(reasoning::LOW_TO_HIGH), ..reasoning::GPT };
            }),
            (RESPONSES, |p| always_reasons(p, reasoning::LOW_TO_HIGH)),
        ],
    ),
];

/// In Chat Completions: no cache breakpoints.
fn without_breakpoints(p: &mut Profile) {
    p.cache.supported = false;
    // The first field exists on the newest models only.
    p.fields.body_fields = p.fields.body_fields.map(|fields| &fields[1..]);
    p.fields.block_fields = openai_chat_fields::OLD_BLOCK_FIELDS;
}

/// In Chat Completions: ids of up to 40 characters, and images only from users.
fn up_to_gpt_5_1(p: &mut Profile) {
    without_breakpoints(p);
    p.calls.id_format = calls::UP_TO_40;
    p.media = media::OLD_OPENAI;
}

/// In Chat Completions: models that do not reason and support one verbosity only.
fn gpt_4(p: &mut Profile) {
    chat_tuned(p);
    p.settings.verbosities = settings::MEDIUM_VERBOSITY;
}

/// In Chat Completions: models tuned for chat, which do not reason.
fn chat_tuned(p: &mut Profile) {
    up_to_gpt_5_1(p);
    p.texts.missing_content = MissingContent::Rejected;
    p.reasoning = reasoning::GPT_WITHOUT_REASONING;
}

fn gpt_5(p: &mut Profile) {
    up_to_gpt_5_1(p);
    p.texts.missing_content = MissingContent::Rejected;
    p.settings = settings::OPENAI_CHAT_REASONING;
    p.reasoning = ReasoningProfile { efforts: Some(reasoning::MINIMAL_TO_HIGH), ..reasoning::GPT };
}

fn gpt_5_1(p: &mut Profile) {
    gpt_5(p);
    p.reasoning = ReasoningProfile {
        efforts: Some(reasoning::NONE_TO_HIGH),
        ..reasoning::GPT_OFF_BY_DEFAULT
    };
}

fn gpt_5_2(p: &mut Profile) {
    without_breakpoints(p);
    p.texts.missing_content = MissingContent::Rejected;
    p.settings = settings::OPENAI_CHAT_REASONING;
    p.reasoning = ReasoningProfile {
        efforts: Some(reasoning::NONE_TO_XHIGH),
        ..reasoning::GPT_OFF_BY_DEFAULT
    };
}

fn gpt_5_4(p: &mut Profile) {
    gpt_5_2(p);
    p.reasoning.effort_with_tools = EffortWithTools::NoEffort;
}

fn gpt_5_5(p: &mut Profile) {
    gpt_5_4(p);
    p.reasoning = ReasoningProfile {
        efforts: Some(reasoning::NONE_TO_XHIGH),
        effort_with_tools: EffortWithTools::NoEffort,
        ..reasoning::GPT
    };
}

/// Null content is accepted since gpt-5.6.
fn gpt_5_6(p: &mut Profile) {
    p.settings = settings::OPENAI_CHAT_REASONING;
    p.reasoning = ReasoningProfile {
        efforts: Some(reasoning::ALL_EFFORTS),
        effort_with_tools: EffortWithTools::EffortNone,
        ..reasoning::GPT
    };
}

/// In the Responses API.
fn without_reasoning(p: &mut Profile) {
    p.reasoning = reasoning::RESPONSES_WITHOUT_REASONING;
    p.settings.verbosities = settings::MEDIUM_VERBOSITY;
}

/// In the Responses API: reasons if the request says so.
fn reasons(p: &mut Profile, efforts: &'static [&'static str]) {
    p.reasoning = ReasoningProfile { efforts: Some(efforts), ..reasoning::RESPONSES_ITEMS };
}

/// In the Responses API: reasons unless the request says otherwise.
fn always_reasons(p: &mut Profile, efforts: &'static [&'static str]) {
    p.reasoning = reasoning::always_reasoning(efforts);
}
