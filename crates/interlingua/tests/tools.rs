//! Tools that a target knows otherwise: what is said on the way is unsaid in the reply.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua::{
    Dialect, Json, Stream, Target, Text, Translated, find, translate_reply, translate_request,
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

const KEYED: &str = r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],"tools":[{"name":"t","input_schema":{"type":"object","properties":{"filter[id]":{"type":"string"},"$top":{"type":"integer"}}}}]}"#;

#[test]
fn arguments_come_back_under_the_clients_names() {
    let sent = sent(KEYED, "anthropic", "anthropic", "claude-sonnet-4-5");
    assert!(text(&sent.body).contains(r#""filter_id":"#), "{}", text(&sent.body));
    let reply = r#"{"id":"r","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c1","name":"t","input":{"filter_id": "top","deep":{"top":1},"top":2}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}"#;
    let to = dialect("anthropic");
    let (back, _) = translate_reply(reply.into(), to, to, &sent.exchange).unwrap();
    let input = r#"{"filter[id]": "top","deep":{"top":1},"$top":2}"#;
    assert!(text(&back).contains(input), "{}", text(&back));
}

#[test]
fn arguments_come_back_under_the_clients_names_while_they_stream() {
    let sent = sent(KEYED, "anthropic", "anthropic", "claude-sonnet-4-5");
    // The last of these is cut off within a key.
    for args in [
        r#"{"filter_id":"a \" \"top\": {","deep":[{"top":1}],"top":2}"#,
        r#"{"t\u006fp" : 2 , "filter_id" : ["top"]}"#,
        r#"{"top":2,"filter_"#,
    ] {
        let whole = args.replacen(r#"{"filter_id""#, r#"{"filter[id]""#, 1);
        let whole = whole.replacen(r#" "filter_id""#, r#" "filter[id]""#, 1);
        let whole = whole.replacen(r#","top":2"#, r#","$top":2"#, 1);
        let whole = whole.replacen(r#"{"top":2"#, r#"{"$top":2"#, 1);
        let whole = whole.replacen(r#"{"t\u006fp""#, r#"{"$top""#, 1);
        for cut in 1..args.len() {
            let said = streamed(&[&args[..cut], &args[cut..]], &sent);
            assert_eq!(said, whole, "cut at {cut}");
        }
        let single: Vec<&str> = args.split("").collect();
        assert_eq!(streamed(&single, &sent), whole);
    }
}

/// The arguments that a client gets of a call whose arguments stream in these pieces.
fn streamed(pieces: &[&str], sent: &Translated) -> String {
    let to = dialect("anthropic");
    let mut stream = Stream::new(to, to, &sent.exchange);
    let mut out = Vec::new();
    let mut say = |data: String| {
        let kind = data.split('"').nth(3).unwrap_or_default();
        stream.push(&format!("event: {kind}\ndata: {data}\n\n").into(), &mut out);
    };
    say(r#"{"type":"message_start","message":{"id":"r","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#.to_owned());
    say(r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"t","input":{}}}"#.to_owned());
    for piece in pieces {
        let piece = Json::string(&Text::new(piece));
        say(format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"input_json_delta","partial_json":{}}}}}"#,
            piece.as_str()
        ));
    }
    say(r#"{"type":"content_block_stop","index":0}"#.to_owned());
    say(r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":2}}"#.to_owned());
    say(r#"{"type":"message_stop"}"#.to_owned());
    stream.finish(&mut out);
    let out = text(&out);
    let data = out.lines().filter_map(|line| line.strip_prefix("data: "));
    let said = data.filter_map(|data| {
        let json = Json::parse(data.to_owned()).unwrap();
        json.doc().root().get("delta")?.get("partial_json").map(|part| part.word().into_owned())
    });
    said.collect()
}

#[test]
fn tools_of_two_namespaces_stay_two() {
    let body = r#"{"model":"m","input":"x","tools":[{"type":"namespace","name":"a","tools":[{"type":"function","name":"b__c","parameters":{"type":"object","properties":{}}}]},{"type":"namespace","name":"a__b","tools":[{"type":"function","name":"c","parameters":{"type":"object","properties":{}}}]}]}"#;
    let sent = sent(body, "openai-responses", "openai-chat", "gpt-4.1");
    let [(alias, _)] = sent.exchange.renamed_tools.as_slice() else {
        unreachable!("one tool is renamed")
    };
    for (called, name, space) in [("a__b__c", "b__c", "a"), (&*alias.contents(), "c", "a__b")] {
        assert!(text(&sent.body).contains(&format!(r#""name":"{called}""#)), "{called} is sent");
        let reply = format!(
            r#"{{"id":"r","object":"chat.completion","created":0,"model":"gpt-4.1","choices":[{{"index":0,"message":{{"role":"assistant","content":null,"tool_calls":[{{"id":"c1","type":"function","function":{{"name":"{called}","arguments":"{{}}"}}}}]}},"finish_reason":"tool_calls"}}]}}"#
        );
        let (from, to) = (dialect("openai-chat"), dialect("openai-responses"));
        let (back, _) = translate_reply(reply.into(), from, to, &sent.exchange).unwrap();
        let wanted = format!(r#""name":"{name}","namespace":"{space}""#);
        assert!(text(&back).contains(&wanted), "{}", text(&back));
    }
}
