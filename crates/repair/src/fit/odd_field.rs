//! A setting whose field has another form than its dialect knows is said anew, or left out.
//!
//! What can be read of it is said in the form that the provider takes; the rest is left out, and the
//! provider's own default counts.
//!
//! ## Why
//! > tool_choice: Input should be an object
//!
//! > Invalid type for 'stream': expected a boolean, but got a string instead.
//!
//! > thinking.disabled.display: Extra inputs are not permitted
//!
//! ## Example
//! ```text
//! before   tool_choice: "auto"
//! after    tool_choice: {"type": "auto"}
//! ```

use interlingua_model::Place;

use crate::Work;
use crate::profile::params::{Verdict, is_named};

pub fn apply(work: &mut Work<'_>) {
    let shapes = work.profile.params.shapes;
    if shapes.is_empty() || !work.is_own() {
        return;
    }
    let either = work.profile.fields.either_case;
    let mut at = 0;
    while at < work.conversation().fields.len() {
        let field = &work.conversation().fields[at];
        let key = field.key.contents();
        let verdict = match shapes.iter().find(|shape| is_named(&key, shape.name, either)) {
            Some(shape) => {
                let value = work.inside(&field.value);
                let node = value.root();
                if node.is_null() { Verdict::Fits } else { shape.shape.hold(node, either) }
            }
            None => Verdict::Fits,
        };
        match verdict {
            Verdict::Fits => at += 1,
            Verdict::Less(json) => {
                let key = key.into_owned();
                work.fields()[at].value = json;
                said_anew(work, &key);
                at += 1;
            }
            Verdict::Gone => {
                let key = key.into_owned();
                work.fields().remove(at);
                said_anew(work, &key);
            }
        }
    }
}

fn said_anew(work: &mut Work<'_>, key: &str) {
    // What the settings hold of the field is written again.
    work.settings();
    let what = format!("`{key}` has another form here: what can be read of it is said anew");
    work.change(Place::SETTINGS, what);
}
