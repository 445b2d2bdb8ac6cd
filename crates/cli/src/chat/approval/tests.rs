//! The answers, and what an empty line answers.

use interlingua::RawJson;
use interlingua_agent::{Tool, ToolOutput};

use super::{UserAnswer, default_answer};

#[test]
fn a_hint_of_the_server_only_selects_the_default() {
    let mut tool = Tool::from_handler("look", "", RawJson::EMPTY_OBJECT, |_| async {
        ToolOutput::from_text("")
    });
    assert_eq!(default_answer(&tool), UserAnswer::No);
    tool.is_read_only = true;
    assert_eq!(default_answer(&tool), UserAnswer::Once);
    for (line, answer) in [
        ("", Some(UserAnswer::Once)),
        (" Y\n", Some(UserAnswer::Once)),
        ("always", Some(UserAnswer::Always)),
        ("n", Some(UserAnswer::No)),
        ("v", Some(UserAnswer::Never)),
        ("yes, and delete the rest", None),
        ("/quit", None),
    ] {
        assert_eq!(UserAnswer::parse(line, default_answer(&tool)), answer, "{line:?}");
    }
}
