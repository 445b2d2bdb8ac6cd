//! llamafile, which contains the server of llama.cpp.
//! <https://github.com/mozilla-ai/llamafile>

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset =
    openai_chat_preset("llamafile", "llama.cpp", "http://127.0.0.1:8080/v1", &[]);
