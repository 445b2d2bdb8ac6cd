//! Parses a case file.

use std::fmt;

use bytes::Bytes;
use interlingua::{
    DIALECTS, Dialect, JsonDoc, JsonLimits, JsonString, Ledger, RawJson, ReplyContext,
    RestoredTurn, Target, find_dialect,
};
use interlingua_model::{Lesson, Lessons, Role, Turn};
use interlingua_wire::JsonNode;

use crate::{CaseError, Input};

pub struct Case {
    pub summary: String,
    pub from: &'static dyn Dialect,
    pub to: &'static dyn Dialect,
    pub target: Target,
    pub exchange: ReplyContext,
    pub input: Input,
    pub expected: Option<Expectation>,
    /// The exact bytes of the stream in the target's dialect.
    pub expected_stream: Option<Bytes>,
    /// Names of the expected ledger entries, in order.
    pub ledger: Vec<String>,
    /// Whether the request is repaired, or only decoded and encoded.
    pub with_repair: bool,
    /// Errors of the guard, by call id.
    pub guard_answers: Vec<(JsonString, JsonString)>,
    /// Turns to restore.
    pub restored_turns: Vec<RestoredTurn>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// The bytes of the input, and an empty ledger.
    SameBytes,
    /// JSON of the same meaning.
    Json(RawJson),
    /// An error of this kind, in the native dialect's spelling.
    ErrorKind(String),
}

impl Case {
    pub fn parse(file: &Bytes) -> Result<Self, CaseError> {
        let doc = JsonDoc::from_bytes(file.clone(), JsonLimits::default()).map_err(|error| {
            let (line, column) = error.line_and_column(file);
            CaseError(format!("line {line}, column {column}: {error}"))
        })?;
        Self::from_json(doc.root())
    }

    fn from_json(case: JsonNode<'_>) -> Result<Self, CaseError> {
        if !case.is_object() {
            return Err(CaseError("a case is a JSON object".into()));
        }
        for field in case.fields() {
            if !KEYS.contains(&&*field.key()) {
                return Err(CaseError(format!("`{}` is not a field of a case", field.key())));
            }
        }
        let from = parse_dialect(case, "from")?.ok_or_else(|| missing_field("from"))?;
        let to = parse_dialect(case, "to")?
            .or_else(|| find_dialect("native"))
            .ok_or_else(|| missing_field("to"))?;
        let flavor = parse_flavor(case, from, to)?;
        let model = case.get("model").and_then(JsonNode::json_string);
        let summary = case.get("about").filter(|summary| summary.is_string());
        if case.get("source").is_none() {
            return Err(missing_field("source"));
        }
        let expect = case.get("expect").map(parse_expectation).transpose()?;
        let expect_stream =
            case.get("expect_stream").map(crate::input::parse_stream).transpose()?;
        if expect.is_none() && expect_stream.is_none() {
            return Err(missing_field("expect"));
        }
        Ok(Self {
            summary: summary.ok_or_else(|| missing_field("about"))?.str_or_empty().into_owned(),
            from,
            to,
            target: Target {
                model: model.clone(),
                flavor,
                betas: string_list(case.get("betas"))
                    .iter()
                    .map(|name| JsonString::new(name))
                    .collect(),
                joins_instructions: is_set(case, "joins_instructions"),
                keeps_replies: is_set(case, "remembers"),
                lessons: parse_lessons(case.get("lessons"))?,
                ..Target::default()
            },
            exchange: parse_exchange(case.get("exchange"), model, flavor),
            input: Input::from_case(case, from)?,
            expected: expect,
            expected_stream: expect_stream,
            ledger: string_list(case.get("ledger")),
            with_repair: case.get("repair").and_then(JsonNode::as_bool).unwrap_or(true),
            guard_answers: string_pairs(case.get("told")),
            restored_turns: case
                .get("restored")
                .into_iter()
                .flat_map(JsonNode::items)
                .map(parse_restored_turn)
                .collect(),
        })
    }
}

fn parse_lessons(list: Option<JsonNode<'_>>) -> Result<Lessons, CaseError> {
    let lesson = |line: &String| {
        line.parse::<Lesson>().map_err(|error| CaseError(format!("`{line}`: {error}")))
    };
    string_list(list).iter().map(lesson).collect()
}

fn is_set(case: JsonNode<'_>, flag: &str) -> bool {
    case.get(flag).and_then(JsonNode::as_bool).unwrap_or(false)
}

fn missing_field(field: &str) -> CaseError {
    CaseError(format!("the case has no `{field}`"))
}

fn parse_dialect(case: JsonNode<'_>, key: &str) -> Result<Option<&'static dyn Dialect>, CaseError> {
    let Some(name) = case.get(key) else { return Ok(None) };
    if let Some(dialect) = find_dialect(&name.str_or_empty()) {
        return Ok(Some(dialect));
    }
    let names: Vec<_> = DIALECTS.iter().map(|dialect| dialect.id().0).collect();
    Err(CaseError(format!("`{key}` is {name:?}; known are {}", names.join(", "))))
}

/// A flavor of either dialect: requests are for a flavor of the target, replies come from one of
/// the source.
fn parse_flavor(
    case: JsonNode<'_>,
    from: &dyn Dialect,
    to: &dyn Dialect,
) -> Result<Option<&'static str>, CaseError> {
    let Some(name) = case.get("flavor") else { return Ok(None) };
    let mut flavors = to.flavors().iter().chain(from.flavors());
    match flavors.find(|flavors| **flavors == name.str_or_empty()) {
        Some(flavor) => Ok(Some(flavor)),
        None => Err(CaseError(format!("neither dialect has the flavor {name:?}"))),
    }
}

fn parse_exchange(
    exchange: Option<JsonNode<'_>>,
    model: Option<JsonString>,
    flavor: Option<&'static str>,
) -> ReplyContext {
    let get = |key| exchange.and_then(|exchange| exchange.get(key));
    ReplyContext {
        client_model: model,
        flavor,
        fallback_id: get("id").and_then(JsonNode::json_string),
        created_unix_secs: get("created").and_then(JsonNode::as_u64).unwrap_or(0),
        freeform_tools: string_list(get("freeform"))
            .iter()
            .map(|name| JsonString::new(name))
            .collect(),
        tool_namespaces: string_pairs(get("namespaces")),
        renamed_tools: string_pairs(get("renamed_tools")),
        renamed_call_ids: string_pairs(get("renamed_calls")),
        stream_usage: get("usage").and_then(JsonNode::as_bool),
        uses_web_search: get("searches").and_then(JsonNode::as_bool).unwrap_or(false),
        wants_json_array: get("array").and_then(JsonNode::as_bool).unwrap_or(false),
        ..ReplyContext::default()
    }
}

fn parse_expectation(expect: JsonNode<'_>) -> Result<Expectation, CaseError> {
    if expect.is_string() {
        return match &*expect.str_or_empty() {
            "same" => Ok(Expectation::SameBytes),
            other => {
                Err(CaseError(format!("`expect` is \"{other}\"; a string can only be \"same\"")))
            }
        };
    }
    match expect.get("fail").and_then(|fail| fail.get("kind")) {
        Some(kind) => Ok(Expectation::ErrorKind(kind.str_or_empty().into_owned())),
        None => Ok(Expectation::Json(expect.json())),
    }
}

/// Parses a range of turns and the native blocks with which to restore them.
fn parse_restored_turn(entry: JsonNode<'_>) -> RestoredTurn {
    let native = find_dialect("native").unwrap_or(DIALECTS[0]);
    let reply = native.decode_reply(
        &entry.json().to_doc(),
        &ReplyContext::default(),
        &mut Ledger::default(),
    );
    let turn = reply.map_or_else(|_| Turn::new(Role::Assistant), |reply| reply.into_value().turn);
    let count = |key: &str| entry.get(key).and_then(JsonNode::as_u64).unwrap_or_default() as usize;
    RestoredTurn { replaced: count("from")..count("to"), turn }
}

fn string_pairs(object: Option<JsonNode<'_>>) -> Vec<(JsonString, JsonString)> {
    let fields = object.into_iter().flat_map(JsonNode::fields);
    fields.filter_map(|field| Some((field.key_json_string(), field.value.json_string()?))).collect()
}

fn string_list(list: Option<JsonNode<'_>>) -> Vec<String> {
    list.into_iter()
        .flat_map(JsonNode::items)
        .map(|item| item.str_or_empty().into_owned())
        .collect()
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { summary, from, to, .. } = self;
        write!(f, "{} to {}: {summary}", from.id(), to.id())
    }
}

const KEYS: &[&str] = &[
    "about",
    "source",
    "from",
    "to",
    "flavor",
    "model",
    "exchange",
    "request",
    "reply",
    "stream",
    "frames",
    "error",
    "expect",
    "expect_stream",
    "ledger",
    "repair",
    "betas",
    "told",
    "joins_instructions",
    "remembers",
    "restored",
    "lessons",
];
