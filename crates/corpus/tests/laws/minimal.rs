//! Law 2: a healthy request leaves in its own dialect as the bytes it came in, and nothing is noted.

use interlingua::{Target, translate_request};

use crate::script::script;
use crate::{for_all, in_all_dialects, render};

#[test]
fn a_healthy_request_keeps_its_bytes() {
    for_all(script(), |script| {
        in_all_dialects(|dialect| {
            let body = render::body(script, dialect);
            let sent = translate_request(body.clone(), dialect, dialect, &Target::default())
                .map_err(|error| error.to_string())?;
            if sent.body != body {
                return Err(format!("{body:?} became {:?}", sent.body));
            }
            if !sent.ledger.is_empty() {
                return Err(format!("{body:?} noted {:?}", sent.ledger.entries));
            }
            Ok(())
        })
    });
}
