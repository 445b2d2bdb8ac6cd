//! Settings, written.

use interlingua_model::{
    Choice, Conversation, Format, Ledger, Place, Reasoning, ReasoningMode, Settings,
};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Text};

use super::KEYS;
use crate::anthropic::encode::Cx;
use crate::anthropic::messages::is_offered;
use crate::note;

/// Writes all settings of a conversation from another dialect.
pub(in crate::anthropic) fn encode_all(
    conversation: &Conversation,
    cx: &mut Cx<'_>,
    o: &mut Object<'_>,
) {
    let settings = &*conversation.settings;
    let usual = Json::number(USUAL_MAX_TOKENS);
    if settings.max_tokens.is_none() {
        let what = format!("`max_tokens` is required: it is {USUAL_MAX_TOKENS}");
        cx.ledger.change(note::REQUIRED_ADDED, Place::SETTINGS, what);
        o.json("max_tokens", &usual);
    }
    for key in KEYS {
        if let Some(value) = value(key, conversation, None, cx) {
            o.json(key, &value);
        }
    }
    note_homeless(settings, cx.ledger);
}

/// Writes a field of a conversation of this dialect whose settings were edited. A field whose meaning
/// is still the same, or is no setting at all, stays to be written as it was: that is `false`.
pub(in crate::anthropic) fn encode_edited(
    key: &str,
    written: Option<&Json>,
    conversation: &Conversation,
    original: &Settings,
    cx: &mut Cx<'_>,
    o: &mut Object<'_>,
) -> bool {
    let Some(key) = KEYS.iter().find(|known| **known == key) else { return false };
    if is_same(key, original, &conversation.settings) {
        return false;
    }
    if let Some(value) = value(key, conversation, written, cx) {
        o.json(key, &value);
    }
    true
}

fn is_same(key: &str, a: &Settings, b: &Settings) -> bool {
    fn part<T: PartialEq>(a: &Settings, b: &Settings, of: impl Fn(&Reasoning) -> T) -> bool {
        let usual = Reasoning::default();
        of(a.reasoning.as_ref().unwrap_or(&usual)) == of(b.reasoning.as_ref().unwrap_or(&usual))
    }
    match key {
        "max_tokens" => a.max_tokens == b.max_tokens,
        "temperature" => a.temperature == b.temperature,
        "top_p" => a.top_p == b.top_p,
        "top_k" => a.top_k == b.top_k,
        "stop_sequences" => a.stop == b.stop,
        "stream" => a.stream == b.stream,
        "service_tier" => a.service_tier == b.service_tier,
        "metadata" => a.user == b.user,
        "tool_choice" => a.choice == b.choice && a.parallel == b.parallel,
        "thinking" => part(a, b, |r| (r.mode, r.budget.clone(), r.display.clone())),
        "output_config" => part(a, b, |r| r.effort.clone()) && a.format == b.format,
        "output_format" => a.format == b.format,
        _ => true,
    }
}

/// What a field says now; `None` when there is nothing to say. `written` is the field as the client
/// wrote it: what the model does not hold of it stays.
fn value(
    key: &str,
    conversation: &Conversation,
    written: Option<&Json>,
    cx: &mut Cx<'_>,
) -> Option<Json> {
    let settings = &*conversation.settings;
    match key {
        "max_tokens" => settings.max_tokens.clone(),
        "temperature" => settings.temperature.clone(),
        "top_p" => settings.top_p.clone(),
        "top_k" => settings.top_k.clone(),
        "stop_sequences" => (!settings.stop.is_empty())
            .then(|| Json::array(|a| settings.stop.iter().for_each(|stop| a.item().text(stop)))),
        "stream" => settings.stream.map(Json::boolean),
        "service_tier" => tier(settings.service_tier.as_ref()?, cx),
        "metadata" => settings.user.as_ref().map(|user| {
            Json::object(|o| {
                o.text("user_id", user);
                rest(written, &["user_id"], o);
            })
        }),
        "tool_choice" => choice(conversation),
        "thinking" => thinking(settings.reasoning.as_ref()?, written, cx),
        "output_config" => output_config(settings, written, cx),
        // The older place of the format; what is edited goes into the newer one.
        _ => None,
    }
}

/// The fields of an object as written, but for these.
fn rest(written: Option<&Json>, but: &[&str], o: &mut Object<'_>) {
    let Some(doc) = written.map(Json::doc) else { return };
    for field in doc.root().fields().filter(|field| !but.contains(&&*field.name())) {
        o.key_text(&field.key()).json(&field.value.json());
    }
}

fn tier(tier: &Text, cx: &mut Cx<'_>) -> Option<Json> {
    let known = match &*tier.contents() {
        "auto" | "standard_only" => return Some(Json::string(tier)),
        _ if cx.own => return Some(Json::string(tier)),
        "default" | "standard" => Text::word("standard_only"),
        _ => {
            lose(cx.ledger, &format!("the service tier `{tier}`"));
            return None;
        }
    };
    convert(cx.ledger, format!("the service tier `{tier}` is `{known}`"));
    Some(Json::string(&known))
}

fn choice(conversation: &Conversation) -> Option<Json> {
    let settings = &*conversation.settings;
    let alone = settings.parallel == Some(false) && !conversation.tools.is_empty();
    let choice = match &settings.choice {
        Some(choice) => choice,
        None if alone => &Choice::Auto,
        None => return None,
    };
    // Where none of the tools there are may be called, they stay and are not called.
    let choice = match choice {
        Choice::Allowed { names, .. } if !is_offered(conversation, names) => &Choice::None,
        choice => choice,
    };
    Some(Json::object(|o| {
        match choice {
            Choice::Auto | Choice::Allowed { required: false, .. } => o.known("type", "auto"),
            Choice::Required | Choice::Allowed { required: true, .. } => o.known("type", "any"),
            Choice::None => o.known("type", "none"),
            Choice::Named(name) => {
                o.known("type", "tool");
                o.text("name", name);
            }
        }
        // `none` takes no second word.
        if settings.parallel == Some(false) && *choice != Choice::None {
            o.boolean("disable_parallel_tool_use", true);
        }
    }))
}

/// How much to think is said in one of three ways; they come from any of mode, budget and effort.
fn thinking(reasoning: &Reasoning, written: Option<&Json>, cx: &mut Cx<'_>) -> Option<Json> {
    let no_effort = !cx.own && reasoning.effort.as_ref().is_some_and(|effort| *effort == "none");
    let budget = reasoning.budget.as_ref();
    let display = reasoning.display.as_ref();
    let is_shown = display.is_some_and(|display| shown(display, cx) != "omitted");
    let kind = match reasoning.mode {
        Some(ReasoningMode::Off) => "disabled",
        Some(ReasoningMode::BetweenTools) => "between_tools",
        None if no_effort => "disabled",
        _ if budget.is_some_and(|budget| budget.count() == Some(0)) => "disabled",
        Some(ReasoningMode::Adaptive) => "adaptive",
        _ if budget.is_some_and(|budget| budget.count().is_some()) => "enabled",
        Some(ReasoningMode::On) => "adaptive",
        None if budget.is_some() || is_shown => "adaptive",
        None => return None,
    };
    if kind == "adaptive" && reasoning.mode == Some(ReasoningMode::On) && !cx.own {
        convert(cx.ledger, "thinking without a budget is adaptive".to_owned());
    }
    if kind == "adaptive" && budget.is_some() && reasoning.mode == Some(ReasoningMode::Adaptive) {
        lose(cx.ledger, "the budget of adaptive thinking");
    }
    let display = display.filter(|_| !reasoning.is_off() && kind != "disabled").map(|display| {
        let known = shown(display, cx);
        if known != *display {
            convert(cx.ledger, format!("the display `{display}` of thinking is `{known}`"));
        }
        known
    });
    Some(Json::object(|o| {
        o.word("type", kind);
        if matches!(kind, "disabled" | "between_tools") {
            return;
        }
        if kind == "enabled" {
            o.json_if("budget_tokens", budget);
        }
        o.text_if("display", display.as_ref());
        rest(written, &["type", "budget_tokens", "display"], o);
    }))
}

/// What of the thinking is shown, in the words of this dialect.
fn shown(display: &Text, cx: &Cx<'_>) -> Text {
    match &*display.contents() {
        "summarized" | "omitted" | "updates" => display.clone(),
        _ if cx.own => display.clone(),
        "none" | "off" | "false" | "hidden" => Text::word("omitted"),
        _ => Text::word("summarized"),
    }
}

fn output_config(settings: &Settings, written: Option<&Json>, cx: &mut Cx<'_>) -> Option<Json> {
    let effort = settings.reasoning.as_ref().and_then(|reasoning| reasoning.effort.as_ref());
    let effort = effort.and_then(|effort| known_effort(effort, cx));
    let format = match &settings.format {
        Some(Format::Schema { schema, description, .. }) => {
            if description.is_some() && !cx.own {
                lose(cx.ledger, "the description of the answer's format");
            }
            Some(schema)
        }
        Some(Format::Json) => {
            lose(cx.ledger, "the format `json` without a schema");
            None
        }
        Some(Format::Text) | None => None,
    };
    let more = written.is_some_and(|written| {
        written.doc().root().fields().any(|field| !field.is("effort") && !field.is("format"))
    });
    (effort.is_some() || format.is_some() || more).then(|| {
        Json::object(|o| {
            o.text_if("effort", effort.as_ref());
            if let Some(schema) = format {
                o.object("format", |o| {
                    o.known("type", "json_schema");
                    o.json("schema", schema);
                });
            }
            rest(written, &["effort", "format"], o);
        })
    })
}

fn known_effort(effort: &Text, cx: &mut Cx<'_>) -> Option<Text> {
    match &*effort.contents() {
        "low" | "medium" | "high" | "xhigh" | "max" => Some(effort.clone()),
        _ if cx.own => Some(effort.clone()),
        "minimal" => {
            convert(cx.ledger, "the effort `minimal` is `low`".to_owned());
            Some(Text::word("low"))
        }
        // Said by `thinking`.
        "none" => None,
        _ => {
            lose(cx.ledger, &format!("the effort `{effort}`"));
            None
        }
    }
}

/// Notes the settings that have no place here.
fn note_homeless(settings: &Settings, ledger: &mut Ledger) {
    let several = settings.answers.as_ref().filter(|answers| answers.count() != Some(1));
    let homeless = [
        ("seed", settings.seed.is_some()),
        ("presence penalty", settings.presence_penalty.is_some()),
        ("frequency penalty", settings.frequency_penalty.is_some()),
        ("number of answers", several.is_some()),
        ("verbosity", settings.verbosity.is_some()),
        ("metadata", settings.metadata.is_some()),
        ("cache key", settings.cache_key.is_some()),
        ("wish to store the reply", settings.store == Some(true)),
    ];
    for (name, _) in homeless.iter().filter(|(_, is_set)| *is_set) {
        lose(ledger, &format!("the {name}"));
    }
}

fn lose(ledger: &mut Ledger, what: &str) {
    let what = format!("left out {what}: no place for it");
    ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
}

fn convert(ledger: &mut Ledger, what: String) {
    ledger.change(note::SETTING_CONVERTED, Place::SETTINGS, what);
}

/// What clients of this dialect ask for when they know nothing about the model.
const USUAL_MAX_TOKENS: u64 = 32_000;
