//! Which fields the targets accept: one row for each target that differs.

use super::{FieldProfile, anthropic, bedrock, gemini, openai_chat, openai_responses};
use crate::profile::TargetSelector;
use crate::profile::cache::MODELS_WITHOUT_BREAKPOINTS;
use crate::profile::selector::GROQ_NON_REASONING_MODELS;

pub(crate) static ROWS: &[(TargetSelector, FieldProfile)] = &[
    (TargetSelector::flavors("anthropic", &["deepseek"]), anthropic::DEEPSEEK),
    (TargetSelector::dialect("anthropic"), anthropic::FIELDS),
    (TargetSelector::flavors("openai-chat", &["mistral"]), openai_chat::MISTRAL),
    (
        TargetSelector::new("openai-chat", &["groq"], GROQ_NON_REASONING_MODELS),
        openai_chat::GROQ_NON_REASONING,
    ),
    (TargetSelector::flavors("openai-chat", &["groq"]), openai_chat::GROQ),
    (TargetSelector::flavors("openai-chat", &["cerebras"]), openai_chat::CEREBRAS),
    (TargetSelector::flavors("openai-chat", &["generic"]), openai_chat::GENERIC),
    (
        TargetSelector::new("openai-chat", &["azure"], MODELS_WITHOUT_BREAKPOINTS),
        openai_chat::OLD_AZURE,
    ),
    (TargetSelector::flavors("openai-chat", &["azure"]), openai_chat::AZURE),
    (
        TargetSelector::new("openai-chat", &["", "openai"], MODELS_WITHOUT_BREAKPOINTS),
        openai_chat::OLD_OPENAI,
    ),
    (TargetSelector::flavors("openai-chat", &["", "openai"]), openai_chat::OPENAI),
    (TargetSelector::flavors("openai-chat", &["vllm"]), openai_chat::VLLM),
    (TargetSelector::flavors("openai-chat", &["llama.cpp"]), openai_chat::LLAMA_CPP),
    (TargetSelector::flavors("openai-chat", &["ollama"]), openai_chat::OLLAMA),
    (TargetSelector::flavors("openai-chat", &["deepseek"]), openai_chat::DEEPSEEK),
    (TargetSelector::flavors("openai-chat", &["xai"]), openai_chat::XAI),
    (TargetSelector::flavors("openai-chat", &["lm-studio"]), openai_chat::LM_STUDIO),
    (TargetSelector::dialect("openai-chat"), openai_chat::DEFAULT),
    (TargetSelector::flavors("openai-responses", &["llama.cpp"]), openai_responses::LLAMA_CPP),
    (TargetSelector::flavors("openai-responses", &["codex"]), openai_responses::CODEX),
    (TargetSelector::flavors("openai-responses", &["relay"]), openai_responses::RELAY),
    (TargetSelector::dialect("openai-responses"), openai_responses::FIELDS),
    (TargetSelector::flavors("gemini", &["vertex"]), gemini::VERTEX),
    (TargetSelector::dialect("gemini"), gemini::STUDIO),
    (TargetSelector::dialect("bedrock"), bedrock::FIELDS),
];
