//! Settings, written: each field of the body that holds some of them.

use interlingua_model::{Conversation, Format, Ledger, Place, Reasoning, ReasoningMode, Settings};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Text};

use super::settings::{self, ADDITIONAL, INFERENCE, OUTPUT};
use crate::note;

/// The settings as they are, and as they stand in the fields of a body in this dialect.
pub(super) struct Options<'c> {
    pub(super) now: &'c Settings,
    pub(super) written: Box<Settings>,
}

impl<'c> Options<'c> {
    pub(super) fn new(conversation: &'c Conversation, own: bool) -> Self {
        let holds_settings =
            |key: &Text| own && (key == "toolConfig" || FIELDS.iter().any(|field| key == field));
        let fields = conversation.fields.iter().filter(|field| holds_settings(&field.key));
        let docs: Vec<_> = fields.map(|field| (&field.key, field.value.doc())).collect();
        let find =
            |key: &str| docs.iter().find(|(name, _)| *name == key).map(|(_, doc)| doc.root());
        let written = settings::decode(find, &mut Ledger::default());
        Self { now: &conversation.settings, written }
    }

    /// Writes one field, if it has anything to say. What of it nobody edited, and what nobody knows,
    /// stays as written.
    pub(super) fn write(
        &self,
        key: &'static str,
        original: Option<&Json>,
        ledger: &mut Ledger,
        o: &mut Object<'_>,
    ) {
        if let Some(original) = original.filter(|_| self.is_unedited(key)) {
            o.json(key, original);
            return;
        }
        let now = self.now;
        let value = match key {
            "inferenceConfig" => merged(original, INFERENCE, |o| write_inference(now, o)),
            "additionalModelRequestFields" => {
                merged(original, ADDITIONAL, |o| write_additional(now, ledger, o))
            }
            "outputConfig" => merged(original, OUTPUT, |o| write_output(now, ledger, o)),
            "requestMetadata" => merged(None, &[], |o| write_metadata(now, ledger, o)),
            "serviceTier" => merged(original, &["type"], |o| write_tier(now, ledger, o)),
            _ => Json::EMPTY_OBJECT,
        };
        if value != Json::EMPTY_OBJECT {
            o.json(key, &value);
        }
    }

    fn is_unedited(&self, key: &str) -> bool {
        let (now, was) = (self.now, &self.written);
        match key {
            "inferenceConfig" => {
                now.max_tokens == was.max_tokens
                    && now.temperature == was.temperature
                    && now.top_p == was.top_p
                    && now.stop == was.stop
            }
            "additionalModelRequestFields" => {
                now.top_k == was.top_k && now.reasoning == was.reasoning
            }
            "outputConfig" => now.format == was.format && now.reasoning == was.reasoning,
            "requestMetadata" => now.metadata == was.metadata,
            "serviceTier" => now.service_tier == was.service_tier,
            _ => false,
        }
    }
}

/// The known keys as `fill` writes them, then the unknown ones of the original.
fn merged(original: Option<&Json>, known: &[&str], fill: impl FnOnce(&mut Object<'_>)) -> Json {
    let original = original.map(Json::doc);
    Json::object(|o| {
        fill(o);
        for field in original.iter().flat_map(|doc| doc.root().fields()) {
            if !known.contains(&&*field.name()) {
                o.key_text(&field.key()).json(&field.value.json());
            }
        }
    })
}

fn write_inference(settings: &Settings, o: &mut Object<'_>) {
    o.json_if("maxTokens", settings.max_tokens.as_ref());
    o.json_if("temperature", settings.temperature.as_ref());
    o.json_if("topP", settings.top_p.as_ref());
    if !settings.stop.is_empty() {
        o.array("stopSequences", |a| settings.stop.iter().for_each(|stop| a.item().text(stop)));
    }
}

fn write_additional(settings: &Settings, ledger: &mut Ledger, o: &mut Object<'_>) {
    o.json_if("top_k", settings.top_k.as_ref());
    if let Some(reasoning) = &settings.reasoning {
        write_thinking(reasoning, ledger, o);
    }
    if !settings.betas.is_empty() {
        o.array("anthropic_beta", |a| settings.betas.iter().for_each(|beta| a.item().text(beta)));
    }
}

/// How much to think is said in one of three ways; they come from any of mode, budget and effort.
fn write_thinking(reasoning: &Reasoning, ledger: &mut Ledger, o: &mut Object<'_>) {
    let no_effort = reasoning.effort.as_ref().is_some_and(|effort| effort == "none");
    let budget = reasoning.budget.as_ref();
    let count = budget.map(Json::count);
    let display = reasoning.display.as_ref().map(|display| shown(display, ledger));
    let is_shown = display.as_ref().is_some_and(|display| display != "omitted");
    let kind = match reasoning.mode {
        Some(ReasoningMode::Off) => "disabled",
        Some(ReasoningMode::BetweenTools) => "between_tools",
        None if no_effort => "disabled",
        _ if count == Some(Some(0)) => "disabled",
        Some(ReasoningMode::Adaptive) => "adaptive",
        _ if count.flatten().is_some() => "enabled",
        Some(ReasoningMode::On) => "adaptive",
        None if budget.is_some() || is_shown => "adaptive",
        None => return,
    };
    if kind == "adaptive" && reasoning.mode == Some(ReasoningMode::On) {
        let what = "reasoning without a budget: the model decides how much";
        ledger.change(note::SETTING_CONVERTED, Place::SETTINGS, what);
    }
    if reasoning.mode == Some(ReasoningMode::Adaptive) && budget.is_some() {
        let what = "left out the budget of adaptive reasoning";
        ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
    }
    o.object("thinking", |o| {
        o.word("type", kind);
        if kind == "enabled" {
            o.json_if("budget_tokens", budget);
        }
        if !matches!(kind, "disabled" | "between_tools") {
            o.text_if("display", display.as_ref());
        }
    });
}

/// What of the reasoning is shown, in the words of this dialect.
fn shown(display: &Text, ledger: &mut Ledger) -> Text {
    let known = match &*display.contents() {
        "summarized" | "omitted" | "updates" => return display.clone(),
        "none" | "off" | "false" | "hidden" | "exclude" => "omitted",
        _ => "summarized",
    };
    let what = format!("the display `{display}` of reasoning is `{known}`");
    ledger.change(note::SETTING_CONVERTED, Place::SETTINGS, what);
    Text::word(known)
}

fn write_output(settings: &Settings, ledger: &mut Ledger, o: &mut Object<'_>) {
    match &settings.format {
        None | Some(Format::Text) => {}
        Some(Format::Json) => {
            let what = "left out that the answer is to be JSON: only a schema has a place";
            ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
        }
        Some(Format::Schema { name, description, schema, strict }) => {
            if *strict == Some(false) {
                let what = "the answer is held to its schema, which was not asked for";
                ledger.change(note::SETTING_CONVERTED, Place::SETTINGS, what);
            }
            o.object("textFormat", |o| {
                o.known("type", "json_schema");
                o.object("structure", |o| {
                    o.object("jsonSchema", |o| {
                        o.word("schema", schema.as_str());
                        o.text_if("name", name.as_ref());
                        o.text_if("description", description.as_ref());
                    });
                });
            });
        }
    }
    let effort = settings.reasoning.as_ref().and_then(|asked| asked.effort.as_ref());
    match effort.map(Text::contents).as_deref() {
        // Said by `thinking`.
        None | Some("none") => {}
        Some("minimal") => {
            let what = "the effort `minimal` is `low`";
            ledger.change(note::SETTING_CONVERTED, Place::SETTINGS, what);
            o.known("effort", "low");
        }
        Some(effort) => o.word("effort", effort),
    }
}

/// Up to 16 short strings of a small alphabet.
fn write_metadata(settings: &Settings, ledger: &mut Ledger, o: &mut Object<'_>) {
    let Some(metadata) = settings.metadata.as_ref().map(Json::doc) else { return };
    let (mut count, mut left_out) = (0, Vec::new());
    for field in metadata.root().fields() {
        let value = field.value.text().filter(|value| fits(&value.contents()));
        match value.filter(|_| count < MOST_METADATA && fits(&field.name())) {
            Some(value) => {
                count += 1;
                o.key_text(&field.key()).text(&value);
            }
            None => left_out.push(format!("`{}`", field.name())),
        }
    }
    if !left_out.is_empty() || !metadata.root().is_object() {
        let what = format!("left out metadata that has no place: {}", left_out.join(", "));
        ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
    }
}

fn fits(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || ALPHABET.contains(c);
    text.chars().count() <= LONGEST_METADATA && text.chars().all(allowed)
}

fn write_tier(settings: &Settings, ledger: &mut Ledger, o: &mut Object<'_>) {
    let Some(tier) = &settings.service_tier else { return };
    if TIERS.iter().any(|known| tier == known) {
        o.text("type", tier);
    } else if tier == "standard_only" || tier == "standard" {
        ledger.change(
            note::SETTING_CONVERTED,
            Place::SETTINGS,
            "the standard tier is said as `default`",
        );
        o.known("type", "default");
    } else if tier != "auto" {
        let what = format!("left out the service tier `{tier}`");
        ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
    }
}

/// Notes the settings that no field can hold.
pub(super) fn note_left_out(conversation: &Conversation, ledger: &mut Ledger) {
    let settings = &*conversation.settings;
    let one_by_one = settings.parallel == Some(false) && !conversation.tools.is_empty();
    let several = settings.answers.as_ref().filter(|answers| answers.count() != Some(1));
    let places = [
        ("seed", settings.seed.is_some()),
        ("presence_penalty", settings.presence_penalty.is_some()),
        ("frequency_penalty", settings.frequency_penalty.is_some()),
        ("answers", several.is_some()),
        ("parallel", one_by_one),
        ("verbosity", settings.verbosity.is_some()),
        ("user", settings.user.is_some()),
        ("cache_key", settings.cache_key.is_some()),
        ("store", settings.store == Some(true)),
    ];
    for (name, _) in places.iter().filter(|(_, asked)| *asked) {
        let what = format!("left out `{name}`: it has no place");
        ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
    }
}

/// The fields of a body that hold settings and nothing else.
pub(super) const FIELDS: &[&str] = &[
    "inferenceConfig",
    "additionalModelRequestFields",
    "outputConfig",
    "requestMetadata",
    "serviceTier",
];
const TIERS: &[&str] = &["priority", "default", "flex", "reserved"];
const ALPHABET: &str = ":_@$#=/+,-.";
const LONGEST_METADATA: usize = 256;
const MOST_METADATA: usize = 16;
