//! Histories in which the flaw of a case stands everywhere, in turns and within a turn: what four times as
//! many cost. Words after `--` choose the cases whose names have one of them.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::path::Path;

use bytes::Bytes;
use interlingua::translate_request;
use interlingua_benches::{Timed, best_of, is_wanted};
use interlingua_corpus::walk::{self, Filed};
use interlingua_corpus::{Case, Input};
use serde_json::Value;

fn main() {
    println!("Cases of which {MORE} times as much costs more than {WORTH_TELLING} times as much.");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut measured = 0_usize;
    for Filed { path, case, .. } in walk::cases(&corpus).unwrap_or_default() {
        let name = path.strip_prefix(&corpus).unwrap_or(&path).display().to_string();
        let Some(case) = case.ok().filter(|_| is_wanted(&name)) else { continue };
        let Input::Request(body) = &case.input else { continue };
        let Ok(body) = serde_json::from_slice::<Value>(body) else { continue };
        for (what, repeat) in [("turns", turns as Repeat), ("blocks", blocks)] {
            let Some(timed) = timed(&case, &body, repeat) else { continue };
            measured += 1;
            if timed.ratio() > WORTH_TELLING {
                let (few, many) =
                    (timed.ours.as_secs_f64() * 1e3, timed.theirs.as_secs_f64() * 1e3);
                println!("{name}, {what}: {few:.1} ms, {many:.1} ms: {:.1} times", timed.ratio());
            }
        }
    }
    println!("{measured} histories");
}

/// Makes so many of what a body has, if it has any.
type Repeat = fn(&Case, &mut Value, usize) -> Option<()>;

fn timed(case: &Case, body: &Value, repeat: Repeat) -> Option<Timed> {
    let [few, many] = [FEW, FEW * MORE].map(|count| {
        let mut body = body.clone();
        repeat(case, &mut body, count)?;
        Some(Bytes::from(body.to_string()))
    });
    let (few, many) = (few?, many?);
    let size = |body: &Bytes| {
        let translated = translate_request(body.clone(), case.from, case.to, &case.target);
        translated.map_or(0, |translated| translated.body.len())
    };
    Some(best_of(2, || size(&few), || size(&many)))
}

fn turns(case: &Case, body: &mut Value, count: usize) -> Option<()> {
    fill(body.get_mut(case.from.turns_key())?.as_array_mut()?, count)
}

fn blocks(case: &Case, body: &mut Value, count: usize) -> Option<()> {
    let turns = body.get_mut(case.from.turns_key())?.as_array_mut()?;
    let lists = turns.iter_mut().filter_map(|turn| {
        let key = LISTS.into_iter().find(|key| turn.get(*key).is_some_and(Value::is_array))?;
        turn.get_mut(key)?.as_array_mut()
    });
    lists.map(|list| fill(list, count)).fold(None, Option::or)
}

fn fill(list: &mut Vec<Value>, count: usize) -> Option<()> {
    let all: Vec<Value> = list.iter().cycle().take(count.max(list.len())).cloned().collect();
    *list = all;
    (!list.is_empty()).then_some(())
}

/// Where turns hold what they are made of.
const LISTS: [&str; 3] = ["content", "parts", "tool_calls"];
const FEW: usize = 1000;
const MORE: usize = 4;
/// What grows with the square costs sixteen times as much.
const WORTH_TELLING: f64 = 7.0;
