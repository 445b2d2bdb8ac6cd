//! Text of models, tools, files and transcripts cannot control the terminal, on any surface.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;

use serde_json::json;

use crate::chat::{McpScript, run_with_home, search_path};
use crate::command::{run_interlingua, start_listening};
use crate::operations::exchange;
use crate::pty::TerminalSession;

/// Sets the clipboard and the title, with ESC, C1 and DEL; overwrites a line; reorders text.
const HOSTILE: &str =
    "a\u{1b}]52;c;cHduZWQ=\u{7}b\u{9d}0;title\u{9c}c\u{7f}d\rforged\u{202e}e\u{2066}f";

/// The characters that a terminal obeys, apart from line breaks, tabs and the command's own dimming.
fn control_chars(screen: &str) -> Vec<char> {
    let screen = screen.replace("\r\n", "\n").replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
    let is_bidi = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_control = |c: &char| (c.is_control() && !"\n\t".contains(*c)) || is_bidi(*c);
    screen.chars().filter(is_control).collect()
}

/// Runs a command on a terminal and checks what reaches it.
fn assert_shown(home: &Path, arguments: &[&str]) -> String {
    let session = TerminalSession::start(arguments, |command| {
        command.env_clear().env("HOME", home);
    });
    let (_, screen) = session.finish();
    assert_eq!(control_chars(&screen), [], "{arguments:?}: {screen:?}");
    assert!(screen.contains("\\u001b]52;"), "{arguments:?}: {screen:?}");
    screen
}

fn write_file(folder: &Path, name: &str, contents: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, contents).expect("a file");
    path.display().to_string()
}

/// A request in which every text is hostile; with raw characters where JSON allows them.
fn hostile_request() -> String {
    json!({"model": HOSTILE, "max_tokens": 9, "tools": [{"name": "f", "input_schema": {}}],
        "messages": [
            {"role": "user", "content": HOSTILE},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": HOSTILE, "name": HOSTILE, "input": {"a": HOSTILE}}]},
            {"role": "user", "content": [{"type": HOSTILE, "text": HOSTILE}]}]})
    .to_string()
}

#[test]
fn files_are_shown_without_control_characters() {
    let home = tempfile::tempdir().expect("a folder");
    let request = write_file(home.path(), &format!("{HOSTILE}.json"), &hostile_request());
    for arguments in [
        &["doctor", &request][..],
        &["doctor", "--json", &request],
        &["doctor", "--extract", &request],
        &["check", "--for", "anthropic", &request],
        &["translate", "--from", "anthropic", "--to", "openai-chat", "--ledger", "-", &request],
        &["translate", "--from", "openai-chat", "--to", "anthropic", "--reply", &request],
        &["translate", "--from", "openai-chat", "--to", "anthropic", "--stream", &request],
    ] {
        assert_shown(home.path(), arguments);
    }
    let config = format!("[providers.\"{HOSTILE}\"]\n").replace('\r', "\\r");
    let config = config.replace('\u{1b}', "\\u001b").replace('\u{7}', "\\u0007");
    let config = write_file(home.path(), "a.toml", &config.replace('\u{7f}', "\\u007f"));
    assert_shown(home.path(), &["config", "check", &config]);
    let missing = format!("{HOSTILE}.toml");
    assert_shown(home.path(), &["chat", "--config", &missing]);
    assert_shown(home.path(), &["run", HOSTILE]);
}

#[test]
fn sessions_are_shown_without_control_characters() {
    let home = tempfile::tempdir().expect("a folder");
    let file = write_file(home.path(), &format!("{HOSTILE}.json"), &hostile_request());
    let import = ["sessions", "import", "--from", "anthropic", &file];
    let (code, id, stderr) = run_with_home(home.path(), &import, "");
    assert_eq!(code, 0, "{stderr}");
    let id = id.trim();
    assert_shown(home.path(), &["sessions", "list"]);
    assert_shown(home.path(), &["sessions", "show", id]);
    assert_shown(home.path(), &["sessions", "export", id]);
    assert_shown(home.path(), &["sessions", "import", &format!("{file}.missing")]);
    // A pipe may end in a terminal.
    for arguments in [&["sessions", "list"][..], &["sessions", "show", id]] {
        let (_, shown, _) = run_with_home(home.path(), arguments, "");
        assert_eq!(control_chars(&shown), [], "{arguments:?}: {shown:?}");
    }
    let (_, list, _) = run_with_home(home.path(), &["sessions", "list"], "");
    assert!(list.lines().all(|line| line.contains(" turns ")), "{list}");
}

/// A provider that answers one request with this text, after `meanwhile`.
fn provider(text: &'static str, meanwhile: impl FnOnce() + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let addr = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("the gateway connects");
        let mut request = Vec::new();
        while !request.ends_with(b"}") {
            let mut chunk = [0; 4096];
            let length = stream.read(&mut chunk).expect("a request comes");
            request.extend_from_slice(&chunk[..length]);
        }
        meanwhile();
        let message = json!({"role": "assistant", "content": text});
        let body = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
        .to_string();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length:";
        write!(stream, "{head} {}\r\n\r\n{body}", body.len()).expect("it reads");
    });
    format!("http://{addr}")
}

/// Another client appends a turn while the model answers.
#[test]
fn an_answer_beside_a_session_is_shown_without_control_characters() {
    let home = tempfile::tempdir().expect("a folder");
    let append = Arc::new(OnceLock::<(String, String)>::new());
    let base_url = provider(HOSTILE, {
        let append = Arc::clone(&append);
        move || {
            let (addr, path) = append.get().expect("the session is created");
            let turn = r#"{"seen":1,"turns":[{"role":"user","blocks":[{"text":"And now?"}]}]}"#;
            assert!(exchange(addr, &format!("POST {path}/turns"), turn).contains("200 OK"));
        }
    });
    let config =
        format!("[providers.slow]\ndialect = \"openai-chat\"\nbase_url = \"{base_url}\"\n");
    let config = write_file(home.path(), "gateway.toml", &config);
    let serve = ["serve", "--listen", "127.0.0.1:0", "--config", &config];
    let (mut gateway, addr) = start_listening(&serve, |command| {
        command.env_clear().env("HOME", home.path());
    });
    let created = exchange(&addr, "POST /api/sessions", "{}");
    let id = created.split('"').nth(3).expect("an id").to_owned();
    let path = format!("/api/sessions/{id}");
    append.set((addr.clone(), path.clone())).expect("set once");
    let say = r#"{"model":"slow/m","say":"Good evening"}"#;
    let answer = exchange(&addr, &format!("POST {path}/continue"), say);
    gateway.kill().and_then(|()| gateway.wait()).expect("it ends");
    assert!(answer.contains("200 OK"), "{answer}");

    let shown = assert_shown(home.path(), &["sessions", "show", &id]).replace("\r\n", "\n");
    let conversation = "User: Good evening\nUser: And now?\n\n";
    let beside =
        "Beside the session, now: slow/m answered its first 1 turn\nAssistant: a\\u001b]52;";
    assert!(shown.contains(&format!("{conversation}{beside}")), "{shown}");
    let (code, _, stderr) = run_with_home(home.path(), &["sessions", "rm", &id], "");
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn a_model_and_a_tool_cannot_control_the_terminal() {
    let home = tempfile::tempdir().expect("a folder");
    let server = McpScript::write(home.path(), "boats\\u001b]52;c;cHduZWQ=\\u0007\\u009b31m");
    let arguments = ["chat", "--yes", "--model", "sim/agent", "--mcp", &server.command];
    let mut session = TerminalSession::start(&arguments, |command| {
        command.env_clear().env("HOME", home.path()).env("PATH", search_path());
    });
    session.wait_for("/help lists the commands.");
    session.type_line("sim:call=read sim:arguments={\"path\":\"\\u001b]52;c;\\u009b31m\"}");
    session.wait_for("I received 1 result(s)");
    session.type_line("/tools");
    session.wait_for("write");
    session.type_line("/model nobody/\u{9b}31m");
    session.wait_for("no control characters");
    session.type_line("/quit");
    let (code, screen) = session.finish();
    assert_eq!(code, 0, "{screen}");
    // The terminal itself echoes what is typed.
    let screen = screen.replace("nobody/\u{9b}31m", "");
    assert_eq!(control_chars(&screen), [], "{screen:?}");
    assert!(screen.contains("server\\u001b]0;"), "its standard error: {screen:?}");
    assert!(screen.contains("boats\\u001b]52;c;"), "the result: {screen:?}");

    let mut session = TerminalSession::start(&["chat", "--model", "sim/echo"], |command| {
        command.env_clear().env("HOME", home.path());
    });
    session.wait_for("> ");
    session.type_line("X\u{9d}0;t\u{9c}X\u{202e}Y");
    session.wait_for("X\\u009d0;t\\u009cX\\u202eY");
    session.type_line("/quit");
    assert_eq!(session.finish().0, 0);
}

#[test]
fn json_and_bodies_in_a_pipe_are_exact() {
    let body = format!(
        "{{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{{\"role\":\"user\",\"content\":\"{}\"}}]}}",
        "a\u{7f}\u{9b}31m\u{202e}b"
    );
    for arguments in ["translate --from anthropic --to anthropic", "doctor --extract -"] {
        assert_eq!(run_interlingua(arguments, body.as_bytes()).text(), body, "{arguments}");
    }
    let home = tempfile::tempdir().expect("a folder");
    let chat = ["chat", "--model", "sim/echo"];
    let (_, answer, _) = run_with_home(home.path(), &chat, "a\u{9b}31m\u{202e}b\n");
    assert_eq!(answer, "a\u{9b}31m\u{202e}b\n");
}
