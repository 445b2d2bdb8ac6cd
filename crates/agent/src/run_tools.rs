//! Runs tool calls concurrently.

use std::sync::Arc;
use std::time::Duration;

use interlingua::{JsonString, RawJson, Verbatim};
use interlingua_model::{Block, BlockContent, ToolArgs, ToolCall, ToolResult};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::{Progress, Tool, ToolOutput};

/// Limits for running tools.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolLimits {
    pub(crate) timeout: Duration,
    pub(crate) max_parallel: usize,
}

/// Runs calls and returns their results in the order of the calls. Dropping the future stops them.
pub(crate) async fn run_calls(
    calls: &[ToolCall],
    tools: &[Tool],
    limits: ToolLimits,
    on_progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Vec<Verbatim<Block>> {
    let semaphore = Arc::new(Semaphore::new(limits.max_parallel.max(1)));
    let mut running = JoinSet::new();
    let mut outputs: Vec<Option<ToolOutput>> = vec![None; calls.len()];
    for (index, call) in calls.iter().enumerate() {
        on_progress(Progress::ToolCall(call));
        match resolve_call(call, tools) {
            Ok((tool, args)) => {
                let semaphore = Arc::clone(&semaphore);
                running.spawn(async move {
                    let _permit = semaphore.acquire_owned().await;
                    (index, with_timeout(limits.timeout, tool.run(args)).await)
                });
            }
            Err(message) => outputs[index] = Some(ToolOutput::error(&message)),
        }
    }
    while let Some(joined) = running.join_next().await {
        // A panicked task has no output and gets an error below.
        let Ok((index, output)) = joined else { continue };
        on_progress(Progress::ToolResult(&calls[index], &output));
        outputs[index] = Some(output);
    }
    let results = outputs
        .into_iter()
        .map(|output| output.unwrap_or_else(|| ToolOutput::error(PANIC_MESSAGE)));
    calls.iter().zip(results).map(|(call, output)| result_block(call, output)).collect()
}

async fn with_timeout(limit: Duration, run: impl Future<Output = ToolOutput>) -> ToolOutput {
    tokio::time::timeout(limit, run).await.unwrap_or_else(|_| {
        let seconds = limit.as_secs_f64();
        ToolOutput::error(&format!(
            "The tool did not finish within {seconds} s. Its outcome is unknown: verify before \
             repeating it."
        ))
    })
}

/// Finds the tool, and parses the arguments.
fn resolve_call(call: &ToolCall, tools: &[Tool]) -> Result<(Tool, RawJson), String> {
    let name = call.name.unescape();
    let tool = tools.iter().find(|tool| tool.name == *name);
    let tool = tool.ok_or_else(|| format!("There is no tool '{name}'."))?;
    let args = match &call.args {
        ToolArgs::Json(json) => json.clone(),
        ToolArgs::Malformed(text) | ToolArgs::Freeform(text) if text.is_blank() => {
            RawJson::EMPTY_OBJECT
        }
        ToolArgs::Malformed(text) | ToolArgs::Freeform(text) => {
            text.parse_json().map_err(|error| format!("The arguments are {error}."))?
        }
    };
    Ok((tool.clone(), args))
}

/// Builds the result block; empty results get a placeholder text, as providers reject empty
/// results.
pub(crate) fn result_block(call: &ToolCall, mut output: ToolOutput) -> Verbatim<Block> {
    let is_empty =
        |block: &Verbatim<Block>| block.content.as_text().is_some_and(JsonString::is_blank);
    if output.content.iter().all(is_empty) {
        output.content = ToolOutput::from_text("(no output)").content;
    }
    let ToolOutput { content, is_error } = output;
    let (id, name) = (call.id.clone(), call.name.clone());
    let result = ToolResult { call_id: id, name: Some(name), content, is_error };
    Block::new(BlockContent::ToolResult(result)).into()
}

const PANIC_MESSAGE: &str =
    "The tool broke while it ran. Its outcome is unknown: verify before repeating it.";
