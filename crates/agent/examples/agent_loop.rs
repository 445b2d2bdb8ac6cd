//! An agent with a tool: the loop of model calls and tool calls, until the model answers.
//!
//! The model here is a function, so that the example needs no key. With a provider it is
//! `RemoteModel::new(Arc::new(UpstreamClient::new(Timeouts::default())?), Arc::new(provider), "gpt-4.1")`.
#![expect(clippy::print_stdout, reason = "an example prints what it does")]

use std::error::Error;
use std::sync::Arc;

use interlingua::{
    Block, BlockContent, JsonNode, JsonString, RawJson, Reply, StopReason, ToolArgs, ToolCall,
};
use interlingua_agent::{
    Agent, AgentOutput, EventCallback, Model, ModelReply, ModelRequest, Progress, ReplyFuture,
    Session, Tool,
};

/// Asks the tool for the temperature, and answers with its result.
#[derive(Debug)]
struct Meteorologist;

impl Model for Meteorologist {
    fn name(&self) -> &'static str {
        "meteorologist"
    }

    fn generate<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: &'a mut EventCallback<'a>,
    ) -> ReplyFuture<'a> {
        let mut reply = Reply::new();
        let turns = &request.conversation.turns;
        let result = turns.iter().flat_map(|turn| &turn.blocks).find_map(|block| {
            let BlockContent::ToolResult(result) = &block.content else { return None };
            result.content.first()?.content.as_text()
        });
        if let Some(text) = result {
            let answer = format!("It is {} outside.", text.unescape());
            reply.turn.blocks.push(Block::text(JsonString::new(&answer)).into());
        } else {
            let call = ToolCall {
                id: JsonString::new("call_1"),
                name: JsonString::new("temperature"),
                args: ToolArgs::Json(RawJson::object(|args| args.str("city", "Uppsala"))),
            };
            reply.turn.blocks.push(Block::new(BlockContent::ToolCall(call)).into());
            reply.stop.reason = StopReason::ToolUse;
        }
        Box::pin(async { Ok(ModelReply { reply, ..ModelReply::default() }) })
    }
}

async fn run() -> Result<(AgentOutput, Session), Box<dyn Error>> {
    let schema = RawJson::parse(
        r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}"#,
    )?;
    let description = "The temperature in a city.";
    let temperature = Tool::new("temperature", description, schema, |args: RawJson| async move {
        let args = args.to_doc();
        match args.root().get("city").map(JsonNode::str_or_empty).as_deref() {
            Some("Uppsala") => Ok("12 °C".to_owned()),
            city => Err(format!("no thermometer in {city:?}")),
        }
    });
    let agent = Agent::new(Arc::new(Meteorologist)).instructions("Be brief.").tool(temperature);

    let mut session = Session::new();
    let mut report = |progress: Progress<'_>| println!("{progress:?}");
    let output = agent.ask(&mut session, "How warm is it in Uppsala?", &mut report).await?;
    Ok((output, session))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (output, session) = run().await?;
    println!("{} ({} turns, {} model calls)", output.text(), session.turns().len(), output.steps);
    Ok(())
}

#[tokio::test]
async fn the_agent_calls_its_tool_and_answers() {
    let (output, session) = run().await.unwrap();
    assert_eq!(output.text(), "It is 12 °C outside.");
    assert_eq!((output.steps, session.turns().len()), (2, 4));
}
