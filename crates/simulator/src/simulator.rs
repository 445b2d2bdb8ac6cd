//! The simulator without a network: a request in, an answer out.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use hyper::{Method, Request};
use interlingua_strict::seal::Key;
use interlingua_strict::{self as strict, Switches, Verdict, Violation};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::api::Api;
use crate::asked::{Asked, hint, wants_upgrade};
use crate::brain;
use crate::brain::script::Script;
use crate::delivery::{deliver, spoil};
use crate::fault::{Fault, Kind};
use crate::hear::{self, Heard};
use crate::log::Log;
use crate::memory::Memory;
use crate::refuse;
use crate::route::{Endpoint, PROVIDERS, Route, route};
use crate::seed::Seed;
use crate::speak::error::Trouble;
use crate::speak::head::{Form, headers};
use crate::speak::{self, Frame, Place, Voice, models};
use crate::turn::{Block, Stop, Turn};

/// How the providers are played.
#[derive(Debug, Default)]
pub struct Options {
    pub script: Option<Script>,
    /// What goes wrong with every request.
    pub faults: Vec<Fault>,
    /// Seals reasoning.
    pub key: Key,
    /// Behaviours on which the evidence changes.
    pub switches: Switches,
}

/// All providers.
#[derive(Debug, Default)]
pub struct Simulator {
    options: Options,
    log: Log,
    memory: Memory,
    /// How often a fault that is limited has hit.
    hits: Mutex<BTreeMap<String, u32>>,
}

impl Simulator {
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Answers a request.
    pub fn answer(&self, request: &Request<Bytes>) -> Answer {
        let path = request.uri().path();
        match (request.method(), path) {
            (&Method::GET, "/sim/log") => return Answer::json(200, &self.log.read()),
            (&Method::DELETE, "/sim/log") => {
                self.log.clear();
                self.memory.clear();
                self.hits.lock().unwrap_or_else(PoisonError::into_inner).clear();
                return Answer::json(200, &self.log.read());
            }
            _ => {}
        }
        let route = route(path, hint(request));
        let seed = Seed::new([request.uri().to_string().as_bytes(), request.body()]);
        match (&route.endpoint, request.method()) {
            (Endpoint::Turn { .. }, &Method::GET) if wants_upgrade(request) => {
                // What makes clients fall back to plain requests.
                Answer::json(426, &json!({"error": {"message": "Upgrade Required"}}))
            }
            (_, &Method::HEAD) => Answer::json(200, &Value::Null),
            (Endpoint::Probe, _) => Answer::json(200, &welcome()),
            (Endpoint::Models { model: None }, &Method::GET) => {
                plain(&route, &seed, &models::list(route.api))
            }
            (Endpoint::Models { model: Some(name) }, &Method::GET) => {
                plain(&route, &seed, &models::one(route.api, name))
            }
            (Endpoint::Turn { .. } | Endpoint::Count { .. }, &Method::POST) => {
                self.judged(&route, seed, request)
            }
            _ => refuse::trouble(&route, Trouble::NotFound, &seed),
        }
    }

    /// A request with a body: judged, answered and logged.
    fn judged(&self, route: &Route, seed: Seed, request: &Request<Bytes>) -> Answer {
        let faults = match self.faults(request) {
            Ok(faults) => faults,
            Err(error) => return Answer::json(400, &json!({"simulator": error})),
        };
        let (mut asked, unread) = Asked::read(route, request, seed, faults);
        asked.known = self.memory.known(route, &asked.body);
        let verdict = unread.unwrap_or_else(|| self.verdict(&mut asked));
        let (answer, said) = self.reply(&mut asked, &verdict);
        self.note(&asked, &verdict, &answer, &said);
        answer
    }

    /// What the judge says of a request, and of the conversation that it goes on with.
    fn verdict(&self, asked: &mut Asked<'_>) -> Verdict {
        let Options { switches, key, .. } = &self.options;
        let judge = asked.route.api.judge();
        let mut verdict = judge.check(&asked.for_judge(switches, key));
        if let Some(whole) = self.memory.recalled(asked.route, &asked.body)
            && verdict.is_accepted()
        {
            let request = asked.for_judge(switches, key);
            verdict = judge.check(&strict::Request { body: &whole, ..request });
            verdict.violations.retain(|violation| PAIRING.contains(&violation.rule));
            asked.whole = Some(whole);
        }
        verdict
    }

    fn reply(&self, asked: &mut Asked<'_>, verdict: &Verdict) -> (Answer, Value) {
        let route = asked.route;
        if let Some(answer) = refuse::instead(asked).or_else(|| refuse::unasked_token(asked)) {
            return (answer, Value::Null);
        }
        if let Some(violation) = verdict.violations.first() {
            return (refuse::violation(asked, violation), Value::Null);
        }
        let body = asked.whole.as_ref().unwrap_or(&asked.body);
        let heard = hear::hear(route.api, route.flavor, &asked.model, body);
        if let Endpoint::Count { .. } = route.endpoint {
            let count = count(route.api, heard.usage.input + heard.usage.cached);
            return (plain(route, &asked.seed, &count), count);
        }
        let dialect = route.api.dialect();
        let line = self.options.script.as_ref().and_then(|s| s.line(dialect, &asked.model, &heard));
        let mut turn = None;
        if let Some(line) = line {
            turn = line.turn;
            let faults = self.counted(line.faults);
            asked.faults.extend(faults);
            if let Some(answer) = refuse::instead(asked) {
                return (answer, Value::Null);
            }
        }
        let mut turn = turn.unwrap_or_else(|| brain::speak(&asked.model, &heard));
        if asked.faults.iter().any(|fault| fault.kind == Kind::CutCharacter) {
            turn.blocks.insert(0, Block::Text("Voilà: ".to_owned()));
        }
        let failed = refuse::failed_generation(asked, &heard, &turn);
        let answer = failed.unwrap_or_else(|| self.spoken(asked, &heard, &turn));
        (answer, summary(&turn))
    }

    fn spoken(&self, asked: &Asked<'_>, heard: &Heard, turn: &Turn) -> Answer {
        let Route { api, flavor, ref endpoint } = *asked.route;
        let stream = match endpoint {
            Endpoint::Turn { stream: Some(stream), .. } => *stream,
            _ => heard.stream,
        };
        let pieces = asked.faults.iter().find(|fault| fault.kind == Kind::Pieces);
        let pieces = pieces.map_or(PIECES, |f| usize::try_from(f.number(1)).unwrap_or(PIECES));
        let voice = Voice {
            api,
            flavor,
            model: &asked.model,
            body: &asked.body,
            request: asked.for_judge(&self.options.switches, &self.options.key),
            heard,
            turn,
            key: &self.options.key,
            seed: asked.seed,
            pieces,
            array: asked.array,
        };
        let error = Trouble::Overloaded;
        let form = match stream {
            false => Form::Json,
            true if asked.array => Form::Array,
            true => Form::Stream,
        };
        let frames = if stream {
            let mut frames = speak::stream(&voice);
            spoil(&mut frames, &asked.faults, || {
                error.frame(api, flavor, &asked.model, asked.array, &asked.seed)
            });
            frames
        } else {
            let mut body = speak::whole(&voice).to_string();
            for fault in &asked.faults {
                match fault.kind {
                    Kind::ErrorIn200 => body = error.body(api, flavor, &asked.seed).to_string(),
                    Kind::Garbage => body.insert_str(body.len() / 2, "\u{0}<<< no JSON >>>"),
                    _ => {}
                }
            }
            vec![Frame::new(body, Place::Content)]
        };
        let length = frames.first().map(|frame| frame.bytes.len());
        let mut answer = Answer { status: 200, ..Answer::default() };
        answer.headers = headers(api, flavor, &asked.model, form, &asked.seed);
        if asked.faults.iter().any(|fault| fault.kind == Kind::Gzip) {
            answer.headers.push(("content-encoding".to_owned(), "gzip".to_owned()));
        } else if let Some(length) = length.filter(|_| !stream) {
            answer.headers.push(("content-length".to_owned(), length.to_string()));
        }
        answer.steps = deliver(frames, &asked.faults);
        if let Some((id, said)) = speak::kept(&voice) {
            self.memory.keep(asked.route, &asked.body, (&id, said), answer.takes());
        }
        answer
    }

    /// The faults of a request: everybody's, and those of its header.
    fn faults(&self, request: &Request<Bytes>) -> Result<Vec<Fault>, String> {
        let mut faults = self.options.faults.clone();
        for value in request.headers().get_all("x-sim-fault") {
            let value = value.to_str().map_err(|_| "x-sim-fault: not readable".to_owned())?;
            faults.extend(Fault::list(value).map_err(|error| format!("x-sim-fault: {error}"))?);
        }
        Ok(self.counted(faults))
    }

    /// Without those that have hit as often as they may.
    fn counted(&self, faults: Vec<Fault>) -> Vec<Fault> {
        let mut hits = self.hits.lock().unwrap_or_else(PoisonError::into_inner);
        let may = |fault: &Fault| {
            let Some(times) = fault.times else { return true };
            let hits = hits.entry(fault.to_string()).or_default();
            *hits += 1;
            *hits <= times
        };
        faults.into_iter().filter(may).collect()
    }

    fn note(&self, asked: &Asked<'_>, verdict: &Verdict, answer: &Answer, said: &Value) {
        let violation = |violation: &Violation| {
            json!({
                "rule": violation.rule, "status": violation.status, "path": violation.path,
                "message": violation.message,
            })
        };
        let faults: Vec<String> = asked.faults.iter().map(Fault::to_string).collect();
        let entry = json!({
            "number": 0,
            "method": asked.request.method().as_str(),
            "path": asked.request.uri().path(),
            "dialect": asked.route.api.dialect(),
            "flavor": asked.route.flavor,
            "model": asked.model,
            "request": asked.body,
            "accepted": verdict.is_accepted(),
            "violations": verdict.violations.iter().map(violation).collect::<Vec<_>>(),
            "faults": faults,
            "status": answer.status,
            "reply": said,
        });
        self.log.add(entry, asked.request.body().len());
    }
}

fn plain(route: &Route, seed: &Seed, body: &Value) -> Answer {
    let headers = headers(route.api, route.flavor, "", Form::Json, seed);
    Answer::json(200, body).with(headers)
}

/// What a request comes to, in each API's words.
fn count(api: Api, tokens: u64) -> Value {
    match api {
        Api::Anthropic => json!({"input_tokens": tokens}),
        Api::Chat | Api::Responses => {
            json!({"object": "response.input_tokens", "input_tokens": tokens})
        }
        Api::Gemini => json!({
            "totalTokens": tokens,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": tokens}],
        }),
        Api::Bedrock => json!({"inputTokens": tokens}),
    }
}

/// A turn, as the log shows it.
fn summary(turn: &Turn) -> Value {
    let block = |block: &Block| match block {
        Block::Thinking(text) => json!({"thinking": text}),
        Block::Redacted(text) => json!({"redacted": text}),
        Block::Text(text) => json!({"text": text}),
        Block::Summary(text) => json!({"summary": text}),
        Block::Call(call) => json!({"call": call.name, "arguments": call.arguments}),
    };
    let stop = match turn.stop {
        Stop::End => "end",
        Stop::Calls => "calls",
        Stop::Length => "length",
        Stop::Refusal => "refusal",
        Stop::Sequence => "sequence",
    };
    let usage = turn.usage;
    json!({
        "blocks": turn.blocks.iter().map(block).collect::<Vec<_>>(),
        "stop": stop,
        "usage": {
            "input": usage.input, "cached": usage.cached,
            "output": usage.output, "thinking": usage.thinking,
        },
    })
}

/// What a curious visitor reads.
fn welcome() -> Value {
    let bases: Vec<String> =
        PROVIDERS.iter().map(|provider| format!("/{}{}", provider.name, provider.base)).collect();
    json!({"interlingua": "simulator", "base_urls": bases, "log": "/sim/log"})
}

/// Rules about what goes together, which a conversation that the server holds must keep too.
const PAIRING: &[&str] = &[
    "call-without-output",
    "output-without-call",
    "unanswered-call",
    "unexpected-result",
    "two-results",
    "duplicate-call-id",
];

/// How many characters are one delta, unless asked otherwise.
const PIECES: usize = 12;
