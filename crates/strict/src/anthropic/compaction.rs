//! Summaries in place of what was said, and requests for one.

use serde_json::Value;

use super::profile::profile;
use super::tool_changes::referred;
use super::view::{self, Block};
use crate::rule::{Fields as _, string};
use crate::seal::{Bound, Broken, Key};
use crate::{Evidence, Findings, Request, Rule};

/// The signature of a summary with this text and these changes of tools.
pub fn sign(key: &Key, text: &str, tool_changes: Option<&Value>) -> String {
    let changes = tool_changes.map(Value::to_string);
    key.seal(&bound(text, changes.as_deref()))
}

fn bound<'b>(text: &'b str, changes: Option<&'b str>) -> Bound<'b> {
    let neighbours = changes.unwrap_or_default();
    Bound { provider: "anthropic", kind: KIND, contents: text, neighbours, ..Bound::default() }
}

fn blocks(body: &Value) -> impl Iterator<Item = Block<'_>> {
    view::blocks(body).filter(|block| block.is(KIND))
}

/// Whether a summary is asked for.
fn asked(request: &Request<'_>) -> bool {
    request.body.field(KIND).is_some_and(|asked| !asked.is_null())
}

fn and_editing(request: &Request<'_>, findings: &mut Findings) {
    let edits = request.body.field("context_management").is_some_and(|edits| !edits.is_null());
    if edits && asked(request) {
        findings.add(KIND, AND_EDITING);
    }
}

fn nothing(request: &Request<'_>, findings: &mut Findings) {
    let said = |block: Block<'_>| !block.is(KIND);
    let any = !view::messages(request.body).is_empty();
    if any && asked(request) && !view::blocks(request.body).any(said) {
        findings.add_with(KIND, NOTHING, None, Some("compaction_nothing_to_summarize"));
    }
}

fn incomplete(request: &Request<'_>, findings: &mut Findings) {
    let runs = view::runs(request.body);
    let Some(last) = runs.last().filter(|run| run.role == "assistant" && asked(request)) else {
        return;
    };
    if last.blocks.iter().any(|block| block.is("tool_use")) {
        findings.add_with(KIND, INCOMPLETE, None, Some("compaction_incomplete_turn"));
    }
}

fn too_many_tools(request: &Request<'_>, findings: &mut Findings) {
    let most = request.switches.compaction_tools;
    let most = most.unwrap_or(profile(request.model).compaction_tools);
    if asked(request) && referred(request.body) > most {
        let code = Some("compaction_too_many_tool_references");
        findings.add_with(KIND, TOO_MANY_TOOLS, None, code);
    }
}

fn empty(request: &Request<'_>, findings: &mut Findings) {
    for block in blocks(request.body) {
        if block.value.field("content").is_some_and(|content| content == "") {
            let path = format!("{}.compaction.content", block.path());
            let words = format!("{path}: {EMPTY}");
            findings.add(path, words);
        }
    }
}

/// Whether another summary stands before the block in its message.
fn follows_another(body: &Value, block: &Block<'_>) -> bool {
    blocks(body).any(|other| other.message == block.message && other.index < block.index)
}

fn ambiguous(request: &Request<'_>, findings: &mut Findings) {
    for block in blocks(request.body).filter(|block| follows_another(request.body, block)) {
        let (path, code) = (block.path(), Some("compaction_block_ambiguous"));
        let words = format!("{path}: {AMBIGUOUS}");
        findings.add_with(path, words, None, code);
    }
}

fn misplaced(request: &Request<'_>, findings: &mut Findings) {
    let first = |block: &Block<'_>| block.index == 0 || follows_another(request.body, block);
    for block in blocks(request.body).filter(|block| !first(block)) {
        let (path, code) = (block.path(), Some("compaction_block_misplaced"));
        let words = format!("{path}: {MISPLACED}");
        findings.add_with(path, words, None, code);
    }
}

/// What is wrong with the signed summaries.
fn broken(
    request: &Request<'_>,
    findings: &mut Findings,
    wanted: &[Broken],
    words: &str,
    code: &str,
) {
    let Some(key) = request.key else { return };
    for block in blocks(request.body) {
        let seal = ["signature", "encrypted_content"].map(|name| block.text(name));
        let Some(seal) = seal.into_iter().find(|seal| !seal.is_empty()) else { continue };
        let changes = block.value.field("tool_changes").filter(|changes| !changes.is_null());
        let changes = changes.map(Value::to_string);
        let found = key.verify(seal, &bound(string(block.value, "content"), changes.as_deref()));
        if found.is_err_and(|broken| wanted.contains(&broken)) {
            let path = block.path();
            let words = format!("{path}: {words}");
            findings.add_with(path, words, None, Some(code));
        }
    }
}

fn signature(request: &Request<'_>, findings: &mut Findings) {
    let foreign = [Broken::Foreign, Broken::Provider, Broken::Model];
    broken(request, findings, &foreign, SIGNATURE, "compaction_signature_invalid");
}

fn content(request: &Request<'_>, findings: &mut Findings) {
    broken(request, findings, &[Broken::Contents], CONTENT, "compaction_content_mismatch");
}

fn tool_changes(request: &Request<'_>, findings: &mut Findings) {
    broken(request, findings, &[Broken::Place], CHANGES, "compaction_tool_changes_mismatch");
}

const KIND: &str = "compaction";
const AND_EDITING: &str = "compaction: cannot be combined with `context_management`";
const NOTHING: &str = "compaction: there is nothing to summarize";
const INCOMPLETE: &str =
    "compaction: the conversation cannot be summarized while a turn is incomplete";
const TOO_MANY_TOOLS: &str =
    "The conversation references more distinct tools than a `compaction` block can record.";
const EMPTY: &str = "String should have at least 1 character";
const AMBIGUOUS: &str = "a message may hold only one `compaction` block";
const MISPLACED: &str = "a `compaction` block must be the first block of its message";
const SIGNATURE: &str = "Invalid `signature` in `compaction` block";
const CONTENT: &str = "the `content` of a `compaction` block cannot be modified";
const CHANGES: &str = "the `tool_changes` of a `compaction` block cannot be modified";

macro_rules! rule {
    ($name:literal, $when:literal, $words:expr, $source:literal, $check:expr) => {
        Rule {
            name: $name,
            status: 400,
            when: $when,
            words: $words,
            evidence: Evidence::Inferred,
            source: $source,
            check: $check,
        }
    };
}

/// Requests for a summary.
pub(super) const ASKED: [Rule; 4] = [
    rule!(
        "compaction-and-editing",
        "A summary is asked for together with context management.",
        AND_EDITING,
        "documentation of compaction",
        and_editing
    ),
    rule!(
        "nothing-to-compact",
        "A summary is asked for, and nothing was said but a summary.",
        NOTHING,
        "error code compaction_nothing_to_summarize of the SDK",
        nothing
    ),
    rule!(
        "compaction-of-open-turn",
        "A summary is asked for while calls wait for their results.",
        INCOMPLETE,
        "error code compaction_incomplete_turn of the SDK",
        incomplete
    ),
    Rule {
        name: "compaction-of-many-tools",
        status: 400,
        when: "A summary is asked for of a conversation that refers to more tools than one can record (switch compaction_tools).",
        words: TOO_MANY_TOOLS,
        evidence: Evidence::Quoted,
        source: "error code compaction_too_many_tool_references and its description in the SDK; the limit is ours",
        check: too_many_tools,
    },
];

/// Summaries among the messages.
pub(super) const RULES: [Rule; 6] = [
    rule!(
        "empty-compaction",
        "The text of a summary is empty; it may be null.",
        "messages.{n}.content.{m}.compaction.content: String should have at least 1 character",
        "documentation of compaction",
        empty
    ),
    rule!(
        "ambiguous-compaction",
        "A message has two summaries.",
        "messages.{n}.content.{m}: a message may hold only one `compaction` block",
        "error code compaction_block_ambiguous of the SDK",
        ambiguous
    ),
    rule!(
        "misplaced-compaction",
        "Something stands before a summary in its message.",
        "messages.{n}.content.{m}: a `compaction` block must be the first block of its message",
        "error code compaction_block_misplaced of the SDK",
        misplaced
    ),
    rule!(
        "compaction-signature",
        "The signature or encrypted content of a summary is not the model's.",
        "messages.{n}.content.{m}: Invalid `signature` in `compaction` block",
        "error code compaction_signature_invalid of the SDK",
        signature
    ),
    rule!(
        "modified-compaction",
        "The text of a signed summary was changed.",
        "messages.{n}.content.{m}: the `content` of a `compaction` block cannot be modified",
        "error code compaction_content_mismatch of the SDK",
        content
    ),
    rule!(
        "compaction-tool-changes",
        "The changes of tools in a signed summary were changed.",
        "messages.{n}.content.{m}: the `tool_changes` of a `compaction` block cannot be modified",
        "error code compaction_tool_changes_mismatch of the SDK",
        tool_changes
    ),
];
