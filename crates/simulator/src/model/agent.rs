//! The model `sim/agent`: thinks, calls a matching tool, and quotes the digest of each result.

use serde_json::{Map, Value, json};

use super::arguments;
use super::directives::{DIRECTIVE_PREFIX, Misbehavior, PromptDirectives};
use super::tool_selection::{ToolUse, choose_tools};
use crate::parse::{ModelInput, ThinkingVisibility, Tool, ToolChoice, ToolResult};
use crate::seed::sha256_hex;
use crate::turn::{Block, Call, StopReason, Turn};

/// The agent's turn. `tool_use` restricts the tools that it calls without being told to.
pub fn reply(model_input: &ModelInput, tool_use: ToolUse) -> Turn {
    let only_in_earlier_text = !model_input.last_user_text.contains(DIRECTIVE_PREFIX)
        && model_input.recent_user_text.contains(DIRECTIVE_PREFIX);
    let directives = PromptDirectives::parse(if only_in_earlier_text {
        &model_input.recent_user_text
    } else {
        &model_input.last_user_text
    });
    let misbehavior = directives.misbehavior.filter(|_| model_input.turns_since_prompt == 0);
    match misbehavior {
        Some(Misbehavior::Empty) => return Turn::new(Vec::new()),
        Some(Misbehavior::Refuse) => {
            let text = Block::Text("I can't help with that.".to_owned());
            return Turn { stop_reason: StopReason::Refusal, ..Turn::new(vec![text]) };
        }
        _ => {}
    }
    let tools = if should_call_tools(model_input, &directives) {
        choose_tools(model_input, &directives, tool_use)
    } else {
        Vec::new()
    };
    let mut turn = if tools.is_empty() {
        Turn::new(final_answer(model_input, tool_use))
    } else {
        call_tools(model_input, tools, &directives, misbehavior)
    };
    if misbehavior == Some(Misbehavior::Truncate) {
        truncate(&mut turn);
    }
    turn
}

fn should_call_tools(model_input: &ModelInput, directives: &PromptDirectives) -> bool {
    // A bad call is made again, as real models do after an error result.
    let second_chance = usize::from(directives.misbehavior.is_some_and(Misbehavior::is_bad_call));
    let rounds = directives.rounds + second_chance;
    match model_input.tool_choice {
        _ if model_input.tools.is_empty() => false,
        ToolChoice::None => false,
        ToolChoice::Any | ToolChoice::Tool(_) => true,
        ToolChoice::Auto => {
            model_input.turns_since_prompt == 0
                || !model_input.tool_results.is_empty() && model_input.turns_since_prompt < rounds
        }
    }
}

fn call_tools(
    model_input: &ModelInput,
    tools: Vec<&Tool>,
    directives: &PromptDirectives,
    misbehavior: Option<Misbehavior>,
) -> Turn {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let names = names.join(" and ");
    let mut blocks = Vec::new();
    let thinks = model_input.thinking != ThinkingVisibility::Off;
    if thinks {
        let thought = format!(
            "The user wants: {}. There are {} tools; {names} fits.",
            quote(&model_input.last_user_text, 120),
            model_input.tools.len()
        );
        blocks.push(Block::Thinking(thought));
    }
    blocks.push(Block::Text(if misbehavior == Some(Misbehavior::EmptyText) {
        String::new()
    } else {
        format!("Let me use {names}.")
    }));
    if thinks {
        blocks.push(Block::Thinking(format!("The arguments follow from the schema of {names}.")));
    }
    for (variant, tool) in tools.into_iter().enumerate() {
        let variant = variant + model_input.call_count;
        blocks.push(Block::Call(make_call(
            tool,
            variant,
            directives.arguments.as_ref(),
            misbehavior,
        )));
    }
    Turn::new(blocks)
}

fn make_call(
    tool: &Tool,
    variant: usize,
    arguments: Option<&Map<String, Value>>,
    misbehavior: Option<Misbehavior>,
) -> Call {
    let mut call = Call {
        name: tool.name.clone(),
        namespace: tool.namespace.clone(),
        is_custom: tool.is_custom,
        ..Call::default()
    };
    call.arguments = match arguments {
        Some(arguments) => Value::from(arguments.clone()).to_string(),
        None if tool.is_custom => format!("free text {}", variant + 1),
        None => arguments::generate_arguments(&tool.schema, variant).to_string(),
    };
    match misbehavior {
        Some(Misbehavior::EmptyArguments) => call.arguments.clear(),
        Some(Misbehavior::MissingArguments) => "{}".clone_into(&mut call.arguments),
        Some(Misbehavior::MalformedArguments) => {
            call.arguments.pop();
            call.arguments.push_str(", \"cut");
        }
        Some(Misbehavior::DoubleEncoded) => {
            call.arguments = Value::from(call.arguments).to_string();
        }
        Some(Misbehavior::UnknownTool) => {
            "no_such_tool".clone_into(&mut call.name);
            call.namespace = None;
        }
        _ => {}
    }
    call
}

/// The answer to the results, in the requested schema, or to the prompt.
fn final_answer(model_input: &ModelInput, tool_use: ToolUse) -> Vec<Block> {
    let mut blocks = Vec::new();
    if model_input.thinking != ThinkingVisibility::Off {
        let thought = match model_input.tool_results.len() {
            0 => format!("The user says: {}.", quote(&model_input.last_user_text, 120)),
            count => format!("I have {count} results and can answer."),
        };
        blocks.push(Block::Thinking(thought));
    }
    let text = match &model_input.response_schema {
        Some(Value::Null) => json!({"answer": quote(&model_input.last_user_text, 200)}).to_string(),
        Some(schema) => arguments::generate_arguments(schema, 0).to_string(),
        None if model_input.tool_results.is_empty() => {
            let said = quote(&model_input.last_user_text, 200);
            match tool_use {
                ToolUse::Any => format!("You said {said}. This is my whole answer."),
                ToolUse::ReadOnly => format!("You said {said}.\n\n{INTRODUCTION}"),
            }
        }
        None => {
            let digests = model_input.tool_results.iter().map(result_digest);
            format!(
                "I received {} result(s).{}",
                model_input.tool_results.len(),
                digests.collect::<String>()
            )
        }
    };
    blocks.push(Block::Text(text));
    blocks
}

/// Name, size, SHA-256 and beginning of a result: proves that it arrived unchanged.
fn result_digest(result: &ToolResult) -> String {
    let error_note = if result.is_error { ", an error" } else { "" };
    format!(
        "\n- {} ({}){error_note}: {} bytes, sha256 {}: {}",
        result.tool_name,
        result.call_id,
        result.text.len(),
        sha256_hex(&result.text),
        quote(&result.text, 200)
    )
}

fn quote(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
        None => format!("\"{text}\""),
    }
}

/// Cuts the last block in half and ends the turn at the token limit.
fn truncate(turn: &mut Turn) {
    let text = match turn.blocks.last_mut() {
        Some(Block::Call(call)) => &mut call.arguments,
        Some(
            Block::Text(text)
            | Block::Thinking(text)
            | Block::Redacted(text)
            | Block::Summary(text),
        ) => text,
        None => return,
    };
    let half = text.chars().count() / 2;
    *text = text.chars().take(half).collect();
    turn.count_tokens();
    turn.stop_reason = StopReason::MaxTokens;
}

/// What the built-in model answers when it has nothing to call.
const INTRODUCTION: &str = "\
Hello. I am sim/agent, the model that is built into Interlingua. I am no language model: no provider is asked, nothing \
leaves this machine and nothing is billed. I call a tool that only reads when your words match its name, and quote its \
result; sim:call=NAME in a prompt calls any tool.

For real answers, set a provider's key in the environment, for example ANTHROPIC_API_KEY, OPENAI_API_KEY, \
OPENROUTER_API_KEY or GEMINI_API_KEY, start Interlingua again, and choose one of the provider's models.";
