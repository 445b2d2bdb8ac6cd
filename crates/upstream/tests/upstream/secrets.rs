//! Debug output contains no key.

use interlingua_providers::PRESETS;
use interlingua_providers::preset::ProviderPreset;
use interlingua_upstream::ProviderFromEnv;
use std::sync::Arc;

use http::header::{HeaderMap, HeaderValue};
use interlingua_upstream::{AwsCredentials, Proxies, UpstreamBody, UpstreamResponse};
use url::Url;

use crate::support::{KEY, test_provider, turn_request, upstream};

#[test]
fn debug_shows_no_key() {
    let mut headers = HeaderMap::new();
    headers.insert("x-secret", HeaderValue::from_static(KEY));
    let mut provider = test_provider("https://lab.example/v1").with_headers(&headers);
    provider.base_url =
        Url::parse(&format!("https://me:{KEY}@lab.example/{KEY}?key={KEY}")).unwrap();
    let signer = AwsCredentials {
        access_key_id: KEY.into(),
        secret_access_key: KEY.into(),
        session_token: Some(KEY.into()),
        region: "eu-west-1".into(),
    };
    provider.aws_credentials = Some(Arc::new(signer.clone()));
    provider.alternates.push(Arc::new(provider.clone()));
    let mut call = turn_request(&provider);
    call.headers.clone_from(&headers);
    call.body = bytes::Bytes::from(KEY).into();
    let body = || UpstreamBody::from(bytes::Bytes::from_static(KEY.as_bytes()));
    let env = |_: &str| Some(format!("http://me:{KEY}@proxy.example"));
    let all_keys = |name: &str| {
        ["_KEY", "_BEDROCK"].iter().any(|end| name.ends_with(end)).then(|| KEY.to_owned())
    };
    let bedrock = ProviderPreset::find("bedrock").unwrap().provider(&all_keys).unwrap();
    let shown = [
        format!("{provider:?}{provider:#?}"),
        format!("{call:?}"),
        format!("{signer:?}"),
        format!("{bedrock:?}"),
        format!("{:?}", body()),
        format!("{:?}", UpstreamResponse { status: 200, headers: headers.into(), body: body() }),
        format!("{:?}", Proxies::from_env(&env)),
        format!("{:?}", upstream()),
        format!("{PRESETS:?}"),
        format!("{:?}", ProviderPreset::find("openai").unwrap().api_key(&all_keys)),
    ];
    for shown in shown {
        assert!(!shown.contains(KEY), "{shown}");
        assert!(!shown.contains("canary"), "{shown}");
    }
}
