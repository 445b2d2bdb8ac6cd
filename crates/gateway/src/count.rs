//! How many tokens a request has: the provider's count where it counts, else an estimate.

use bytes::Bytes;
use http::Response;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use interlingua::repair::fit::provider_search;
use interlingua::{Dialect, Doc, Target, Text, translate_document};
use interlingua_upstream::Ask;

use crate::affinity::Mark;
use crate::asking::name_of;
use crate::attempt::Order;
use crate::config::{Route, To};
use crate::excess;
use crate::learned::Teacher;
use crate::out::Out;
use crate::refusal::{JSON, Refusal};
use crate::turn::Came;

impl Came<'_> {
    pub(crate) async fn count(self) -> Response<Out> {
        let client = self.dialect;
        match self.counted().await {
            Ok(response) => response,
            Err(refusal) => refusal.response(client),
        }
    }

    async fn counted(mut self) -> Result<Response<Out>, Refusal> {
        let body = crate::turn::read(&self.body, &self.config.limits)?;
        let mark = Mark::of(self.headers, &body, self.dialect);
        let (body, thread) = self.thread(body, self.dialect, &mark).await?;
        excess::of_request(&body, self.dialect, &self.config.limits)?;
        let (model, routes) = self.routes(&body, self.dialect, &mark)?;
        let order = Order {
            gateway: self.gateway,
            config: self.config,
            owner: self.owner,
            mark: &mark,
            thread: &thread,
            from: self.dialect,
            client: self.dialect,
            headers: self.headers,
            model: &model,
            stream: false,
            array: false,
            searches: provider_search::is_asked(&body),
        };
        let whole = thread.named.told_to(None, &body).map_or(self.body.len(), |told| told.len());
        if let Some(route) = routes.iter().find(|route| counts(&order, route)) {
            let mut again = Some(body);
            let told = self.told_to(route, &thread, &mut again)?;
            let body = again.map_or_else(|| crate::turn::read(&told, &self.config.limits), Ok)?;
            if let Some(count) = asked(&order, body, route).await {
                return Ok(said(self.dialect, count, false));
            }
        }
        Ok(said(self.dialect, estimate(whole), true))
    }
}

/// Providers that count are asked in their own dialect.
fn counts(order: &Order<'_>, route: &Route) -> bool {
    match &route.to {
        To::Simulated => true,
        To::Provider(provider) => order.surface(provider, &route.model).answers(Ask::Count),
    }
}

async fn asked(order: &Order<'_>, body: Doc, route: &Route) -> Option<u64> {
    let (to, flavor) = order.speaks(route);
    let model = Order::model_at(route);
    let teacher = Teacher { provider: name_of(route), dialect: to.id().0, model: &model };
    let target = Target {
        model: Some(Text::new(&model)),
        flavor,
        betas: order.betas(to),
        lessons: order.gateway.learned.of(teacher).await,
        ..Target::default()
    };
    let translated = translate_document(body, order.from, to, &target);
    let question = question(to, &model, &translated.body)?;
    let answer = order.ask(route, Ask::Count, &model, question.into()).await.ok()?;
    if answer.status != 200 {
        return None;
    }
    let body = interlingua::read_object(answer.body.whole(LARGEST).await.ok()?).ok()?;
    FIELDS.iter().find_map(|(_, field)| body.root().get(field)?.count())
}

/// The request, as the provider wants to be asked about it.
fn question(to: &dyn Dialect, model: &str, body: &Bytes) -> Option<Bytes> {
    let shape = SHAPES.iter().find(|shape| shape.dialect == to.id().0)?;
    let body = interlingua::read_object(body.clone()).ok()?;
    let fields = body.root().fields().filter(|field| shape.fields.contains(&&*field.name()));
    let fields = fields.map(|field| format!("\"{}\":{}", field.raw_key(), field.value.raw()));
    let mut fields: Vec<String> = fields.collect();
    if shape.named {
        let model = Text::new(&format!("models/{model}"));
        fields.push(format!("\"model\":\"{}\"", model.raw()));
    }
    let [before, after] = shape.around;
    Some(format!("{before}{{{}}}{after}", fields.join(",")).into())
}

fn estimate(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

fn said(dialect: &dyn Dialect, count: u64, estimated: bool) -> Response<Out> {
    let field =
        FIELDS.iter().find(|(name, _)| *name == dialect.id().0).map_or("input_tokens", |row| row.1);
    let mut response = Response::new(Out::Whole(format!("{{\"{field}\":{count}}}").into()));
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    if estimated {
        response.headers_mut().insert(ESTIMATED, HeaderValue::from_static("true"));
    }
    response
}

/// How a provider is asked to count.
struct Shape {
    dialect: &'static str,
    /// What may be said of the request.
    fields: &'static [&'static str],
    /// What stands around it.
    around: [&'static str; 2],
    /// The model is named within.
    named: bool,
}

const SHAPES: &[Shape] = &[
    Shape {
        dialect: "anthropic",
        fields: &[
            "model",
            "messages",
            "system",
            "tools",
            "tool_choice",
            "thinking",
            "mcp_servers",
            "context_management",
            "output_config",
            "output_format",
            "cache_control",
        ],
        around: ["", ""],
        named: false,
    },
    Shape {
        dialect: "openai-responses",
        fields: &[
            "model",
            "input",
            "instructions",
            "tools",
            "tool_choice",
            "reasoning",
            "text",
            "truncation",
            "parallel_tool_calls",
            "previous_response_id",
            "conversation",
        ],
        around: ["", ""],
        named: false,
    },
    Shape {
        dialect: "gemini",
        fields: &["contents", "systemInstruction", "tools", "toolConfig", "generationConfig"],
        around: ["{\"generateContentRequest\":", "}"],
        named: true,
    },
    Shape {
        dialect: "bedrock",
        fields: &["messages", "system", "toolConfig", "additionalModelRequestFields"],
        around: ["{\"input\":{\"converse\":", "}}"],
        named: false,
    },
];

/// What each dialect calls the count.
const FIELDS: &[(&str, &str)] = &[
    ("anthropic", "input_tokens"),
    ("openai-responses", "input_tokens"),
    ("gemini", "totalTokens"),
    ("bedrock", "inputTokens"),
];
const LARGEST: usize = 64 * 1024;
const ESTIMATED: HeaderName = HeaderName::from_static("x-interlingua-estimated");
