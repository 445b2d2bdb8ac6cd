//! A description of a tool that is longer than the target takes is cut.
//!
//! ## Why
//! > Invalid 'tools\[0\].function.description': string too long. Expected a string with maximum length
//! > 1024, but got a string with length 1320 instead.
//!
//! ## Example
//! ```text
//! before   a description of 1,320 characters
//! after    the first 1,021 of them and `...`
//! ```

use interlingua_model::Place;
use interlingua_wire::Text;

use crate::Work;
use crate::tools::nameless;

pub fn apply(work: &mut Work<'_>) {
    let Some(most) = work.profile.tools.description else { return };
    for at in 0..work.conversation().tools.len() {
        if at + nameless(work) >= work.conversation().tools.len() {
            return;
        }
        let tool = &work.conversation().tools[at];
        let Some(description) = &tool.description else { continue };
        let contents = description.contents();
        if contents.len() <= most || contents.chars().count() <= most {
            continue;
        }
        let cut: String = contents.chars().take(most - 3).chain("...".chars()).collect();
        let what = format!("the description of `{}` is cut to {most} characters", tool.name);
        work.loss(Place::tool(at), what);
        work.tools()[at].edit().description = Some(Text::new(&cut));
    }
}
