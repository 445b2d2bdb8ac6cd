//! `interlingua sessions`: the conversations that are kept on this machine.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};
use interlingua::model::Body;
use interlingua::native::Native;
use interlingua::{Dialect, Text, find};
use interlingua_agent::{Imported, Session, Stored};
use interlingua_gateway::config::{Config, Route, To};
use interlingua_store::{Keeper, PAGE, SessionError, SessionId};
use interlingua_transcript::Source;

use crate::chat::OWNER;
use crate::problem::Problem;
use crate::{args, input, output, serve, settings};

#[derive(Args)]
pub(crate) struct Order {
    /// The configuration; without it, the user's own file if there is one
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,

    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// All of them, the last changed first
    #[command(after_help = LIST)]
    List,
    /// What was said in one
    #[command(after_help = SHOW)]
    Show {
        /// Which one, as `list` names it
        id: SessionId,
    },
    /// One as a request body, to stdout
    #[command(after_help = EXPORT)]
    Export {
        /// Which one, as `list` names it
        id: SessionId,
        /// The dialect to write
        #[arg(long, value_name = "D", value_parser = args::dialect())]
        to: Option<&'static dyn Dialect>,
    },
    /// Read a conversation of any agent or dialect, and keep it
    #[command(after_help = IMPORT)]
    Import {
        /// A transcript, a request body or a list of messages; - for stdin
        file: PathBuf,
        /// The dialect it is written in, where that cannot be told
        #[arg(long, value_name = "D", value_parser = args::dialect())]
        from: Option<&'static dyn Dialect>,
    },
    /// Forget one
    #[command(after_help = RM)]
    Rm {
        /// Which one, as `list` names it
        id: SessionId,
    },
}

pub(crate) fn run(order: &Order) -> Result<(), Problem> {
    let _rest = crate::log::start_quietly();
    let source = settings::source(order.config.as_deref(), None);
    let config = settings::load(&source)?;
    serve::runtime()?.block_on(async {
        let store = interlingua_gateway::open_store(&config)
            .map_err(|error| Problem::bad(format!("cannot open the store: {error}"), ""))?;
        match &order.what {
            What::List => list(&*store).await,
            What::Show { id } => show(store, *id).await,
            What::Export { id, to } => export(store, &config, *id, *to).await,
            What::Import { file, from } => import(store, &config, file, *from).await,
            What::Rm { id } => store.delete(OWNER, *id).await.map_err(|error| bad(*id, &error)),
        }
    })
}

async fn list(store: &dyn Keeper) -> Result<(), Problem> {
    let mut after = None;
    loop {
        let page = store.list(OWNER, after, PAGE).await;
        let page = page.map_err(|error| trouble(store, &error))?;
        let mut out = String::new();
        for session in &page.sessions {
            let (age, turns) = (age(session.updated), session.turns);
            let many = if turns == 1 { "turn " } else { "turns" };
            // Writing to a string does not fail.
            let _ = writeln!(
                out,
                "{}  {age:>9}  {turns:>5} {many}  {:<24}  {}",
                session.id, session.model, session.title
            );
        }
        output::print(out.as_bytes())?;
        after = page.next;
        if after.is_none() {
            return Ok(());
        }
    }
}

async fn show(store: Arc<dyn Keeper>, id: SessionId) -> Result<(), Problem> {
    let found = Stored::open(store, OWNER, id).await.map_err(|error| bad(id, &error))?;
    let mut out = String::new();
    for turn in found.session.turns() {
        for block in &turn.blocks {
            let said = match &block.body {
                Body::Text { text, .. } | Body::Refusal(text) => text.contents().into_owned(),
                // Thoughts that only their provider can read.
                Body::Thinking(thinking) if thinking.text.is_empty() => continue,
                Body::Thinking(thinking) => format!("· {}", thinking.text),
                Body::ToolCall(call) => format!("→ {}({})", call.name, call.args.to_text()),
                Body::ToolResult(result) => {
                    let texts = result.content.iter().filter_map(|block| block.body.as_text());
                    format!("← {}", Text::join(texts, "\n"))
                }
                Body::Media(media) => format!("[{:?}]", media.kind),
                Body::Data(json) | Body::Foreign { json, .. } => json.as_str().to_owned(),
            };
            let _ = writeln!(out, "{:?}: {said}", turn.role);
        }
    }
    output::print(out.as_bytes())
}

async fn export(
    store: Arc<dyn Keeper>,
    config: &Config,
    id: SessionId,
    to: Option<&'static dyn Dialect>,
) -> Result<(), Problem> {
    let found = Stored::open(store, OWNER, id).await.map_err(|error| bad(id, &error))?;
    // To a provider, its model has the name that the provider gave it.
    let route = config.resolve(&found.model, 0).ok().filter(|_| to.is_some());
    let route = route.and_then(|routes| routes.into_iter().next());
    let model = match route {
        Some(Route { to: To::Provider(_), model }) => model,
        _ => found.model,
    };
    let model = Some(&*model).filter(|model| !model.is_empty());
    let (body, _) = found.session.export(to.unwrap_or(&Native), model);
    output::print(&body)?;
    output::end_line()
}

async fn import(
    store: Arc<dyn Keeper>,
    config: &Config,
    file: &Path,
    from: Option<&'static dyn Dialect>,
) -> Result<(), Problem> {
    let name = input::name(Some(file));
    let bytes = input::without_mark(input::read(Some(file))?);
    let (imported, notes) = read(bytes, from).ok_or_else(|| {
        let advice = "Give a transcript, a request body, or a list of messages with --from.";
        Problem::bad(format!("{name}: no conversation is found in it"), advice)
    })?;
    let Imported { mut session, model, ledger } = imported;
    let lost = ledger.entries.iter().filter(|entry| entry.loss).map(|entry| entry.what.to_string());
    for what in notes.into_iter().chain(lost) {
        Problem::bad(format!("{name}: {what}"), "").say();
    }
    // A model that nothing leads to from here would only be in the way.
    let model = model.map(|model| model.contents().into_owned()).unwrap_or_default();
    let model = if config.resolve(&model, 0).is_ok() { &*model } else { "" };
    let id =
        Stored::begin(Arc::<dyn Keeper>::clone(&store), OWNER, &name, model, &mut session).await;
    let id = id.map_err(|error| trouble(&*store, &error))?;
    output::print(format!("{id}\n").as_bytes())
}

/// The conversation in a file: what it says it is written in, or else what it looks like; and what is
/// to be known about the file.
fn read(bytes: Vec<u8>, from: Option<&'static dyn Dialect>) -> Option<(Imported, Vec<String>)> {
    if let Some(from) = from {
        return Some((Session::import(bytes.into(), from).ok()?, Vec::new()));
    }
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Some((Session::import(bytes.into(), find("openai-chat")?).ok()?, Vec::new()));
    }
    let transcript = interlingua_transcript::read(&Source::new(bytes.into()))?;
    let mut imported = Session::import(transcript.body, transcript.dialect).ok()?;
    imported.model = transcript.model;
    if transcript.stands_in {
        imported.session.take_back();
    }
    // What is mended in a file is not mended here, and is left out.
    let notes = transcript.notes.iter().filter(|note| note.mends);
    Some((imported, notes.map(ToString::to_string).collect()))
}

/// Why there is no such session here.
pub(crate) fn bad(id: SessionId, error: &SessionError) -> Problem {
    match error {
        SessionError::Missing => Problem::usage(
            format!("there is no session {id}"),
            "`interlingua sessions list` shows all.",
        ),
        SessionError::Trouble(what) => {
            Problem::bad(format!("session {id}: the store cannot be used: {what}"), STORE)
        }
        other => Problem::bad(format!("session {id}: {other}"), ""),
    }
}

/// What is wrong with the store, from the beginning of it: what fails later only follows from that.
pub(crate) fn trouble(store: &dyn Keeper, error: &SessionError) -> Problem {
    match error {
        SessionError::Trouble(last) => {
            let first = store.health().trouble;
            let what = first.as_ref().unwrap_or(last);
            Problem::bad(format!("the store cannot be used: {what}"), STORE)
        }
        SessionError::Off => Problem::bad(error.to_string(), STORE),
        other => Problem::bad(other.to_string(), ""),
    }
}

/// How long ago, for people.
fn age(micros: i64) -> String {
    let then = UNIX_EPOCH + Duration::from_micros(micros.unsigned_abs());
    let seconds = SystemTime::now().duration_since(then).unwrap_or_default().as_secs();
    match seconds {
        0..60 => "now".to_owned(),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// What to do about a store that cannot be used.
pub(crate) const STORE: &str = "May you write there, and is there room? `store.url` in the \
    configuration names another place.";

const LIST: &str = "\
Example:
  interlingua sessions list

A line is its id, how long ago it was changed, its turns, the model that was asked last, and its title.";

const SHOW: &str = "\
Example:
  interlingua sessions show 01a1eb7e-c3a3-72f8-af61-de1b7458c427";

const EXPORT: &str = "\
Without --to it is written in the dialect native, in which nothing is lost.

Example:
  interlingua sessions export 01a1eb7e-c3a3-72f8-af61-de1b7458c427 --to anthropic > request.json";

const IMPORT: &str = "\
The id of the new session goes to stdout, what is lost to stderr. A list of messages is read as
openai-chat unless --from says otherwise.

Examples:
  interlingua sessions import ~/.claude/projects/P/S.jsonl
  interlingua sessions import --from anthropic messages.json";

const RM: &str = "\
Example:
  interlingua sessions rm 01a1eb7e-c3a3-72f8-af61-de1b7458c427";

pub(crate) const HELP: &str = "\
Examples:
  interlingua sessions list
  interlingua sessions show ID
  interlingua sessions export ID --to anthropic > request.json
  interlingua sessions import ~/.claude/projects/P/S.jsonl
  interlingua sessions rm ID";
