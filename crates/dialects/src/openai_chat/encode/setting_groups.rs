//! Encodes the settings in groups: a setting, and the body fields that hold it on different servers.

use interlingua_model::{Conversation, Ledger, Settings};
use interlingua_providers::spelling::openai_chat::{Capability, Flavor};
use interlingua_wire::RawJson;
use interlingua_wire::json::ObjectWriter;

use super::settings::SettingsCx;
use crate::openai_chat::decode::settings::decode_settings;

/// A setting, and the body fields that contain it on different servers.
struct SettingGroup {
    fields: &'static [&'static str],
    is_same: fn(&Settings, &Settings) -> bool,
    write: fn(&mut SettingsCx<'_, '_>),
}

/// Returns whether the field is decoded into the settings.
pub(crate) fn is_setting(key: &str) -> bool {
    SETTING_GROUPS.iter().any(|group| group.fields.contains(&key))
}

/// Encodes all settings as the flavor accepts them.
pub(crate) fn encode_settings(
    conversation: &Conversation,
    flavor: &Flavor,
    o: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    let mut cx = SettingsCx { conversation, flavor, o, ledger };
    for group in SETTING_GROUPS {
        (group.write)(&mut cx);
    }
}

/// The settings of a same-dialect body that were edited: only they are encoded again.
pub(crate) struct EditedSettings {
    /// The settings decoded from the original fields, if any were edited.
    original: Option<Box<Settings>>,
    /// The legacy `function_call` is dropped, because the tools are written as `tools`.
    drops_function_call: bool,
    /// No `tool_choice` exists either, so one is written.
    rewrites_tool_choice: bool,
}

impl EditedSettings {
    pub(crate) fn new(conversation: &Conversation, unedited: bool) -> Self {
        if unedited {
            return Self {
                original: None,
                drops_function_call: false,
                rewrites_tool_choice: false,
            };
        }
        let original = RawJson::object(|o| {
            for field in
                conversation.top_level_fields.iter().filter(|f| is_setting(&f.key.unescape()))
            {
                o.key_json_string(&field.key).json(&field.value);
            }
        });
        let original = Some(decode_settings(original.to_doc().root(), &mut Vec::new()));
        Self { original, drops_function_call: false, rewrites_tool_choice: false }
    }

    /// Drops the legacy `function_call`, because the tools move to `tools`. `tool_choice` is
    /// written instead, unless the body already has one.
    pub(crate) fn replace_function_call(&mut self, has_tool_choice: bool) {
        self.drops_function_call = true;
        self.rewrites_tool_choice = !has_tool_choice;
    }

    fn is_unedited(&self) -> bool {
        self.original.is_none() && !self.drops_function_call && !self.rewrites_tool_choice
    }

    /// Returns whether a field of the body must be encoded again.
    pub(crate) fn is_edited_field(&self, key: &str, settings: &Settings) -> bool {
        if self.is_unedited() {
            return false;
        }
        let group = SETTING_GROUPS.iter().find(|group| group.fields.contains(&key));
        self.drops_function_call && key == FUNCTION_CALL
            || group.is_some_and(|group| self.is_group_edited(group, settings))
    }

    /// Writes the edited settings.
    pub(crate) fn encode(
        &self,
        conversation: &Conversation,
        flavor: &Flavor,
        o: &mut ObjectWriter<'_>,
        ledger: &mut Ledger,
    ) {
        if self.is_unedited() {
            return;
        }
        let mut cx = SettingsCx { conversation, flavor, o, ledger };
        for group in SETTING_GROUPS
            .iter()
            .filter(|group| self.is_group_edited(group, &conversation.settings))
        {
            (group.write)(&mut cx);
        }
    }

    fn is_group_edited(&self, group: &SettingGroup, settings: &Settings) -> bool {
        self.rewrites_tool_choice && group.fields.contains(&FUNCTION_CALL)
            || self.original.as_ref().is_some_and(|original| !(group.is_same)(original, settings))
    }
}

const FUNCTION_CALL: &str = "function_call";

macro_rules! fields_eq {
    ($($field:ident),+) => { |a, b| $(a.$field == b.$field)&&+ };
}

/// In the order in which they are written.
const SETTING_GROUPS: &[SettingGroup] = &[
    SettingGroup {
        fields: &["max_completion_tokens", "max_tokens"],
        is_same: fields_eq!(max_tokens),
        write: |cx| {
            cx.o.json_opt(cx.flavor.max_tokens_field, cx.conversation.settings.max_tokens.as_ref());
        },
    },
    SettingGroup {
        fields: &["temperature"],
        is_same: fields_eq!(temperature),
        write: |cx| cx.o.json_opt("temperature", cx.conversation.settings.temperature.as_ref()),
    },
    SettingGroup {
        fields: &["top_p"],
        is_same: fields_eq!(top_p),
        write: |cx| cx.o.json_opt("top_p", cx.conversation.settings.top_p.as_ref()),
    },
    SettingGroup {
        fields: &["top_k"],
        is_same: fields_eq!(top_k),
        write: |cx| cx.write_json("top_k", |settings| &settings.top_k, Capability::TopK),
    },
    SettingGroup {
        fields: &["seed", "random_seed"],
        is_same: fields_eq!(seed),
        write: |cx| {
            cx.write_json(cx.flavor.seed_field, |settings| &settings.seed, Capability::Seed);
        },
    },
    SettingGroup {
        fields: &["presence_penalty"],
        is_same: fields_eq!(presence_penalty),
        write: |cx| {
            let alone = cx.flavor.has(Capability::PresencePenalty);
            let skill = if alone { Capability::PresencePenalty } else { Capability::Penalties };
            cx.write_json("presence_penalty", |s| &s.presence_penalty, skill);
        },
    },
    SettingGroup {
        fields: &["frequency_penalty"],
        is_same: fields_eq!(frequency_penalty),
        write: |cx| {
            cx.write_json("frequency_penalty", |s| &s.frequency_penalty, Capability::Penalties);
        },
    },
    SettingGroup {
        fields: &["n"],
        is_same: fields_eq!(candidate_count),
        write: |cx| {
            cx.write_json("n", |settings| &settings.candidate_count, Capability::MultipleChoices);
        },
    },
    SettingGroup {
        fields: &["metadata"],
        is_same: fields_eq!(metadata),
        write: |cx| cx.write_json("metadata", |settings| &settings.metadata, Capability::Metadata),
    },
    SettingGroup {
        fields: &["stop"],
        is_same: fields_eq!(stop_sequences),
        write: |cx| cx.write_stop(),
    },
    SettingGroup {
        fields: &["stream", "stream_options"],
        is_same: fields_eq!(stream, stream_usage),
        write: |cx| cx.write_stream(),
    },
    SettingGroup {
        fields: &["tool_choice", "function_call", "parallel_tool_calls"],
        is_same: fields_eq!(tool_choice, parallel_tool_calls),
        write: |cx| cx.write_tool_choice(),
    },
    SettingGroup {
        fields: &[
            "reasoning_effort",
            "reasoning",
            "thinking",
            "enable_thinking",
            "thinking_budget",
        ],
        is_same: fields_eq!(reasoning),
        write: |cx| cx.write_reasoning(),
    },
    SettingGroup {
        fields: &["response_format"],
        is_same: fields_eq!(response_format),
        write: |cx| cx.write_response_format(),
    },
    SettingGroup {
        fields: &["verbosity"],
        is_same: fields_eq!(verbosity),
        write: |cx| {
            let verbosity = cx.conversation.settings.verbosity.as_ref();
            cx.write_text("verbosity", verbosity, Capability::Verbosity);
        },
    },
    SettingGroup {
        fields: &["user", "safety_identifier"],
        is_same: fields_eq!(user),
        write: |cx| cx.write_user(),
    },
    SettingGroup {
        fields: &["service_tier"],
        is_same: fields_eq!(service_tier),
        write: |cx| cx.write_service_tier(),
    },
    SettingGroup {
        fields: &["prompt_cache_key"],
        is_same: fields_eq!(cache_key),
        write: |cx| {
            let key = cx.conversation.settings.cache_key.as_ref();
            cx.write_text("prompt_cache_key", key, Capability::PromptCacheKey);
        },
    },
    SettingGroup { fields: &["store"], is_same: fields_eq!(store), write: |cx| cx.write_store() },
];
