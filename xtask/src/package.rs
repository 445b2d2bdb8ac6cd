//! `cargo xtask package` and `cargo xtask semver`: packs the published crates, builds without default
//! features, and compares the public items.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::outcome::{Outcome, expect_no_arguments};
use crate::process::{FAST_BUILD, cargo, output, program, run, succeeds, target_dir};

const SEMVER_CHECKS_VERSION: &str = "0.51.0";

/// Packs the published crates and builds them from their packages, and the library and the server
/// without their features.
pub(crate) fn command(arguments: &[String]) -> Outcome {
    expect_no_arguments(arguments)?;
    check_manifests()?;
    run(&mut package()?)?;
    run(cargo()
        .args(["clippy", "--package", LIBRARY, "--lib", "--no-default-features", "--locked"])
        .args(["--profile", "test", "--", "--deny", "warnings"]))?;
    check_server_without_features()
}

/// Without building the packages: their manifests and files, and the library without its features.
pub(crate) fn short_run() -> Outcome {
    check_manifests()?;
    check_dependencies()?;
    // Offline, or packing asks the registry for newer versions.
    run(cargo().args(["fetch", "--locked", "--quiet"]))?;
    run(package()?.args(["--no-verify", "--offline", "--quiet"]))?;
    run(cargo()
        .args(["check", "--package", LIBRARY, "--lib", "--no-default-features", "--locked"])
        .args(["--profile", "test", "--quiet"]))
}

/// Compares the published crates with those of a git revision.
pub(crate) fn semver(arguments: &[String]) -> Outcome {
    let [revision] = arguments else {
        return Err("name the git revision to compare with: cargo xtask semver REVISION".into());
    };
    if !succeeds(cargo().args(["semver-checks", "--version"])) {
        println!("cargo-semver-checks is missing: building it takes some minutes, once");
        run(cargo()
            .args(["install", "cargo-semver-checks", "--locked"])
            .args(["--version", SEMVER_CHECKS_VERSION])
            .args(FAST_BUILD))?;
    }
    let mut command = cargo();
    command.args(["semver-checks", "check-release", "--baseline-rev", revision]);
    select_published(&mut command)?;
    run(&mut command)
}

fn package() -> Result<Command, String> {
    let mut command = cargo();
    command.args(["package", "--locked", "--allow-dirty"]);
    select_published(&mut command)?;
    Ok(command)
}

fn select_published(command: &mut Command) -> Outcome {
    for package in published_packages(&metadata()?) {
        command.arg("--package").arg(package["name"].as_str().unwrap_or_default());
    }
    Ok(())
}

/// The library pays for AWS crates only with the feature `bedrock`, the server for simulator and
/// judge only with `builtin-models`.
fn check_dependencies() -> Outcome {
    for (package, optional) in OPTIONAL_DEPENDENCIES {
        let tree = output(
            cargo()
                .args(["tree", "--package", package, "--no-default-features", "--locked"])
                .args(["--edges", "normal", "--prefix", "none"]),
        )?;
        if let Some(line) = find_crate(&tree, optional) {
            return Err(format!("without default features, {package} depends on {line}"));
        }
    }
    Ok(())
}

fn find_crate<'t>(tree: &'t str, prefixes: &[&str]) -> Option<&'t str> {
    tree.lines().find(|line| prefixes.iter().any(|prefix| line.starts_with(prefix)))
}

/// The server without built-in models says so when they, or commands that need them, are called.
fn check_server_without_features() -> Outcome {
    let target = target_dir().join("without-features");
    let without_features =
        ["--package", SERVER, "--no-default-features", "--locked", "--profile", "test"];
    run(cargo().arg("clippy").args(without_features).args(["--", "--deny", "warnings"]))?;
    run(cargo().arg("build").args(without_features).arg("--target-dir").arg(&target))?;
    let server = target.join("debug/interlingua");
    for arguments in [
        &["check", "--target", "anthropic", "request.json"][..],
        &["doctor", "conversation.jsonl", "--fix"],
        &["simulate"],
        &["chat", "--model", "sim/agent"],
    ] {
        let called = program(&server).args(arguments).stdin(Stdio::null()).output();
        let called = called.map_err(|error| format!("{}: {error}", server.display()))?;
        let message = String::from_utf8_lossy(&called.stderr);
        if called.status.code() != Some(2) || !message.contains("built without built-in models") {
            return Err(format!("`{}` says: {message}", arguments.join(" ")));
        }
    }
    Ok(())
}

fn check_manifests() -> Outcome {
    for package in published_packages(&metadata()?) {
        if let Some(field) = missing_field(package) {
            return Err(format!("{}: `{field}` is missing", package["manifest_path"]));
        }
    }
    Ok(())
}

/// A field without which crates.io rejects a package, or shows it without what readers look for.
fn missing_field(package: &Value) -> Option<&'static str> {
    const FIELDS: [&str; 6] =
        ["description", "license", "repository", "readme", "keywords", "categories"];
    let is_missing = |field: &&str| {
        let value = &package[*field];
        value.is_null() || value.as_array().is_some_and(Vec::is_empty)
    };
    FIELDS.into_iter().find(is_missing)
}

fn metadata() -> Result<Value, String> {
    let text =
        output(cargo().args(["metadata", "--format-version", "1", "--locked", "--no-deps"]))?;
    serde_json::from_str(&text)
        .map_err(|error| format!("cargo metadata printed invalid JSON: {error}"))
}

/// The packages whose manifests do not say `publish = false`.
fn published_packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    packages.iter().filter(|package| package["publish"].is_null())
}

const LIBRARY: &str = "interlingua";
const SERVER: &str = "interlingua-cli";
/// What no package may need without its default features.
const OPTIONAL_DEPENDENCIES: [(&str, &[&str]); 2] =
    [(LIBRARY, &["aws-"]), (SERVER, &["interlingua-simulator ", "interlingua-strict "])];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn packages_that_are_published_need_their_fields() {
        let complete = json!({"name": "a", "publish": null, "description": "A.", "license": "MIT",
            "repository": "r", "readme": "README.md", "keywords": ["a"], "categories": ["b"]});
        assert_eq!(missing_field(&complete), None);
        let mut without_keywords = complete.clone();
        without_keywords["keywords"] = json!([]);
        assert_eq!(missing_field(&without_keywords), Some("keywords"));

        let metadata = json!({"packages": [complete, {"name": "b", "publish": []}]});
        let names = published_packages(&metadata).map(|package| &package["name"]);
        assert_eq!(names.collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn an_optional_crate_is_found_in_a_tree() {
        assert_eq!(find_crate("interlingua v0.1.0\nbytes v1.0.0\n", &["aws-"]), None);
        let tree = "interlingua v0.1.0\naws-smithy-types v1.3.0\n";
        assert_eq!(find_crate(tree, &["aws-"]), Some("aws-smithy-types v1.3.0"));
    }
}
