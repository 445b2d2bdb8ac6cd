//! The registered providers of Chat Completions.

/// Declares the flavors, and providers that others are like or that are behind a router. Each has
/// the file `providers/<name>.toml`.
macro_rules! providers {
    (flavors: $($name:literal)+; others: $($other:literal)+;) => {
        /// The flavors' names; the first is the vendor.
        pub(super) const FLAVORS: &[&str] = &[$($name),+];
        /// The files by name.
        pub(super) const FILES: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../providers/", $name, ".toml"))),)+
            $(($other, include_str!(concat!("../../providers/", $other, ".toml"))),)+
        ];
    };
}

providers! {
    flavors:
        "openai"
        "openrouter"
        "deepseek"
        "mistral"
        "groq"
        "moonshot"
        "xai"
        "qwen"
        "glm"
        "cerebras"
        "vllm"
        "ollama"
        "llama.cpp"
        "lm-studio"
        "azure"
        "gemini-compat"
        "generic";
    others:
        "compatible"
        "openrouter-anthropic"
        "openrouter-google";
}

/// The router whose seals of reasoning are known.
pub const ROUTER: &str = FLAVORS[1];
