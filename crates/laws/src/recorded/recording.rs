//! Recorded exchanges with providers: one JSON object per line, one file per dialect.

use std::path::Path;

use bytes::Bytes;
use interlingua::{Dialect, JsonString, Target};
use interlingua_strict::{Judge, Request, Switches};
use serde_json::Value;

use crate::rng::Rng;
use crate::sample::SampleRequest;

/// A recorded exchange.
#[derive(Clone, Debug)]
pub struct Recording {
    pub id: String,
    pub server: RecordedServer,
    pub model: Option<String>,
    pub status: u64,
    /// The client requested a stream by the path.
    is_streamed_by_path: bool,
    /// The API version header; `None` if it was not recorded.
    version: Option<String>,
    betas: Vec<String>,
    pub request: Option<SampleRequest>,
    pub response: Option<Bytes>,
}

/// The server that answered.
#[derive(Clone, Copy)]
pub struct RecordedServer {
    pub dialect: &'static dyn Dialect,
    pub judge: &'static Judge,
    /// The flavor of the target; `None` for the dialect's vendor.
    pub flavor: Option<&'static str>,
    /// The flavor at the judge; `None` if the judge knows nothing of the server.
    pub judge_flavor: Option<&'static str>,
}

/// All recordings in the files that are named after dialects.
pub fn load(folder: &Path) -> Result<Vec<Recording>, String> {
    let mut recordings = Vec::new();
    for judge in interlingua_strict::ALL {
        let Some(dialect) = interlingua::find_dialect(judge.dialect) else { continue };
        let file = folder.join(format!("{}.jsonl", judge.dialect));
        let describe = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(&file).map_err(|error| describe(&error))?;
        for line in text.lines() {
            let fields: Value = serde_json::from_str(line).map_err(|error| describe(&error))?;
            recordings.push(Recording::parse(&fields, dialect, judge));
        }
    }
    Ok(recordings)
}

impl Recording {
    fn parse(fields: &Value, dialect: &'static dyn Dialect, judge: &'static Judge) -> Self {
        let text = |key: &str| fields[key].as_str().filter(|text| *text != REDACTED);
        let model = text("model").map(str::to_owned);
        let request = text("request").map(|request| {
            let bytes = Bytes::copy_from_slice(request.as_bytes());
            SampleRequest { model_hint: model.clone(), ..SampleRequest::from_bytes(dialect, bytes) }
        });
        let betas = text("beta").unwrap_or_default().split(',').map(str::trim);
        Self {
            id: text("id").unwrap_or_default().to_owned(),
            server: RecordedServer::new(text("flavor").unwrap_or_default(), dialect, judge),
            model: model.or_else(|| Some(request.as_ref()?.model_in_body()?.to_owned())),
            status: fields["status"].as_u64().unwrap_or_default(),
            is_streamed_by_path: text("path").is_some_and(|path| path.contains("stream")),
            version: text("version").map(str::to_owned),
            betas: betas.filter(|beta| !beta.is_empty()).map(str::to_owned).collect(),
            request: request.filter(|request| request.body.is_object()),
            response: text("response").map(|body| Bytes::copy_from_slice(body.as_bytes())),
        }
    }

    pub fn is_accepted(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the server rejected the body, and not the key, the address or the rate.
    pub fn is_rejected(&self) -> bool {
        matches!(self.status, 400 | 413 | 422)
    }

    /// The server that answered, as the target of a translation.
    pub fn target(&self) -> Target {
        Target {
            model: self.model.as_deref().map(JsonString::new),
            flavor: self.server.flavor,
            betas: self.betas.iter().map(|beta| JsonString::new(beta)).collect(),
            stream: self.is_streamed_by_path,
            ..Target::default()
        }
    }

    /// Random choices that depend on nothing but the recording.
    pub(super) fn rng(&self) -> Rng {
        let seed = self.id.bytes().fold(0, |hash, byte| hash << 5 ^ hash >> 59 ^ u64::from(byte));
        Rng::for_index(seed, 0)
    }

    /// The violations of the request that was sent, by the rules of the server's API.
    pub fn violations(&self) -> Option<Vec<interlingua_strict::Violation>> {
        let (request, flavor) = (self.request.as_ref()?, self.server.judge_flavor?);
        let switches = Switches::default();
        let betas: Vec<&str> = self.betas.iter().map(String::as_str).collect();
        let mut judged = Request::new(&request.body, flavor, &switches);
        judged.model = self.model.as_deref().unwrap_or_default();
        judged.version = self.version.as_deref();
        judged.betas = &betas;
        Some(self.server.judge.check(&judged).violations)
    }
}

impl RecordedServer {
    /// The server by its name in a recording: a flavor, or `generic:HOST`, `relay:HOST` or a host.
    fn new(name: &str, dialect: &'static dyn Dialect, judge: &'static Judge) -> Self {
        let known = |flavors: &[&'static str], flavor: &str| {
            flavors.iter().copied().find(|known| *known == flavor)
        };
        let host = name.split_once(':').map_or(name, |(_, host)| host);
        let by_host = SERVERS.iter().find(|(it, _)| *it == host).map(|(_, flavor)| *flavor);
        let judge_flavor = known(judge.flavors, by_host.unwrap_or(name));
        let relay = known(judge.flavors, "relay");
        let vendor = judge.flavors.first().copied();
        let flavor = by_host.or(judge_flavor).or(relay).unwrap_or("generic");
        Self {
            dialect,
            judge,
            flavor: (Some(flavor) != vendor).then_some(flavor),
            judge_flavor: judge_flavor.or(relay),
        }
    }
}

impl std::fmt::Debug for RecordedServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.judge.dialect, self.flavor.unwrap_or_default())
    }
}

const REDACTED: &str = "**REDACTED**";

/// Hosts of servers that have a flavor.
const SERVERS: &[(&str, &str)] = &[("api.perplexity.ai", "perplexity")];
