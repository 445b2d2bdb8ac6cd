//! `interlingua chat` and `interlingua sessions`, with the model that is built in.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a command in a home of its own, with these lines on stdin.
fn at_home(home: &Path, arguments: &[&str], lines: &str) -> (i32, String, String) {
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

/// The id of the session that was begun.
fn begun(stderr: &str) -> &str {
    stderr.lines().find_map(|line| line.strip_prefix("Session ")).expect("a session was begun")
}

#[test]
fn it_answers_and_goes_on_in_another_process_with_another_model() {
    let home = tempfile::tempdir().expect("a folder");
    let (code, said, aside) = at_home(home.path(), &["chat"], "Good morning\n/model\n");
    assert_eq!(code, 0, "{aside}");
    assert!(said.contains("You said \"Good morning\""), "{said}");
    assert!(aside.contains("sim/agent\n"), "{aside}");
    let id = begun(&aside);
    assert!(aside.ends_with(&format!("To go on: interlingua chat --session {id}\n")), "{aside}");

    let go_on = ["chat", "--session", id, "--model", "sim/echo"];
    let (code, said, aside) = at_home(home.path(), &go_on, "And again\n");
    assert_eq!((code, said.as_str()), (0, "And again\n"), "{aside}");
    assert!(aside.contains("Good morning (2 turns)"), "{aside}");

    let (_, listed, _) = at_home(home.path(), &["sessions", "list"], "");
    assert!(listed.starts_with(id) && listed.contains("4 turns"), "{listed}");
    assert!(listed.contains("sim/echo") && listed.contains("Good morning"), "{listed}");
    let (_, shown, _) = at_home(home.path(), &["sessions", "show", id], "");
    assert!(shown.contains("User: And again\nAssistant: And again\n"), "{shown}");
}

#[test]
fn sessions_leave_and_come_back_in_other_dialects() {
    let home = tempfile::tempdir().expect("a folder");
    let (_, _, aside) = at_home(home.path(), &["chat"], "Good morning\n");
    let id = begun(&aside).to_owned();
    for dialect in ["anthropic", "openai-chat", "openai-responses", "gemini", "native"] {
        let export = ["sessions", "export", &id, "--to", dialect];
        let (code, body, aside) = at_home(home.path(), &export, "");
        assert_eq!(code, 0, "{aside}");
        let import = ["sessions", "import", "-", "--from", dialect];
        let (code, other, aside) = at_home(home.path(), &import, &body);
        assert_eq!(code, 0, "{dialect}: {aside}");
        let go_on = ["chat", "--session", other.trim()];
        let (code, said, aside) = at_home(home.path(), &go_on, "And again\n");
        assert_eq!(code, 0, "{dialect}: {aside}");
        assert!(said.contains("\"And again\""), "{dialect}: {said}");
    }
    let (code, _, _) = at_home(home.path(), &["sessions", "rm", &id], "");
    assert_eq!(code, 0);
    let (code, _, aside) = at_home(home.path(), &["chat", "--session", &id], "");
    assert_eq!(code, 2, "{aside}");
    assert!(aside.contains("there is no session"), "{aside}");
}

#[test]
fn a_session_that_leaves_is_healthy_and_comes_back_with_its_model() {
    let home = tempfile::tempdir().expect("a folder");
    let echo = ["chat", "--model", "sim/echo"];
    let (_, _, aside) = at_home(home.path(), &echo, "Hello\nAgain\n");
    let id = begun(&aside).to_owned();
    let (code, body, aside) = at_home(home.path(), &["sessions", "export", &id], "");
    assert_eq!(code, 0, "{aside}");
    assert!(body.contains("\"model\":\"sim/echo\""), "{body}");
    let (code, found, aside) = at_home(home.path(), &["doctor", "-"], &body);
    assert_eq!((code, found.as_str()), (0, ""), "{aside}");
    let (code, other, aside) = at_home(home.path(), &["sessions", "import", "-"], &body);
    assert_eq!((code, aside.as_str()), (0, ""));
    let go_on = ["chat", "--session", other.trim()];
    let (code, said, aside) = at_home(home.path(), &go_on, "And again\n");
    assert_eq!((code, said.as_str()), (0, "And again\n"), "{aside}");
    assert!(aside.contains("(4 turns)"), "{aside}");
}

#[test]
fn a_provider_is_told_its_own_name_of_the_model() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("lab.toml");
    let lab = "[providers.lab]\ndialect = \"anthropic\"\nbase_url = \"http://127.0.0.1:9\"\n";
    std::fs::write(&file, lab).expect("a file");
    let file = file.display().to_string();
    let body = r#"{"interlingua":1,"source":"native","model":"lab/claude-sonnet-4-5","turns":[
        {"role":"user","blocks":[{"text":"hi"}]}]}"#;
    let import = ["sessions", "import", "-", "--config", &file];
    let (code, id, aside) = at_home(home.path(), &import, body);
    assert_eq!((code, aside.as_str()), (0, ""));
    let export = ["sessions", "export", id.trim(), "--config", &file];
    let (_, own, _) = at_home(home.path(), &export, "");
    assert!(own.contains("\"model\":\"lab/claude-sonnet-4-5\""), "{own}");
    let export = [&export[..], &["--to", "anthropic"]].concat();
    let (_, request, _) = at_home(home.path(), &export, "");
    let (code, said, _) = at_home(home.path(), &["check", "--for", "anthropic"], &request);
    assert_eq!(code, 0, "{said}: {request}");
}

#[test]
fn what_is_torn_in_a_transcript_is_told_and_what_the_model_said_last_stays_last() {
    let home = tempfile::tempdir().expect("a folder");
    let line = |role: &str, uuid: &str| {
        format!(
            r#"{{"type":"{role}","uuid":"{uuid}","sessionId":"s","message":{{"role":"{role}","content":"{uuid}"}}}}"#
        )
    };
    let file = format!("{}\n{}\n{{\"type\":\"us", line("user", "a"), line("assistant", "b"));
    let (code, id, aside) = at_home(home.path(), &["sessions", "import", "-"], &file);
    assert_eq!(code, 0, "{aside}");
    assert!(aside.contains("stdin: line 3 cannot be read and is skipped"), "{aside}");
    let (_, shown, _) = at_home(home.path(), &["sessions", "show", id.trim()], "");
    assert_eq!(shown, "User: a\nAssistant: b\n");
}

#[test]
fn messages_of_an_old_program_are_imported_and_what_is_lost_is_told() {
    let home = tempfile::tempdir().expect("a folder");
    let stored = r#"[{"role":"user","content":{"ask":"boats"}},null,
        {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",
            "function":{"name":"look","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"c","content":["three",{"boats":3}]}]"#;
    let (code, id, aside) = at_home(home.path(), &["sessions", "import", "-"], stored);
    assert_eq!(code, 0, "{aside}");
    let (code, said, aside) =
        at_home(home.path(), &["chat", "--session", id.trim(), "--model", "sim/agent"], "");
    assert_eq!(code, 0, "{aside}");
    assert!(aside.contains("The last answer was interrupted"), "{aside}");
    assert!(said.contains("I received 1 result(s)"), "{said}");
}

#[test]
fn wrong_usage_is_told() {
    let home = tempfile::tempdir().expect("a folder");
    let (code, _, aside) = at_home(home.path(), &["chat", "--model", "nobody/knows"], "");
    assert_eq!(code, 2, "{aside}");
    assert!(aside.contains("nothing says where the model `nobody/knows` is to go"), "{aside}");
    let (code, _, aside) = at_home(home.path(), &["chat", "--mcp", "no-such-program"], "");
    assert_eq!(code, 1, "{aside}");
    assert!(aside.contains("'no-such-program' cannot be used"), "{aside}");
    let (code, _, aside) = at_home(home.path(), &["sessions", "import", "-"], "just words");
    assert_eq!(code, 1, "{aside}");
}

#[test]
fn a_program_learns_from_the_code_that_nobody_answered() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("lab.toml");
    let lab = "[providers.lab]\ndialect = \"anthropic\"\nbase_url = \"http://127.0.0.1:9\"\n";
    std::fs::write(&file, lab).expect("a file");
    let file = file.display().to_string();
    let chat = ["chat", "--model", "lab/claude-sonnet-4-5", "--config", &file];
    let (code, said, aside) = at_home(home.path(), &chat, "Hello\n");
    assert_eq!((code, said.as_str()), (1, ""), "{aside}");
    assert!(aside.contains("the model did not answer: lab: nobody listens"), "{aside}");
}

#[test]
fn a_server_of_tools_that_is_away_is_told_in_plain_words() {
    let home = tempfile::tempdir().expect("a folder");
    let chat = ["chat", "--mcp", "http://127.0.0.1:9/mcp"];
    let (code, _, aside) = at_home(home.path(), &chat, "");
    assert_eq!(code, 1, "{aside}");
    assert!(aside.contains("nobody listens at its address"), "{aside}");
    assert!(!aside.contains("rmcp") && !aside.contains("Failure {"), "{aside}");
    assert_eq!(aside.lines().count(), 2, "{aside}");
}

#[test]
fn a_store_that_cannot_be_used_is_told_with_its_first_cause() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("store.toml");
    let other = home.path().join("other.db");
    std::fs::create_dir(&other).expect("a folder in its place");
    let store = format!("[store]\nurl = \"sqlite:{}\"\n", other.display());
    std::fs::write(&file, store).expect("a file");
    let file = file.display().to_string();
    for order in [&["sessions", "list", "--config", &file][..], &["chat", "--config", &file]] {
        let (code, _, aside) = at_home(home.path(), order, "Hello\n");
        assert_eq!(code, 1, "{aside}");
        assert!(aside.contains("interlingua: the store cannot be used: "), "{aside}");
        assert!(aside.contains("`store.url`") && !aside.contains("Is the disk full?"), "{aside}");
    }
}

#[test]
fn nobody_is_told_to_go_on_with_what_is_not_kept() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("store.toml");
    std::fs::write(&file, "[store]\nurl = \"memory:\"\n").expect("a file");
    let file = file.display().to_string();
    let (code, _, aside) = at_home(home.path(), &["chat", "--config", &file], "Hello\n");
    assert_eq!(code, 0, "{aside}");
    assert!(!aside.contains("To go on"), "{aside}");
}
