//! Tests of signed requests.

use interlingua_providers::endpoints::AuthScheme;
use interlingua_providers::preset::ProviderPreset;
use interlingua_upstream::ProviderFromEnv;
use std::fs;

use interlingua_model::{ApiErrorKind, ErrorOrigin};
use interlingua_upstream::{Operation, Provider, UpstreamRequest};
use secrecy::ExposeSecret as _;

use crate::mock_server::{OK_RESPONSE, mock_server};
use crate::support::{KEY, call_error, moved_to, turn_request, upstream};

fn bedrock(env: &[(&str, &str)]) -> Provider {
    let env = |name: &str| {
        env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    ProviderPreset::find("bedrock").unwrap().provider(&env).unwrap()
}

#[tokio::test]
async fn every_request_is_signed() {
    let (addr, requests) = mock_server(|_, _| Some(OK_RESPONSE)).await;
    let provider = bedrock(&[
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", KEY),
        ("AWS_SESSION_TOKEN", "lent"),
        ("AWS_REGION", "eu-west-1"),
    ]);
    assert_eq!(provider.base_url.host_str(), Some("bedrock-runtime.eu-west-1.amazonaws.com"));
    let provider = moved_to(&provider, addr);
    let operation = Operation::Turn { stream: true };
    let call =
        UpstreamRequest { operation, model: "eu.anthropic.claude-x:0", ..turn_request(&provider) };
    upstream().call(call).await.unwrap();
    let head = requests.last();
    let line = "POST /model/eu.anthropic.claude-x:0/converse-stream HTTP/1.1\r\n";
    assert!(head.starts_with(line), "{head}");
    let signed = head.lines().find(|line| line.starts_with("authorization: ")).unwrap();
    assert!(
        signed.starts_with("authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"),
        "{head}"
    );
    assert!(signed.contains("/eu-west-1/bedrock/aws4_request"), "{head}");
    let names = "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token";
    assert!(signed.contains(names), "{head}");
    assert!(head.contains("x-amz-security-token: lent\r\n"), "{head}");
    assert!(head.contains("accept: application/vnd.amazon.eventstream\r\n"), "{head}");
    assert!(!head.contains(KEY));

    let call = UpstreamRequest { operation: Operation::ListModels, ..turn_request(&provider) };
    upstream().call(call).await.unwrap();
    assert!(requests.last().starts_with("GET /foundation-models HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_bearer_token_is_sent_instead() {
    let (addr, requests) = mock_server(|_, _| Some(OK_RESPONSE)).await;
    let provider = bedrock(&[
        ("AWS_BEARER_TOKEN_BEDROCK", "token"),
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", KEY),
    ]);
    assert_eq!(provider.auth, AuthScheme::Bearer);
    upstream().call(turn_request(&moved_to(&provider, addr))).await.unwrap();
    let head = requests.last();
    assert!(head.contains("authorization: Bearer token\r\n"), "{head}");
    assert!(!head.contains("x-amz"), "{head}");
    let provider = bedrock(&[]).with_api_key(&"configured".into());
    assert_eq!(provider.auth, AuthScheme::Bearer);
}

#[tokio::test]
async fn without_credentials_nothing_is_sent() {
    let error = call_error(&upstream(), turn_request(&bedrock(&[]))).await;
    assert_eq!((error.origin, error.kind), (ErrorOrigin::Gateway, ApiErrorKind::Authentication));
    assert!(error.to_string().contains("AWS_ACCESS_KEY_ID"), "{error}");
}

#[test]
fn profiles_are_read_from_their_files() {
    let home = std::env::temp_dir().join(format!("upstream-aws-{}", std::process::id()));
    fs::create_dir_all(home.join(".aws")).unwrap();
    let credentials = "# mine\n[default]\naws_access_key_id = ONE\naws_secret_access_key=one\n\n\
        [ work ]\naws_access_key_id=TWO\naws_secret_access_key = two==\naws_session_token = t\n\
        [empty]\naws_access_key_id=THREE\n";
    fs::write(home.join(".aws/credentials"), credentials).unwrap();
    let config = "[default]\nregion = eu-north-1\n[profile work]\nregion=ap-south-1\n";
    fs::write(home.join(".aws/config"), config).unwrap();
    let home_text = home.to_str().unwrap();
    let read = |more: &[(&str, &str)]| {
        let mut env = vec![("HOME", home_text)];
        env.extend_from_slice(more);
        let provider = bedrock(&env);
        let host = provider.base_url.host_str().unwrap().to_owned();
        let signer = provider.aws_credentials.as_ref().map(|signer| {
            let session =
                signer.session_token.as_ref().map(|token| token.expose_secret().to_owned());
            let secret = signer.secret_access_key.expose_secret().to_owned();
            (signer.access_key_id.clone(), secret, session, signer.region.clone())
        });
        (host, signer)
    };
    let (host, signer) = read(&[]);
    assert_eq!(host, "bedrock-runtime.eu-north-1.amazonaws.com");
    assert_eq!(signer, Some(("ONE".into(), "one".into(), None, "eu-north-1".into())));
    let (host, signer) = read(&[("AWS_PROFILE", "work")]);
    assert_eq!(host, "bedrock-runtime.ap-south-1.amazonaws.com");
    let two = ("TWO".into(), "two==".into(), Some("t".into()), "ap-south-1".into());
    assert_eq!(signer, Some(two));
    let (_, signer) = read(&[("AWS_PROFILE", "work"), ("AWS_REGION", "us-west-2")]);
    assert_eq!(signer.unwrap().3, "us-west-2");
    for absent in ["empty", "nobody"] {
        assert_eq!(read(&[("AWS_PROFILE", absent)]).1, None);
    }
    fs::remove_dir_all(home).unwrap();
}
