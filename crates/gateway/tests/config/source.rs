//! Where the file is looked for.

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_gateway::config::{Refused, Source};

fn found(file: Option<&str>, env: &[(&str, &str)]) -> (Option<PathBuf>, bool) {
    let env = |name: &str| {
        let found = env.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let source = Source::find(file.map(PathBuf::from), &env);
    (source.file, source.named)
}

#[test]
fn the_command_line_then_the_environment_then_the_user() {
    let home = ("HOME", "/users/a");
    let named = ("INTERLINGUA_CONFIG", "/etc/i.toml");
    let path = |path: &str| Some(PathBuf::from(path));
    assert_eq!(found(Some("x.toml"), &[home, named]), (path("x.toml"), true));
    assert_eq!(found(None, &[home, named]), (path("/etc/i.toml"), true));
    let user = path("/users/a/.config/interlingua/interlingua.toml");
    assert_eq!(found(None, &[home]), (user.clone(), false));
    let own = path("/cfg/interlingua/interlingua.toml");
    assert_eq!(found(None, &[home, ("XDG_CONFIG_HOME", "/cfg")]), (own, false));
    assert_eq!(found(None, &[home, ("XDG_CONFIG_HOME", "cfg")]), (user, false), "must be absolute");
    assert_eq!(found(None, &[]), (None, false));
}

#[test]
fn a_file_that_is_named_must_be_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("i.toml");
    let mut source = Source { file: Some(file.clone()), named: false, listen: None };
    assert!(source.load(&|_| None).is_ok());
    source.named = true;
    let refused = source.load(&|_| None).expect_err("not there");
    assert!(refused.to_string().starts_with(&format!("cannot read {}: ", file.display())));
    fs::write(&file, b"listen = \"x\"\n\xff").expect("written");
    let refused = source.load(&|_| None).expect_err("not text");
    assert_eq!(refused, Refused::Unread { file, why: "line 2 is not UTF-8".into() });
}

#[test]
fn to_listen_elsewhere_needs_keys_as_well() {
    let open = "0.0.0.0:1".parse().expect("an address");
    let mut source = Source { file: None, named: false, listen: Some(open) };
    let refused = source.load(&|_| None).expect_err("open to all");
    assert_eq!(
        refused.to_string(),
        "this cannot be:\n  --listen is not loopback: others reach it there, so \
         [access] keys must say who may use it"
    );
    let folder = tempfile::tempdir().expect("a folder");
    source.file = Some(folder.path().join("not-there.toml"));
    let refused = source.load(&|_| None).expect_err("open to all");
    assert!(refused.to_string().starts_with("this cannot be:"), "{refused}");
    source.listen = Some("127.0.0.1:1".parse().expect("an address"));
    assert_eq!(source.load(&|_| None).expect("right").config.listen.port(), 1);
}

#[test]
fn all_mistakes_are_in_the_refusal() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("i.toml");
    fs::write(&file, "a = 1\nb = 2\n").expect("written");
    let source = Source { file: Some(file.clone()), named: true, listen: None };
    let refused = source.load(&|_| None).expect_err("wrong").to_string();
    assert!(refused.starts_with(&said(&file)), "{refused}");
    assert_eq!(refused.lines().count(), 3);
}

fn said(file: &Path) -> String {
    format!("{} is refused:\n  line 1, column 1: there is no key `a`", file.display())
}
