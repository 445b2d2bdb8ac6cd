//! `interlingua chat` and `interlingua sessions`, with the built-in model.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs a command with its own home directory and these lines on stdin.
pub(crate) fn run_with_home(home: &Path, arguments: &[&str], lines: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_interlingua"))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .env("PATH", search_path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    stdin.write_all(lines.as_bytes()).expect("it reads");
    drop(stdin);
    let done = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (done.status.code().expect("a code"), text(done.stdout), text(done.stderr))
}

pub(crate) fn search_path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

/// An MCP server with the tools `read`, which says that it only reads, and `write`.
pub(crate) struct McpScript {
    /// The command that starts it.
    pub(crate) command: String,
    log: PathBuf,
}

impl McpScript {
    /// A server whose tools return this text, written as in JSON.
    pub(crate) fn write(folder: &Path, text: &str) -> Self {
        let (script, log) = (folder.join("server.sh"), folder.join("calls.log"));
        let contents = MCP_SCRIPT.replace("LOG", &log.display().to_string());
        std::fs::write(&script, contents.replace("TEXT", text)).expect("a file");
        Self { command: format!("sh {}", script.display()), log }
    }

    /// How often a tool has run.
    fn runs(&self) -> usize {
        std::fs::read_to_string(&self.log).unwrap_or_default().lines().count()
    }
}

const MCP_SCRIPT: &str = r#"
printf 'server\033]0;title\007\n' >&2
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[
        {"name":"read","description":"Reads.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
        {"name":"write","description":"Writes.","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*) echo run >> 'LOG'; result='{"content":[{"type":"text","text":"TEXT"}]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$(printf '%s' "$result" | tr '\n' ' ')"
done
"#;

/// The id of the created session.
fn session_id(stderr: &str) -> &str {
    stderr.lines().find_map(|line| line.strip_prefix("Session ")).expect("a session was begun")
}

#[test]
fn a_session_continues_in_another_process_with_another_model() {
    let home = tempfile::tempdir().expect("a folder");
    let (code, stdout, stderr) = run_with_home(home.path(), &["chat"], "Good morning\n/model\n");
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("You said \"Good morning\""), "{stdout}");
    assert!(stderr.contains("sim/agent\n"), "{stderr}");
    let id = session_id(&stderr);
    assert!(
        stderr.ends_with(&format!("To continue: interlingua chat --session {id}\n")),
        "{stderr}"
    );

    let resume = ["chat", "--session", id, "--model", "sim/echo"];
    let (code, stdout, stderr) = run_with_home(home.path(), &resume, "And again\n");
    assert_eq!((code, stdout.as_str()), (0, "And again\n"), "{stderr}");
    assert!(stderr.contains("Good morning (2 turns)"), "{stderr}");

    let (_, listed, _) = run_with_home(home.path(), &["sessions", "list"], "");
    assert!(listed.starts_with(id) && listed.contains("4 turns"), "{listed}");
    assert!(listed.contains("sim/echo") && listed.contains("Good morning"), "{listed}");
    let (_, shown, _) = run_with_home(home.path(), &["sessions", "show", id], "");
    assert!(shown.contains("User: And again\nAssistant: And again\n"), "{shown}");
}

#[test]
fn sessions_are_exported_and_imported_in_other_dialects() {
    let home = tempfile::tempdir().expect("a folder");
    let (_, _, stderr) = run_with_home(home.path(), &["chat"], "Good morning\n");
    let id = session_id(&stderr).to_owned();
    for dialect in ["anthropic", "openai-chat", "openai-responses", "gemini", "native"] {
        let export = ["sessions", "export", &id, "--to", dialect];
        let (code, body, stderr) = run_with_home(home.path(), &export, "");
        assert_eq!(code, 0, "{stderr}");
        let import = ["sessions", "import", "-", "--from", dialect];
        let (code, other, stderr) = run_with_home(home.path(), &import, &body);
        assert_eq!(code, 0, "{dialect}: {stderr}");
        let resume = ["chat", "--session", other.trim()];
        let (code, stdout, stderr) = run_with_home(home.path(), &resume, "And again\n");
        assert_eq!(code, 0, "{dialect}: {stderr}");
        assert!(stdout.contains("\"And again\""), "{dialect}: {stdout}");
    }
    let (code, _, _) = run_with_home(home.path(), &["sessions", "rm", &id], "");
    assert_eq!(code, 0);
    let (code, _, stderr) = run_with_home(home.path(), &["chat", "--session", &id], "");
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("there is no session"), "{stderr}");
}

#[test]
fn an_exported_session_is_healthy_and_imported_with_its_model() {
    let home = tempfile::tempdir().expect("a folder");
    let echo = ["chat", "--model", "sim/echo"];
    let (_, _, stderr) = run_with_home(home.path(), &echo, "Hello\nAgain\n");
    let id = session_id(&stderr).to_owned();
    let (code, body, stderr) = run_with_home(home.path(), &["sessions", "export", &id], "");
    assert_eq!(code, 0, "{stderr}");
    assert!(body.contains("\"model\":\"sim/echo\""), "{body}");
    let (code, findings, stderr) = run_with_home(home.path(), &["doctor", "-"], &body);
    assert_eq!((code, findings.as_str()), (0, ""), "{stderr}");
    let (code, other, stderr) = run_with_home(home.path(), &["sessions", "import", "-"], &body);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let resume = ["chat", "--session", other.trim()];
    let (code, stdout, stderr) = run_with_home(home.path(), &resume, "And again\n");
    assert_eq!((code, stdout.as_str()), (0, "And again\n"), "{stderr}");
    assert!(stderr.contains("(4 turns)"), "{stderr}");
}

#[test]
fn an_export_has_the_providers_name_of_the_model() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("lab.toml");
    let lab = "[providers.lab]\ndialect = \"anthropic\"\nbase_url = \"http://127.0.0.1:9\"\n";
    std::fs::write(&file, lab).expect("a file");
    let file = file.display().to_string();
    let body = r#"{"interlingua":1,"source":"native","model":"lab/claude-sonnet-4-5","turns":[
        {"role":"user","blocks":[{"text":"hi"}]}]}"#;
    let import = ["sessions", "import", "-", "--config", &file];
    let (code, id, stderr) = run_with_home(home.path(), &import, body);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let export = ["sessions", "export", id.trim(), "--config", &file];
    let (_, native, _) = run_with_home(home.path(), &export, "");
    assert!(native.contains("\"model\":\"lab/claude-sonnet-4-5\""), "{native}");
    let export = [&export[..], &["--to", "anthropic"]].concat();
    let (_, request, _) = run_with_home(home.path(), &export, "");
    let (code, stdout, _) = run_with_home(home.path(), &["check", "--for", "anthropic"], &request);
    assert_eq!(code, 0, "{stdout}: {request}");
}

#[test]
fn damage_of_a_transcript_is_reported_and_the_last_answer_stays_last() {
    let home = tempfile::tempdir().expect("a folder");
    let line = |role: &str, uuid: &str| {
        format!(
            r#"{{"type":"{role}","uuid":"{uuid}","sessionId":"s","message":{{"role":"{role}","content":"{uuid}"}}}}"#
        )
    };
    let file = format!("{}\n{}\n{{\"type\":\"us", line("user", "a"), line("assistant", "b"));
    let (code, id, stderr) = run_with_home(home.path(), &["sessions", "import", "-"], &file);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("stdin: line 3 cannot be read and is skipped"), "{stderr}");
    let (_, shown, _) = run_with_home(home.path(), &["sessions", "show", id.trim()], "");
    assert_eq!(shown, "User: a\nAssistant: b\n");
}

#[test]
fn a_list_of_messages_is_imported_and_losses_are_reported() {
    let home = tempfile::tempdir().expect("a folder");
    let stored = r#"[{"role":"user","content":{"ask":"boats"}},null,
        {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",
            "function":{"name":"look","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"c","content":["three",{"boats":3}]}]"#;
    let (code, id, stderr) = run_with_home(home.path(), &["sessions", "import", "-"], stored);
    assert_eq!(code, 0, "{stderr}");
    let (code, stdout, stderr) =
        run_with_home(home.path(), &["chat", "--session", id.trim(), "--model", "sim/agent"], "");
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("The last answer was interrupted"), "{stderr}");
    assert!(stdout.contains("I received 1 result(s)"), "{stdout}");
}

#[test]
fn an_export_to_its_own_dialect_is_accepted_and_raw_on_request() {
    let home = tempfile::tempdir().expect("a folder");
    let stored = r#"[{"role":"user","content":{"ask":"boats"}},null,7,["words"],
        {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",
            "function":{"name":"look","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"c","content":{"boats":["KEEP"]}},
        {"role":"user","content":[{"type":"text","text":"and?"},{"type":"image","path":"a"}]}]"#;
    let (code, id, stderr) = run_with_home(home.path(), &["sessions", "import", "-"], stored);
    assert_eq!(code, 0, "{stderr}");
    let export = ["sessions", "export", id.trim(), "--to", "openai-chat"];
    let (code, body, stderr) = run_with_home(home.path(), &export, "");
    assert_eq!(code, 0, "{stderr}");
    assert!(body.contains("KEEP"), "{body}");
    // The list came without a model, so the export has none.
    let body = body.replacen('{', r#"{"model":"gpt-5.1","#, 1);
    let check = ["check", "--for", "openai-chat", "--model", "gpt-5.1"];
    let (code, stdout, _) = run_with_home(home.path(), &check, &body);
    assert_eq!(code, 0, "{stdout}: {body}");
    let (code, raw, _) = run_with_home(home.path(), &[&export[..], &["--raw"]].concat(), "");
    assert_eq!(code, 0);
    assert!(raw.contains(r#"{"ask":"boats"}"#), "{raw}");
    let raw = raw.replacen('{', r#"{"model":"gpt-5.1","#, 1);
    let (code, stdout, _) = run_with_home(home.path(), &check, &raw);
    assert_eq!(code, 1, "{stdout}");
}

#[test]
fn a_healthy_export_to_its_own_dialect_is_unchanged() {
    let home = tempfile::tempdir().expect("a folder");
    let stored =
        r#"[{"role":"system","content":"Be brief."},{"role":"user","content":"hi","name":"dana"}]"#;
    let (code, id, stderr) = run_with_home(home.path(), &["sessions", "import", "-"], stored);
    assert_eq!(code, 0, "{stderr}");
    let export = ["sessions", "export", id.trim(), "--to", "openai-chat"];
    let (code, body, stderr) = run_with_home(home.path(), &export, "");
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(body.contains(stored), "{body}");
}

#[test]
fn wrong_usage_is_reported() {
    let home = tempfile::tempdir().expect("a folder");
    let (code, _, stderr) = run_with_home(home.path(), &["chat", "--model", "nobody/knows"], "");
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("there is no route for the model `nobody/knows`"), "{stderr}");
    let (code, _, stderr) = run_with_home(home.path(), &["chat", "--mcp", "no-such-program"], "");
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("'no-such-program' cannot be used"), "{stderr}");
    let (code, _, stderr) = run_with_home(home.path(), &["sessions", "import", "-"], "just words");
    assert_eq!(code, 1, "{stderr}");
}

#[test]
fn without_an_answer_the_exit_code_is_1() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("lab.toml");
    let lab = "[providers.lab]\ndialect = \"anthropic\"\nbase_url = \"http://127.0.0.1:9\"\n";
    std::fs::write(&file, lab).expect("a file");
    let file = file.display().to_string();
    let chat = ["chat", "--model", "lab/claude-sonnet-4-5", "--config", &file];
    let (code, stdout, stderr) = run_with_home(home.path(), &chat, "Hello\n");
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert!(stderr.contains("the model request failed: lab: no server listens"), "{stderr}");
}

#[test]
fn an_unreachable_mcp_server_is_reported() {
    let home = tempfile::tempdir().expect("a folder");
    let chat = ["chat", "--mcp", "http://127.0.0.1:9/mcp"];
    let (code, _, stderr) = run_with_home(home.path(), &chat, "");
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("no server listens at its address"), "{stderr}");
    assert!(!stderr.contains("rmcp") && !stderr.contains("Failure {"), "{stderr}");
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
}

#[test]
fn an_unusable_store_is_reported_with_its_first_cause() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("store.toml");
    let other = home.path().join("other.db");
    std::fs::create_dir(&other).expect("a folder in its place");
    let store = format!("[store]\nurl = \"sqlite:{}\"\n", other.display());
    std::fs::write(&file, store).expect("a file");
    let file = file.display().to_string();
    for args in [&["sessions", "list", "--config", &file][..], &["chat", "--config", &file]] {
        let (code, _, stderr) = run_with_home(home.path(), args, "Hello\n");
        assert_eq!(code, 1, "{stderr}");
        assert!(stderr.contains("interlingua: the store cannot be used: "), "{stderr}");
        assert!(
            stderr.contains("`store.url`") && !stderr.contains("Is the disk full?"),
            "{stderr}"
        );
    }
}

#[test]
fn no_resume_hint_without_a_stored_session() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("store.toml");
    std::fs::write(&file, "[store]\nurl = \"memory:\"\n").expect("a file");
    let file = file.display().to_string();
    let (code, _, stderr) = run_with_home(home.path(), &["chat", "--config", &file], "Hello\n");
    assert_eq!(code, 0, "{stderr}");
    assert!(!stderr.contains("To continue"), "{stderr}");
}

#[test]
fn without_a_terminal_a_tool_runs_only_if_all_are_allowed() {
    let home = tempfile::tempdir().expect("a folder");
    let server = McpScript::write(home.path(), "boats");
    // What a server says about its tools allows nothing.
    for tool in ["read", "write"] {
        let prompt = format!("sim:call={tool} sim:arguments={{}}\n");
        let chat = ["chat", "--model", "sim/agent", "--mcp", &server.command];
        let (code, stdout, stderr) = run_with_home(home.path(), &chat, &prompt);
        assert_eq!((code, server.runs()), (0, 0), "{stderr}");
        assert!(stderr.contains(&format!("✗ {tool} was not run: The user has not")), "{stderr}");
        assert!(stdout.contains("error"), "the model has got the reason: {stdout}");
        let id = session_id(&stderr).to_owned();
        let (_, shown, _) = run_with_home(home.path(), &["sessions", "show", &id], "");
        assert!(
            shown.contains("← The user has not allowed this tool, and there is no terminal"),
            "{shown}"
        );
    }
    let chat = ["chat", "--yes", "--model", "sim/agent", "--mcp", &server.command];
    let prompt = "sim:call=write sim:arguments={}\n";
    let (code, _, stderr) = run_with_home(home.path(), &chat, prompt);
    assert_eq!((code, server.runs()), (0, 1), "{stderr}");
    assert!(stderr.contains("← write: boats"), "{stderr}");
}

#[test]
#[cfg(unix)]
fn a_tool_runs_when_its_user_has_allowed_it() {
    let home = tempfile::tempdir().expect("a folder");
    let server = McpScript::write(home.path(), "boats");
    let chat = ["chat", "--model", "sim/agent", "--mcp", &server.command];
    let mut session = crate::pty::TerminalSession::start(&chat, |command| {
        command.env_clear().env("HOME", home.path()).env("PATH", search_path());
    });
    session.wait_for("/help lists the commands.");
    // The prompt's tool, the answer if there is a question, and how often tools have run then.
    let mut call = |tool: &str, answer: Option<&str>, runs: usize| {
        session.wait_for("\n> ");
        session.type_line(&format!("sim:call={tool} sim:arguments={{\"path\":\"a\"}}"));
        if let Some(answer) = answer {
            session.wait_for(&format!("Run {tool}({{\"path\":\"a\"}})?"));
            let default = if tool == "read" { "Enter is yes: " } else { "Enter is no: " };
            session.wait_for(default);
            assert!(server.runs() <= runs, "it has run before the answer");
            session.type_line(answer);
        }
        session.wait_for("I received 1 result(s)");
        assert_eq!(server.runs(), runs, "{tool}: {answer:?}");
    };
    call("write", Some(""), 0);
    call("write", Some("y"), 1);
    call("write", Some("n"), 1);
    call("read", Some(""), 2);
    call("read", Some("never"), 2);
    call("read", None, 2);
    call("write", Some("always"), 3);
    call("write", None, 4);
    session.wait_for("\n> ");
    session.type_line("/quit");
    let (code, screen) = session.finish();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("✗ read was not run: The user does not allow this tool"), "{screen}");
}
