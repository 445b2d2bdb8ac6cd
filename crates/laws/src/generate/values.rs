//! Random texts, ids, names and arguments, and odd values in their place.

use serde_json::{Value, json};

use super::draft::Args;
use super::generator::Generator;
use crate::raw_json::{DUPLICATE_KEY, HIGH_SURROGATE, LOW_SURROGATE, raw_number};

impl Generator {
    /// A text with its own canary, sometimes an odd one.
    pub(super) fn text(&mut self) -> String {
        if self.roll_odd() {
            return self.odd_text();
        }
        let canary = self.canary();
        match self.rng.below(12) {
            0 => format!("naïve 日本語 🦀 {canary}"),
            1 => format!("\"{canary}\" \\ back/slash\n\ttab"),
            2 => format!("{canary}\nsecond line"),
            3 => format!("<b>{canary}</b> &amp; {{\"json\": [1]}}"),
            _ => format!("words {canary}"),
        }
    }

    fn odd_text(&mut self) -> String {
        let canary = self.canary();
        match self.rng.below(13) {
            0..=2 => String::new(),
            3 => " ".into(),
            4 => "\n\n\t".into(),
            5 => format!("{canary} "),
            6 => format!("{canary}\n\n"),
            7 => format!("half {HIGH_SURROGATE} of {canary}"),
            8 => format!("half {LOW_SURROGATE}{canary}"),
            9 => format!("\u{0}\u{1}{canary}"),
            10 => "(no content)".into(),
            11 => format!("x-anthropic-billing-header: {canary};"),
            _ => "\u{a0}\u{200b}".into(),
        }
    }

    pub(super) fn call_id(&mut self) -> String {
        self.call_count += 1;
        let number = self.call_count;
        if self.roll_odd() {
            return match self.rng.below(9) {
                0 => String::new(),
                1 => format!("call:{number}|x"),
                2 => format!("call {number}.ü"),
                3 => format!("call_{number}_{}", "x".repeat(60)),
                4 => format!("toolu_{number}_{}", "y".repeat(200)),
                5 => "call_1".into(),
                6 => format!("functions.read_file:{number}"),
                7 => format!("fc_{number}"),
                _ => format!("{number}"),
            };
        }
        match self.rng.below(4) {
            0 => format!("toolu_01A{number:04}"),
            1 => format!("abcd{number:05}"),
            _ => format!("call_{number:04}"),
        }
    }

    pub(super) fn tool_name(&mut self) -> String {
        if self.roll_odd() {
            return self.odd_name();
        }
        self.rng.pick(&["read_file", "search", "weather", "run-tests"]).into()
    }

    pub(super) fn odd_name(&mut self) -> String {
        match self.rng.below(9) {
            0 => String::new(),
            1 => "mcp.server/tool".into(),
            2 => "über tool".into(),
            3 => "n".repeat(65),
            4 => format!("mcp__{}", "long_".repeat(30)),
            5 => "9lives".into(),
            6 => "read_file".into(),
            7 => "$functions.run".into(),
            _ => "nobody_knows_it".into(),
        }
    }

    pub(super) fn args(&mut self) -> Args {
        let canary = self.canary();
        if self.roll_odd() {
            return self.odd_args(&canary);
        }
        Args::Json(match self.rng.below(6) {
            0 => json!({}),
            1 => json!({"path": canary, "n": 1.5, "deep": {"list": [1, null, true, "é\n"]}}),
            2 => {
                json!({"n": raw_number("1.50e2"), "big": raw_number("12345678901234567890"), "q": canary})
            }
            3 => json!({"": {}, "ключ": canary}),
            _ => json!({"path": canary}),
        })
    }

    fn odd_args(&mut self, canary: &str) -> Args {
        match self.rng.below(13) {
            0 => Args::Text(String::new()),
            1 => Args::Text("  ".into()),
            2 => Args::Text(format!("{{\"path\": \"{canary}")),
            3 => Args::Text(format!("{{\"path\": \"{canary}\"}}{{\"path\": 2}}")),
            4 => Args::Text(Value::from(format!("{{\"path\":\"{canary}\"}}")).to_string()),
            5 => Args::Text(format!("just {canary}")),
            6 => Args::Text(format!("{{'path': '{canary}'}}")),
            7 => Args::Json(Value::Null),
            8 => Args::Json(json!([1, canary])),
            9 => Args::Json(json!(7)),
            10 => Args::Json(format!("{{\"path\":\"{canary}\"}}").into()),
            11 => Args::Json(json!({"half": format!("{HIGH_SURROGATE}{canary}")})),
            _ => Args::Json(json!({"twice": 1, format!("twice{DUPLICATE_KEY}"): canary})),
        }
    }

    /// A value of a random type, mostly invalid at its position.
    pub(super) fn odd_value(&mut self) -> Value {
        match self.rng.below(10) {
            0 | 1 => Value::Null,
            2 => json!(12.5),
            3 => json!(""),
            4 => json!({}),
            5 => json!([]),
            6 => json!(true),
            7 => json!("odd"),
            8 => json!({"deep": [1, "odd"]}),
            _ => json!(-1),
        }
    }

    /// JSON that a tool returned, and that is no content of any dialect.
    pub(super) fn odd_output(&mut self) -> Value {
        let canary = self.canary();
        match self.rng.below(6) {
            0 => json!({"path": canary}),
            1 => json!([{"path": canary}, null, 7]),
            2 => json!({"type": "file_list", "files": [canary]}),
            3 => json!({"type": "text", "value": canary}),
            4 => json!({"text": "found", "path": canary}),
            _ => json!({"type": "resource", "resource": {"uri": "file:///a", "text": canary}}),
        }
    }

    /// A field that is unknown at its position.
    pub(super) fn odd_field(&mut self) -> (&'static str, Value) {
        let key = self.rng.pick(&[
            "x_unknown",
            "cache_control",
            "id",
            "name",
            "index",
            "status",
            "context_management",
            "providerOptions",
            "metadata",
            "extra_content",
        ]);
        let value = self.odd_value();
        (key, value)
    }

    /// Opaque text that looks like a signature.
    pub(super) fn seal(&mut self) -> String {
        if self.roll_odd() {
            return self
                .rng
                .pick(&["", " ", "not base64 !", "skip_thought_signature_validator", "claude#EqQB"])
                .into();
        }
        format!("EqQBCkgIARABGAIiQ{:08}", self.rng.below(99_999_999))
    }

    pub(super) fn cache(&mut self) -> Option<Value> {
        if !self.rng.one_in(12) && !self.roll_odd() {
            return None;
        }
        if self.roll_odd() {
            return Some(match self.rng.below(7) {
                0 => json!({"type": "ephemeral", "ttl": "2h"}),
                1 => json!({"type": "ephemeral", "ttl": "1h"}),
                2 => json!({"type": "ephemeral", "scope": "global"}),
                3 => json!({"type": "persistent"}),
                4 => json!({}),
                5 => json!({"type": "ephemeral", "ttl": null}),
                _ => json!("ephemeral"),
            });
        }
        Some(json!({"type": "ephemeral"}))
    }
}
