//! Tools that are renamed for a target: the reply has the client's names repeated.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua::{
    Dialect, JsonString, RawJson, StreamTranslator, Target, TranslatedRequest, find_dialect,
    translate_reply, translate_request,
};

fn dialect(name: &str) -> &'static dyn Dialect {
    find_dialect(name).unwrap_or_else(|| unreachable!("{name} is a dialect"))
}

fn translate_request_for(body: &str, from: &str, to: &str, model: &str) -> TranslatedRequest {
    let target = Target { model: Some(JsonString::new(model)), ..Target::default() };
    translate_request(body.to_owned().into(), dialect(from), dialect(to), &target).unwrap()
}

fn text(body: &[u8]) -> String {
    String::from_utf8(body.to_vec()).unwrap()
}

const NAME: &str =
    "mcp.server/create a page with a very long name, longer than any provider takes it";

#[test]
fn a_call_is_returned_with_the_clients_name() {
    let body = format!(
        r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"x"}}],"tools":[{{"name":"{NAME}","input_schema":{{"type":"object"}}}}]}}"#
    );
    let sent = translate_request_for(&body, "anthropic", "openai-chat", "gpt-4.1");
    let [(alias, client)] = sent.reply_context.renamed_tools.as_slice() else {
        unreachable!("one tool is renamed")
    };
    assert_eq!(*client, NAME);
    assert!(alias.unescape().len() <= 64, "{alias}");
    assert!(text(&sent.body).contains(&*alias.unescape()), "{alias} is sent");
    let reply = format!(
        r#"{{"id":"r","object":"chat.completion","created":0,"model":"gpt-4.1","choices":[{{"index":0,"message":{{"role":"assistant","content":null,"tool_calls":[{{"id":"c1","type":"function","function":{{"name":"{alias}","arguments":"{{}}"}}}}]}},"finish_reason":"tool_calls"}}]}}"#
    );
    let (back, _) = translate_reply(
        reply.into(),
        dialect("openai-chat"),
        dialect("anthropic"),
        &sent.reply_context,
    )
    .unwrap();
    assert!(text(&back).contains(NAME), "{}", text(&back));
}

#[test]
fn names_with_a_common_prefix_stay_distinct_and_stable() {
    let tools = ["create", "delete"].map(|verb| {
        format!(r#"{{"name":"{}{verb}","input_schema":{{"type":"object"}}}}"#, "n".repeat(70))
    });
    let body = format!(
        r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"x"}}],"tools":[{}]}}"#,
        tools.join(",")
    );
    let once = translate_request_for(&body, "anthropic", "openai-chat", "gpt-4.1");
    let [(first, _), (second, _)] = once.reply_context.renamed_tools.as_slice() else {
        unreachable!("both tools are renamed")
    };
    assert_ne!(first, second);
    let repeated = translate_request_for(&body, "anthropic", "openai-chat", "gpt-4.1");
    assert_eq!(once.body, repeated.body);
}

#[test]
fn a_lowered_schema_is_kept_as_the_client_wrote_it() {
    let schema =
        r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}]}"#;
    let body = format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":"x"}}],"tools":[{{"type":"function","function":{{"name":"t","parameters":{schema}}}}}]}}"#
    );
    let sent = translate_request_for(&body, "openai-chat", "anthropic", "claude-sonnet-4-5");
    assert_eq!(
        sent.reply_context.original_schemas,
        [(JsonString::new("t"), RawJson::parse(schema).unwrap())]
    );
    assert!(!text(&sent.body).contains("anyOf"), "{}", text(&sent.body));
}

const KEYED: &str = r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],"tools":[{"name":"t","input_schema":{"type":"object","properties":{"filter[id]":{"type":"string"},"$top":{"type":"integer"}}}}]}"#;

#[test]
fn arguments_are_returned_with_the_clients_names() {
    let sent = translate_request_for(KEYED, "anthropic", "anthropic", "claude-sonnet-4-5");
    assert!(text(&sent.body).contains(r#""filter_id":"#), "{}", text(&sent.body));
    let reply = r#"{"id":"r","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c1","name":"t","input":{"filter_id": "top","deep":{"top":1},"top":2}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}"#;
    let to = dialect("anthropic");
    let (back, _) = translate_reply(reply.into(), to, to, &sent.reply_context).unwrap();
    let input = r#"{"filter[id]": "top","deep":{"top":1},"$top":2}"#;
    assert!(text(&back).contains(input), "{}", text(&back));
}

#[test]
fn streamed_arguments_are_returned_with_the_clients_names() {
    let sent = translate_request_for(KEYED, "anthropic", "anthropic", "claude-sonnet-4-5");
    // The last of these is truncated within a key.
    for args in [
        r#"{"filter_id":"a \" \"top\": {","deep":[{"top":1}],"top":2}"#,
        r#"{"t\u006fp" : 2 , "filter_id" : ["top"]}"#,
        r#"{"top":2,"filter_"#,
    ] {
        let expected = args.replacen(r#"{"filter_id""#, r#"{"filter[id]""#, 1);
        let expected = expected.replacen(r#" "filter_id""#, r#" "filter[id]""#, 1);
        let expected = expected.replacen(r#","top":2"#, r#","$top":2"#, 1);
        let expected = expected.replacen(r#"{"top":2"#, r#"{"$top":2"#, 1);
        let expected = expected.replacen(r#"{"t\u006fp""#, r#"{"$top""#, 1);
        for cut in 1..args.len() {
            let streamed = translate_stream(&[&args[..cut], &args[cut..]], &sent);
            assert_eq!(streamed, expected, "cut at {cut}");
        }
        let single: Vec<&str> = args.split("").collect();
        assert_eq!(translate_stream(&single, &sent), expected);
    }
}

/// The arguments of a streamed call as the client gets them.
fn translate_stream(pieces: &[&str], sent: &TranslatedRequest) -> String {
    let to = dialect("anthropic");
    let mut stream = StreamTranslator::new(to, to, &sent.reply_context);
    let mut out = Vec::new();
    let mut say = |data: String| {
        let kind = data.split('"').nth(3).unwrap_or_default();
        stream.push(&format!("event: {kind}\ndata: {data}\n\n").into(), &mut out);
    };
    say(r#"{"type":"message_start","message":{"id":"r","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#.to_owned());
    say(r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"t","input":{}}}"#.to_owned());
    for piece in pieces {
        let piece = RawJson::string(&JsonString::new(piece));
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
    let streamed = data.filter_map(|data| {
        let json = RawJson::parse(data.to_owned()).unwrap();
        json.to_doc()
            .root()
            .get("delta")?
            .get("partial_json")
            .map(|part| part.str_or_empty().into_owned())
    });
    streamed.collect()
}

#[test]
fn tools_of_two_namespaces_stay_distinct() {
    let body = r#"{"model":"m","input":"x","tools":[{"type":"namespace","name":"a","tools":[{"type":"function","name":"b__c","parameters":{"type":"object","properties":{}}}]},{"type":"namespace","name":"a__b","tools":[{"type":"function","name":"c","parameters":{"type":"object","properties":{}}}]}]}"#;
    let sent = translate_request_for(body, "openai-responses", "openai-chat", "gpt-4.1");
    let [(alias, _)] = sent.reply_context.renamed_tools.as_slice() else {
        unreachable!("one tool is renamed")
    };
    for (called, name, space) in [("a__b__c", "b__c", "a"), (&*alias.unescape(), "c", "a__b")] {
        assert!(text(&sent.body).contains(&format!(r#""name":"{called}""#)), "{called} is sent");
        let reply = format!(
            r#"{{"id":"r","object":"chat.completion","created":0,"model":"gpt-4.1","choices":[{{"index":0,"message":{{"role":"assistant","content":null,"tool_calls":[{{"id":"c1","type":"function","function":{{"name":"{called}","arguments":"{{}}"}}}}]}},"finish_reason":"tool_calls"}}]}}"#
        );
        let (from, to) = (dialect("openai-chat"), dialect("openai-responses"));
        let (back, _) = translate_reply(reply.into(), from, to, &sent.reply_context).unwrap();
        let wanted = format!(r#""name":"{name}","namespace":"{space}""#);
        assert!(text(&back).contains(&wanted), "{}", text(&back));
    }
}
