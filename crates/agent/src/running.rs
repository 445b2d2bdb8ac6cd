//! Calls, run side by side.

use std::sync::Arc;
use std::time::Duration;

use interlingua::model::{Args, Block, Body, ToolCall, ToolResult};
use interlingua::{Json, Text, Verbatim};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::{Given, Progress, Tool};

/// How tools are run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub(crate) patience: Duration,
    pub(crate) at_once: usize,
}

/// Runs calls, and gives their results in the order of the calls. What is dropped stops.
pub(crate) async fn run(
    calls: &[ToolCall],
    tools: &[Tool],
    manner: Manner,
    tell: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Vec<Verbatim<Block>> {
    let turnstile = Arc::new(Semaphore::new(manner.at_once.max(1)));
    let mut running = JoinSet::new();
    let mut given: Vec<Option<Given>> = vec![None; calls.len()];
    for (at, call) in calls.iter().enumerate() {
        tell(Progress::Calls(call));
        match prepared(call, tools) {
            Ok((tool, args)) => {
                let turnstile = Arc::clone(&turnstile);
                running.spawn(async move {
                    let _passed = turnstile.acquire_owned().await;
                    (at, within(manner.patience, tool.run(args)).await)
                });
            }
            Err(wrong) => given[at] = Some(Given::error(&wrong)),
        }
    }
    while let Some(done) = running.join_next().await {
        // One that panicked is found below, where nothing is given.
        let Ok((at, one)) = done else { continue };
        tell(Progress::Result(&calls[at], &one));
        given[at] = Some(one);
    }
    let given = given.into_iter().map(|one| one.unwrap_or_else(|| Given::error(BROKE)));
    calls.iter().zip(given).map(|(call, given)| result(call, given)).collect()
}

async fn within(patience: Duration, run: impl Future<Output = Given>) -> Given {
    tokio::time::timeout(patience, run).await.unwrap_or_else(|_| {
        let seconds = patience.as_secs_f64();
        Given::error(&format!(
            "The tool did not finish within {seconds} s. Its outcome is unknown: verify before \
             repeating it."
        ))
    })
}

/// The tool, and the arguments it takes.
fn prepared(call: &ToolCall, tools: &[Tool]) -> Result<(Tool, Json), String> {
    let name = call.name.contents();
    let tool = tools.iter().find(|tool| tool.name == *name);
    let tool = tool.ok_or_else(|| format!("There is no tool '{name}'."))?;
    let args = match &call.args {
        Args::Json(json) => json.clone(),
        Args::Malformed(text) | Args::Freeform(text) if text.is_blank() => Json::EMPTY_OBJECT,
        Args::Malformed(text) | Args::Freeform(text) => {
            text.as_json().map_err(|why| format!("The arguments are {why}."))?
        }
    };
    Ok((tool.clone(), args))
}

/// The result of a call. One that says nothing says so: no provider takes nothing.
pub(crate) fn result(call: &ToolCall, mut given: Given) -> Verbatim<Block> {
    let is_empty = |block: &Verbatim<Block>| block.body.as_text().is_some_and(Text::is_blank);
    if given.content.iter().all(is_empty) {
        given.content = Given::text("(no output)").content;
    }
    let Given { content, is_error } = given;
    let (id, name) = (call.id.clone(), call.name.clone());
    let result = ToolResult { call: id, name: Some(name), content, is_error };
    Block::new(Body::ToolResult(result)).into()
}

const BROKE: &str =
    "The tool broke while it ran. Its outcome is unknown: verify before repeating it.";
