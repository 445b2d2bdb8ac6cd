//! Every key of the configuration file. The parser reads by this table, and the tables of
//! `docs/CONFIGURATION.md` are printed from it.

use interlingua::{DIALECTS, JsonLimits};
use interlingua_guard::GuardMode;
use interlingua_providers::endpoints::AuthScheme;
use interlingua_repair::TargetProfile;

use super::Config;
use super::key_spec::ValueType::{
    Duration, Flag, Ignored, List, MemorySize, Named, Number, Other, Section, Size, Text, Word,
};
use super::key_spec::{KeySpec, ValueType, key};
use super::repair::{LessonMode, RepairMode};
use super::telemetry::DEFAULT_SERVICE_NAME;

/// The keys of the file itself.
pub(super) const FILE: &[KeySpec] = &[
    key("listen", Text("address and port"), "127.0.0.1:8787")
        .doc(
            "Address and port; `localhost:PORT` is the loopback. `--listen` takes precedence. For \
             an address that other machines can reach, `access.keys` is required, and every \
             request needs a key.",
        )
        .at_next_start(|a, b| a.listen == b.listen),
    key("providers", Named(PROVIDER), ""),
    key("models", Named(TARGET), ""),
    key("roles", Section(ROLES), ""),
    key("access", Section(ACCESS), ""),
    key("limits", Section(LIMITS), ""),
    key("timeouts", Section(TIMEOUTS), ""),
    key("telemetry", Section(TELEMETRY), "").at_next_start(|a, b| a.telemetry == b.telemetry),
    key("repair", Section(REPAIR), ""),
    key("lessons", Section(LESSONS), ""),
    key("guard", Section(GUARD), ""),
    key("store", Section(STORE), "").at_next_start(|a, b| a.store == b.store),
    key("capture", Section(CAPTURE), ""),
];

/// Beside these, a known provider has the parameters of its URL as keys.
const PROVIDER: &[KeySpec] = &[
    key("dialect", Word(provider_dialects), "").doc(
        "Required unless the name is known. For a known provider with several dialects it selects \
         one.",
    ),
    key("base_url", Text("URL"), "").doc(
        "As the dialect's SDK writes it: `anthropic` without `/v1`, `openai-…` with it, `gemini` \
         without `/v1beta`. Required unless the name is known.",
    ),
    key("like", Text("provider"), "").doc(
        "A known provider that this server is like, such as `mistral`: it has the same quirks and, \
         without `dialect`, the same dialect. `interlingua providers` lists them.",
    ),
    key("flavor", Text("name"), "").doc(
        "The same as `like`. Without either, a server of \
         `openai-chat` or `openai-responses` at an address that is not OpenAI's or Azure's gets \
         several system texts as one string, as local servers do: chat templates may read only \
         the first.",
    ),
    key("quirks", Other("tables of facts"), "").doc(
        "Facts about this server, in the groups that `interlingua providers show` prints; they \
         replace those of the provider that it is [like](#quirks).",
    ),
    key("api_key", Text("secret"), "").doc(
        "A known provider without it takes the key from its own variable, unless `base_url` is \
         another host: a key is sent only to its own provider.",
    ),
    key("auth", Word(auth_schemes), "").doc("How the key is sent. Default: the dialect's."),
    key("headers", Other("table of texts or secrets"), "").doc(
        "Headers for every request, except those of the connection and of the body, such as \
         `host` and `content-type`. Values are secrets if they are `env:` or `file:` references, \
         or if `auth`, `key`, `token` or `secret` is in the header's name. Secrets are overwritten \
         in what the provider sends ([DATA.md](DATA.md#redaction)).",
    ),
    key("ca", Text("path"), "")
        .doc("A file with CA certificates (PEM), trusted in addition to those of the system."),
    key("weight", SMALL_COUNT, "").doc("Its share for targets in `[models]` without a weight."),
    key("repair", Section(OWN_REPAIR), ""),
];

/// The keys of a target in `[models]` that is a table.
const TARGET: &[KeySpec] = &[
    key("to", Text("target"), "").doc("`\"PROVIDER/MODEL\"`. Required."),
    key("weight", SMALL_COUNT, "")
        .doc("Its share of the requests. Default: the provider's `weight`, if it has one."),
];

const ROLES: &[KeySpec] = &[key("compact", Text("target"), "").doc(
    "`\"PROVIDER/MODEL\"`: writes the summary where a Responses client compacts its conversation \
     ([GATEWAY.md](GATEWAY.md#compaction)); if it fails, the model in use does. Default: the model \
     in use.",
)];

const ACCESS: &[KeySpec] = &[
    key("keys", List(API_KEY), "[]").doc(
        "Keys of clients. Required where `listen` is not loopback; without any, every client may \
         use the gateway.",
    ),
    key("open", Flag, "false").doc(
        "No key is required, although this gateway had keys before \
         ([below](#a-gateway-that-had-keys)). Only on loopback, and without `access.keys`.",
    ),
    key("hosts", Other("list of names"), "[]")
        .doc("Accepted values of `Host`, in addition to its own address."),
    key("origins", Other("list of origins"), "[]").doc(
        "Origins of web pages that may send requests, in addition to its own; a page at another \
         port of this machine has another origin. CORS preflights are answered before a key is \
         required.",
    ),
];

const API_KEY: &[KeySpec] = &[
    key("name", Text("1 to 64 characters"), "")
        .doc("The name in logs. Default: `key-1`, `key-2` …"),
    key("key", Text("secret"), "").doc("Either this or `sha256` is required."),
    key("sha256", Text("64 hexadecimal digits"), "")
        .doc("The key's SHA-256: `printf %s KEY | sha256sum`."),
    key("requests_per_minute", SMALL_COUNT, "").doc("No limit without it."),
    key("concurrent", SMALL_COUNT, "").doc("Concurrent requests; no limit without it."),
    key("tokens_per_day", Number { min: 1, max: 1 << 50 }, "")
        .doc("Tokens of all kinds, per day in UTC; no limit without it."),
    key("repair", Section(OWN_REPAIR), ""),
];

const LIMITS: &[KeySpec] = &[
    key("head", MemorySize, "32KiB").doc("Bytes of the head of a request."),
    key("body", MemorySize, "32MiB")
        .doc("Bytes of the body of a request, also after decompression."),
    key("in_flight", MemorySize, "1GiB").doc(
        "Bytes of the bodies of all requests in progress, of those above 64 KiB. One key can use \
         three times what remains free, so that others always find room; beyond that, a request \
         gets 503 with `retry-after`.",
    ),
    key("schema", MemorySize, "256KiB").doc(
        "Bytes of a tool's schema. A schema of more bytes is sent as it is, with a note, and calls \
         of the tool are not checked.",
    ),
    key("arguments", MemorySize, "4MiB")
        .doc("Bytes of the arguments of one tool call, in a request or in a reply."),
    key("event", MemorySize, "8MiB").doc(
        "Bytes of one event of a provider's stream; a provider may send twice as much before the \
         first content.",
    ),
    key("reply", MemorySize, "64MiB").doc("Bytes of a provider's whole reply, or of its stream."),
    key("buffer", MemorySize, "256KiB").doc(
        "Bytes buffered for a slow client; when they are full, the provider is not read further.",
    ),
    key("headers", COUNT, "100").doc("Headers of a request."),
    key("depth", Number { min: 1, max: JsonLimits::MAX_DEPTH as u64 }, "128")
        .doc("Nesting depth of JSON."),
    key("values", COUNT, "2000000").doc("JSON values in the body of a request, keys included."),
    key("messages", COUNT, "100000").doc("Messages of a request."),
    key("blocks", COUNT, "100000")
        .doc("Blocks of all messages of a request. A reply can have a tenth as many blocks and citations."),
    key("tools", COUNT, "512").doc("Tools of a request."),
    key("schema_depth", COUNT, "64")
        .doc("Nesting depth of a tool's schema; calls of a deeper one are not checked."),
    key("schema_cost", COUNT, "10000").doc(
        "Steps to compile a tool's schema; calls of a costlier one are not checked. A check may \
         take twenty times as many.",
    ),
    key("event_lines", COUNT, "65536").doc("Lines of one event of a provider's stream."),
    key("streams", COUNT, "4096")
        .doc("Concurrent requests.")
        .at_next_start(|a, b| a.limits.concurrent_requests == b.limits.concurrent_requests),
    key("connections", COUNT, "10000")
        .doc("Connections of clients.")
        .at_next_start(|a, b| a.limits.connections == b.limits.connections),
    key("connections_per_address", COUNT, "1000")
        .doc(
            "Connections from one address that is not loopback; here and below, an IPv6 network \
             of 64 bits is one address.",
        ),
    key("failures", SMALL_COUNT, "20").doc("Requests without a valid key from one address in a burst."),
    key("failures_per_minute", SMALL_COUNT, "10")
        .doc("Requests without a valid key from one address per minute, after the burst."),
    key("retries", Number { min: 0, max: SMALL_MAX }, "2")
        .doc("Retries of a request before its reply has begun."),
];

const TIMEOUTS: &[KeySpec] = &[
    key("head", Duration, "10s").doc(
        "For the whole head of a request; also for later ones on a connection, from their first \
         byte.",
    ),
    key("body", Duration, "30s").doc(
        "Between two reads of a request's body. A body of less than 1 KiB/s over 30 s is ended, \
         too.",
    ),
    key("keep_alive", Duration, "75s").doc("For the next request on a connection."),
    key("write", Duration, "5m").doc(
        "For a client that reads nothing: its connection and the request to the provider are \
         closed.",
    ),
    key("heartbeat", Duration, "15s").doc(
        "Silence of a provider after which the client of a stream gets a heartbeat, counted from \
         the request, also before the provider's response; an error after that is an event in the \
         stream, and of the headers only `x-interlingua-turn` is sent. A Responses client gets \
         nothing before the provider's first bytes, because it counts only events \
         ([GATEWAY.md](GATEWAY.md#first-bytes)).",
    ),
    key("drain", Duration, "30s").doc(
        "For running answers when the gateway stops; those that take longer end with an error.",
    ),
    key("connect", Duration, "10s")
        .doc("For the connection to a provider.")
        .at_next_start(|a, b| a.timeouts.connect == b.timeouts.connect),
    key("answer", Duration, "10m")
        .doc("For the head of a provider's answer.")
        .at_next_start(|a, b| a.timeouts.answer == b.timeouts.answer),
    key("silence", Duration, "5m")
        .doc("Between two reads of a provider's answer. A stream as a whole has no limit.")
        .at_next_start(|a, b| a.timeouts.silence == b.timeouts.silence),
];

const TELEMETRY: &[KeySpec] = &[
    key("endpoint", Text("URL"), "").doc(
        "The collector, which must speak OTLP over HTTP (`http/protobuf`); `/v1/traces` is added \
         to it.",
    ),
    key("service", Text("name"), DEFAULT_SERVICE_NAME).doc("The service name there."),
    key("headers", Other("table of texts or secrets"), "")
        .doc("Headers for the collector, as `headers` of a provider."),
    key("traces", Flag, "true").doc("Whether traces are sent to the collector."),
    key("metrics", Ignored, "").doc("Accepted with a warning, without effect."),
    key("interval", Ignored, "").doc("Accepted with a warning, without effect."),
];

const REPAIR: &[KeySpec] = &[
    key("mode", Word(repair_modes), "repair").doc(
        "`repair`: requests are changed so that their provider accepts them. `verbatim`: they are \
         sent as the client wrote them. `reject-on-loss`: they are repaired, and get 400 if a part \
         would be left out.",
    ),
    key("off", Other("list of rules"), "[]")
        .doc("[Rules](REPAIRS.md) that do not run, such as `[\"ends-with-assistant\"]`."),
];

/// The same for one provider or key.
const OWN_REPAIR: &[KeySpec] = &[
    key("mode", Word(repair_modes), "")
        .doc("Its `repair.mode`; the key's comes before the provider's."),
    key("off", Other("list of rules"), "")
        .doc("Rules that do not run, in addition to `repair.off`."),
];

const LESSONS: &[KeySpec] = &[key("mode", Word(lesson_modes), "on").doc(
    "[Lessons](LESSONS.md) from rejections: `off` (none is learned or applied), `suggest` (they are \
     listed, and applied once the operator has shared them), `on` (they are applied at once).",
)];

const GUARD: &[KeySpec] = &[
    key("mode", Word(guard_modes), "answer").doc(
        "Action on invalid tool calls: `off`, `observe` (log and count them), `answer` (the model \
         gets the error with the next request), `mend` (mend what can be mended without loss, \
         answer the rest).",
    ),
    key("tools", Named(GUARDED_TOOL), ""),
];

const GUARDED_TOOL: &[KeySpec] =
    &[key("mode", Word(guard_modes), "").doc("The mode of one tool. Default: `guard.mode`.")];

const STORE: &[KeySpec] = &[
    key("url", Text("text or secret"), "").doc(
        "`\"sqlite:/PATH\"`, `\"memory:\"` (lost when the gateway stops), or `\"off\"`; may be \
         `env:` or `file:`. Without it, `interlingua/interlingua.db` in `$XDG_DATA_HOME` or \
         `~/.local/share`. `\"postgres://USER:PASSWORD@HOST/DATABASE\"` for several gateways that \
         share their state ([below](#postgresql)).",
    ),
    key("keep", Duration, "30d").doc(
        "Retention after the last use: records of an active conversation are kept. Lessons stay \
         for a year at least.",
    ),
    key("size", Size, "1GiB")
        .doc("Size of each kind at most; beyond it, the least recently used records are deleted."),
    key("sessions", Section(SESSIONS), ""),
    key("usage", Section(USAGE), ""),
    key("key", Text("secret"), "").doc(
        "A secret of at least 32 characters, such as the output of `openssl rand -base64 32`: \
         records are encrypted with it (AES-256-GCM), and their keys are keyed hashes. Without it, \
         only the permissions of the file protect them.",
    ),
];

const SESSIONS: &[KeySpec] = &[
    key("keep", Duration, "365d")
        .doc("Retention of sessions ([SESSIONS.md](SESSIONS.md)) after their last change."),
    key("size", Size, "4GiB").doc("Size of all sessions at most."),
];

const USAGE: &[KeySpec] =
    &[key("keep", Duration, "365d").doc("Retention of usage ([KEYS.md](KEYS.md)).")];

const CAPTURE: &[KeySpec] = &[
    key("enabled", Flag, "").doc("Whether turns are captured. Default: if `listen` is loopback."),
    key("stages", Flag, "false").doc("Whether the bodies of every stage are captured, too."),
    key("keep", Duration, "7d")
        .doc("Retention of captured turns.")
        .at_next_start(|a, b| a.capture.max_age == b.capture.max_age),
    key("size", Size, "1GiB")
        .doc("Size of all captured turns at most.")
        .at_next_start(|a, b| a.capture.max_bytes == b.capture.max_bytes),
    key("redact", Flag, "true").doc("Known forms of secrets are blacked out."),
];

const COUNT: ValueType = Number { min: 1, max: 1_000_000_000 };
const SMALL_COUNT: ValueType = Number { min: 1, max: SMALL_MAX };
const SMALL_MAX: u64 = 1_000_000;

pub(super) fn provider_dialects() -> Vec<&'static str> {
    let ids = DIALECTS.iter().map(|dialect| dialect.id());
    ids.filter(|id| TargetProfile::is_provider_dialect(*id)).map(|id| id.0).collect()
}

fn auth_schemes() -> Vec<&'static str> {
    AUTH_SCHEMES.iter().map(|(name, _)| *name).collect()
}

fn repair_modes() -> Vec<&'static str> {
    REPAIR_MODES.map(RepairMode::name).to_vec()
}

fn lesson_modes() -> Vec<&'static str> {
    LESSON_MODES.map(LessonMode::name).to_vec()
}

fn guard_modes() -> Vec<&'static str> {
    GUARD_MODES.map(GuardMode::name).to_vec()
}

pub(super) const AUTH_SCHEMES: &[(&str, AuthScheme)] = &[
    ("none", AuthScheme::None),
    ("bearer", AuthScheme::Bearer),
    ("x-api-key", AuthScheme::XApiKey),
    ("x-goog-api-key", AuthScheme::GoogApiKey),
    ("api-key", AuthScheme::ApiKey),
];

pub(super) const REPAIR_MODES: [RepairMode; 3] =
    [RepairMode::Repair, RepairMode::Verbatim, RepairMode::RejectOnLoss];

pub(super) const LESSON_MODES: [LessonMode; 3] =
    [LessonMode::Off, LessonMode::Suggest, LessonMode::On];

pub(super) const GUARD_MODES: [GuardMode; 4] =
    [GuardMode::Off, GuardMode::Observe, GuardMode::Answer, GuardMode::Mend];

/// All keys with their full names, such as `limits.body`, `providers.NAME.auth` or
/// `access.keys[].name`.
pub fn list_keys() -> Vec<(String, &'static KeySpec)> {
    let mut keys = Vec::new();
    collect_keys("", FILE, &mut keys);
    keys
}

fn collect_keys(
    prefix: &str,
    specs: &'static [KeySpec],
    keys: &mut Vec<(String, &'static KeySpec)>,
) {
    for spec in specs {
        let path = format!("{prefix}{}", spec.name);
        keys.push((path.clone(), spec));
        let separator = match spec.value_type {
            Named(_) => ".NAME.",
            List(_) => "[].",
            _ => ".",
        };
        collect_keys(&format!("{path}{separator}"), spec.value_type.keys(), keys);
    }
}

impl Config {
    /// The changed keys and sections that take effect at the next start.
    pub fn changes_needing_restart(&self, other: &Self) -> Vec<String> {
        let is_changed = |spec: &KeySpec| {
            spec.is_unchanged.is_some_and(|is_unchanged| !is_unchanged(self, other))
        };
        let changed = list_keys().into_iter().filter(|(_, spec)| is_changed(spec));
        changed.map(|(path, spec)| spec.display_name(&path)).collect()
    }
}
