//! Nothing that can be printed shows a key.

use std::sync::Arc;

use http::header::{HeaderMap, HeaderValue};
use interlingua_upstream::{Answer, Body, PROVIDERS, Proxies, Row, Signer};
use url::Url;

use crate::world::{KEY, provider, turn, upstream};

#[test]
fn debug_shows_no_key() {
    let mut headers = HeaderMap::new();
    headers.insert("x-secret", HeaderValue::from_static(KEY));
    let mut provider = provider("https://lab.example/v1").with_headers(&headers);
    provider.base = Url::parse(&format!("https://me:{KEY}@lab.example/{KEY}?key={KEY}")).unwrap();
    let signer = Signer {
        access_key: KEY.into(),
        secret: KEY.into(),
        session: Some(KEY.into()),
        region: "eu-west-1".into(),
    };
    provider.signer = Some(Arc::new(signer.clone()));
    provider.also.push(Arc::new(provider.clone()));
    let mut call = turn(&provider);
    call.headers.clone_from(&headers);
    call.body = bytes::Bytes::from(KEY).into();
    let body = || Body::from(bytes::Bytes::from_static(KEY.as_bytes()));
    let env = |_: &str| Some(format!("http://me:{KEY}@proxy.example"));
    let all_keys = |name: &str| {
        ["_KEY", "_BEDROCK"].iter().any(|end| name.ends_with(end)).then(|| KEY.to_owned())
    };
    let bedrock = Row::find("bedrock").unwrap().provider(&all_keys).unwrap();
    let shown = [
        format!("{provider:?}{provider:#?}"),
        format!("{call:?}"),
        format!("{signer:?}"),
        format!("{bedrock:?}"),
        format!("{:?}", body()),
        format!("{:?}", Answer { status: 200, headers: headers.into(), body: body() }),
        format!("{:?}", Proxies::read(&env)),
        format!("{:?}", upstream()),
        format!("{PROVIDERS:?}"),
        format!("{:?}", Row::find("openai").unwrap().key(&all_keys)),
    ];
    for shown in shown {
        assert!(!shown.contains(KEY), "{shown}");
        assert!(!shown.contains("canary"), "{shown}");
    }
}
