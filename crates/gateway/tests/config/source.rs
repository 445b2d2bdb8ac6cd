//! Tests of finding the configuration file.

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_gateway::config::{LoadError, Source};

fn find_source(file: Option<&str>, env: &[(&str, &str)]) -> (Option<PathBuf>, bool) {
    let env = |name: &str| {
        let pair = env.iter().find(|(variable, _)| *variable == name);
        pair.map(|(_, value)| (*value).to_owned())
    };
    let source = Source::find(file.map(PathBuf::from), &env);
    (source.file, source.is_explicit)
}

#[test]
fn the_command_line_then_the_environment_then_the_user() {
    let home = ("HOME", "/users/a");
    let from_env = ("INTERLINGUA_CONFIG", "/etc/i.toml");
    let path = |path: &str| Some(PathBuf::from(path));
    assert_eq!(find_source(Some("x.toml"), &[home, from_env]), (path("x.toml"), true));
    assert_eq!(find_source(None, &[home, from_env]), (path("/etc/i.toml"), true));
    let user = path("/users/a/.config/interlingua/interlingua.toml");
    assert_eq!(find_source(None, &[home]), (user.clone(), false));
    let from_xdg = path("/cfg/interlingua/interlingua.toml");
    assert_eq!(find_source(None, &[home, ("XDG_CONFIG_HOME", "/cfg")]), (from_xdg, false));
    assert_eq!(
        find_source(None, &[home, ("XDG_CONFIG_HOME", "cfg")]),
        (user, false),
        "must be absolute"
    );
    assert_eq!(find_source(None, &[]), (None, false));
}

#[test]
fn an_explicit_file_must_exist() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("i.toml");
    let mut source = Source { file: Some(file.clone()), is_explicit: false, listen: None };
    assert!(source.load(&|_| None).is_ok());
    source.is_explicit = true;
    let load_error = source.load(&|_| None).expect_err("not there");
    assert!(load_error.to_string().starts_with(&format!("cannot read {}: ", file.display())));
    fs::write(&file, b"listen = \"x\"\n\xff").expect("written");
    let load_error = source.load(&|_| None).expect_err("not text");
    assert_eq!(load_error, LoadError::Unreadable { file, reason: "line 2 is not UTF-8".into() });
}

#[test]
fn the_listen_override_requires_keys() {
    let open = "0.0.0.0:1".parse().expect("an address");
    let mut source = Source { file: None, is_explicit: false, listen: Some(open) };
    let load_error = source.load(&|_| None).expect_err("open to all");
    assert_eq!(
        load_error.to_string(),
        "the configuration is invalid:\n  --listen is not loopback: other machines can reach it, so \
         [access] keys are required"
    );
    let folder = tempfile::tempdir().expect("a folder");
    source.file = Some(folder.path().join("not-there.toml"));
    let load_error = source.load(&|_| None).expect_err("open to all");
    assert!(load_error.to_string().starts_with("the configuration is invalid:"), "{load_error}");
    source.listen = Some("127.0.0.1:1".parse().expect("an address"));
    assert_eq!(source.load(&|_| None).expect("right").config.listen.port(), 1);
}

#[test]
fn load_errors_list_all_mistakes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("i.toml");
    fs::write(&file, "a = 1\nb = 2\n").expect("written");
    let source = Source { file: Some(file.clone()), is_explicit: true, listen: None };
    let error = source.load(&|_| None).expect_err("wrong").to_string();
    assert!(error.starts_with(&expected_error(&file)), "{error}");
    assert_eq!(error.lines().count(), 3);
}

fn expected_error(file: &Path) -> String {
    format!("{} is invalid:\n  line 1, column 1: there is no key `a`", file.display())
}
