//! Tests the exact message of every configuration warning.

use crate::valid::parse_valid;

#[test]
fn every_warning_has_its_message() {
    for (text, expected) in WARNINGS {
        let (_, warnings) = parse_valid(text);
        let messages: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(messages, [*expected], "{text}");
    }
}

const WARNINGS: &[(&str, &str)] = &[
    (
        "[providers.anthropic]\napi_key = \"sk-1\"",
        "line 2, column 11: providers.anthropic.api_key is written in the file itself. Use \"env:NAME\" or \"file:PATH\" instead",
    ),
    (
        "[providers.openai]",
        "line 1, column 12: `openai` has no key: set OPENAI_API_KEY, or write api_key",
    ),
    (
        "[providers.relay]\ndialect = \"anthropic\"\nbase_url = \"https://x.example.com/v1\"",
        "line 3, column 12: providers.relay.base_url ends with /v1, which is added to it: leave it out",
    ),
    (
        "[providers.relay]\ndialect = \"openai-chat\"\nbase_url = \"https://x.example.com\"",
        "line 3, column 12: providers.relay.base_url has no path: most servers of this dialect have it end with /v1",
    ),
    (
        "[providers.relay]\ndialect = \"openai-chat\"\nbase_url = \"http://x.example.com/v1\"\napi_key = \"env:LAB_KEY\"",
        "line 3, column 12: providers.relay.base_url is not https: the key is sent unencrypted",
    ),
    (
        "[models]\nfast = \"groq/x\"",
        "line 2, column 8: models.fast goes to `groq`, which has no key: set GROQ_API_KEY",
    ),
    (
        "[access]\nkeys = [{ name = \"a\", key = \"env:SHORT_KEY\" }, \"sha256:0000000000000000000000000000000000000000000000000000000000000000\"]",
        "line 2, column 29: access.keys[0].key is short enough to be guessed: use 16 characters or more",
    ),
];
