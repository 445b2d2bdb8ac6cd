//! Settings of a request, both ways.

mod decode;
mod encode;

use interlingua_model::{Conversation, Ledger, Settings};
use interlingua_wire::Json;
use interlingua_wire::json::Object;

use super::flavor::{Flavor, Skill};
use encode::Cx;

pub(super) use decode::{decode, held_inside};
pub(super) use encode::only;

/// A setting, and the fields of the body in which one server or another has it.
struct Group {
    fields: &'static [&'static str],
    is_same: fn(&Settings, &Settings) -> bool,
    write: fn(&mut Cx<'_, '_>),
}

/// The fields of the body whose meaning is in the settings.
pub(super) fn is_setting(key: &str) -> bool {
    GROUPS.iter().any(|group| group.fields.contains(&key))
}

/// Writes all settings, as the flavor takes them.
pub(super) fn encode(
    conversation: &Conversation,
    flavor: &Flavor,
    o: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    let mut cx = Cx { conversation, flavor, o, ledger };
    for group in GROUPS {
        (group.write)(&mut cx);
    }
}

/// The settings of a body in this dialect that were edited: only they are written anew.
pub(super) struct Edited {
    /// What the fields of the body say, if anything was edited.
    written: Option<Box<Settings>>,
    /// The choice in the old way is no longer true, as the tools are said in another way.
    old_choice: bool,
    /// Nor is any other made beside it.
    choice: bool,
}

impl Edited {
    pub(super) fn of(conversation: &Conversation, unedited: bool) -> Self {
        if unedited {
            return Self { written: None, old_choice: false, choice: false };
        }
        let written = Json::object(|o| {
            for field in conversation.fields.iter().filter(|f| is_setting(&f.key.contents())) {
                o.key_text(&field.key).json(&field.value);
            }
        });
        let written = Some(decode(written.doc().root(), &mut Vec::new()));
        Self { written, old_choice: false, choice: false }
    }

    /// The tools leave the old list, and with them what is said of them in the old way: it is said in the
    /// new one, unless there is another choice beside it.
    pub(super) fn choose_anew(&mut self, beside: bool) {
        self.old_choice = true;
        self.choice = !beside;
    }

    /// Whether nothing was edited.
    fn is_nothing(&self) -> bool {
        self.written.is_none() && !self.old_choice && !self.choice
    }

    /// Whether a field of the body is no longer true.
    pub(super) fn is_stale(&self, key: &str, now: &Settings) -> bool {
        if self.is_nothing() {
            return false;
        }
        let group = GROUPS.iter().find(|group| group.fields.contains(&key));
        self.old_choice && key == OLD_CHOICE
            || group.is_some_and(|group| self.is_edited(group, now))
    }

    /// Writes what was edited.
    pub(super) fn write(
        &self,
        conversation: &Conversation,
        flavor: &Flavor,
        o: &mut Object<'_>,
        ledger: &mut Ledger,
    ) {
        if self.is_nothing() {
            return;
        }
        let mut cx = Cx { conversation, flavor, o, ledger };
        for group in GROUPS.iter().filter(|group| self.is_edited(group, &conversation.settings)) {
            (group.write)(&mut cx);
        }
    }

    fn is_edited(&self, group: &Group, now: &Settings) -> bool {
        self.choice && group.fields.contains(&OLD_CHOICE)
            || self.written.as_ref().is_some_and(|written| !(group.is_same)(written, now))
    }
}

const OLD_CHOICE: &str = "function_call";

macro_rules! same {
    ($($field:ident),+) => { |a, b| $(a.$field == b.$field)&&+ };
}

/// In the order they are written.
const GROUPS: &[Group] = &[
    Group {
        fields: &["max_completion_tokens", "max_tokens"],
        is_same: same!(max_tokens),
        write: |cx| {
            cx.o.json_if(cx.flavor.max_tokens, cx.conversation.settings.max_tokens.as_ref());
        },
    },
    Group {
        fields: &["temperature"],
        is_same: same!(temperature),
        write: |cx| cx.o.json_if("temperature", cx.conversation.settings.temperature.as_ref()),
    },
    Group {
        fields: &["top_p"],
        is_same: same!(top_p),
        write: |cx| cx.o.json_if("top_p", cx.conversation.settings.top_p.as_ref()),
    },
    Group {
        fields: &["top_k"],
        is_same: same!(top_k),
        write: |cx| cx.number("top_k", |settings| &settings.top_k, Skill::TopK),
    },
    Group {
        fields: &["seed", "random_seed"],
        is_same: same!(seed),
        write: |cx| cx.number(cx.flavor.seed, |settings| &settings.seed, Skill::Seed),
    },
    Group {
        fields: &["presence_penalty"],
        is_same: same!(presence_penalty),
        write: |cx| {
            let alone = cx.flavor.can(Skill::PresencePenalty);
            let skill = if alone { Skill::PresencePenalty } else { Skill::Penalties };
            cx.number("presence_penalty", |s| &s.presence_penalty, skill);
        },
    },
    Group {
        fields: &["frequency_penalty"],
        is_same: same!(frequency_penalty),
        write: |cx| cx.number("frequency_penalty", |s| &s.frequency_penalty, Skill::Penalties),
    },
    Group {
        fields: &["n"],
        is_same: same!(answers),
        write: |cx| cx.number("n", |settings| &settings.answers, Skill::Answers),
    },
    Group {
        fields: &["metadata"],
        is_same: same!(metadata),
        write: |cx| cx.number("metadata", |settings| &settings.metadata, Skill::Metadata),
    },
    Group { fields: &["stop"], is_same: same!(stop), write: |cx| cx.stop() },
    Group {
        fields: &["stream", "stream_options"],
        is_same: same!(stream, stream_usage),
        write: |cx| cx.stream(),
    },
    Group {
        fields: &["tool_choice", "function_call", "parallel_tool_calls"],
        is_same: same!(choice, parallel),
        write: |cx| cx.choice(),
    },
    Group {
        fields: &[
            "reasoning_effort",
            "reasoning",
            "thinking",
            "enable_thinking",
            "thinking_budget",
        ],
        is_same: same!(reasoning),
        write: |cx| cx.reasoning(),
    },
    Group { fields: &["response_format"], is_same: same!(format), write: |cx| cx.format() },
    Group {
        fields: &["verbosity"],
        is_same: same!(verbosity),
        write: |cx| {
            let verbosity = cx.conversation.settings.verbosity.as_ref();
            cx.word("verbosity", verbosity, Skill::Verbosity);
        },
    },
    Group { fields: &["user", "safety_identifier"], is_same: same!(user), write: |cx| cx.user() },
    Group { fields: &["service_tier"], is_same: same!(service_tier), write: |cx| cx.tier() },
    Group {
        fields: &["prompt_cache_key"],
        is_same: same!(cache_key),
        write: |cx| {
            let key = cx.conversation.settings.cache_key.as_ref();
            cx.word("prompt_cache_key", key, Skill::CacheKey);
        },
    },
    Group { fields: &["store"], is_same: same!(store), write: |cx| cx.store() },
];
