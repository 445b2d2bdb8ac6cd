//! How many tokens a request has: the provider's count where it counts, else an estimate.

use http::Response;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use interlingua::{Dialect, Doc, Target, Text, translate_document};
use interlingua_upstream::Ask;

use crate::attempt::Order;
use crate::config::{Route, To};
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

    async fn counted(self) -> Result<Response<Out>, Refusal> {
        let body = crate::turn::read(&self.body)?;
        let (model, routes) = self.routes(&body, self.dialect)?;
        let order = Order {
            gateway: self.gateway,
            config: self.config,
            from: self.dialect,
            client: self.dialect,
            headers: self.headers,
            model: &model,
            stream: false,
            array: false,
        };
        let counting = routes.iter().find(|route| counts(&order, route));
        if let Some(route) = counting
            && let Some(count) = asked(&order, body, route).await
        {
            return Ok(said(self.dialect, count, false));
        }
        Ok(said(self.dialect, estimate(self.body.len()), true))
    }
}

/// Providers that count are asked in their own dialect.
fn counts(order: &Order<'_>, route: &Route) -> bool {
    match &route.to {
        To::Simulated => true,
        To::Provider(provider) => {
            provider.speaking(order.from.id()).unwrap_or(provider).answers(Ask::Count)
        }
    }
}

async fn asked(order: &Order<'_>, body: Doc, route: &Route) -> Option<u64> {
    let (to, flavor) = order.speaks(route);
    let model = Order::model_at(route);
    let target = Target {
        model: Some(Text::new(&model)),
        flavor,
        betas: order.betas(to),
        ..Target::default()
    };
    let translated = translate_document(body, order.from, to, &target);
    let answer = order.ask(route, Ask::Count, &model, translated.body).await.ok()?;
    if answer.status != 200 {
        return None;
    }
    let body = interlingua::read_object(answer.body.whole(LARGEST).await.ok()?).ok()?;
    FIELDS.iter().find_map(|(_, field)| body.root().get(field)?.count())
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

/// What each dialect calls the count.
const FIELDS: &[(&str, &str)] = &[
    ("anthropic", "input_tokens"),
    ("openai-responses", "input_tokens"),
    ("gemini", "totalTokens"),
    ("bedrock", "inputTokens"),
];
const LARGEST: usize = 64 * 1024;
const ESTIMATED: HeaderName = HeaderName::from_static("x-interlingua-estimated");
