//! Selects the tools that the agent calls.

use super::directives::PromptDirectives;
use crate::parse::{ModelInput, Tool, ToolChoice};

/// The tools that the agent calls when neither the request forces a call nor the prompt names one
/// with `sim:call`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolUse {
    /// The tool that fits best, whatever it does: for tests.
    #[default]
    Any,
    /// Only tools whose names say that they read, and only if the prompt's words match: for people,
    /// whose files must not change because they said hello.
    ReadOnly,
}

/// The tools to call, one for each call; none if no tool fits.
pub(super) fn choose_tools<'h>(
    model_input: &'h ModelInput,
    directives: &PromptDirectives,
    tool_use: ToolUse,
) -> Vec<&'h Tool> {
    let by_name = |name: &str| model_input.tools.iter().find(|tool| tool.name == name);
    let forced = match &model_input.tool_choice {
        ToolChoice::Tool(name) => by_name(name),
        _ => None,
    };
    let requested = forced.or_else(|| directives.tool.as_deref().and_then(by_name));
    let is_forced = matches!(model_input.tool_choice, ToolChoice::Any | ToolChoice::Tool(_));
    let mut chosen: Vec<&Tool> = match requested {
        Some(tool) => vec![tool],
        None if tool_use == ToolUse::ReadOnly && !is_forced => read_only_match(model_input),
        None => named_or_best_match(model_input),
    };
    if let Some(first) = chosen.first().copied() {
        chosen.resize(directives.parallel_calls, first);
    }
    chosen
}

/// The tools that the prompt or the texts before it name, or else the one that fits best.
fn named_or_best_match(model_input: &ModelInput) -> Vec<&Tool> {
    let mut named = tools_named_in(model_input, &model_input.last_user_text);
    if named.is_empty() {
        named = tools_named_in(model_input, &model_input.recent_user_text);
    }
    if named.is_empty() {
        named.extend(best_match(model_input));
    }
    named
}

/// The tools that only read, by their names, and that the prompt names; or else the one whose name
/// shares a word with the prompt. Texts before the prompt are the client's instructions and name
/// tools that the user did not ask for.
fn read_only_match(model_input: &ModelInput) -> Vec<&Tool> {
    let prompt = model_input.last_user_text.as_str();
    let mut named = tools_named_in(model_input, prompt);
    if !named.is_empty() {
        named.retain(|tool| is_read_only(tool));
        return named;
    }
    let prompt = content_words(prompt);
    let shared_words =
        |tool: &Tool| content_words(&tool.name).iter().filter(|word| prompt.contains(word)).count();
    let readers = model_input.tools.iter().filter(|tool| is_read_only(tool));
    // `max_by_key` takes the last of equals, and the first one is wanted.
    let best = readers.rev().max_by_key(|tool| shared_words(tool));
    best.filter(|tool| shared_words(tool) > 0).into_iter().collect()
}

fn is_read_only(tool: &Tool) -> bool {
    let words = name_words(&tool.name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    !tool.is_custom && !is_agent_tool(tool) && has(READING_VERBS) && !has(WRITING_VERBS)
}

/// The words of a text or a tool's name that say what it is about, in the singular.
fn content_words(text: &str) -> Vec<String> {
    let singular = |word: String| match word.strip_suffix('s') {
        Some(stem) if !stem.ends_with('s') => stem.to_owned(),
        _ => word,
    };
    let words = name_words(text).into_iter().filter(|word| !STOP_WORDS.contains(&word.as_str()));
    words.map(singular).filter(|word| word.len() > 2).collect()
}

/// Splits at everything but letters and digits, and where a capital follows a small letter.
fn name_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lowercase = false;
    for character in text.chars() {
        if !character.is_alphanumeric() || was_lowercase && character.is_uppercase() {
            words.push(String::new());
        }
        was_lowercase = character.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The tools that the text names, in the order of the text.
fn tools_named_in<'h>(model_input: &'h ModelInput, text: &str) -> Vec<&'h Tool> {
    let find_name = |tool: &Tool| {
        text.match_indices(tool.name.as_str()).map(|(at, _)| at).find(|at| {
            let before = text[..*at].chars().next_back();
            let after = text[at + tool.name.len()..].chars().next();
            let is_name_char = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
            ![before, after].into_iter().flatten().any(is_name_char)
        })
    };
    let tools = model_input.tools.iter().filter(|tool| !tool.name.is_empty());
    let mut named: Vec<(usize, &Tool)> = tools.filter_map(|t| Some((find_name(t)?, t))).collect();
    named.sort_by_key(|(at, _)| *at);
    named.into_iter().map(|(_, tool)| tool).collect()
}

/// The tool that shares the most words with the prompt; the first of equals.
fn best_match(model_input: &ModelInput) -> Option<&Tool> {
    let prompt = words_of(&model_input.last_user_text);
    let shared = |text: &str| words_of(text).iter().filter(|word| prompt.contains(word)).count();
    let score = |tool: &Tool| 3 * shared(&tool.name) + shared(&tool.description);
    let mut best: Option<(usize, &Tool)> = None;
    for tool in &model_input.tools {
        // Custom tools need free text that cannot be made up, and an agent tool would start the
        // same prompt again without end: both are called only by name.
        let score = if tool.is_custom || is_agent_tool(tool) { 0 } else { score(tool) + 1 };
        if best.is_none_or(|(best_score, _)| score > best_score) {
            best = Some((score, tool));
        }
    }
    best.map(|(_, tool)| tool)
}

fn is_agent_tool(tool: &Tool) -> bool {
    let name = tool.name.to_lowercase();
    name == "task" || name.contains("agent")
}

fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words.map(str::to_lowercase).collect()
}

const READING_VERBS: &[&str] = &[
    "browse", "cat", "count", "describe", "fetch", "find", "get", "glob", "grep", "head",
    "inspect", "list", "lookup", "ls", "query", "read", "search", "show", "stat", "tail", "view",
];

/// Verbs that make a tool with a reading verb a writing one, for example `get_or_create`.
const WRITING_VERBS: &[&str] = &[
    "add", "append", "apply", "ask", "bash", "buy", "call", "cancel", "clear", "click", "close",
    "commit", "copy", "create", "delete", "deploy", "do", "edit", "exec", "execute", "exit",
    "insert", "install", "kill", "merge", "modify", "move", "open", "patch", "pay", "post",
    "publish", "push", "put", "remove", "rename", "replace", "reset", "restart", "run", "save",
    "schedule", "send", "set", "shell", "spawn", "start", "stop", "submit", "update", "upload",
    "write",
];

/// Words of requests and of tools' names that say nothing about what is asked for.
const STOP_WORDS: &[&str] = &[
    "and", "are", "can", "did", "does", "for", "from", "get", "has", "have", "hello", "how",
    "into", "its", "mcp", "not", "please", "that", "the", "their", "them", "there", "this", "tool",
    "use", "was", "were", "what", "when", "where", "which", "who", "why", "with", "would", "you",
    "your",
];
