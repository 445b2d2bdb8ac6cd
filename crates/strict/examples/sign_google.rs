//! Signs reasoning in Gemini and Converse requests for corpus cases: reads a list
//! of `{"judge", "model", "flavor"?, "request"}` and writes the requests with every signature or
//! redacted reasoning of the form `?…` replaced by one of the default key.

use std::io::{self, Read as _, Write as _};

use interlingua_strict::seal::SealKey;
use interlingua_strict::{Request, Switches, bedrock, gemini};
use serde_json::Value;

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let mut cases: Vec<Value> = serde_json::from_str(&text)?;
    for case in &mut cases {
        match case["judge"].as_str() {
            Some("gemini") => sign_parts(case),
            _ => sign_blocks(case),
        }
    }
    let requests: Vec<_> = cases.iter_mut().map(|case| case["request"].take()).collect();
    writeln!(io::stdout(), "{}", Value::from(requests))
}

fn is_placeholder(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with('?'))
}

fn sign_parts(case: &mut Value) {
    let key = SealKey::default();
    let model = case["model"].as_str().unwrap_or_default().to_owned();
    let flavor = case["flavor"].as_str().unwrap_or("ai-studio").to_owned();
    for content in case["request"]["contents"].as_array_mut().into_iter().flatten() {
        let parts = content["parts"].as_array().cloned().unwrap_or_default();
        for index in
            (0..parts.len()).filter(|index| is_placeholder(&parts[*index]["thoughtSignature"]))
        {
            let signature = gemini::mint::sign_part(&key, &flavor, &model, &parts, index);
            content["parts"][index]["thoughtSignature"] = signature.into();
        }
    }
}

fn sign_blocks(case: &mut Value) {
    let (key, switches) = (SealKey::default(), Switches::default());
    let model = case["model"].as_str().unwrap_or_default().to_owned();
    let request = &mut case["request"];
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let mut signed: Vec<Value> = Vec::new();
    for mut message in messages {
        request["messages"] = signed.clone().into();
        let partial_request = Request { model: &model, ..Request::new(request, "", &switches) };
        if let Some(mut cx) = bedrock::mint::seal_context(&partial_request)
            && message["role"] == "assistant"
        {
            for block in message["content"].as_array_mut().into_iter().flatten() {
                // The context itself is advanced with the whole block below.
                let mut local_cx = cx.clone();
                let reasoning = &mut block["reasoningContent"];
                if is_placeholder(&reasoning["reasoningText"]["signature"]) {
                    let text = reasoning["reasoningText"]["text"].as_str().unwrap_or_default();
                    let signature = local_cx.sign_thinking(&key, text);
                    reasoning["reasoningText"]["signature"] = signature.into();
                } else if is_placeholder(&reasoning["redactedContent"]) {
                    reasoning["redactedContent"] = local_cx.sign_redacted(&key).into();
                }
                if let Some(block) = block.as_object_mut() {
                    block.retain(|_, value| !value.is_null());
                }
                cx.push_block(&bedrock::mint::anthropic_block(block));
            }
        }
        signed.push(message);
    }
    request["messages"] = signed.into();
}
