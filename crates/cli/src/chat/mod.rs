//! `interlingua chat`: a chat in the terminal, with tools and stored sessions.

mod approval;
#[cfg(feature = "builtin-models")]
mod builtin_provider;
mod input_lines;
mod mcp_servers;
mod models;
mod screen;
#[cfg(not(feature = "builtin-models"))]
use crate::missing_features as builtin_provider;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use interlingua_agent::{Agent, AgentError, Model as _, OpenedSession, Session, StoredTurnLog};
use interlingua_gateway::config::{Config, StoreLocation};
use interlingua_store::{SessionError, SessionId, Store};

use crate::error::CommandError;
use crate::{gateway_config, local_gateway, output, sessions, shutdown};
use approval::UserApproval;
use input_lines::InputLines;
use models::Models;
use screen::{SharedScreen, is_interactive};

#[derive(Args)]
pub(crate) struct ChatArgs {
    /// The model, as PROVIDER/MODEL or a name from the configuration
    #[arg(long, value_name = "M")]
    model: Option<String>,

    /// Continue a session
    #[arg(long, value_name = "ID")]
    session: Option<SessionId>,

    /// An MCP server with tools for the model: a command or a URL; may be given several times
    #[arg(long, value_name = "CMD")]
    mcp: Vec<String>,

    /// Run every tool call without asking
    #[arg(long)]
    yes: bool,

    /// The system message
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,

    /// The configuration file; without it, the user's own file if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(crate) fn run(args: &ChatArgs) -> Result<(), CommandError> {
    let _flush_guard = crate::log::start_errors_only();
    let source = gateway_config::source(args.config.as_deref(), None);
    let config = gateway_config::load(&source)?;
    local_gateway::new_runtime()?.block_on(chat_loop(args, config))
}

/// State of a running chat.
struct ChatState {
    agent: Agent,
    session: Session,
    models: Models,
    store: Arc<dyn Store>,
    /// `None` until the session is stored.
    id: Option<SessionId>,
    /// The store survives this process.
    is_persistent: bool,
    /// Some input got no answer.
    has_unanswered_input: bool,
    screen: SharedScreen,
}

async fn chat_loop(args: &ChatArgs, config: Config) -> Result<(), CommandError> {
    let store = interlingua_gateway::open_store(&config)
        .map_err(|error| CommandError::failed(format!("cannot open the store: {error}"), ""))?;
    let is_persistent = config.store.location != StoreLocation::Memory;
    let models = Models::new(config)?;
    let screen = SharedScreen::default();
    let opened_session = match args.session {
        Some(id) => Some(open_session(Arc::clone(&store), id, &screen).await?),
        None => None,
    };
    let stored_model = opened_session
        .as_ref()
        .map(|opened_session| opened_session.model.clone())
        .filter(|model| !model.is_empty());
    let model = models.find(args.model.as_deref().or(stored_model.as_deref()))?;
    let mut agent = Agent::new(model).instructions(args.system.as_deref().unwrap_or_default());
    agent.tools = mcp_servers::tools(&args.mcp, models.upstream(), &screen).await?;
    let input = InputLines::from_stdin();
    if !args.yes {
        let approval = UserApproval::new(Arc::clone(&input), screen.clone(), is_interactive());
        agent.approval = Some(Arc::new(approval));
    }
    screen.lock().note(&format!(
        "{}, {} tools. /help lists the commands.",
        agent.model.name(),
        agent.tools.len()
    ));
    let (session, id) = match opened_session {
        Some(opened_session) => (opened_session.session, Some(opened_session.id)),
        None => (Session::new(), None),
    };
    let has_unanswered_input = false;
    let mut chat_state = ChatState {
        agent,
        session,
        models,
        store,
        id,
        is_persistent,
        has_unanswered_input,
        screen,
    };
    if !chat_state.session.is_complete() {
        chat_state.screen.lock().note("The last answer was interrupted; it is continued now.");
        chat_state.answer(None).await?;
    }
    loop {
        chat_state.screen.lock().prompt();
        let line = tokio::select! {
            line = async { input.lock().await.next_line().await } => line,
            () = shutdown_signal()? => None,
        };
        let Some(line) = line else { break };
        let line = line.trim();
        match line.strip_prefix('/') {
            _ if line.is_empty() => {}
            Some("quit" | "exit") => break,
            Some(command) => chat_state.run_command(command),
            None => chat_state.answer(Some(line)).await?,
        }
    }
    chat_state.print_resume_hint();
    // On a terminal the user has seen the error; a program reads the exit code.
    if chat_state.has_unanswered_input && !is_interactive() {
        Err(CommandError::ChildExited(1))
    } else {
        Ok(())
    }
}

async fn open_session(
    store: Arc<dyn Store>,
    id: SessionId,
    screen: &SharedScreen,
) -> Result<OpenedSession, CommandError> {
    let opened_session = StoredTurnLog::open(store, sessions::LOCAL_OWNER, id)
        .await
        .map_err(|error| sessions::session_error(id, &error))?;
    let turn_count = opened_session.session.turns().len();
    let turns = if turn_count == 1 { "turn" } else { "turns" };
    screen.lock().note(&format!("{} ({turn_count} {turns})", opened_session.title));
    for number in &opened_session.damaged_turns {
        screen.lock().note(&format!("turn {number} is damaged and was left out"));
    }
    for entry in opened_session.ledger.entries.iter().filter(|entry| entry.is_loss) {
        screen.lock().note(&entry.description);
    }
    Ok(opened_session)
}

impl ChatState {
    /// Sends input to the model, if there is some, and prints the answer. Ctrl-C stops it.
    async fn answer(&mut self, input: Option<&str>) -> Result<(), CommandError> {
        if let (Some(input), None) = (input, self.id) {
            self.create_session(input).await?;
        }
        let screen = self.screen.clone();
        let mut on_progress =
            |progress: interlingua_agent::Progress<'_>| screen.lock().print_progress(&progress);
        let answer = async {
            match input {
                Some(input) => self.agent.ask(&mut self.session, input, &mut on_progress).await,
                None => self.agent.resume(&mut self.session, &mut on_progress).await,
            }
        };
        let outcome = tokio::select! {
            answered = answer => Some(answered),
            () = shutdown_signal()? => None,
        };
        self.screen.lock().finish_answer();
        match outcome {
            Some(Ok(answer)) if answer.text().trim().is_empty() => {
                self.screen.lock().note("(The answer is empty.)");
            }
            Some(Ok(_)) => {}
            Some(Err(agent_error @ AgentError::Persist(_))) => {
                return Err(CommandError::failed(agent_error.to_string(), sessions::STORE_HINT));
            }
            Some(Err(agent_error)) => {
                self.has_unanswered_input = true;
                self.screen.lock().note(&agent_error.to_string());
            }
            None => self.screen.lock().note("(Stopped.)"),
        }
        Ok(())
    }

    async fn create_session(&mut self, input: &str) -> Result<(), CommandError> {
        let title: String = input.chars().take(MAX_TITLE_CHARS).collect();
        let model = self.agent.model.name().to_owned();
        let store = Arc::clone(&self.store);
        match StoredTurnLog::create(store, sessions::LOCAL_OWNER, &title, &model, &mut self.session)
            .await
        {
            Ok(id) => {
                self.id = Some(id);
                self.screen.lock().note(&format!("Session {id}"));
                Ok(())
            }
            // With a disabled store, sessions are not stored.
            Err(SessionError::Disabled) => Ok(()),
            Err(error) => Err(sessions::store_error(&*self.store, &error)),
        }
    }

    fn run_command(&mut self, command: &str) {
        let (name, argument) = command.split_once(' ').unwrap_or((command, ""));
        match name {
            "model" if argument.trim().is_empty() => {
                self.screen.lock().note(self.agent.model.name());
            }
            "model" => match self.models.find(Some(argument.trim())) {
                Ok(model) => {
                    self.screen.lock().note(&format!("The model is now {}.", model.name()));
                    self.agent.model = model;
                }
                Err(error) => output::print_error(&error),
            },
            "thinking" => self.screen.lock().toggle_thinking(),
            "tools" => {
                for tool in &self.agent.tools {
                    self.screen.lock().note(&format!("{}: {}", tool.name, tool.description));
                }
            }
            "help" => self.screen.lock().note(COMMAND_HELP),
            _ => self.screen.lock().note(&format!("There is no command /{name}.\n{COMMAND_HELP}")),
        }
    }

    fn print_resume_hint(&mut self) {
        if let Some(id) = self.id.filter(|_| self.is_persistent) {
            self.screen.lock().note(&format!("To continue: interlingua chat --session {id}"));
        }
    }
}

fn shutdown_signal() -> Result<impl Future<Output = ()>, CommandError> {
    shutdown::shutdown_signal().map_err(|error| CommandError::failed(error.to_string(), ""))
}

const MAX_TITLE_CHARS: usize = 80;

const COMMAND_HELP: &str = "\
/model M    switch to another model
/thinking   show or hide the model's thinking
/tools      list the tools that the model may call
/quit       quit; the session is stored";

pub(crate) const ABOUT: &str = "\
Chat with a model in the terminal, with tools.

Works without configuration: sim/agent is built in. The session is stored after every turn, so that it \
can be continued after a crash, in another terminal, and with another model. Answers are written to \
stdout, everything else to stderr. Lines that begin with / are commands; /help lists them.

Before a tool runs, you are asked: once, always for this tool, not now, or never. Without a terminal no \
tool runs, unless --yes allows all of them; the model is told why.";

pub(crate) const HELP: &str = "\
Examples:
  interlingua chat
  interlingua chat --model anthropic/claude-sonnet-4-5 --mcp 'npx -y @modelcontextprotocol/server-filesystem .'
  interlingua chat --session ID
  echo 'List the files' | interlingua chat --yes --mcp 'npx -y @modelcontextprotocol/server-filesystem .'
  echo 'What is new?' | interlingua chat --model openai/gpt-5.5

Exit codes: 0 success; 1 the session cannot be stored, a server of --mcp cannot be used, or, without a
terminal, some input got no answer; 2 wrong usage.";
