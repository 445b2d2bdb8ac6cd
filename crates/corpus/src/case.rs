//! One case as its file says it.

use std::fmt;

use bytes::Bytes;
use interlingua::model::{Lesson, Lessons, Role, Turn};
use interlingua::wire::Node;
use interlingua::{
    ALL, Dialect, Doc, Exchange, Json, Ledger, Limits, Restored, Target, Text, find,
};

use crate::Input;

pub struct Case {
    pub about: String,
    pub from: &'static dyn Dialect,
    pub to: &'static dyn Dialect,
    pub target: Target,
    pub exchange: Exchange,
    pub input: Input,
    pub expect: Option<Expect>,
    /// The exact stream in the target's dialect.
    pub expect_stream: Option<Bytes>,
    /// The names in the ledger, in order.
    pub ledger: Vec<String>,
    /// Whether the request is repaired on its way, or shows how it is read and written.
    pub repair: bool,
    /// What the model is to be told of its calls: their ids, and the words.
    pub told: Vec<(Text, Text)>,
    /// Turns that are to be what they were.
    pub restored: Vec<Restored>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expect {
    /// The very bytes that came in, and nothing in the ledger.
    Same,
    /// The same meaning as this.
    Json(Json),
    /// A failure of this kind, as the native dialect names it.
    Fail(String),
}

/// What is wrong with a case, in a sentence.
#[derive(Clone, Debug)]
pub struct BadCase(pub String);

impl Case {
    pub fn parse(file: &Bytes) -> Result<Self, BadCase> {
        let doc = Doc::from_bytes(file.clone(), Limits::default()).map_err(|malformed| {
            let (line, column) = malformed.line_and_column(file);
            BadCase(format!("line {line}, column {column}: {malformed}"))
        })?;
        Self::read(doc.root())
    }

    fn read(case: Node<'_>) -> Result<Self, BadCase> {
        if !case.is_object() {
            return Err(BadCase("a case is a JSON object".into()));
        }
        for field in case.fields() {
            if !KEYS.contains(&&*field.name()) {
                return Err(BadCase(format!("`{}` is no field of a case", field.name())));
            }
        }
        let from = dialect(case, "from")?.ok_or_else(|| missing("from"))?;
        let to = dialect(case, "to")?.or_else(|| find("native")).ok_or_else(|| missing("to"))?;
        let flavor = flavor(case, from, to)?;
        let model = case.get("model").and_then(Node::text);
        let about = case.get("about").filter(|about| about.is_string());
        if case.get("source").is_none() {
            return Err(missing("source"));
        }
        let expect = case.get("expect").map(expectation).transpose()?;
        let expect_stream = case.get("expect_stream").map(crate::input::lines).transpose()?;
        if expect.is_none() && expect_stream.is_none() {
            return Err(missing("expect"));
        }
        Ok(Self {
            about: about.ok_or_else(|| missing("about"))?.word().into_owned(),
            from,
            to,
            target: Target {
                model: model.clone(),
                flavor,
                betas: words(case.get("betas")).iter().map(|name| Text::new(name)).collect(),
                remembers: case.get("remembers").and_then(Node::boolean).unwrap_or(false),
                lessons: lessons(case.get("lessons"))?,
                ..Target::default()
            },
            exchange: exchange(case.get("exchange"), model, flavor),
            input: Input::read(case, from)?,
            expect,
            expect_stream,
            ledger: words(case.get("ledger")),
            repair: case.get("repair").and_then(Node::boolean).unwrap_or(true),
            told: pairs(case.get("told")),
            restored: case
                .get("restored")
                .into_iter()
                .flat_map(Node::items)
                .map(restored)
                .collect(),
        })
    }
}

fn lessons(written: Option<Node<'_>>) -> Result<Lessons, BadCase> {
    let lesson = |line: &String| {
        line.parse::<Lesson>().map_err(|wrong| BadCase(format!("`{line}`: {wrong}")))
    };
    words(written).iter().map(lesson).collect()
}

fn missing(field: &str) -> BadCase {
    BadCase(format!("the case has no `{field}`"))
}

fn dialect(case: Node<'_>, key: &str) -> Result<Option<&'static dyn Dialect>, BadCase> {
    let Some(name) = case.get(key) else { return Ok(None) };
    if let Some(dialect) = find(&name.word()) {
        return Ok(Some(dialect));
    }
    let known: Vec<_> = ALL.iter().map(|dialect| dialect.id().0).collect();
    Err(BadCase(format!("`{key}` is {name:?}; known are {}", known.join(", "))))
}

/// A flavor of either side: a request is for the target's, a reply comes in the source's.
fn flavor(
    case: Node<'_>,
    from: &dyn Dialect,
    to: &dyn Dialect,
) -> Result<Option<&'static str>, BadCase> {
    let Some(name) = case.get("flavor") else { return Ok(None) };
    let mut known = to.flavors().iter().chain(from.flavors());
    match known.find(|known| **known == name.word()) {
        Some(flavor) => Ok(Some(flavor)),
        None => Err(BadCase(format!("neither dialect knows the flavor {name:?}"))),
    }
}

fn exchange(
    written: Option<Node<'_>>,
    model: Option<Text>,
    flavor: Option<&'static str>,
) -> Exchange {
    let of = |key| written.and_then(|written| written.get(key));
    Exchange {
        model,
        flavor,
        id: of("id").and_then(Node::text),
        created: of("created").and_then(Node::count).unwrap_or(0),
        freeform: words(of("freeform")).iter().map(|name| Text::new(name)).collect(),
        namespaces: pairs(of("namespaces")),
        renamed_tools: pairs(of("renamed_tools")),
        renamed_calls: pairs(of("renamed_calls")),
        usage: of("usage").and_then(Node::boolean),
        searches: of("searches").and_then(Node::boolean).unwrap_or(false),
        array: of("array").and_then(Node::boolean).unwrap_or(false),
        ..Exchange::default()
    }
}

fn expectation(expect: Node<'_>) -> Result<Expect, BadCase> {
    if expect.is_string() {
        return match &*expect.word() {
            "same" => Ok(Expect::Same),
            other => {
                Err(BadCase(format!("`expect` is \"{other}\"; a string can only be \"same\"")))
            }
        };
    }
    match expect.get("fail").and_then(|fail| fail.get("kind")) {
        Some(kind) => Ok(Expect::Fail(kind.word().into_owned())),
        None => Ok(Expect::Json(expect.json())),
    }
}

/// An object of strings.
/// Turns from one to before another, and the blocks of our own dialect that they are to be.
fn restored(entry: Node<'_>) -> Restored {
    let native = find("native").unwrap_or(ALL[0]);
    let reply =
        native.decode_reply(&entry.json().doc(), &Exchange::default(), &mut Ledger::default());
    let turn = reply.map_or_else(|_| Turn::new(Role::Assistant), |reply| reply.into_value().turn);
    let count = |key: &str| entry.get(key).and_then(Node::count).unwrap_or_default() as usize;
    Restored { turns: count("from")..count("to"), turn }
}

fn pairs(object: Option<Node<'_>>) -> Vec<(Text, Text)> {
    let fields = object.into_iter().flat_map(Node::fields);
    fields.filter_map(|field| Some((field.key(), field.value.text()?))).collect()
}

fn words(list: Option<Node<'_>>) -> Vec<String> {
    list.into_iter().flat_map(Node::items).map(|word| word.word().into_owned()).collect()
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { about, from, to, .. } = self;
        write!(f, "{} to {}: {about}", from.id(), to.id())
    }
}

impl fmt::Display for BadCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadCase {}

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
    "remembers",
    "restored",
    "lessons",
];
