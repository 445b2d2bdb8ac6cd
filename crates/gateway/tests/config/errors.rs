//! Tests the exact message of every configuration error.

use interlingua_gateway::config::Config;

use crate::valid::env;

/// The error messages for a file, one per line.
fn error_text(text: &str) -> String {
    match Config::parse(text, &env) {
        Ok(_) => "nothing".into(),
        Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn every_error_has_its_message() {
    for (text, expected) in CASES {
        assert_eq!(error_text(text), *expected, "{text}");
    }
}

#[test]
fn all_errors_are_reported_in_file_order() {
    let text =
        "lisen = \"x\"\n[limits]\nbody = 5\nstreems = 1\n[providers.lab]\ndialect = \"chat\"\n";
    assert_eq!(
        error_text(text),
        "line 1, column 1: there is no key `lisen`; did you mean `listen`?\n\
         line 3, column 8: limits.body must be a size such as \"64MiB\", with one of B, KiB, MiB, GiB, kB, MB, GB\n\
         line 4, column 1: [limits] has no key `streems`; did you mean `streams`?\n\
         line 5, column 12: `lab` is not a known provider and needs `base_url`\n\
         line 6, column 11: there is no provider dialect `chat`; did you mean `openai-chat`?"
    );
}

#[test]
fn an_error_has_a_suggestion() {
    let errors = Config::parse("[limts]", &env).expect_err("a mistake");
    assert_eq!(errors[0].suggestion.as_deref(), Some("limits"));
    assert_eq!(errors[0].position, Some((1, 2)));
}

const CASES: &[(&str, &str)] = &[
    (
        "[providers.anthropic]\nca = \"ca.pem\"",
        "line 2, column 6: providers.anthropic.ca must be an absolute path or start with ~/: the working directory is never read",
    ),
    (
        "[providers.anthropic]\nca = \"/not/there\"",
        "line 2, column 6: providers.anthropic.ca cannot be read: No such file or directory (os error 2)",
    ),
    (
        "[providers.anthropic]\nca = \"/dev/null\"",
        "line 2, column 6: providers.anthropic.ca is invalid: the file holds no certificates in PEM",
    ),
    (
        "listen = \"8787\"",
        "line 1, column 10: listen must be an address and a port, such as \"127.0.0.1:8787\" or \"[::1]:8787\"",
    ),
    (
        "[repair]\nmode = \"verbatm\"\noff = [\"call-id\", \"tool-nam\", \"qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq\"]",
        "line 2, column 8: repair.mode cannot be `verbatm`; did you mean `verbatim`?\n\
         line 3, column 19: there is no repair rule `tool-nam`; did you mean `tool-name`?\n\
         line 3, column 31: there is no repair rule `qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq`",
    ),
    (
        "[providers.anthropic.repair]\nmoed = \"repair\"\noff = [\"call-ids\"]",
        "line 2, column 1: [providers.anthropic.repair] has no key `moed`; did you mean `mode`?\n\
         line 3, column 8: there is no repair rule `call-ids`; did you mean `call-id`?",
    ),
    (
        "[[access.keys]]\nkey = \"env:GATEWAY_KEY\"\nrepair = { mode = \"off\" }",
        "line 3, column 19: access.keys[0].repair.mode cannot be `off`; there are repair, verbatim, reject-on-loss",
    ),
    ("listen = 8787", "line 1, column 10: listen must be a string"),
    (
        "listen = \"0.0.0.0:8787\"\naccess.keys = []",
        "line 1, column 10: listen is not loopback: other machines can reach it, so [access] keys are required",
    ),
    ("[providers]\nanthropic = 1", "line 2, column 13: providers.anthropic must be a table"),
    (
        "[providers.\"a b\"]",
        "line 1, column 12: the name of a provider may contain only letters, digits, -, _ and ., not `a b`",
    ),
    (
        "[providers.sim]",
        "line 1, column 12: `sim` is reserved for the built-in models: use another name",
    ),
    (
        "[providers.antropic]\napi_key = \"env:LAB_KEY\"",
        "line 1, column 12: `antropic` is not a known provider and needs `dialect` and `base_url`; did you mean `anthropic`?",
    ),
    (
        "[providers.lab]\nbase_url = \"http://127.0.0.1:1/v1\"",
        "line 1, column 12: `lab` is not a known provider and needs `dialect`",
    ),
    (
        "[providers.lab]\ndialect = \"openai-chat\"",
        "line 1, column 12: `lab` is not a known provider and needs `base_url`",
    ),
    (
        "[providers.lab]\ndialect = \"native\"\nbase_url = \"http://127.0.0.1:1/v1\"",
        "line 2, column 11: there is no provider dialect `native`; there are anthropic, openai-chat, openai-responses, gemini, bedrock",
    ),
    (
        "[providers.lab]\ndialect = \"openai-chat\"\nbase_url = \"ftp://x\"",
        "line 3, column 12: providers.lab.base_url must be an address, such as \"https://api.example.com/v1\"",
    ),
    (
        "[providers.lab]\ndialect = \"openai-chat\"\nbase_url = \"http://a:b@x/v1\"",
        "line 3, column 12: providers.lab.base_url must not contain a user name or password: set api_key or headers",
    ),
    (
        "[providers.lab]\ndialect = \"openai-chat\"\nbase_url = \"http://x/v1?a=b\"",
        "line 3, column 12: providers.lab.base_url must not contain ? or #",
    ),
    (
        "[providers.lab]\ndialect = \"openai-chat\"\nbase_url = \"http://x/v1\"\nflavor = \"opnrouter\"",
        "line 4, column 10: openai-chat has no flavor `opnrouter`; did you mean `openrouter`?",
    ),
    (
        "[providers.lab]\ndialect = \"openai-chat\"\nbase_url = \"ftp://x\"\nflavor = \"opnrouter\"",
        "line 3, column 12: providers.lab.base_url must be an address, such as \"https://api.example.com/v1\"\nline 4, column 10: openai-chat has no flavor `opnrouter`; did you mean `openrouter`?",
    ),
    (
        "[providers.lab]\nbase_url = \"http://x/v1\"\nflavor = \"opnrouter\"",
        "line 1, column 12: `lab` is not a known provider and needs `dialect`\nline 3, column 10: no dialect has a flavor `opnrouter`; did you mean `openrouter`?",
    ),
    (
        "[providers.lab]\nbase_url = \"http://x/v1\"\nlike = \"mistrl\"",
        "line 1, column 12: `lab` is not a known provider and needs `dialect`\nline 3, column 8: no dialect has a flavor `mistrl`; did you mean `mistral`?",
    ),
    (
        "[providers.lab]\nbase_url = \"http://x/v1\"\nlike = \"mistral\"\nflavor = \"groq\"",
        "line 3, column 8: providers.lab.like means the same as `flavor`: leave one of them out",
    ),
    (
        "[providers.mistral.quirks]\ncalls.id_fromat = 1\n[providers.mistral.quirks.settings]\ntool_choice.forced_call = \"named-onli\"\nsampling = true",
        "line 2, column 7: [providers.mistral.quirks.calls] has no key `id_fromat`; did you mean `id_format`?\nline 4, column 27: providers.mistral.quirks.settings.tool_choice.forced_call cannot be `named-onli`; did you mean `named-only`?\nline 5, column 12: providers.mistral.quirks.settings.sampling must be \"any\" or a table with temperature, top_p, top_k, penalties",
    ),
    (
        "[providers.groq.quirks.callz]\nfreeform = true",
        "line 1, column 24: [providers.groq.quirks] has no key `callz`; did you mean `calls`?",
    ),
    (
        "[providers.anthropic]\nquirks = 1",
        "line 2, column 10: providers.anthropic.quirks must be a table",
    ),
    (
        "[limits]\ndepth = 513",
        "line 2, column 9: limits.depth must be a whole number from 1 to 512",
    ),
    (
        "[providers.anthropic]\nflavor = \"x\"",
        "line 2, column 10: anthropic has no flavor `x`; there are anthropic, deepseek",
    ),
    (
        "[providers.lab]\ndialect = \"bedrock\"\nbase_url = \"http://localhost:1\"\nflavor = \"x\"",
        "line 4, column 10: bedrock has no flavor `x`; there is only bedrock",
    ),
    (
        "[providers.anthropic]\ndialect = \"gemini\"",
        "line 1, column 12: `anthropic` does not support the dialect gemini: set a base_url that does",
    ),
    (
        "[providers.anthropic]\nauth = \"x-apikey\"",
        "line 2, column 8: providers.anthropic.auth cannot be `x-apikey`; did you mean `x-api-key`?",
    ),
    (
        "[providers.anthropic]\napi_key = 1",
        "line 2, column 11: providers.anthropic.api_key must be a string",
    ),
    (
        "[providers.anthropic]\napi_key = \"\"",
        "line 2, column 11: providers.anthropic.api_key is empty",
    ),
    (
        "[providers.anthropic]\napi_key = \"$LAB_KEY\"",
        "line 2, column 11: providers.anthropic.api_key looks like the name of a variable: write \"env:NAME\"",
    ),
    (
        "[providers.anthropic]\napi_key = \"LAB_KEY\"",
        "line 2, column 11: providers.anthropic.api_key looks like the name of a variable: write \"env:NAME\"",
    ),
    (
        "[providers.anthropic]\napi_key = \"two words\"",
        "line 2, column 11: providers.anthropic.api_key must be printable ASCII without spaces",
    ),
    (
        "[providers.anthropic]\napi_key = \"file:key\"",
        "line 2, column 11: providers.anthropic.api_key must be an absolute path or start with ~/: the working directory is never read",
    ),
    (
        "[providers.anthropic]\napi_key = \"file:/not/there\"",
        "line 2, column 11: providers.anthropic.api_key cannot be read from /not/there: No such file or directory (os error 2)",
    ),
    (
        "[providers.anthropic]\nheaders = { \"host\" = \"x\" }",
        "line 2, column 13: `host` is not a header that can be set",
    ),
    (
        "[providers.anthropic]\nheaders = { \"a b\" = \"x\" }",
        "line 2, column 13: `a b` is not a header that can be set",
    ),
    (
        "[providers.anthropic]\nheaders = { x = \"env:NOT_THERE\" }",
        "line 2, column 17: providers.anthropic.headers.x is unset: the variable NOT_THERE is empty",
    ),
    (
        "[providers.anthropic]\nweight = 0",
        "line 2, column 10: providers.anthropic.weight must be a whole number from 1 to 1000000",
    ),
    (
        "[providers.anthropic]\napikey = \"env:LAB_KEY\"",
        "line 2, column 1: [providers.anthropic] has no key `apikey`; did you mean `api_key`?",
    ),
    (
        "[providers.azure]\napi_key = \"env:LAB_KEY\"",
        "line 1, column 12: `azure` is incomplete: set AZURE_RESOURCE_NAME to its resource, or write `resource` in the file",
    ),
    (
        "[models]\na = \"antropic/*\"",
        "line 2, column 5: models.a goes to `antropic`, which is not a provider; did you mean `anthropic`?",
    ),
    (
        "[models]\na = \"claude\"",
        "line 2, column 5: models.a must be \"PROVIDER/MODEL\"; the model can be *, for the requested model",
    ),
    (
        "[models]\na = \"anthropic/\"",
        "line 2, column 5: models.a must be \"PROVIDER/MODEL\"; the model can be *, for the requested model",
    ),
    ("[models]\na = 1", "line 2, column 5: models.a must be a target, such as \"PROVIDER/MODEL\""),
    (
        "[models]\na = []",
        "line 2, column 5: models.a must name a target, such as \"PROVIDER/MODEL\"",
    ),
    (
        "[models]\na = [\"anthropic/x\", 1]",
        "line 2, column 21: models.a[1] must be a target, such as \"PROVIDER/MODEL\"",
    ),
    (
        "[models]\n\"\" = \"anthropic/x\"",
        "line 2, column 1: a pattern in [models] must not be empty",
    ),
    (
        "[models]\ngpt-5.5 = \"anthropic/x\"",
        "line 2, column 1: models.gpt-5 must have `to`, such as { to = \"PROVIDER/MODEL\" }. A model's name with a dot in it needs quotes",
    ),
    ("[models]\na = \"anthropic/b-*\"", "line 2, column 5: models.a has more * than its pattern"),
    (
        "[models]\na = { to = \"anthropic/x\", weight = 0 }",
        "line 2, column 36: models.a.weight must be a whole number from 1 to 1000000",
    ),
    (
        "[models]\na = { to = \"anthropic/x\", wieght = 1 }",
        "line 2, column 27: [models.a] has no key `wieght`; did you mean `weight`?",
    ),
    (
        "[models]\na = \"azure/x\"",
        "line 2, column 5: models.a goes to `azure`, which is incomplete: set AZURE_RESOURCE_NAME to its resource, or write `resource` in the file",
    ),
    (
        "[limits]\nbody = \"64Mb\"",
        "line 2, column 8: limits.body must be a size such as \"64MiB\", with one of B, KiB, MiB, GiB, kB, MB, GB",
    ),
    ("[limits]\nbody = \"5GiB\"", "line 2, column 8: limits.body must be 4GiB at most"),
    (
        "[limits]\nbody = 5",
        "line 2, column 8: limits.body must be a size such as \"64MiB\", with one of B, KiB, MiB, GiB, kB, MB, GB",
    ),
    (
        "[limits]\nstreams = 0",
        "line 2, column 11: limits.streams must be a whole number from 1 to 1000000000",
    ),
    (
        "[limits]\nstreams = \"many\"",
        "line 2, column 11: limits.streams must be a whole number from 1 to 1000000000",
    ),
    (
        "[limits]\nretries = -1",
        "line 2, column 11: limits.retries must be a whole number from 0 to 1000000",
    ),
    (
        "[limits]\nzzzzzzzzzzzz = 1",
        "line 2, column 1: [limits] has no key `zzzzzzzzzzzz`; there are head, body, in_flight, schema, arguments, event, reply, buffer, headers, depth, values, messages, blocks, tools, schema_depth, schema_cost, event_lines, streams, connections, connections_per_address, failures, failures_per_minute, retries",
    ),
    ("[limit]", "line 1, column 2: there is no key `limit`; did you mean `limits`?"),
    (
        "[timeouts]\nconnect = \"10\"",
        "line 2, column 11: timeouts.connect must be a duration such as \"30s\", with one of ms, s, m, h, d",
    ),
    (
        "[timeouts]\nconnect = \"0s\"",
        "line 2, column 11: timeouts.connect must be a duration such as \"30s\", with one of ms, s, m, h, d",
    ),
    (
        "[timeouts]\nconect = \"1s\"",
        "line 2, column 1: [timeouts] has no key `conect`; did you mean `connect`?",
    ),
    (
        "[guard]\nmode = \"anser\"",
        "line 2, column 8: guard.mode cannot be `anser`; did you mean `answer`?",
    ),
    ("[guard.tools]\nBash = \"off\"", "line 2, column 8: guard.tools.Bash must be a table"),
    (
        "[guard.tools.Bash]\nmod = \"off\"",
        "line 2, column 1: [guard.tools.Bash] has no key `mod`; did you mean `mode`?",
    ),
    (
        "[store]\nurl = \"mysql://x\"",
        "line 2, column 7: store.url must be \"sqlite:/PATH\", \"memory:\", \"off\" or \"postgres://USER@HOST/NAME\"",
    ),
    (
        "[store]\nurl = \"postgres://me:pw@host:notaport/db\"",
        "line 2, column 7: store.url is not a valid PostgreSQL URL: invalid connection string: invalid value for option `port`",
    ),
    (
        "[store]\nurl = \"sqlite:here.db\"",
        "line 2, column 7: store.url must be an absolute path or start with ~/: the working directory is never used",
    ),
    (
        "[store]\nurl = \"env:NOT_THERE\"",
        "line 2, column 7: store.url is unset: the variable NOT_THERE is empty",
    ),
    (
        "[store]\nkey = \"env:ANTHROPIC_API_KEY\"",
        "line 2, column 7: store.key is too short: the store key needs at least 32 characters; `openssl rand -base64 32` makes one",
    ),
    ("[capture]\nredact = \"yes\"", "line 2, column 10: capture.redact must be true or false"),
    (
        "[capture]\nkeep = \"1 week\"",
        "line 2, column 8: capture.keep must be a duration such as \"30s\", with one of ms, s, m, h, d",
    ),
    (
        "[access]\nopen = true\nkeys = [\"env:GATEWAY_KEY\"]",
        "line 2, column 8: access.open cannot be true while access.keys lists keys",
    ),
    ("[access]\nkeys = \"x\"", "line 2, column 8: access.keys must be a list"),
    (
        "[access]\nkeys = [1]",
        "line 2, column 9: access.keys[0] must be a key or a table with a key",
    ),
    (
        "[access]\nkeys = [\"env:NOT_THERE\"]",
        "line 2, column 9: access.keys[0] is unset: the variable NOT_THERE is empty",
    ),
    (
        "[access]\nkeys = [\"two words\"]",
        "line 2, column 9: access.keys[0] must be printable ASCII without spaces",
    ),
    (
        "[access]\nkeys = [\"sha256:12\"]",
        "line 2, column 9: access.keys[0] must be the 64 hexadecimal digits of a SHA-256: printf %s KEY | sha256sum",
    ),
    (
        "[access]\nkeys = [{ name = \"a\" }]",
        "line 2, column 9: access.keys[0] needs either `key` or `sha256`",
    ),
    (
        "[access]\nkeys = [{ name = \"\", key = \"env:GATEWAY_KEY\" }]",
        "line 2, column 18: access.keys[0].name must have 1 to 64 characters",
    ),
    (
        "[access]\nkeys = [\"env:GATEWAY_KEY\", \"env:GATEWAY_KEY\"]",
        "line 2, column 28: access.keys[1] is the same key as `key-1`",
    ),
    (
        "[access]\nkeys = [{ name = \"a\", key = \"env:GATEWAY_KEY\", requests_per_minute = 0 }]",
        "line 2, column 70: access.keys[0].requests_per_minute must be a whole number from 1 to 1000000",
    ),
    (
        "[access]\nkeys = [{ name = \"a\", key = \"env:GATEWAY_KEY\" }, { name = \"a\", key = \"env:ANTHROPIC_API_KEY\" }]",
        "line 2, column 50: access.keys[1] has the name `a`, which another key already has",
    ),
    (
        "[access]\nhosts = [\"https://x\"]",
        "line 2, column 10: access.hosts[0] must be the name of a host, such as \"gateway.example.com\"",
    ),
    (
        "[access]\nhosts = [\"0.0.0.0\"]",
        "line 2, column 10: access.hosts[0] must be the name of a host, such as \"gateway.example.com\"",
    ),
    (
        "[access]\norigins = [\"app.example.com\"]",
        "line 2, column 12: access.origins[0] must be an origin, such as \"https://app.example.com\"",
    ),
    (
        "[access]\norigins = [\"https://app.example.com/path\"]",
        "line 2, column 12: access.origins[0] must be an origin, such as \"https://app.example.com\"",
    ),
    ("limits = 1", "line 1, column 10: limits must be a table"),
    ("listen", "line 1, column 7: key with no value, expected `=`"),
    ("listen = ", "line 1, column 10: string values must be quoted, expected literal string"),
    ("listen = \"x", "line 1, column 12: invalid basic string, expected `\"`"),
    ("[limits", "line 1, column 8: unclosed table, expected `]`"),
    ("a = 1\na = 2", "line 2, column 1: duplicate key"),
    ("[limits]\n[limits]", "line 2, column 2: duplicate key"),
    ("listen = sk-1", "line 1, column 10: string values must be quoted, expected literal string"),
];
