//! What is found, by what it is called, and what the model is told.

use interlingua_guard::{Kind, Mode, Takes};
use interlingua_model::{Args, ToolCall};
use interlingua_wire::Text;

use crate::{NOW, READ_FILE, answer, found, kind, watch};

#[test]
fn each_kind_of_mistake_has_its_name() {
    let watch = watch(Mode::Answer, &[("read_file", READ_FILE), ("now", NOW)]);
    let cases = [
        ("read_file", r#"{"target_file":"a"}"#, ""),
        ("read_file", r#" {"target_file" : "a" , "limit" : 1.0} "#, ""),
        ("read_file", "{}", "empty-arguments"),
        ("read_file", "", "empty-arguments"),
        ("read_file", "  ", "empty-arguments"),
        ("read_file", r#"{"limit":1}"#, "missing-parameter"),
        ("read_file", r#"{"target_file":1}"#, "wrong-type"),
        ("read_file", r#"{"target_file":null}"#, "wrong-type"),
        ("read_file", r#"{"target_file":"a","path":"b"}"#, "unknown-parameter"),
        ("read_file", r#"{"target_file":"a","limit":0}"#, "wrong-value"),
        ("read_file", r#"{"target_file":"a","encoding":"ascii"}"#, "wrong-value"),
        ("read_file", r#"{"target_file":"a","ranges":[1,"b"]}"#, "wrong-type"),
        ("read_file", r#""{\"target_file\":\"a\"}""#, "double-encoded"),
        ("read_file", r#"{"target_file":"a"}{"target_file":"b"}"#, "concatenated"),
        ("read_file", r#"{}{"target_file":"a"}"#, "concatenated"),
        ("read_file", r#"{"target_file":"a"#, "truncated"),
        ("read_file", r#"{"target_file":"#, "truncated"),
        ("read_file", "{target_file: 'a'}", "malformed"),
        ("read_file", r#"{"target_file":"a"} and so on"#, "malformed"),
        ("read_file", r#"["a"]"#, "not-an-object"),
        ("read_file", r#""a""#, "not-an-object"),
        ("read_file", "null", "not-an-object"),
        ("Read_File", r#"{"target_file":"a"}"#, "misspelled-tool"),
        ("functions.read_file", r#"{"target_file":"a"}"#, "misspelled-tool"),
        ("ReadFile", r#"{"target_file":"a"}"#, "misspelled-tool"),
        ("file", r#"{"target_file":"a"}"#, "misspelled-tool"),
        ("delete_all", "{}", "unknown-tool"),
        ("now", "{}", ""),
        ("now", "", ""),
        ("now", r#"{"zone":"UTC"}"#, ""),
        ("now", r#"{"zone":1}"#, "wrong-type"),
    ];
    for (name, arguments, expected) in cases {
        assert_eq!(kind(&watch, name, arguments), expected, "{name} {arguments}");
    }
}

#[test]
fn an_answer_names_the_tool_each_violation_and_what_is_required() {
    let schema = r#"{"type":"object","properties":{"query":{"type":"string"},"paths":{"type":"array"},
        "limit":{"type":["integer","null"]}},"required":["query","paths"]}"#;
    let watch = watch(Mode::Answer, &[("codebase_search", schema)]);
    assert_eq!(
        answer(&watch, "codebase_search", "{}"),
        "Error: Tool 'codebase_search' was called with empty arguments. This tool requires parameters.\n\
         - parameter 'query' is required, but missing\n\
         - parameter 'paths' is required, but missing\n\n\
         Required parameters: query (string), paths (array).\n\n\
         This is likely a mistake of the model. Please review the tool's schema, provide all required \
         parameters, and call the tool again."
    );
    let said = answer(&watch, "codebase_search", r#"{"query":["a"],"limit":"9"}"#);
    for part in [
        "parameter 'query' must be a string, but is an array",
        "parameter 'paths' is required, but missing",
        "parameter 'limit' must be an integer or null, but is a string",
    ] {
        assert!(said.contains(part), "{part} in: {said}");
    }
}

#[test]
fn an_answer_about_a_name_says_which_is_meant_or_which_there_are() {
    let watch = watch(Mode::Answer, &[("read_file", READ_FILE), ("now", NOW)]);
    let said = answer(&watch, "READ_FILE", "{}");
    assert!(said.contains("no tool named 'READ_FILE'. Did you mean 'read_file'?"), "{said}");
    let said = answer(&watch, "rm", "{}");
    assert!(said.contains("Available tools: 'read_file', 'now'."), "{said}");
}

#[test]
fn where_tools_come_from_elsewhere_too_no_name_is_unknown() {
    let mut watch = watch(Mode::Answer, &[("read_file", READ_FILE)]);
    watch.offer.open = true;
    assert_eq!(kind(&watch, "web_search", "{}"), "");
    assert_eq!(kind(&watch, "Read_file", "{}"), "misspelled-tool");
}

#[test]
fn a_name_that_may_mean_two_tools_is_not_guessed() {
    let watch = watch(Mode::Mend, &[("read", NOW), ("READ", NOW)]);
    assert_eq!(kind(&watch, "Read", "{}"), "unknown-tool");
}

#[test]
fn no_tools_nothing_to_check() {
    let watch = watch(Mode::Answer, &[]);
    assert_eq!(kind(&watch, "read_file", "{"), "");
}

#[test]
fn free_text_and_tools_of_the_provider_are_left_alone() {
    let mut watch = watch(Mode::Answer, &[("bash", NOW)]);
    watch.offer.tools.push((Text::new("apply_patch"), Takes::Other));
    assert_eq!(kind(&watch, "apply_patch", "*** Begin"), "");
    let args = Args::Freeform(Text::new("*** Begin"));
    let call = ToolCall { id: Text::new("c"), name: Text::new("bash"), args };
    assert!(watch.check(&call).is_none());
}

#[test]
fn a_tool_without_a_schema_takes_any_object() {
    let mut watch = watch(Mode::Answer, &[]);
    watch.offer.tools.push((Text::new("any"), Takes::Object(None)));
    assert_eq!(kind(&watch, "any", r#"{"a":1}"#), "");
    assert_eq!(kind(&watch, "any", ""), "");
    assert_eq!(kind(&watch, "any", "{"), "truncated");
}

#[test]
fn modes_are_for_all_tools_and_for_single_ones() {
    let mut watch = watch(Mode::Off, &[("read_file", READ_FILE), ("now", NOW)]);
    assert_eq!(kind(&watch, "read_file", "{}"), "");
    watch.modes.tools.push(("read_file".to_owned(), Mode::Observe));
    let finding = found(&watch, "read_file", "{}").unwrap();
    assert_eq!((finding.kind, finding.mode), (Kind::EmptyArguments, Mode::Observe));
    assert_eq!((finding.done(), finding.answer()), ("observed", None));
    assert_eq!(kind(&watch, "now", "{"), "");
    watch.modes.mode = Mode::Answer;
    watch.modes.tools[0].1 = Mode::Off;
    assert_eq!(kind(&watch, "read_file", "{}"), "");
    // What is misspelled is looked at as what is meant.
    assert_eq!(kind(&watch, "Read_file", "{}"), "");
    assert_eq!(kind(&watch, "now", "{"), "truncated");
}
