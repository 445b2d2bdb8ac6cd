//! Measures how the time of repairs grows with the history: the turns or blocks of a corpus case
//! are repeated, then four times as often. Arguments after `--` select cases by a substring of the
//! name.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::path::Path;

use bytes::Bytes;
use interlingua::translate_request;
use interlingua_benches::{BestTimes, best_of, is_selected};
use interlingua_corpus::files::{self, CaseFile};
use interlingua_corpus::{Case, Input};
use serde_json::Value;

fn main() {
    println!(
        "Cases where {GROWTH} times the history takes more than {REPORT_RATIO} times as long."
    );
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut measured = 0_usize;
    for CaseFile { path, case, .. } in files::load_cases(&corpus).unwrap_or_default() {
        let name = path.strip_prefix(&corpus).unwrap_or(&path).display().to_string();
        let Some(case) = case.ok().filter(|_| is_selected(&name)) else { continue };
        let Input::Request(body) = &case.input else { continue };
        let Ok(body) = serde_json::from_slice::<Value>(body) else { continue };
        for (kind, repeat) in [("turns", repeat_turns as Repeat), ("blocks", repeat_blocks)] {
            let Some(best_times) = time_growth(&case, &body, repeat) else { continue };
            measured += 1;
            if best_times.ratio() > REPORT_RATIO {
                let (small_ms, large_ms) = (
                    best_times.candidate.as_secs_f64() * 1e3,
                    best_times.baseline.as_secs_f64() * 1e3,
                );
                println!(
                    "{name}, {kind}: {small_ms:.1} ms, {large_ms:.1} ms: {:.1} times",
                    best_times.ratio()
                );
            }
        }
    }
    println!("{measured} histories");
}

/// Repeats the turns or blocks of a body to this count; `None` if it has none.
type Repeat = fn(&Case, &mut Value, usize) -> Option<()>;

fn time_growth(case: &Case, body: &Value, repeat: Repeat) -> Option<BestTimes> {
    let [small, large] = [BASE_COUNT, BASE_COUNT * GROWTH].map(|count| {
        let mut body = body.clone();
        repeat(case, &mut body, count)?;
        Some(Bytes::from(body.to_string()))
    });
    let (small, large) = (small?, large?);
    let size = |body: &Bytes| {
        let translated = translate_request(body.clone(), case.from, case.to, &case.target);
        translated.map_or(0, |translated| translated.body.len())
    };
    Some(best_of(2, || size(&small), || size(&large)))
}

fn repeat_turns(case: &Case, body: &mut Value, count: usize) -> Option<()> {
    repeat_to(body.get_mut(case.from.turns_key())?.as_array_mut()?, count)
}

fn repeat_blocks(case: &Case, body: &mut Value, count: usize) -> Option<()> {
    let turns = body.get_mut(case.from.turns_key())?.as_array_mut()?;
    let lists = turns.iter_mut().filter_map(|turn| {
        let key =
            BLOCK_LIST_KEYS.into_iter().find(|key| turn.get(*key).is_some_and(Value::is_array))?;
        turn.get_mut(key)?.as_array_mut()
    });
    lists.map(|list| repeat_to(list, count)).fold(None, Option::or)
}

fn repeat_to(list: &mut Vec<Value>, count: usize) -> Option<()> {
    let repeated: Vec<Value> = list.iter().cycle().take(count.max(list.len())).cloned().collect();
    *list = repeated;
    (!list.is_empty()).then_some(())
}

/// Fields of a turn with its blocks.
const BLOCK_LIST_KEYS: [&str; 3] = ["content", "parts", "tool_calls"];
const BASE_COUNT: usize = 1000;
const GROWTH: usize = 4;
/// Quadratic growth gives 16, linear growth 4.
const REPORT_RATIO: f64 = 7.0;
