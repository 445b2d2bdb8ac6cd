//! `interlingua chat`: a conversation in the terminal, with tools, that outlives the terminal.

mod models;
mod screen;
mod servers;

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use clap::Args;
use interlingua_agent::{Agent, Found, Model as _, Session, Stopped, Stored};
use interlingua_gateway::config::{Config, Place};
use interlingua_store::{Keeper, SessionError, SessionId};
use tokio::sync::mpsc;

use crate::ending::asked_to_end;
use crate::problem::Problem;
use crate::{serve, sessions, settings};
use models::Models;
use screen::Screen;

#[derive(Args)]
pub(crate) struct Chat {
    /// The model to talk to, as PROVIDER/MODEL or a name of the configuration
    #[arg(long, value_name = "M")]
    model: Option<String>,

    /// Go on with a session
    #[arg(long, value_name = "ID")]
    session: Option<SessionId>,

    /// An MCP server whose tools the model may call: a command, or an address; may be given several times
    #[arg(long, value_name = "CMD")]
    mcp: Vec<String>,

    /// What the model is told before anything else
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,

    /// The configuration; without it, the user's own file if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(crate) fn run(order: &Chat) -> Result<(), Problem> {
    let _rest = crate::log::start_quietly();
    let source = settings::source(order.config.as_deref(), None);
    let config = settings::load(&source)?;
    serve::runtime()?.block_on(talk(order, config))
}

/// A conversation, and what it needs.
struct Talk {
    agent: Agent,
    session: Session,
    models: Models,
    store: Arc<dyn Keeper>,
    /// None until there is something to keep.
    id: Option<SessionId>,
    /// What is kept outlives this process.
    outlives: bool,
    /// Something that was said got no answer.
    unanswered: bool,
    screen: Screen,
}

async fn talk(order: &Chat, config: Config) -> Result<(), Problem> {
    let store = interlingua_gateway::open_store(&config)
        .map_err(|error| Problem::bad(format!("cannot open the store: {error}"), ""))?;
    let outlives = config.store.place != Place::Memory;
    let models = Models::new(config)?;
    let mut screen = Screen::default();
    let found = match order.session {
        Some(id) => Some(opened(Arc::clone(&store), id, &mut screen).await?),
        None => None,
    };
    let known = found.as_ref().map(|found| found.model.clone()).filter(|model| !model.is_empty());
    let model = models.find(order.model.as_deref().or(known.as_deref()))?;
    let mut agent = Agent::new(model).instructions(order.system.as_deref().unwrap_or_default());
    agent.tools = servers::tools(&order.mcp, models.upstream()).await?;
    screen.note(&format!(
        "{}, {} tools. /help lists the commands.",
        agent.model.name(),
        agent.tools.len()
    ));
    let (session, id) = match found {
        Some(found) => (found.session, Some(found.id)),
        None => (Session::new(), None),
    };
    let unanswered = false;
    let mut talk = Talk { agent, session, models, store, id, outlives, unanswered, screen };
    if !talk.session.is_answered() {
        talk.screen.note("The last answer was interrupted; it goes on now.");
        talk.answer(None).await?;
    }
    let mut lines = lines();
    loop {
        talk.screen.prompt();
        let line = tokio::select! {
            line = lines.recv() => line,
            () = asked()? => None,
        };
        let Some(line) = line else { break };
        let line = line.trim();
        match line.strip_prefix('/') {
            _ if line.is_empty() => {}
            Some("quit" | "exit") => break,
            Some(command) => talk.obey(command),
            None => talk.answer(Some(line)).await?,
        }
    }
    talk.goodbye();
    // A person has seen why; a program looks at the code.
    if talk.unanswered && !is_for_people() { Err(Problem::Ended(1)) } else { Ok(()) }
}

async fn opened(
    store: Arc<dyn Keeper>,
    id: SessionId,
    screen: &mut Screen,
) -> Result<Found, Problem> {
    let found = Stored::open(store, OWNER, id).await.map_err(|error| sessions::bad(id, &error))?;
    screen.note(&format!("{} ({} turns)", found.title, found.session.turns().len()));
    for number in &found.damaged {
        screen.note(&format!("turn {number} is damaged, and left out"));
    }
    for entry in found.ledger.entries.iter().filter(|entry| entry.loss) {
        screen.note(&entry.what);
    }
    Ok(found)
}

impl Talk {
    /// Says something to the model, if there is something to say, and shows what it does. Ctrl-C stops it.
    async fn answer(&mut self, words: Option<&str>) -> Result<(), Problem> {
        if let (Some(words), None) = (words, self.id) {
            self.begin(words).await?;
        }
        let screen = &mut self.screen;
        let mut tell = |progress: interlingua_agent::Progress<'_>| screen.shows(&progress);
        let answer = async {
            match words {
                Some(words) => self.agent.ask(&mut self.session, words, &mut tell).await,
                None => self.agent.resume(&mut self.session, &mut tell).await,
            }
        };
        let answered = tokio::select! {
            answered = answer => Some(answered),
            () = asked()? => None,
        };
        self.screen.end();
        match answered {
            Some(Ok(answer)) if answer.text().trim().is_empty() => {
                self.screen.note("(The model says nothing.)");
            }
            Some(Ok(_)) => {}
            Some(Err(stopped @ Stopped::NotKept(_))) => {
                return Err(Problem::bad(stopped.to_string(), sessions::STORE));
            }
            Some(Err(stopped)) => {
                self.unanswered = true;
                self.screen.note(&stopped.to_string());
            }
            None => self.screen.note("(Stopped.)"),
        }
        Ok(())
    }

    async fn begin(&mut self, words: &str) -> Result<(), Problem> {
        let title: String = words.chars().take(LONGEST_TITLE).collect();
        let model = self.agent.model.name().to_owned();
        let store = Arc::clone(&self.store);
        match Stored::begin(store, OWNER, &title, &model, &mut self.session).await {
            Ok(id) => {
                self.id = Some(id);
                self.screen.note(&format!("Session {id}"));
                Ok(())
            }
            // Whoever has turned the store off does not want it kept.
            Err(SessionError::Off) => Ok(()),
            Err(error) => Err(sessions::trouble(&*self.store, &error)),
        }
    }

    fn obey(&mut self, command: &str) {
        let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
        match word {
            "model" if rest.trim().is_empty() => self.screen.note(self.agent.model.name()),
            "model" => match self.models.find(Some(rest.trim())) {
                Ok(model) => {
                    self.screen.note(&format!("Now with {}.", model.name()));
                    self.agent.model = model;
                }
                Err(problem) => problem.say(),
            },
            "thinking" => self.screen.unfold(),
            "tools" => {
                for tool in &self.agent.tools {
                    self.screen.note(&format!("{}: {}", tool.name, tool.description));
                }
            }
            "help" => self.screen.note(COMMANDS),
            _ => self.screen.note(&format!("There is no command /{word}.\n{COMMANDS}")),
        }
    }

    fn goodbye(&mut self) {
        if let Some(id) = self.id.filter(|_| self.outlives) {
            self.screen.note(&format!("To go on: interlingua chat --session {id}"));
        }
    }
}

/// Lines of stdin: a terminal is read by a thread of its own, which nobody can interrupt.
fn lines() -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel(1);
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if send.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receive
}

fn asked() -> Result<impl Future<Output = ()>, Problem> {
    asked_to_end().map_err(|error| Problem::bad(error.to_string(), ""))
}

/// Whether a person sits there.
fn is_for_people() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Sessions of whoever sits at this machine.
pub(crate) const OWNER: &str = "";
const LONGEST_TITLE: usize = 80;

const COMMANDS: &str = "\
/model M    go on with another model
/thinking   show what the model thinks, or fold it again
/tools      what the model may call
/quit       end; the session stays";

pub(crate) const ABOUT: &str = "\
Talk to a model in the terminal, with tools.

Works with nothing configured: sim/agent is built in. The session is kept after every turn, so that it \
goes on after a crash, in another terminal, and with another model. What the model says goes to stdout, \
everything else to stderr. Lines that begin with / are commands; /help lists them.";

pub(crate) const HELP: &str = "\
Examples:
  interlingua chat
  interlingua chat --model anthropic/claude-sonnet-4-5 --mcp 'npx -y @modelcontextprotocol/server-filesystem .'
  interlingua chat --session ID
  echo 'What is new?' | interlingua chat --model openai/gpt-5.5

Exit codes: 0 good; 1 the session cannot be kept, a server of --mcp cannot be used, or, where no person
sits there, something that was said got no answer; 2 wrong usage.";
