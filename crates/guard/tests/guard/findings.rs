//! Each kind of finding, and the text of its answer.

use interlingua_guard::{FindingKind, GuardMode, ToolInput};
use interlingua_model::{ToolArgs, ToolCall};
use interlingua_wire::JsonString;

use crate::{NOW, READ_FILE, answer, call_checker, finding, kind};

#[test]
fn each_kind_of_error_has_its_name() {
    let checker = call_checker(GuardMode::Answer, &[("read_file", READ_FILE), ("now", NOW)]);
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
        assert_eq!(kind(&checker, name, arguments), expected, "{name} {arguments}");
    }
}

#[test]
fn an_answer_names_the_tool_each_violation_and_the_required_parameters() {
    let schema = r#"{"type":"object","properties":{"query":{"type":"string"},"paths":{"type":"array"},
        "limit":{"type":["integer","null"]}},"required":["query","paths"]}"#;
    let checker = call_checker(GuardMode::Answer, &[("codebase_search", schema)]);
    assert_eq!(
        answer(&checker, "codebase_search", "{}"),
        "Error: Tool 'codebase_search' was called with empty arguments. This tool requires parameters.\n\
         - parameter 'query' is required, but missing\n\
         - parameter 'paths' is required, but missing\n\n\
         Required parameters: query (string), paths (array).\n\n\
         This is likely a mistake of the model. Please review the tool's schema, provide all required \
         parameters, and call the tool again."
    );
    let text = answer(&checker, "codebase_search", r#"{"query":["a"],"limit":"9"}"#);
    for part in [
        "parameter 'query' must be a string, but is an array",
        "parameter 'paths' is required, but missing",
        "parameter 'limit' must be an integer or null, but is a string",
    ] {
        assert!(text.contains(part), "{part} in: {text}");
    }
}

#[test]
fn an_answer_to_an_unknown_tool_suggests_or_lists_tools() {
    let checker = call_checker(GuardMode::Answer, &[("read_file", READ_FILE), ("now", NOW)]);
    let text = answer(&checker, "READ_FILE", "{}");
    assert!(text.contains("no tool named 'READ_FILE'. Did you mean 'read_file'?"), "{text}");
    let text = answer(&checker, "rm", "{}");
    assert!(text.contains("Available tools: 'read_file', 'now'."), "{text}");
}

#[test]
fn with_unlisted_tools_no_name_is_unknown() {
    let mut checker = call_checker(GuardMode::Answer, &[("read_file", READ_FILE)]);
    checker.offered_tools.allows_unlisted = true;
    assert_eq!(kind(&checker, "web_search", "{}"), "");
    assert_eq!(kind(&checker, "Read_file", "{}"), "misspelled-tool");
}

#[test]
fn a_name_that_may_mean_two_tools_is_not_guessed() {
    let checker = call_checker(GuardMode::Mend, &[("read", NOW), ("READ", NOW)]);
    assert_eq!(kind(&checker, "Read", "{}"), "unknown-tool");
}

#[test]
fn no_tools_nothing_to_check() {
    let checker = call_checker(GuardMode::Answer, &[]);
    assert_eq!(kind(&checker, "read_file", "{"), "");
}

#[test]
fn free_text_and_tools_of_the_provider_are_left_alone() {
    let mut checker = call_checker(GuardMode::Answer, &[("bash", NOW)]);
    checker.offered_tools.tools.push((JsonString::new("apply_patch"), ToolInput::Unchecked));
    assert_eq!(kind(&checker, "apply_patch", "*** Begin"), "");
    let args = ToolArgs::Freeform(JsonString::new("*** Begin"));
    let call = ToolCall { id: JsonString::new("c"), name: JsonString::new("bash"), args };
    assert!(checker.check_call(&call).is_none());
}

#[test]
fn a_tool_without_a_schema_takes_any_object() {
    let mut checker = call_checker(GuardMode::Answer, &[]);
    checker.offered_tools.tools.push((JsonString::new("any"), ToolInput::Object(None)));
    assert_eq!(kind(&checker, "any", r#"{"a":1}"#), "");
    assert_eq!(kind(&checker, "any", ""), "");
    assert_eq!(kind(&checker, "any", "{"), "truncated");
}

#[test]
fn modes_are_for_all_tools_and_for_single_ones() {
    let mut checker = call_checker(GuardMode::Off, &[("read_file", READ_FILE), ("now", NOW)]);
    assert_eq!(kind(&checker, "read_file", "{}"), "");
    checker.modes.per_tool.push(("read_file".to_owned(), GuardMode::Observe));
    let finding = finding(&checker, "read_file", "{}").unwrap();
    assert_eq!((finding.kind, finding.mode), (FindingKind::EmptyArguments, GuardMode::Observe));
    assert_eq!((finding.action_name(), finding.answer_message()), ("observed", None));
    assert_eq!(kind(&checker, "now", "{"), "");
    checker.modes.default = GuardMode::Answer;
    checker.modes.per_tool[0].1 = GuardMode::Off;
    assert_eq!(kind(&checker, "read_file", "{}"), "");
    // A misspelled call has the mode of the tool that it means.
    assert_eq!(kind(&checker, "Read_file", "{}"), "");
    assert_eq!(kind(&checker, "now", "{"), "truncated");
}
