//! Checks docs/CONFIGURATION.md against the code: examples, defaults, keys, providers, metrics.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::{env, fs};

use interlingua_gateway::config::{
    Capture, Config, DEFAULT_LISTEN, GuardModes, Limits, Telemetry, Timeouts,
};
use interlingua_upstream::{AuthScheme, PRESETS, ProviderPreset};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/CONFIGURATION.md");

const SECTIONS: &[&str] = &[
    "limits",
    "timeouts",
    "access",
    "guard",
    "store",
    "store.sessions",
    "store.usage",
    "capture",
    "telemetry",
];

fn page() -> String {
    fs::read_to_string(PAGE).expect("the page exists")
}

/// An environment in which every variable except `HOME` is set.
fn full_env(name: &str) -> Option<String> {
    (name != "HOME").then(|| "something-long-enough".to_owned())
}

/// Key and default of every table row that has both.
fn rows(page: &str) -> Vec<(&str, &str)> {
    page.lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
            Some((cells.next()?.trim_end_matches('`'), cells.next()?.trim_matches('`')))
        })
        .collect()
}

#[test]
fn every_example_is_valid() {
    let page = page();
    let blocks: Vec<_> =
        page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 5);
    for block in blocks {
        // The secret file of the example does not exist.
        let block = block.replace("file:~/.secrets/llm", "env:SECRET");
        if let Err(errors) = Config::parse(&block, &full_env) {
            panic!("{errors:#?} in\n{block}");
        }
    }
}

#[test]
fn documented_defaults_are_the_defaults() {
    let page = page();
    let mut file = String::new();
    for (key, default) in rows(&page) {
        let table = key.split('.').next().unwrap_or_default();
        if (SECTIONS.contains(&table) || key == "listen") && !default.is_empty() {
            let _ = writeln!(file, "{key} = {default}");
        }
    }
    let (config, _) = Config::parse(&file, &|_| None).expect(&file);
    assert_eq!(config.listen, DEFAULT_LISTEN);
    assert_eq!(config.limits, Limits::default());
    assert_eq!(config.timeouts, Timeouts::default());
    assert_eq!(config.guard, GuardModes::default());
    assert_eq!(config.capture, Capture::default());
    assert_eq!(config.telemetry, Telemetry::default());
    assert!(config.access.keys.is_empty() && config.access.hosts.is_empty());
}

/// The keys of a table, read from the error message for an unknown key.
fn keys(table: &str) -> BTreeSet<String> {
    let file = format!("[{table}]\nzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz = 1\n");
    let errors = Config::parse(&file, &|_| None).expect_err("no such key");
    let message = errors[0].message.replace("there is only ", "there are ");
    let (_, list) = message.split_once("there are ").expect("a list");
    list.split(", ").map(|key| format!("{table}.{key}")).collect()
}

#[test]
fn every_key_is_documented() {
    let page = page();
    let documented: BTreeSet<String> =
        rows(&page).iter().map(|(key, _)| (*key).to_owned()).collect();
    for table in SECTIONS {
        for key in keys(table) {
            let is_table = key == "guard.tools" || SECTIONS.contains(&key.as_str());
            assert!(documented.contains(&key) || is_table, "{key} is not on the page");
        }
    }
    for key in keys("providers.anthropic") {
        let key = key.trim_start_matches("providers.anthropic.");
        assert!(documented.contains(key), "{key} of a provider is not on the page");
    }
}

#[test]
fn every_known_provider_is_listed() {
    let page = page();
    let (before, rest) = page.split_once("<!-- providers -->\n").expect("the list begins");
    let (_, after) = rest.split_once("<!-- /providers -->").expect("the list ends");
    let list: String = PRESETS.iter().map(provider_row).collect();
    let head = "| name | dialect | key | |\n|---|---|---|---|\n";
    let expected = format!("{before}<!-- providers -->\n{head}{list}<!-- /providers -->{after}");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(PAGE, &expected).expect("written");
    }
    assert!(
        page == expected,
        "UPDATE_DOCS=1 cargo test -p interlingua-gateway --test config updates the list"
    );
}

fn provider_row(preset: &ProviderPreset) -> String {
    let alternates = preset.alternates.iter().map(|alternate| alternate.dialect);
    let dialects: Vec<_> =
        [preset.dialect].into_iter().chain(alternates).map(|name| format!("`{name}`")).collect();
    let keys: Vec<_> = preset.key_vars.iter().map(|name| format!("`{name}`")).collect();
    let mut notes: Vec<_> = preset
        .url_params
        .iter()
        .map(|url_param| {
            let variables: Vec<_> =
                url_param.env_vars.iter().map(|name| format!("`{name}`")).collect();
            let variables = variables.join(" or ");
            match url_param.default {
                Some(default) => {
                    format!("`{}`, from {variables}, else `{default}`", url_param.name)
                }
                None => format!("`{}`, from {variables}", url_param.name),
            }
        })
        .collect();
    if preset.key_vars.is_empty() && preset.auth != AuthScheme::SigV4 {
        notes.push(format!("at `{}`", preset.base_url));
    }
    format!(
        "| `{}` | {} | {} | {} |\n",
        preset.name,
        dialects.join(", "),
        keys.join(" or "),
        notes.join("; ")
    )
}

#[test]
fn every_metric_is_described() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = fs::read_to_string(format!("{root}/docs/DEPLOYMENT.md")).expect("the page exists");
    let described = fs::read_to_string(format!("{root}/crates/gateway/src/telemetry/metrics.rs"));
    let described = described.expect("the descriptions exist");
    let mut folders = vec![format!("{root}/crates/gateway/src").into()];
    let mut names = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir::<std::path::PathBuf>(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let source = fs::read_to_string(&path).expect("a source");
                let quoted = source.split('"').skip(1).step_by(2);
                let metrics = quoted.filter(|word| {
                    word.starts_with("interlingua_")
                        && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
                });
                names.extend(metrics.map(str::to_owned));
            }
        }
    }
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        assert!(page.contains(&format!("| `{name}` |")), "{name} is not in docs/DEPLOYMENT.md");
        assert!(described.contains(&format!("\"{name}\"")), "{name} is not described");
    }
}
