//! Routes, judges and answers one request, without any network I/O.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use hyper::{Method, Request};
use interlingua_strict::seal::SealKey;
use interlingua_strict::{self as strict, Switches, Verdict, Violation};
use serde_json::{Value, json};

use crate::delivery::{inject_event_faults, plan_delivery};
use crate::fault::{Fault, FaultKind};
use crate::log::Log;
use crate::model::script::Script;
use crate::parse::{self, ModelInput};
use crate::render::error::ProviderError;
use crate::render::headers::{BodyFormat, response_headers};
use crate::render::{self, Frame, FrameRole, RenderContext, models};
use crate::reply_store::ReplyStore;
use crate::request::{IncomingRequest, api_hint, wants_upgrade};
use crate::response::SimulatedResponse;
use crate::route::{Api, Endpoint, PROVIDERS, Route, parse_route};
use crate::seed::IdSeed;
use crate::turn::{Block, StopReason, Turn};
use crate::{
    error_responses,
    model::{self, ToolUse},
};

/// How the simulated providers behave.
#[derive(Debug, Default)]
pub struct Options {
    pub script: Option<Script>,
    /// Faults that apply to every request.
    pub faults: Vec<Fault>,
    /// The key that seals reasoning.
    pub seal_key: SealKey,
    /// Provider behaviours for which the evidence differs or changes.
    pub switches: Switches,
    /// The tools that the agent calls unasked.
    pub tool_use: ToolUse,
}

/// Simulates all providers of [`PROVIDERS`].
#[derive(Debug, Default)]
pub struct Simulator {
    options: Options,
    log: Log,
    reply_store: ReplyStore,
    /// Hits so far of each fault that has a limit, by its text.
    fault_hits: Mutex<BTreeMap<String, u32>>,
}

impl Simulator {
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Answers a request.
    pub fn handle(&self, request: &Request<Bytes>) -> SimulatedResponse {
        let path = request.uri().path();
        match (request.method(), path) {
            (&Method::GET, "/sim/log") => return SimulatedResponse::json(200, &self.log.to_json()),
            (&Method::DELETE, "/sim/log") => {
                self.log.clear();
                self.reply_store.clear();
                self.fault_hits.lock().unwrap_or_else(PoisonError::into_inner).clear();
                return SimulatedResponse::json(200, &self.log.to_json());
            }
            _ => {}
        }
        let route = parse_route(path, api_hint(request));
        let seed = IdSeed::new([request.uri().to_string().as_bytes(), request.body()]);
        match (&route.endpoint, request.method()) {
            (Endpoint::Generate { .. }, &Method::GET) if wants_upgrade(request) => {
                // Clients with WebSocket support fall back to plain requests.
                SimulatedResponse::json(426, &json!({"error": {"message": "Upgrade Required"}}))
            }
            (_, &Method::HEAD) => SimulatedResponse::json(200, &Value::Null),
            (Endpoint::Health, _) => SimulatedResponse::json(200, &index_page()),
            (Endpoint::Models { model: None }, &Method::GET) => {
                json_response(&route, &seed, &models::list_body(route.api))
            }
            (Endpoint::Models { model: Some(name) }, &Method::GET) => {
                json_response(&route, &seed, &models::model_body(route.api, name))
            }
            (Endpoint::Generate { .. } | Endpoint::CountTokens { .. }, &Method::POST) => {
                self.handle_judged(&route, seed, request)
            }
            _ => error_responses::provider_error_response(&route, ProviderError::NotFound, &seed),
        }
    }

    /// Judges, answers and logs a request with a body.
    fn handle_judged(
        &self,
        route: &Route,
        seed: IdSeed,
        request: &Request<Bytes>,
    ) -> SimulatedResponse {
        let faults = match self.request_faults(request) {
            Ok(faults) => faults,
            Err(error) => return SimulatedResponse::json(400, &json!({"simulator": error})),
        };
        let (mut incoming_request, parse_verdict) =
            IncomingRequest::parse(route, request, seed, faults);
        incoming_request.stored_replies =
            self.reply_store.stored_replies(route, &incoming_request.body);
        let verdict = parse_verdict.unwrap_or_else(|| self.judge(&mut incoming_request));
        let (response, reply) = self.build_reply(&mut incoming_request, &verdict);
        self.log_request(&incoming_request, &verdict, &response, &reply);
        response
    }

    /// Checks a request, and the stored conversation that it continues.
    fn judge(&self, incoming_request: &mut IncomingRequest<'_>) -> Verdict {
        let Options { switches, seal_key: key, .. } = &self.options;
        let judge = incoming_request.route.api.judge();
        let mut verdict = judge.check(&incoming_request.judge_request(switches, key));
        if let Some(full_body) =
            self.reply_store.full_body(incoming_request.route, &incoming_request.body)
            && verdict.is_accepted()
        {
            let request = incoming_request.judge_request(switches, key);
            verdict = judge.check(&strict::Request { body: &full_body, ..request });
            verdict.violations.retain(|violation| PAIRING_RULES.contains(&violation.rule));
            incoming_request.full_body = Some(full_body);
        }
        verdict
    }

    fn build_reply(
        &self,
        incoming_request: &mut IncomingRequest<'_>,
        verdict: &Verdict,
    ) -> (SimulatedResponse, Value) {
        let route = incoming_request.route;
        if let Some(response) = error_responses::fault_response(incoming_request)
            .or_else(|| error_responses::oauth_without_beta(incoming_request))
        {
            return (response, Value::Null);
        }
        if let Some(violation) = verdict.violations.first() {
            return (error_responses::violation_response(incoming_request, violation), Value::Null);
        }
        let body = incoming_request.full_body.as_ref().unwrap_or(&incoming_request.body);
        let model_input =
            parse::parse_request(route.api, route.flavor, &incoming_request.model, body);
        if let Endpoint::CountTokens { .. } = route.endpoint {
            let count =
                token_count_body(route.api, model_input.usage.input + model_input.usage.cached);
            return (json_response(route, &incoming_request.id_seed, &count), count);
        }
        let dialect = route.api.dialect();
        let scripted = self.options.script.as_ref().and_then(|script| {
            script.match_request(dialect, &incoming_request.model, &model_input)
        });
        let mut turn = None;
        if let Some(scripted) = scripted {
            turn = scripted.turn;
            let faults = self.drop_exhausted(scripted.faults);
            incoming_request.faults.extend(faults);
            if let Some(response) = error_responses::fault_response(incoming_request) {
                return (response, Value::Null);
            }
        }
        let mut turn = turn.unwrap_or_else(|| {
            model::generate_turn(&incoming_request.model, &model_input, self.options.tool_use)
        });
        if incoming_request.faults.iter().any(|fault| fault.kind == FaultKind::CutCharacter) {
            turn.blocks.insert(0, Block::Text("Voilà: ".to_owned()));
        }
        let rejected_call =
            error_responses::failed_generation(incoming_request, &model_input, &turn);
        let response = rejected_call
            .unwrap_or_else(|| self.render_reply(incoming_request, &model_input, &turn));
        (response, turn_summary(&turn))
    }

    fn render_reply(
        &self,
        request: &IncomingRequest<'_>,
        model_input: &ModelInput,
        turn: &Turn,
    ) -> SimulatedResponse {
        let Route { api, flavor, ref endpoint } = *request.route;
        let stream = match endpoint {
            Endpoint::Generate { stream: Some(stream), .. } => *stream,
            _ => model_input.stream,
        };
        let pieces_fault = request.faults.iter().find(|fault| fault.kind == FaultKind::Pieces);
        let delta_chars = pieces_fault.map_or(DEFAULT_DELTA_CHARS, |fault| {
            usize::try_from(fault.value_or(1)).unwrap_or(DEFAULT_DELTA_CHARS)
        });
        let cx = RenderContext {
            api,
            flavor,
            model: &request.model,
            body: &request.body,
            request: request.judge_request(&self.options.switches, &self.options.seal_key),
            input: model_input,
            turn,
            seal_key: &self.options.seal_key,
            id_seed: request.id_seed,
            delta_chars,
            as_array: request.wants_array,
        };
        let error = ProviderError::Overloaded;
        let format = match stream {
            false => BodyFormat::Json,
            true if request.wants_array => BodyFormat::Array,
            true => BodyFormat::Stream,
        };
        let frames = if stream {
            let mut frames = render::render_stream(&cx);
            inject_event_faults(&mut frames, &request.faults, || {
                error.stream_frame(
                    api,
                    flavor,
                    &request.model,
                    request.wants_array,
                    &request.id_seed,
                )
            });
            frames
        } else {
            let mut body = render::render_body(&cx).to_string();
            for fault in &request.faults {
                match fault.kind {
                    FaultKind::ErrorIn200 => {
                        body = error.body(api, flavor, &request.id_seed).to_string();
                    }
                    FaultKind::Garbage => body.insert_str(body.len() / 2, "\u{0}<<< no JSON >>>"),
                    _ => {}
                }
            }
            vec![Frame::new(body, FrameRole::Content)]
        };
        let length = frames.first().map(|frame| frame.bytes.len());
        let mut response = SimulatedResponse { status: 200, ..SimulatedResponse::default() };
        response.headers = response_headers(api, flavor, &request.model, format, &request.id_seed);
        if request.faults.iter().any(|fault| fault.kind == FaultKind::Gzip) {
            response.headers.push(("content-encoding".to_owned(), "gzip".to_owned()));
        } else if let Some(length) = length.filter(|_| !stream) {
            response.headers.push(("content-length".to_owned(), length.to_string()));
        }
        response.body_actions = plan_delivery(frames, &request.faults);
        if let Some((id, messages)) = render::stored_messages(&cx) {
            self.reply_store.insert(
                request.route,
                &request.body,
                (&id, messages),
                response.total_delay(),
            );
        }
        response
    }

    /// The faults of the options and of the `x-sim-fault` header.
    fn request_faults(&self, request: &Request<Bytes>) -> Result<Vec<Fault>, String> {
        let mut faults = self.options.faults.clone();
        for value in request.headers().get_all("x-sim-fault") {
            let value = value.to_str().map_err(|_| "x-sim-fault: not readable".to_owned())?;
            faults
                .extend(Fault::parse_list(value).map_err(|error| format!("x-sim-fault: {error}"))?);
        }
        Ok(self.drop_exhausted(faults))
    }

    /// Removes the faults that have reached their maximum number of hits.
    fn drop_exhausted(&self, faults: Vec<Fault>) -> Vec<Fault> {
        let mut hits = self.fault_hits.lock().unwrap_or_else(PoisonError::into_inner);
        let has_hits_left = |fault: &Fault| {
            let Some(max_hits) = fault.max_hits else { return true };
            let hits = hits.entry(fault.to_string()).or_default();
            *hits += 1;
            *hits <= max_hits
        };
        faults.into_iter().filter(has_hits_left).collect()
    }

    fn log_request(
        &self,
        incoming_request: &IncomingRequest<'_>,
        verdict: &Verdict,
        response: &SimulatedResponse,
        reply: &Value,
    ) {
        let violation = |violation: &Violation| {
            json!({
                "rule": violation.rule, "status": violation.status, "path": violation.path,
                "message": violation.message,
            })
        };
        let faults: Vec<String> = incoming_request.faults.iter().map(Fault::to_string).collect();
        let entry = json!({
            "number": 0,
            "method": incoming_request.request.method().as_str(),
            "path": incoming_request.request.uri().path(),
            "dialect": incoming_request.route.api.dialect(),
            "flavor": incoming_request.route.flavor,
            "model": incoming_request.model,
            "request": incoming_request.body,
            "accepted": verdict.is_accepted(),
            "violations": verdict.violations.iter().map(violation).collect::<Vec<_>>(),
            "faults": faults,
            "status": response.status,
            "reply": reply,
        });
        self.log.add(entry, incoming_request.request.body().len());
    }
}

fn json_response(route: &Route, seed: &IdSeed, body: &Value) -> SimulatedResponse {
    let headers = response_headers(route.api, route.flavor, "", BodyFormat::Json, seed);
    SimulatedResponse::json(200, body).with_headers(headers)
}

fn token_count_body(api: Api, tokens: u64) -> Value {
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

/// A turn in the form of the log.
fn turn_summary(turn: &Turn) -> Value {
    let block = |block: &Block| match block {
        Block::Thinking(text) => json!({"thinking": text}),
        Block::Redacted(text) => json!({"redacted": text}),
        Block::Text(text) => json!({"text": text}),
        Block::Summary(text) => json!({"summary": text}),
        Block::Call(call) => json!({"call": call.name, "arguments": call.arguments}),
    };
    let stop = match turn.stop_reason {
        StopReason::End => "end",
        StopReason::ToolCalls => "calls",
        StopReason::MaxTokens => "length",
        StopReason::Refusal => "refusal",
        StopReason::StopSequence => "sequence",
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

/// The body of `GET /`.
fn index_page() -> Value {
    let bases: Vec<String> = PROVIDERS
        .iter()
        .map(|provider| format!("/{}{}", provider.name, provider.base_path))
        .collect();
    json!({"interlingua": "simulator", "base_urls": bases, "log": "/sim/log"})
}

/// Pairing rules, which are also checked on a conversation that the server stores.
const PAIRING_RULES: &[&str] = &[
    "call-without-output",
    "output-without-call",
    "unanswered-call",
    "unexpected-result",
    "two-results",
    "duplicate-call-id",
];

/// Characters per delta without a `pieces` fault.
const DEFAULT_DELTA_CHARS: usize = 12;
