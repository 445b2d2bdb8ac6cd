//! Tests that each check finds its violations and nothing else.

use serde_json::json;

use super::modules::directions;
use super::modules::file_layout;
use super::modules::layers::Layers;
use super::{
    SourceFile, corpus, crate_graph, extras_keys, forbidden_text, links, modules, naming,
    provider_names, public_items, size, strip, unit_tests, whitespace,
};

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.into(), text: text.into() }
}

#[test]
fn code_loses_comments_and_literals_but_no_line() {
    let text = "let a = \"{\\\"\"; // }\nlet b = r#\"{\"{\"#; /* { /* } */\n*/ let c = '{'; let d: &'a str;";
    let code = strip::strip_non_code(text);
    assert_eq!(code.matches('\n').count(), 2);
    assert!(!code.contains(['{', '}']), "{code}");
    assert!(code.contains("let c =") && code.contains("a str;"), "{code}");
    assert_eq!(strip::strip_non_code(r"'\'' x '\u{7d}' y").replace(' ', ""), "xy");
}

#[test]
fn functions_are_measured_from_signature_to_brace() {
    let text = "trait T { fn no_body(&self) -> [u8; 3]; }\nfn one() { let x: fn() = || {}; }\n\
                fn three(\n) {\n}\n// fn gone() {}\n";
    let found = size::functions(text);
    let seen: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.line, f.lines)).collect();
    assert_eq!(seen, [("one", 2, 1), ("three", 3, 3)]);
}

#[test]
fn a_long_function_and_a_long_file_are_faults() {
    let body = "    step();\n".repeat(79);
    let long = file("crates/a/src/lib.rs", &format!("//! A.\nfn long() {{\n{body}}}\n"));
    assert_eq!(size::check_functions(&[long]).len(), 1);
    let lines = "//! A.\n".repeat(601);
    let files = [file("crates/a/src/a.rs", &lines), file("crates/a/tests/a.rs", &lines)];
    assert_eq!(size::check_files(&files).len(), 1);
}

#[test]
fn a_file_without_a_first_line_is_found() {
    let files = [
        file("crates/a/src/good.rs", "//! Good.\n"),
        file("crates/a/src/bad.rs", "use std::fmt;\n"),
        file("crates/a/src/empty.rs", "//!\n"),
    ];
    assert_eq!(size::check_first_lines(&files).len(), 2);
}

#[test]
fn marks_and_paths_are_found() {
    let place = concat!("/ho", "me/");
    assert!(forbidden_text::contains_path(&format!("cd {place}me/x"), place));
    assert!(!forbidden_text::contains_path(&format!("https://example.org{place}"), place));
    let text = concat!("// TO", "DO later\n");
    assert_eq!(forbidden_text::check(&[file("a.rs", text)]).len(), 1);
    assert_eq!(forbidden_text::check(&[file("corpus/a.json", text)]).len(), 0);
}

#[test]
fn names_without_their_noun_are_found() {
    let code = "pub struct Kept<T>(T);\nenum KeptBlock {}\nfn of(x: u8) {}\nfn offer() {}\n\
                const MOST_BYTES: u8 = 1;\nstatic ALMOST: u8 = 1;\ntype Said = u8;\n\
                let text = \"struct Told\"; // struct Gone\n";
    let found = naming::check(&[file("a.rs", code)]);
    assert_eq!(found.iter().map(|found| found.line).collect::<Vec<_>>(), [1, 3, 5, 7]);
    assert!(found[0].message.contains("'Kept'"), "{found:?}");
}

#[test]
fn extra_fields_whose_key_has_a_space_are_found() {
    let key = concat!("no", " id");
    let text = format!(
        "block.extras.push(ID, \"{key}\".into(), value);\nlist.push(\"{key}\");\n\
         turn.extras.get(ID, \"name\");\nconst A_KEY: &str = \"{key}\";\n\
         block.extras.get(ID, KEY).map(|_| \"Left out the extras.\");\n"
    );
    let found = extras_keys::check(&[file("crates/repair/src/a.rs", &text)]);
    assert_eq!(found.iter().map(|found| found.line).collect::<Vec<_>>(), [1, 4]);
}

#[test]
fn modules_without_their_noun_are_found() {
    let files = [
        file("crates/a/src/kept.rs", ""),
        file("crates/a/src/told/mod.rs", ""),
        file("crates/a/tests/a/gone.rs", ""),
        file("crates/a/src/read/mod.rs", ""),
        file("crates/a/src/kept_blocks.rs", ""),
        file("crates/a/src/told/lines.rs", ""),
    ];
    let found = naming::check(&files);
    let found: Vec<_> = found.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(
        found,
        ["crates/a/src/kept.rs", "crates/a/src/told/mod.rs", "crates/a/tests/a/gone.rs"]
    );
}

#[test]
fn pronouns_are_found_in_comments_only() {
    let word = concat!("no", "body");
    let text = format!("/// Fine.\nlet a = \"{word}\"; // {word} comes\n/* a\n{word} */\n");
    let found = naming::check(&[file("a.rs", &text), file("a.md", &text)]);
    assert_eq!(found.iter().map(|found| found.line).collect::<Vec<_>>(), [2, 4]);
}

#[test]
fn providers_are_found_in_identifiers_but_not_in_other_words() {
    assert_eq!(provider_names::find_provider("struct OpenAiThing"), Some("openai"));
    assert_eq!(provider_names::find_provider("like gpt-4"), Some("gpt"));
    assert_eq!(provider_names::find_provider("the egpty message, azurely"), None);
}

#[test]
fn each_exported_name_is_counted() {
    let text = "mod a;\npub use a::{One, b::Two,\n    c as Three,\n};\npub use a::four;\n\
                // pub fn none() {}\npub(crate) fn five() {}\npub const fn six() {}\n\
                pub struct Seven<T> {\n    pub field: T,\n}\n";
    let items = public_items::exported_items(text);
    let names: Vec<_> = items.iter().map(|item| (item.name.as_str(), item.line)).collect();
    assert_eq!(
        names,
        [("One", 2), ("Two", 2), ("Three", 2), ("four", 5), ("six", 8), ("Seven", 9)]
    );
}

#[test]
fn too_many_exports_and_wholesale_ones_are_found() {
    let check = |text: &str| public_items::check(&[file("crates/interlingua/src/lib.rs", text)]);
    let items = |count: usize| {
        let names: Vec<String> = (0..count).map(|n| format!("pub fn f{n}() {{}}\n")).collect();
        names.concat()
    };
    assert_eq!(check(&items(80)), []);
    let found = check(&items(81));
    assert_eq!((found.len(), found[0].line), (1, 81), "{found:?}");
    for text in ["pub mod a;\n", "pub use a::*;\n", "pub use interlingua_wire as wire;\n"] {
        let found = check(text);
        assert!(found[0].message.contains("not all of"), "{text}: {found:?}");
    }
}

#[test]
fn spaces_are_found() {
    let diagnostics = whitespace::check(&[file("a.md", "a\tb\nc \nd")]);
    assert_eq!(diagnostics.len(), 3);
}

#[test]
fn a_case_without_about_or_source_is_found() {
    let case = |text| corpus::check_case(&file("corpus/roundtrip/a.json", text)).len();
    assert_eq!(case(r#"{"about":"a","source":"b","request":{"x":"\ud800","n":1e400}}"#), 0);
    assert_eq!(case(r#"{"about":"","source":7}"#), 2);
    assert_eq!(case("[]"), 1);
    assert_eq!(case("{"), 1);
}

#[test]
fn links_are_found_outside_code() {
    let text = "[a](A.md) and [`b`](b#c)\n```\n[no](x)\n```\n`[no](y)`";
    let found: Vec<_> = links::links(text).into_iter().map(|(_, target)| target).collect();
    assert_eq!(found, ["A.md", "b#c"]);
    assert_eq!(
        links::slug(" The pipeline: one way, *both* ends"),
        "the-pipeline-one-way-both-ends"
    );
}

#[test]
fn dependencies_that_point_the_wrong_way_are_found() {
    let package = |name: &str, folder: &str| json!({"id": name, "name": name, "source": null, "manifest_path": format!("/x/crates/{folder}/Cargo.toml")});
    let node = |name: &str, normal: &[&str], tests: &[&str]| {
        let deps = |names: &[&str], kind: serde_json::Value| {
            let dep = |name: &&str| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
            names.iter().map(dep).collect::<Vec<_>>()
        };
        let all = [deps(normal, json!(null)), deps(tests, json!("dev"))].concat();
        json!({"id": name, "deps": all})
    };
    let outside = |name: &str| json!({"id": name, "name": name, "source": "registry"});
    let metadata = json!({
        "packages": [
            package("interlingua-wire", "wire"), package("interlingua-model", "model"),
            package("interlingua-strict", "strict"), package("interlingua-new", "new"),
            outside("tokio"), outside("innocent"),
        ],
        "resolve": {"nodes": [
            node("interlingua-wire", &["interlingua-model"], &["tokio"]),
            node("interlingua-model", &["interlingua-wire", "innocent"], &[]),
            node("interlingua-strict", &[], &["interlingua-model"]),
            node("innocent", &["tokio"], &[]),
        ]},
    });
    let diagnostics =
        crate_graph::check_graph(&crate_graph::CrateGraph::from_metadata(&metadata), &[]);
    let found: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    let expected = [
        "interlingua-model is pure and must not reach tokio (through innocent)",
        "list 'interlingua-new' in",
        "interlingua-strict judges the others and shares nothing with interlingua-model",
        "interlingua-wire must not depend on interlingua-model: dependencies point one way",
    ];
    for expected in expected {
        assert!(found.iter().any(|what| what.starts_with(expected)), "{expected} in {found:#?}");
    }
}

#[test]
fn test_false_stands_only_in_libraries_without_unit_tests() {
    let library = |text: &str| file("crates/a/src/lib.rs", text);
    let manifest = |text: &str| file("crates/a/Cargo.toml", text);
    let none = || manifest("[package]\nname = \"a\"\n\n[lib]\ntest = false\n\n[lints]\n");
    let silent = || manifest("[package]\n\n[lib]\nbench = false\n\n[[bin]]\ntest = false\n");
    let tests = "//! A.\n#[cfg(test)]\nmod tests;\n";
    for (manifest, text, diagnostics) in [
        (none(), "//! A.\n", 0),
        (none(), tests, 1),
        (silent(), tests, 0),
        (silent(), "//! A. `#[cfg(test)]`\n", 1),
    ] {
        assert_eq!(unit_tests::check(&[manifest, library(text)]).len(), diagnostics, "{text}");
    }
}

#[test]
fn cycles_of_imports_are_found_through_re_exports_globs_and_parents() {
    let cycles = |files: &[(&str, &str)]| {
        let files: Vec<_> =
            files.iter().map(|(path, text)| file(&format!("crates/x/src/{path}"), text)).collect();
        let diagnostics = modules::check(&files);
        diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>()
    };
    let expected = ["imports form a cycle: a.rs → b.rs (`B`) → a.rs (`A`)"];
    let a = ("a.rs", "//! A.\nuse crate::B;\npub struct A(B);\n");
    let lib = ("lib.rs", "//! X.\nmod a;\nmod b;\npub use a::A;\npub use b::B;\n");
    for b in [
        "pub struct B; fn f(a: &crate::A) {}",
        "use super::*; pub struct B; fn f(a: &A) {}",
        "use crate::a; pub struct B; fn f(a: &a::A) {}",
        "use crate::{a::A as Other}; pub struct B; fn f(a: &Other) {}",
    ] {
        assert_eq!(cycles(&[lib, a, ("b.rs", b)]), expected, "{b}");
    }
    for b in [
        "pub struct B; #[cfg(test)] mod tests { use crate::A; fn f() { let _ = A; } }",
        "pub struct B { pub A: u8 } fn f(b: &B) -> u8 { b.A /* A */ }",
        "pub struct B; fn f() { other::A::new() }",
        "use super::*; pub struct B;",
    ] {
        assert_eq!(cycles(&[lib, a, ("b.rs", b)]), Vec::<String>::new(), "{b}");
    }
    let lifetime = ("lib.rs", "mod a;\nmod b;\npub use a::A;\nfn f() -> &'static A { b::B }");
    let user = ("b.rs", "use crate::A;\npub struct B(A);");
    assert_eq!(cycles(&[lifetime, ("a.rs", "pub struct A;"), user]), Vec::<String>::new());
    let parent =
        ("lib.rs", "//! X.\nmod child;\nuse child::run;\npub struct T;\nfn f() { run() }\n");
    let child = ("child.rs", "use super::T;\npub fn run() -> T { T }\n");
    assert_eq!(cycles(&[parent, child]).len(), 1);
    let main = ("main.rs", "//! X.\nuse x::A;\nfn main() {}\n");
    assert_eq!(cycles(&[lib, main, a, ("b.rs", "pub struct B;")]).len(), 0);
}

#[test]
fn imports_from_a_module_above_are_found() {
    let rows = [Layers { folder: "crates/x", modules: &["server", "client", "bytes"] }];
    let lib = ("lib.rs", "//! X.\nmod bytes;\npub use server::run;\npub fn version() {}\n");
    let server = ("server/mod.rs", "use crate::client::{Client, bytes::Bytes};\npub fn run() {}");
    let listener = ("server/listener.rs", "use super::run; use crate::Client;");
    let client = ("client.rs", "pub(crate) use crate::bytes;\npub struct Client;");
    let check = |bytes: &str| {
        let files = [lib, server, listener, client, ("bytes.rs", bytes)];
        let files = files.map(|(path, text)| file(&format!("crates/x/src/{path}"), text));
        let found = directions::check_layers(&files, &rows);
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(check("pub struct Bytes;"), Vec::<String>::new());
    let stands = |from: &str, name: &str, to: &str| {
        let table = "which stands above it in xtask/src/tidy/modules/layers.rs";
        format!("{from} imports {name} from {to}, {table}")
    };
    for (bytes, expected) in [
        (
            "pub struct Bytes;\nuse crate::run;\nfn f() { run() }",
            format!("crates/x/src/bytes.rs:2: {}", stands("'bytes'", "run", "'server'")),
        ),
        (
            "fn f() {}\n\nfn g(a: crate::client::Client) { crate::client::Client::new() }",
            format!("crates/x/src/bytes.rs:3: {}", stands("'bytes'", "Client", "'client'")),
        ),
        (
            "fn f() { crate::version() }",
            format!(
                "crates/x/src/bytes.rs:1: {}",
                stands("'bytes'", "version", "'the crate's root'")
            ),
        ),
    ] {
        assert_eq!(check(bytes), [expected]);
    }
}

#[test]
fn the_table_of_modules_has_each_crate_and_each_module_once() {
    let files = ["lib.rs", "a.rs", "b/mod.rs", "b/c.rs"]
        .map(|path| file(&format!("crates/x/src/{path}"), "pub struct T;"));
    let check = |files: &[SourceFile], rows: &[Layers]| {
        let found = directions::check_layers(files, rows);
        found.into_iter().map(|found| found.message).collect::<Vec<_>>()
    };
    let row = |modules| [Layers { folder: "crates/x", modules }];
    assert_eq!(check(&files, &row(&["b", "a"])), Vec::<String>::new());
    assert_eq!(check(&files, &row(&["a"])), ["add 'b' to the row of crates/x"]);
    assert_eq!(check(&files, &row(&["b", "c", "a"])), ["crates/x has no module 'c': remove it"]);
    assert_eq!(check(&files, &[]), [r#"add a row for crates/x, such as ["a", "b"]"#]);
    assert_eq!(check(&[], &row(&["a"])), ["there is no crate 'crates/x': remove its row"]);
    let cycle = [
        file("crates/x/src/a.rs", "use crate::b::B; pub struct A;"),
        file("crates/x/src/b.rs", "use crate::a::A; pub struct B;"),
    ];
    let expected = "crates/x needs a row, but its modules import each other: a → b (B), b → a (A)";
    assert_eq!(check(&cycle, &[]), [expected]);
}

#[test]
fn the_file_of_a_module_with_a_folder_is_in_the_folder() {
    let check = |paths: &[&str]| {
        let files: Vec<_> = paths.iter().map(|path| file(path, "")).collect();
        file_layout::check(&files).into_iter().map(|found| found.path).collect::<Vec<_>>()
    };
    let good = ["crates/x/src/a/mod.rs", "crates/x/src/a/b.rs", "crates/x/src/ab.rs"];
    assert_eq!(check(&good), Vec::<String>::new());
    assert_eq!(check(&["crates/x/src/a.rs", "crates/x/src/a/b.rs"]), ["crates/x/src/a.rs"]);
    assert_eq!(
        check(&["crates/x/tests/t/a.rs", "crates/x/tests/t/a/b/c.rs"]),
        ["crates/x/tests/t/a.rs"]
    );
}
