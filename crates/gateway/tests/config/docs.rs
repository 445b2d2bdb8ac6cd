//! Checks docs/CONFIGURATION.md against the code: examples, defaults, metrics. Its tables are printed
//! here; `UPDATE_DOCS=1` rewrites them.

use interlingua_providers::PRESETS;
use interlingua_providers::endpoints::AuthScheme;
use interlingua_providers::preset::ProviderPreset;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::{env, fs};

use interlingua_gateway::config::{
    Capture, Config, DEFAULT_LISTEN, GuardModes, KeySpec, Limits, Telemetry, Timeouts, ValueType,
    list_keys,
};
use interlingua_store::Retention;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/CONFIGURATION.md");

const SECTIONS: &[&str] = &[
    "limits",
    "timeouts",
    "access",
    "repair",
    "lessons",
    "guard",
    "store",
    "store.sessions",
    "store.usage",
    "capture",
    "telemetry",
];

const COLUMNS: [&str; 5] = ["key", "value", "default", "reload", ""];

fn page() -> String {
    fs::read_to_string(PAGE).expect("the page exists")
}

/// An environment in which every variable except `HOME` is set.
fn full_env(name: &str) -> Option<String> {
    (name != "HOME").then(|| "something-long-enough".to_owned())
}

/// Key and default of every table row that has both, or of any other table its first and third cell.
fn rows(page: &str) -> Vec<(&str, &str)> {
    page.lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
            Some((cells.next()?.trim_end_matches('`'), cells.nth(1)?.trim_matches('`')))
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
        // In a table without defaults, the third cell is a sentence.
        let has_default = !default.is_empty() && !default.ends_with('.');
        if (SECTIONS.contains(&table) || key == "listen") && has_default {
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
    let stored = Retention::default();
    assert_eq!(
        (config.store.sessions, config.store.usage_max_age),
        (stored.session, stored.usage_age)
    );
    assert_eq!(config.store.max_age, stored.response.max_age);
    assert_eq!(config.store.max_bytes, stored.response.max_bytes);
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
        let is_documented = documented.contains(key) || documented.contains(&format!("{key}.mode"));
        assert!(is_documented, "{key} of a provider is not on the page");
    }
}

#[test]
fn the_page_is_up_to_date() {
    let page = page();
    let expected = generate(&page, "providers", |_| provider_table());
    let expected = generate(&expected, "keys", key_table);
    let expected = generate(&expected, "restart", |_| format!("{}.\n", restart_keys().join(", ")));
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(PAGE, &expected).expect("written");
        return;
    }
    assert!(
        page == expected,
        "UPDATE_DOCS=1 cargo test -p interlingua-gateway --test config updates the tables"
    );
}

#[test]
fn every_key_is_in_one_table() {
    let page = page();
    let groups = page.split("<!-- keys: ").skip(1).filter_map(|rest| rest.split(" -->").next());
    let mut listed: Vec<_> = groups.flat_map(keys_of).map(|(path, _)| path).collect();
    let mut all = Vec::new();
    for (path, spec) in list_keys() {
        assert!(!spec.doc.is_empty() || !spec.value_type.keys().is_empty(), "{path} has no doc");
        all.extend((!spec.doc.is_empty()).then_some(path));
    }
    listed.sort();
    all.sort();
    assert_eq!(listed, all);
}

/// Replaces what is between `<!-- kind: argument -->` and `<!-- /kind -->`.
fn generate(page: &str, kind: &str, print: impl Fn(&str) -> String) -> String {
    let (start, end) = (format!("<!-- {kind}"), format!("<!-- /{kind} -->"));
    let mut parts = page.split(start.as_str());
    let mut out = parts.next().expect("a beginning").to_owned();
    for part in parts {
        let (argument, rest) = part.split_once(" -->\n").expect("a marker");
        let (_, rest) = rest.split_once(end.as_str()).expect("an end");
        let printed = print(argument.trim_start_matches(": "));
        let _ = write!(out, "{start}{argument} -->\n{printed}{end}{rest}");
    }
    out
}

/// The keys of a section or, as `providers.NAME` and `access.keys[]`, of the tables in it.
fn keys_of(group: &str) -> Vec<(String, &'static KeySpec)> {
    let is_in_group = |path: &str| {
        let rest = path.strip_prefix(group).and_then(|rest| rest.strip_prefix('.'));
        path == group || rest.is_some_and(|rest| !rest.contains("[]"))
    };
    let keys = list_keys().into_iter();
    keys.filter(|(path, spec)| is_in_group(path) && !spec.doc.is_empty()).collect()
}

fn key_table(group: &str) -> String {
    let restart = restart_keys();
    let needs_restart = |path: &str, spec: &KeySpec| {
        let (section, _) = path.split_once('.').unwrap_or((path, ""));
        !matches!(spec.value_type, ValueType::Ignored)
            && restart
                .iter()
                .any(|key| *key == format!("`{path}`") || *key == format!("`[{section}]`"))
    };
    // The names that the user chooses are left out.
    let hidden = if group.ends_with("NAME") || group.ends_with("[]") { group.len() + 1 } else { 0 };
    let row = |(path, spec): &(String, &KeySpec)| {
        [
            format!("`{}`", &path[hidden..]),
            value_cell(spec.value_type),
            spec.default_toml().map(|toml| format!("`{toml}`")).unwrap_or_default(),
            if needs_restart(path, spec) { "restart".to_owned() } else { String::new() },
            spec.doc.replace('|', "\\|"),
        ]
    };
    let rows: Vec<_> = keys_of(group).iter().map(row).collect();
    let is_used = |column: &usize| rows.iter().any(|row| !row[*column].is_empty());
    let columns: Vec<_> = (0..COLUMNS.len()).filter(is_used).collect();
    let mut table = table_line(columns.iter().map(|column| COLUMNS[*column]));
    let _ = writeln!(table, "|{}", "---|".repeat(columns.len()));
    for row in &rows {
        table += &table_line(columns.iter().map(|column| row[*column].as_str()));
    }
    table
}

fn table_line<'c>(cells: impl Iterator<Item = &'c str>) -> String {
    let cell = |cell: &str| if cell.is_empty() { " |".into() } else { format!(" {cell} |") };
    format!("|{}\n", cells.map(cell).collect::<String>())
}

fn value_cell(value_type: ValueType) -> String {
    match value_type {
        ValueType::Size | ValueType::MemorySize => "size".into(),
        ValueType::Duration => "duration".into(),
        ValueType::Number { min, max } if max < 1_000_000 => format!("{min} to {max}"),
        ValueType::Number { min, .. } => format!("{min} or more"),
        ValueType::Flag => "`true`, `false`".into(),
        ValueType::Word(words) => {
            words().iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
        }
        ValueType::Text(text) | ValueType::Other(text) => text.into(),
        ValueType::Ignored => "any".into(),
        ValueType::List(_) => "list of keys".into(),
        ValueType::Section(_) | ValueType::Named(_) => "table".into(),
    }
}

fn restart_keys() -> Vec<String> {
    let keys = list_keys().into_iter().filter(|(_, spec)| spec.is_unchanged.is_some());
    keys.map(|(path, spec)| format!("`{}`", spec.display_name(&path))).collect()
}

fn provider_table() -> String {
    let list: String = PRESETS.iter().map(provider_row).collect();
    format!("| name | dialect | key | |\n|---|---|---|---|\n{list}")
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
