//! Asks the user before a tool runs.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use interlingua_agent::{ApprovalFuture, Tool, ToolApproval};
use interlingua_model::ToolCall;

use super::input_lines::SharedInput;
use super::screen::SharedScreen;
use crate::terminal_text::escape_line;

/// Asks for each tool that its user has neither allowed nor forbidden in this chat.
pub(super) struct UserApproval {
    input: SharedInput,
    screen: SharedScreen,
    /// There is a terminal to ask at.
    is_interactive: bool,
    /// By the name of the tool: whether it may always run, or never.
    standing_answers: Mutex<HashMap<String, bool>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UserAnswer {
    Once,
    Always,
    No,
    Never,
}

impl UserApproval {
    pub(super) fn new(input: SharedInput, screen: SharedScreen, is_interactive: bool) -> Self {
        Self { input, screen, is_interactive, standing_answers: Mutex::default() }
    }

    async fn decide(&self, tool: &Tool, call: &ToolCall) -> Result<(), String> {
        let standing_answers =
            || self.standing_answers.lock().unwrap_or_else(PoisonError::into_inner);
        let standing_answer = standing_answers().get(&tool.name).copied();
        match standing_answer {
            Some(true) => return Ok(()),
            Some(false) => return Err(NEVER_MESSAGE.to_owned()),
            None if !self.is_interactive => return Err(NO_TERMINAL_MESSAGE.to_owned()),
            None => {}
        }
        let answer = self.ask(tool, call).await;
        if let UserAnswer::Always | UserAnswer::Never = answer {
            standing_answers().insert(tool.name.clone(), answer == UserAnswer::Always);
        }
        match answer {
            UserAnswer::Once | UserAnswer::Always => Ok(()),
            UserAnswer::No => Err(NO_MESSAGE.to_owned()),
            UserAnswer::Never => Err(NEVER_MESSAGE.to_owned()),
        }
    }

    /// Asks until there is an answer; the end of the input is a no.
    async fn ask(&self, tool: &Tool, call: &ToolCall) -> UserAnswer {
        let mut input = self.input.lock().await;
        // What was typed before the question does not answer it.
        input.keep_typed_lines();
        let question = format_question(tool, call);
        loop {
            self.screen.lock().ask(&question);
            let Some(line) = input.next_typed_line().await else { return UserAnswer::No };
            if let Some(answer) = UserAnswer::parse(&line, default_answer(tool)) {
                return answer;
            }
        }
    }
}

impl ToolApproval for UserApproval {
    fn approve<'a>(&'a self, tool: &'a Tool, call: &'a ToolCall) -> ApprovalFuture<'a> {
        Box::pin(self.decide(tool, call))
    }
}

impl fmt::Debug for UserApproval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserApproval").finish_non_exhaustive()
    }
}

impl UserAnswer {
    fn parse(line: &str, default: Self) -> Option<Self> {
        match line.trim().to_lowercase().as_str() {
            "" => Some(default),
            "y" | "yes" | "o" | "once" => Some(Self::Once),
            "a" | "always" => Some(Self::Always),
            "n" | "no" => Some(Self::No),
            "v" | "never" => Some(Self::Never),
            _ => None,
        }
    }
}

/// The answer of an empty line. What a server says about its tool only selects the default.
fn default_answer(tool: &Tool) -> UserAnswer {
    if tool.is_read_only { UserAnswer::Once } else { UserAnswer::No }
}

fn format_question(tool: &Tool, call: &ToolCall) -> String {
    let args = call.args.to_json_string();
    let args = args.unescape();
    let mut args = escape_line(args.trim());
    if let Some((end, _)) = args.char_indices().nth(MAX_ARGS_CHARS) {
        let rest = args[end..].chars().count();
        args = format!("{} … and {rest} characters more", &args[..end]).into();
    }
    let hint = if tool.is_read_only { " (its server says that it only reads)" } else { "" };
    let default = if default_answer(tool) == UserAnswer::Once { "yes" } else { "no" };
    format!(
        "Run {}({args})?{hint}\n[y]es, once / [a]lways / [n]o / ne[v]er; Enter is {default}: ",
        escape_line(&tool.name)
    )
}

/// The end of a command matters as much as its beginning, so that nearly all are shown whole.
const MAX_ARGS_CHARS: usize = 4000;
const NO_MESSAGE: &str = "The user did not allow this call.";
const NEVER_MESSAGE: &str = "The user does not allow this tool in this chat. Do not call it again.";
const NO_TERMINAL_MESSAGE: &str = "The user has not allowed this tool, and there is no terminal to ask \
    at. They can start `interlingua chat` with --yes, which allows every tool.";

#[cfg(test)]
mod tests;
