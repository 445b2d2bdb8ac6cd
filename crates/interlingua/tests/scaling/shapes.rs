//! Shapes of conversations that could take more than proportional time.

/// A conversation in no dialect.
#[derive(Default)]
pub(crate) struct Script {
    pub turns: Vec<(Speaker, Vec<Part>)>,
    /// System messages outside the turns.
    pub system: usize,
    /// Names of tools, each with a different description.
    pub tools: Vec<String>,
    /// Number of unknown fields.
    pub fields: usize,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Speaker {
    User,
    Model,
    System,
}

pub(crate) enum Part {
    Text(&'static str),
    Call(String),
    Result(String, &'static str),
    Thinking,
}

pub(crate) struct ScalingCase {
    pub name: &'static str,
    pub generate: fn(usize) -> Script,
}

use Part::{Call, Result, Text, Thinking};
use Speaker::{Model, System, User};

macro_rules! scaling_cases {
    ($($name:ident)*) => {
        pub(crate) const ALL: &[ScalingCase] = &[$(ScalingCase { name: stringify!($name), generate: $name }),*];
    };
}

scaling_cases! {
    healthy answered unanswered nearly_answered half_answered answered_backwards answered_late
    answered_in_turns answered_in_turns_late answered_among_words calls_in_turns
    one_id_in_turns one_id_answered one_id_in_one one_id_backwards same_call_twice
    unnamed_results orphans orphans_in_turns orphans_in_rounds orphans_after_calls orphans_everywhere
    twice_answered many_times_answered late_rounds unanswered_rounds
    calls_by_user results_by_model calls_of_user_in_turns mixed_sides
    empty_turns empty_models empty_texts blank_users system_turns system_between system_blocks
    same_role models_only alternation unlisted_tools same_tools odd_tools many_tools many_fields
    words_beside_results system_among_results silent_system
}

fn turn(speaker: Speaker, parts: impl Iterator<Item = Part>) -> (Speaker, Vec<Part>) {
    (speaker, parts.collect())
}

fn script(turns: impl IntoIterator<Item = (Speaker, Vec<Part>)>) -> Script {
    let (begin, tools) = (vec![(User, vec![Text("begin")])], vec!["bash".to_owned()]);
    let mut script = Script { turns: begin, tools, ..Script::default() };
    script.turns.extend(turns);
    script.turns.push((User, vec![Text("go on")]));
    script
}

/// Some turns for each number.
fn repeat(size: usize, turns: impl Fn(usize) -> Vec<(Speaker, Vec<Part>)>) -> Script {
    script((0..size).flat_map(turns))
}

fn call(at: usize) -> Part {
    Call(format!("call_{at}"))
}

fn result(at: usize) -> Part {
    Result(format!("call_{at}"), "done")
}

fn healthy(size: usize) -> Script {
    repeat(size, |at| vec![(Model, vec![Text("so"), call(at)]), (User, vec![result(at)])])
}

fn answered(size: usize) -> Script {
    script([turn(Model, (0..size).map(call)), turn(User, (0..size).map(result))])
}

fn unanswered(size: usize) -> Script {
    script([turn(Model, (0..size).map(call))])
}

fn unlisted_tools(size: usize) -> Script {
    Script { tools: Vec::new(), ..nearly_answered(size) }
}

fn same_tools(size: usize) -> Script {
    Script { tools: vec!["bash".to_owned(); size], ..healthy(1) }
}

fn odd_tools(size: usize) -> Script {
    Script { tools: (0..size).map(|at| format!("a tool/{at}")).collect(), ..healthy(size) }
}

fn many_tools(size: usize) -> Script {
    Script { tools: (0..size).map(|at| format!("tool_{at}")).collect(), ..healthy(size) }
}

fn many_fields(size: usize) -> Script {
    Script { fields: size, ..healthy(1) }
}

fn nearly_answered(size: usize) -> Script {
    let answered = (0..size).filter(|at| at % 50 != 0);
    script([turn(Model, (0..size).map(call)), turn(User, answered.map(result))])
}

fn half_answered(size: usize) -> Script {
    let half = (0..size).filter(|at| at % 2 != 0);
    script([turn(Model, (0..size).map(call)), turn(User, half.map(result))])
}

fn answered_backwards(size: usize) -> Script {
    script([turn(Model, (0..size).map(call)), turn(User, (0..size).rev().map(result))])
}

fn answered_late(size: usize) -> Script {
    let texts = (0..size).map(|_| (User, vec![Text("wait")]));
    let mut turns = vec![turn(Model, (0..size).map(call))];
    turns.extend(texts);
    turns.push(turn(User, (0..size).map(result)));
    script(turns)
}

fn answered_in_turns(size: usize) -> Script {
    let mut turns = vec![turn(Model, (0..size).map(call))];
    turns.extend((0..size).map(|at| (User, vec![result(at)])));
    script(turns)
}

fn answered_in_turns_late(size: usize) -> Script {
    let mut turns = vec![turn(Model, (0..size).map(call)), (System, vec![Text("hurry")])];
    turns.extend((0..size).map(|at| (User, vec![Text("wait"), result(at)])));
    script(turns)
}

fn answered_among_words(size: usize) -> Script {
    let texts = (0..size).flat_map(|at| [Text("and"), result(at)]);
    script([turn(Model, (0..size).map(call)), turn(User, texts)])
}

fn calls_in_turns(size: usize) -> Script {
    let mut turns: Vec<_> = (0..size).map(|at| (Model, vec![Text("so"), call(at)])).collect();
    turns.push(turn(User, (0..size).map(result)));
    script(turns)
}

fn one_id_in_turns(size: usize) -> Script {
    let id = || "c".to_owned();
    repeat(size, |_| vec![(Model, vec![Call(id())]), (User, vec![Result(id(), "done")])])
}

fn one_id_answered(size: usize) -> Script {
    let id = || "c".to_owned();
    repeat(size, |at| {
        vec![(Model, vec![call(at), Call(id())]), (User, vec![Result(id(), "done"), result(at)])]
    })
}

fn one_id_in_one(size: usize) -> Script {
    let id = || "c".to_owned();
    let calls = (0..size).map(|_| Call(id()));
    script([turn(Model, calls), turn(User, (0..size).map(|_| Result(id(), "done")))])
}

fn one_id_backwards(size: usize) -> Script {
    let id = |at: usize| format!("c{}", at % 7);
    let calls = (0..size).map(|at| Call(id(at)));
    script([turn(Model, calls), turn(User, (0..size).rev().map(|at| Result(id(at), "done")))])
}

fn same_call_twice(size: usize) -> Script {
    let calls = (0..size).map(|at| call(at / 2));
    script([turn(Model, calls), turn(User, (0..size / 2).map(result))])
}

fn unnamed_results(size: usize) -> Script {
    let results = (0..size).map(|_| Result(String::new(), "done"));
    script([turn(Model, (0..size).map(call)), turn(User, results)])
}

fn orphans(size: usize) -> Script {
    script([(Model, vec![Text("so")]), turn(User, (0..size).map(result))])
}

fn orphans_in_turns(size: usize) -> Script {
    repeat(size, |at| vec![(User, vec![result(at)])])
}

fn orphans_in_rounds(size: usize) -> Script {
    repeat(size, |at| vec![(Model, vec![Text("so")]), (User, vec![result(at)])])
}

fn orphans_after_calls(size: usize) -> Script {
    let others = (size..size * 2).map(result);
    script([turn(Model, (0..size).map(call)), turn(User, others)])
}

fn orphans_everywhere(size: usize) -> Script {
    repeat(size, |at| {
        vec![(Model, vec![Thinking, call(at)]), (User, vec![result(at), result(at + 1)])]
    })
}

fn twice_answered(size: usize) -> Script {
    let results = (0..size).chain(0..size).map(result);
    script([turn(Model, (0..size).map(call)), turn(User, results)])
}

fn many_times_answered(size: usize) -> Script {
    let results = (0..size).map(|_| result(0));
    script([(Model, vec![call(0)]), turn(User, results)])
}

/// Each result is one round late.
fn late_rounds(size: usize) -> Script {
    repeat(size, |at| vec![(Model, vec![call(at + 1)]), (User, vec![result(at)])])
}

fn unanswered_rounds(size: usize) -> Script {
    repeat(size, |at| vec![(Model, vec![call(at)]), (User, vec![Text("no")])])
}

fn calls_by_user(size: usize) -> Script {
    script([turn(User, (0..size).map(call)), turn(User, (0..size).map(result))])
}

fn results_by_model(size: usize) -> Script {
    script([turn(Model, (0..size).flat_map(|at| [call(at), result(at)]))])
}

fn calls_of_user_in_turns(size: usize) -> Script {
    repeat(size, |at| vec![(User, vec![Text("so"), call(at), Text("then"), result(at)])])
}

fn mixed_sides(size: usize) -> Script {
    repeat(size, |at| vec![(Model, vec![result(at), Text("so")]), (User, vec![call(at)])])
}

fn empty_turns(size: usize) -> Script {
    repeat(size, |_| vec![(User, vec![]), (Model, vec![])])
}

fn empty_models(size: usize) -> Script {
    repeat(size, |_| vec![(Model, vec![])])
}

fn empty_texts(size: usize) -> Script {
    script([turn(User, (0..size).map(|_| Text(""))), turn(Model, (0..size).map(|_| Text("")))])
}

fn blank_users(size: usize) -> Script {
    repeat(size, |_| vec![(User, vec![Text(" ")]), (Model, vec![Text("so ")])])
}

fn system_turns(size: usize) -> Script {
    repeat(size, |_| vec![(System, vec![Text("be brief")])])
}

fn system_between(size: usize) -> Script {
    repeat(size, |at| {
        let result = (User, vec![result(at)]);
        vec![(Model, vec![call(at)]), (System, vec![Text("be brief")]), result]
    })
}

fn system_among_results(size: usize) -> Script {
    let mut turns = vec![turn(Model, (0..size).map(call))];
    turns.extend(
        (0..size).flat_map(|at| [(System, vec![Text("be brief")]), (User, vec![result(at)])]),
    );
    script(turns)
}

fn silent_system(size: usize) -> Script {
    repeat(size, |_| vec![(Model, vec![Text("so")]), (System, vec![]), (System, vec![])])
}

fn words_beside_results(size: usize) -> Script {
    repeat(size, |at| vec![(Model, vec![call(at)]), (User, vec![result(at), Text("and")])])
}

fn system_blocks(size: usize) -> Script {
    Script { system: size, ..script([]) }
}

fn same_role(size: usize) -> Script {
    repeat(size, |_| vec![(User, vec![Text("and")])])
}

fn models_only(size: usize) -> Script {
    repeat(size, |_| vec![(Model, vec![Text("and")])])
}

fn alternation(size: usize) -> Script {
    repeat(size, |_| vec![(User, vec![Text("why")]), (Model, vec![Text("so")])])
}
