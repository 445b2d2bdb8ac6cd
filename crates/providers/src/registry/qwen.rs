//! Qwen, by Alibaba Cloud.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            p.calls.orphan_results = OrphanResults::AmongResults;
            p.calls.id_format = calls::NON_EMPTY_ID;
            p.calls.argument_form = ArgumentForm::Json;
            p.calls.accepts_empty_list = true;
            p.calls.rejected_spellings = ALL_BUT_NULL_CALL;
            p.media.cross_dialect = media::VIDEO_CONTAINERS;
            p.settings.tool_choice = ToolChoiceSupport {
                forced_call: ForcedCall::NoObjectWhileReasoning,
                ..settings::NESTED_CHOICE
            };
            p.settings.response_format.needs_json_word = true;
            p.settings.response_format.json_while_reasoning = false;
            p.settings.reasoning_requires_stream = true;
            p.roles = roles::CHAT_TEMPLATE;
            p.reasoning = reasoning::SWITCH_ONLY;
            p.tools.name_format = tools::ANY_64;
            p.tools.called_name_format = tools::ANY_64;
        },
        models: &[
            (
                &[
                    "*-thinking*",
                    "qwq*",
                    "qwen3-0.6b*",
                    "qwen3-1.7b*",
                    "qwen3-4b*",
                    "qwen3-8b*",
                    "qwen3-14b*",
                    "qwen3-32b*",
                    "qwen3-30b*",
                    "qwen3-235b*",
                ],
                |p| p.reasoning.reasons_by_default = true,
            ),
            (&["*-instruct*", "qwen3-coder*"], |p| {
                p.reasoning.reasons_by_default = false;
                p.reasoning.never_reasons = true;
            }),
        ],
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset(
        "qwen",
        "qwen",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        &["DASHSCOPE_API_KEY"],
    )
};

const SPELLING: Flavor = Flavor {
    name: "qwen",
    reasoning_history: ReasoningHistory::Field("reasoning_content"),
    reasoning_control: ReasoningControl::EnableThinking,
    capabilities: &[
        Capability::ToolMessageName,
        Capability::ParallelToolCalls,
        Capability::StreamOptions,
        Capability::VideoParts,
        Capability::MultipleChoices,
        Capability::TopK,
        Capability::Seed,
        Capability::Penalties,
    ],
    ..GENERIC
};
