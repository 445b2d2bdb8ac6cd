//! Any text is a schema and any text the arguments of a call: they are decided or given up, always the
//! same way, and what is mended fits.

use std::sync::Arc;

use interlingua::guard::{
    Done, Kind, Limits, Mode, Modes, Offer, Schemas, Takes, Watch, answer_of,
};
use interlingua::model::{Args, ToolCall};
use interlingua::{Json, Text};

/// The first byte chooses the mode, the second where the schema ends and the arguments begin.
pub fn guard(data: &[u8]) {
    let [mode, split, text @ ..] = data else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let mode = [Mode::Observe, Mode::Answer, Mode::Mend][usize::from(*mode) % 3];
    let at = text.len() * usize::from(*split) / 255;
    // A text is checked against itself, or against what stands before it.
    let (schema, arguments) = text.split_at_checked(at).unwrap_or((text, text));
    let schema = Json::parse(schema).or_else(|_| Json::parse(text)).ok();
    let watch = Watch {
        offer: Offer { tools: vec![(Text::new("tool"), Takes::Object(schema))], open: false },
        modes: Modes { mode, tools: Vec::new() },
        limits: Limits::default(),
        schemas: Arc::new(Schemas::default()),
    };
    for name in ["tool", "Tool", "functions.tool", "other"] {
        let args = Args::from_text(&Text::new(arguments));
        let call = ToolCall { id: Text::new("call_1"), name: Text::new(name), args };
        let Some(finding) = watch.check(&call) else { continue };
        let again = watch.check(&call);
        assert!(again.is_some_and(|again| again.done == finding.done), "not the same again");
        assert_eq!(answer_of(&finding).is_none(), finding.answer().is_none());
        if let Done::Mended(mended) = &finding.done {
            let left = watch.check(mended).map(|finding| finding.kind);
            let fits = matches!(left, None | Some(Kind::NotChecked(_)));
            assert!(fits, "{mended:?} does not fit: {left:?}");
        }
    }
}
