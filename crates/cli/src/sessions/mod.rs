//! `interlingua sessions`: the sessions that are stored on this machine.

mod format;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use interlingua::{
    Dialect, JsonString, Target, TranslateError, TranslatedRequest, find_dialect, translate_request,
};
use interlingua_agent::{ImportedSession, OpenedSession, Session, StoredTurnLog};
use interlingua_dialects::native::Native;
use interlingua_gateway::DivergedReply;
use interlingua_gateway::config::{Backend, Config, Provider, Route};
use interlingua_repair::TargetProfile;
use interlingua_store::{MAX_PAGE_SIZE, SessionError, SessionId, Store};
use interlingua_transcript::TranscriptFile;

use crate::error::CommandError;
use crate::terminal_text::escape_line;
use crate::value_parsers::dialect_parser;
use crate::{gateway_config, input, local_gateway, output};

#[derive(Args)]
pub(crate) struct SessionsArgs {
    /// The configuration file; without it, the user's own file if there is one
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,

    #[command(subcommand)]
    command: SessionsCommand,
}

#[derive(Subcommand)]
enum SessionsCommand {
    /// List all sessions, the last changed first
    #[command(after_help = LIST_HELP)]
    List,
    /// Print the conversation of a session
    #[command(after_help = SHOW_HELP)]
    Show {
        /// The session, by its id in `list`
        id: SessionId,
    },
    /// Print a session as a request body
    #[command(after_help = EXPORT_HELP)]
    Export {
        /// The session, by its id in `list`
        id: SessionId,
        /// The dialect to write
        #[arg(long, value_name = "D", value_parser = dialect_parser())]
        to: Option<&'static dyn Dialect>,
        /// Write the turns as they are stored, even where a provider rejects them
        #[arg(long)]
        raw: bool,
    },
    /// Store a conversation of any agent or dialect as a session
    #[command(after_help = IMPORT_HELP)]
    Import {
        /// A transcript, a request body or a list of messages; - for stdin
        file: PathBuf,
        /// The dialect of the file, if it cannot be detected
        #[arg(long, value_name = "D", value_parser = dialect_parser())]
        from: Option<&'static dyn Dialect>,
    },
    /// Delete a session
    #[command(after_help = RM_HELP)]
    Rm {
        /// The session, by its id in `list`
        id: SessionId,
    },
}

pub(crate) fn run(args: &SessionsArgs) -> Result<(), CommandError> {
    let _flush_guard = crate::log::start_errors_only();
    let source = gateway_config::source(args.config.as_deref(), None);
    let config = gateway_config::load(&source)?;
    local_gateway::new_runtime()?.block_on(async {
        let store = interlingua_gateway::open_store(&config)
            .map_err(|error| CommandError::failed(format!("cannot open the store: {error}"), ""))?;
        match &args.command {
            SessionsCommand::List => list(&*store).await,
            SessionsCommand::Show { id } => show(store, *id).await,
            SessionsCommand::Export { id, to, raw } => {
                let to = to.unwrap_or(&Native);
                export(store, &config, *id, to, *raw).await
            }
            SessionsCommand::Import { file, from } => import(store, &config, file, *from).await,
            SessionsCommand::Rm { id } => {
                let deleted = store.delete(LOCAL_OWNER, *id).await;
                deleted.map_err(|error| session_error(*id, &error))?;
                let removed = DivergedReply::remove_all(&*store, LOCAL_OWNER, *id).await;
                removed.map_err(|error| session_error(*id, &error))
            }
        }
    })
}

async fn list(store: &dyn Store) -> Result<(), CommandError> {
    let mut after = None;
    loop {
        let page = store.list(LOCAL_OWNER, after, MAX_PAGE_SIZE).await;
        let page = page.map_err(|error| store_error(store, &error))?;
        let mut out = String::new();
        for session in &page.sessions {
            let (age, turns) =
                (format::format_age(session.updated.unsigned_abs()), session.turn_count);
            let unit = if turns == 1 { "turn " } else { "turns" };
            let _ = writeln!(
                out,
                "{}  {age:>9}  {turns:>5} {unit}  {:<24}  {}",
                session.id,
                escape_line(&session.model),
                escape_line(&session.title)
            );
        }
        output::print_text(&out)?;
        after = page.next;
        if after.is_none() {
            return Ok(());
        }
    }
}

async fn show(store: Arc<dyn Store>, id: SessionId) -> Result<(), CommandError> {
    let opened_session = StoredTurnLog::open(Arc::<dyn Store>::clone(&store), LOCAL_OWNER, id)
        .await
        .map_err(|error| session_error(id, &error))?;
    let diverged = DivergedReply::read_all(&*store, LOCAL_OWNER, id).await;
    let diverged = diverged.map_err(|error| session_error(id, &error))?;
    let mut out = String::new();
    for turn in opened_session.session.turns() {
        format::write_turn(&mut out, turn);
    }
    for reply in &diverged {
        format::write_diverged_reply(&mut out, reply);
    }
    output::print_text(&out)
}

async fn export(
    store: Arc<dyn Store>,
    config: &Config,
    id: SessionId,
    to: &'static dyn Dialect,
    raw: bool,
) -> Result<(), CommandError> {
    let OpenedSession { session, model, .. } = StoredTurnLog::open(store, LOCAL_OWNER, id)
        .await
        .map_err(|error| session_error(id, &error))?;
    let is_provider_dialect = TargetProfile::is_provider_dialect(to.id());
    // For a provider's dialect, the model gets the provider's name.
    let route = config.resolve(&model, 0).ok().filter(|_| is_provider_dialect);
    let route = route.and_then(|routes| routes.into_iter().next());
    let (provider, model) = match route {
        Some(Route { backend: Backend::Provider(provider), model }) => {
            (Some(provider), model.into_string())
        }
        _ => (None, model),
    };
    let model = Some(&*model).filter(|model| !model.is_empty());
    let body = if raw || !is_provider_dialect {
        session.export(to, model).0
    } else {
        let provider = provider.as_ref().and_then(|provider| provider.variant(to.id()));
        let target = Target {
            model: model.map(JsonString::new),
            flavor: provider.and_then(|provider| provider.flavor),
            joins_instructions: provider.is_some_and(Provider::joins_instructions),
            ..Target::default()
        };
        let repaired = export_repaired(&session, to, &target);
        let TranslatedRequest { body, ledger, .. } =
            repaired.map_err(|error| CommandError::failed(format!("session {id}: {error}"), ""))?;
        for entry in ledger.entries.iter().filter(|entry| entry.is_loss) {
            output::print_error(&CommandError::failed(
                format!("session {id}: {}", entry.description),
                "",
            ));
        }
        body
    };
    output::print(&body)?;
    output::end_line()
}

/// The session as a request that the provider accepts. One that came in the dialect is repaired
/// within it, so that its healthy turns leave unchanged.
fn export_repaired(
    session: &Session,
    to: &dyn Dialect,
    target: &Target,
) -> Result<TranslatedRequest, TranslateError> {
    let is_in_dialect = session.turns().iter().all(|turn| turn.text_for(to.id()).is_some());
    let from: &dyn Dialect = if is_in_dialect { to } else { &Native };
    let model = target.model.as_ref().map(JsonString::unescape);
    translate_request(session.export(from, model.as_deref()).0, from, to, target)
}

async fn import(
    store: Arc<dyn Store>,
    config: &Config,
    file: &Path,
    from: Option<&'static dyn Dialect>,
) -> Result<(), CommandError> {
    let name = input::display_name(Some(file));
    let bytes = input::strip_bom(input::read(Some(file))?);
    let (imported, notes) = read_conversation(bytes, from).ok_or_else(|| {
        let hint = "Give a transcript, a request body, or a list of messages with --from.";
        CommandError::failed(format!("{name}: no conversation found"), hint)
    })?;
    let ImportedSession { mut session, model, ledger } = imported;
    let lost = ledger
        .entries
        .iter()
        .filter(|entry| entry.is_loss)
        .map(|entry| entry.description.to_string());
    for message in notes.into_iter().chain(lost) {
        output::print_error(&CommandError::failed(format!("{name}: {message}"), ""));
    }
    // A model without a route in this configuration is not stored.
    let model = model.map(|model| model.unescape().into_owned()).unwrap_or_default();
    let model = if config.resolve(&model, 0).is_ok() { &*model } else { "" };
    let id = StoredTurnLog::create(
        Arc::<dyn Store>::clone(&store),
        LOCAL_OWNER,
        &name,
        model,
        &mut session,
    )
    .await;
    let id = id.map_err(|error| store_error(&*store, &error))?;
    output::print(format!("{id}\n").as_bytes())
}

/// The conversation in a file, in the given or detected dialect, and notes about the file.
fn read_conversation(
    bytes: Vec<u8>,
    from: Option<&'static dyn Dialect>,
) -> Option<(ImportedSession, Vec<String>)> {
    if let Some(from) = from {
        return Some((Session::import(bytes.into(), from).ok()?, Vec::new()));
    }
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Some((
            Session::import(bytes.into(), find_dialect("openai-chat")?).ok()?,
            Vec::new(),
        ));
    }
    let transcript = interlingua_transcript::read(&TranscriptFile::new(bytes.into()))?;
    let mut imported = Session::import(transcript.body, transcript.dialect).ok()?;
    imported.model = transcript.model;
    if transcript.has_placeholder {
        imported.session.pop_turn();
    }
    // Repairs of a transcript are not applied here; the affected parts are left out.
    let notes = transcript.notes.iter().filter(|note| note.is_fixed);
    Some((imported, notes.map(ToString::to_string).collect()))
}

/// The error of a session that cannot be opened.
pub(crate) fn session_error(id: SessionId, error: &SessionError) -> CommandError {
    match error {
        SessionError::NotFound => CommandError::usage(
            format!("there is no session {id}"),
            "`interlingua sessions list` shows all.",
        ),
        SessionError::Store(message) => CommandError::failed(
            format!("session {id}: the store cannot be used: {message}"),
            STORE_HINT,
        ),
        other => CommandError::failed(format!("session {id}: {other}"), ""),
    }
}

/// The error of a store, with its first cause: later errors only follow from it.
pub(crate) fn store_error(store: &dyn Store, error: &SessionError) -> CommandError {
    match error {
        SessionError::Store(last) => {
            let first = store.health().error;
            let message = first.as_ref().unwrap_or(last);
            CommandError::failed(format!("the store cannot be used: {message}"), STORE_HINT)
        }
        SessionError::Disabled => CommandError::failed(error.to_string(), STORE_HINT),
        other => CommandError::failed(other.to_string(), ""),
    }
}

/// Hint for a store that cannot be used.
pub(crate) const STORE_HINT: &str = "Check that its location is writable and not full. \
    `store.url` in the configuration selects another location.";

const LIST_HELP: &str = "\
Example:
  interlingua sessions list

Each line has the id, the time since the last change, the number of turns, the last model, and the title.";

const SHOW_HELP: &str = "\
Example:
  interlingua sessions show 01a1eb7e-c3a3-72f8-af61-de1b7458c427

Answers that are stored beside the session, because it got other turns in their place, follow the
conversation.";

const EXPORT_HELP: &str = "\
Without --to it is written in the native dialect, which loses nothing. A request in a provider's
dialect is repaired for it, and losses are written to stderr; --raw writes the turns as they are stored.

Example:
  interlingua sessions export 01a1eb7e-c3a3-72f8-af61-de1b7458c427 --to anthropic > request.json";

const IMPORT_HELP: &str = "\
The id of the new session is written to stdout, losses to stderr. A list of messages is read as
openai-chat unless --from is given.

Examples:
  interlingua sessions import ~/.claude/projects/P/S.jsonl
  interlingua sessions import --from anthropic messages.json";

const RM_HELP: &str = "\
Example:
  interlingua sessions rm 01a1eb7e-c3a3-72f8-af61-de1b7458c427";

pub(crate) const HELP: &str = "\
Examples:
  interlingua sessions list
  interlingua sessions show ID
  interlingua sessions export ID --to anthropic > request.json
  interlingua sessions import ~/.claude/projects/P/S.jsonl
  interlingua sessions rm ID";

/// Owner of the sessions on this machine.
pub(crate) const LOCAL_OWNER: &str = "";
