//! `interlingua chat` and `interlingua sessions`, with the built-in model.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a command with its own home directory and these lines on stdin.
fn run_with_home(home: &Path, arguments: &[&str], lines: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_interlingua"))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
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
