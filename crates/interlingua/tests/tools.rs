//! Tools that a target knows otherwise: what is said on the way is unsaid in the reply.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua::{
    Dialect, Json, Target, Text, Translated, find, translate_reply, translate_request,
};

fn dialect(name: &str) -> &'static dyn Dialect {
    find(name).unwrap_or_else(|| unreachable!("{name} is a dialect"))
}

fn sent(body: &str, from: &str, to: &str, model: &str) -> Translated {
    let target = Target { model: Some(Text::new(model)), ..Target::default() };
    translate_request(body.to_owned().into(), dialect(from), dialect(to), &target).unwrap()
}

fn text(body: &[u8]) -> String {
    String::from_utf8(body.to_vec()).unwrap()
}

const NAME: &str =
    "mcp.server/create a page with a very long name, longer than any provider takes it";

#[test]
fn a_call_comes_back_under_the_clients_name() {
    let body = format!(
        r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"x"}}],"tools":[{{"name":"{NAME}","input_schema":{{"type":"object"}}}}]}}"#
    );
    let sent = sent(&body, "anthropic", "openai-chat", "gpt-4.1");
    let [(alias, client)] = sent.exchange.renamed_tools.as_slice() else {
        unreachable!("one tool is renamed")
    };
    assert_eq!(*client, NAME);
    assert!(alias.contents().len() <= 64, "{alias}");
    assert!(text(&sent.body).contains(&*alias.contents()), "{alias} is sent");
    let reply = format!(
        r#"{{"id":"r","object":"chat.completion","created":0,"model":"gpt-4.1","choices":[{{"index":0,"message":{{"role":"assistant","content":null,"tool_calls":[{{"id":"c1","type":"function","function":{{"name":"{alias}","arguments":"{{}}"}}}}]}},"finish_reason":"tool_calls"}}]}}"#
    );
    let (back, _) =
        translate_reply(reply.into(), dialect("openai-chat"), dialect("anthropic"), &sent.exchange)
            .unwrap();
    assert!(text(&back).contains(NAME), "{}", text(&back));
}

#[test]
fn names_with_one_beginning_stay_apart_and_the_same() {
    let tools = ["create", "delete"].map(|verb| {
        format!(r#"{{"name":"{}{verb}","input_schema":{{"type":"object"}}}}"#, "n".repeat(70))
    });
    let body = format!(
        r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"x"}}],"tools":[{}]}}"#,
        tools.join(",")
    );
    let once = sent(&body, "anthropic", "openai-chat", "gpt-4.1");
    let [(first, _), (second, _)] = once.exchange.renamed_tools.as_slice() else {
        unreachable!("both tools are renamed")
    };
    assert_ne!(first, second);
    let again = sent(&body, "anthropic", "openai-chat", "gpt-4.1");
    assert_eq!(once.body, again.body);
}

#[test]
fn a_lowered_schema_is_kept_as_the_client_wrote_it() {
    let schema =
        r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}]}"#;
    let body = format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":"x"}}],"tools":[{{"type":"function","function":{{"name":"t","parameters":{schema}}}}}]}}"#
    );
    let sent = sent(&body, "openai-chat", "anthropic", "claude-sonnet-4-5");
    assert_eq!(sent.exchange.schemas, [(Text::new("t"), Json::parse(schema).unwrap())]);
    assert!(!text(&sent.body).contains("anyOf"), "{}", text(&sent.body));
}
