//! The page about the configuration is true: its examples, its defaults, its lists.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::{env, fs};

use interlingua_gateway::config::{Capture, Config, Guard, LISTEN, Limits, Telemetry, Timeouts};
use interlingua_upstream::{Auth, PROVIDERS, Row};

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
    fs::read_to_string(PAGE).expect("the page is there")
}

/// An environment with whatever is asked for, but no files.
fn anything(name: &str) -> Option<String> {
    (name != "HOME").then(|| "something-long-enough".to_owned())
}

/// Key and default of every row that has them.
fn rows(page: &str) -> Vec<(&str, &str)> {
    page.lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
            Some((cells.next()?.trim_end_matches('`'), cells.next()?.trim_matches('`')))
        })
        .collect()
}

#[test]
fn every_example_is_a_good_file() {
    let page = page();
    let blocks: Vec<_> =
        page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 5);
    for block in blocks {
        // The file that an example names is not there.
        let block = block.replace("file:~/.secrets/llm", "env:SECRET");
        if let Err(mistakes) = Config::read(&block, &anything) {
            panic!("{mistakes:#?} in\n{block}");
        }
    }
}

#[test]
fn every_default_is_the_default() {
    let page = page();
    let mut file = String::new();
    for (key, default) in rows(&page) {
        let table = key.split('.').next().unwrap_or_default();
        if (SECTIONS.contains(&table) || key == "listen") && !default.is_empty() {
            let _ = writeln!(file, "{key} = {default}");
        }
    }
    let (config, _) = Config::read(&file, &|_| None).expect(&file);
    assert_eq!(config.listen, LISTEN);
    assert_eq!(config.limits, Limits::default());
    assert_eq!(config.timeouts, Timeouts::default());
    assert_eq!(config.guard, Guard::default());
    assert_eq!(config.capture, Capture::default());
    assert_eq!(config.telemetry, Telemetry::default());
    assert!(config.access.keys.is_empty() && config.access.hosts.is_empty());
}

/// The keys that a table has, as a mistake in it lists them.
fn keys(table: &str) -> BTreeSet<String> {
    let file = format!("[{table}]\nzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz = 1\n");
    let mistakes = Config::read(&file, &|_| None).expect_err("no such key");
    let what = mistakes[0].what.replace("there is only ", "there are ");
    let (_, list) = what.split_once("there are ").expect("a list");
    list.split(", ").map(|key| format!("{table}.{key}")).collect()
}

#[test]
fn every_key_has_its_row() {
    let page = page();
    let told: BTreeSet<String> = rows(&page).iter().map(|(key, _)| (*key).to_owned()).collect();
    for table in SECTIONS {
        for key in keys(table) {
            let is_table = key == "guard.tools" || SECTIONS.contains(&key.as_str());
            assert!(told.contains(&key) || is_table, "{key} is not on the page");
        }
    }
    for key in keys("providers.anthropic") {
        let key = key.trim_start_matches("providers.anthropic.");
        assert!(told.contains(key), "{key} of a provider is not on the page");
    }
}

#[test]
fn every_known_provider_is_listed() {
    let page = page();
    let (before, rest) = page.split_once("<!-- providers -->\n").expect("the list begins");
    let (_, after) = rest.split_once("<!-- /providers -->").expect("the list ends");
    let list: String = PROVIDERS.iter().map(line).collect();
    let head = "| name | dialect | key | |\n|---|---|---|---|\n";
    let whole = format!("{before}<!-- providers -->\n{head}{list}<!-- /providers -->{after}");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(PAGE, &whole).expect("written");
    }
    assert!(
        page == whole,
        "UPDATE_DOCS=1 cargo test -p interlingua-gateway --test config writes it anew"
    );
}

fn line(row: &Row) -> String {
    let also = row.also.iter().map(|surface| surface.dialect);
    let dialects: Vec<_> =
        [row.dialect].into_iter().chain(also).map(|name| format!("`{name}`")).collect();
    let keys: Vec<_> = row.keys.iter().map(|name| format!("`{name}`")).collect();
    let mut more: Vec<_> = row
        .places
        .iter()
        .map(|place| {
            let from: Vec<_> = place.from.iter().map(|name| format!("`{name}`")).collect();
            let from = from.join(" or ");
            match place.otherwise {
                Some(otherwise) => format!("`{}`, from {from}, else `{otherwise}`", place.name),
                None => format!("`{}`, from {from}", place.name),
            }
        })
        .collect();
    if row.keys.is_empty() && row.auth != Auth::SigV4 {
        more.push(format!("at `{}`", row.base_url));
    }
    format!(
        "| `{}` | {} | {} | {} |\n",
        row.name,
        dialects.join(", "),
        keys.join(" or "),
        more.join("; ")
    )
}

#[test]
fn every_metric_is_described() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = fs::read_to_string(format!("{root}/docs/DEPLOYMENT.md")).expect("the page is there");
    let described = fs::read_to_string(format!("{root}/crates/gateway/src/telemetry.rs"));
    let described = described.expect("the descriptions are there");
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
