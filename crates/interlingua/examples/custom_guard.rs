//! Checks the tool calls of a reply, by their schemas and by a rule of one's own.
//!
//! A rejected call is not run. The model gets the reason as the result of its call, with the next
//! request of the conversation.
#![expect(clippy::print_stdout, reason = "an example prints what it does")]

use std::error::Error;
use std::sync::Arc;

use interlingua::{
    Block, BlockContent, CallChecker, ConversationPatch, GuardAnswer, GuardMode, GuardModes,
    JsonNode, JsonString, OfferedTools, ReplyContext, SchemaCache, Target, ToolArgs, ToolCall,
    ValidationLimits, decode_reply, decode_request, find_dialect, parse_object,
};

const TOOLS: &str = r#""tools":[{"name":"shell","input_schema":{"type":"object",
    "properties":{"command":{"type":"string"}},"required":["command"]}}]"#;

/// One call without its command, one that deletes files, and one that is fine.
const REPLY: &str = r#"{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[
    {"type":"tool_use","id":"toolu_1","name":"shell","input":{}},
    {"type":"tool_use","id":"toolu_2","name":"shell","input":{"command":"rm -rf build"}},
    {"type":"tool_use","id":"toolu_3","name":"shell","input":{"command":"ls"}}],
    "stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":9}}"#;

/// The rule of this program: no command deletes files.
fn check_command(call: &ToolCall) -> Result<(), String> {
    let ToolArgs::Json(args) = &call.args else { return Ok(()) };
    let args = args.to_doc();
    let command = args.root().get("command").map(JsonNode::str_or_empty);
    match command {
        Some(command) if command.split_whitespace().any(|word| word == "rm") => {
            Err("This program does not delete files. Move them to `trash/` instead.".to_owned())
        }
        _ => Ok(()),
    }
}

fn tool_call(block: &Block) -> Option<&ToolCall> {
    match &block.content {
        BlockContent::ToolCall(call) => Some(call),
        _ => None,
    }
}

/// The reasons for which calls of the reply are rejected.
fn check_reply(request: &str) -> Result<Vec<GuardAnswer>, Box<dyn Error>> {
    let dialect = find_dialect("anthropic").ok_or("no such dialect")?;
    let target = Target::default();
    let decoded =
        decode_request(parse_object(request.to_owned().into())?, dialect, dialect, &target);
    let call_checker = CallChecker {
        offered_tools: OfferedTools::from_conversation(decoded.conversation()),
        modes: GuardModes { default: GuardMode::Answer, per_tool: Vec::new() },
        limits: ValidationLimits::default(),
        // A server shares the cache between requests: agents send the same tools every time.
        schema_cache: Arc::new(SchemaCache::default()),
    };
    // A streamed reply is checked with `StreamTranslator::with_guard`.
    let decoded =
        decode_reply(REPLY.into(), dialect, &ReplyContext::default(), Some(&call_checker))?;
    let by_schema = decoded.findings.iter().filter_map(|finding| {
        let message = JsonString::new(finding.answer_message()?);
        Some(GuardAnswer { call: finding.call.clone(), message })
    });
    let blocks = &decoded.reply.turn.blocks;
    let by_rule = blocks.iter().filter_map(|block| tool_call(block)).filter_map(|call| {
        let message = check_command(call).err()?;
        Some(GuardAnswer { call: call.clone(), message: JsonString::new(&message) })
    });
    Ok(by_schema.chain(by_rule).collect())
}

/// Returns the next request as the provider gets it.
fn run() -> Result<String, Box<dyn Error>> {
    let start = format!(r#"{{"model":"m","max_tokens":64,{TOOLS},"messages":["#);
    let prompt = r#"{"role":"user","content":"Clean up."}"#;
    let guard_answers = check_reply(&format!("{start}{prompt}]}}"))?;
    for answer in &guard_answers {
        println!("{}: {}", answer.call.id, answer.message);
    }

    // The client's next request, in which the reasons are added to its results.
    let content = parse_object(REPLY.into())?;
    let content = content.root().get("content").map(|content| content.raw().to_owned());
    let results = [("toolu_1", "not run"), ("toolu_2", "not run"), ("toolu_3", "build src")];
    let results = results.map(|(id, output)| {
        format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"{output}"}}"#)
    });
    let next = format!(
        r#"{start}{prompt},{{"role":"assistant","content":{}}},{{"role":"user","content":[{}]}}]}}"#,
        content.unwrap_or_default(),
        results.join(",")
    );
    let dialect = find_dialect("anthropic").ok_or("no such dialect")?;
    let patch = ConversationPatch { guard_answers, ..ConversationPatch::default() };
    let translated =
        decode_request(parse_object(next.into())?, dialect, dialect, &Target::default())
            .translate(&patch);
    Ok(String::from_utf8(translated.body.to_vec())?)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", run()?);
    Ok(())
}

#[test]
fn the_model_gets_the_reasons_with_the_next_request() {
    let body = run().unwrap();
    assert!(body.contains("does not delete files"), "{body}");
    assert!(body.contains("parameter 'command' is required"), "{body}");
    assert!(body.contains(r#""content":"build src"}"#), "{body}");
}
