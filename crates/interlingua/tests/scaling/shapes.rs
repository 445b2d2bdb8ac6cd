//! Conversations that cost more than they say, if they can.

/// What is said in a conversation, in no dialect.
#[derive(Default)]
pub(crate) struct Talk {
    pub turns: Vec<(Who, Vec<Part>)>,
    /// Instructions outside the turns.
    pub system: usize,
    /// Names of tools, all of them different in what they are for.
    pub tools: Vec<String>,
    /// Fields beside, which nobody knows.
    pub fields: usize,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Who {
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

pub(crate) struct Shape {
    pub name: &'static str,
    pub make: fn(usize) -> Talk,
}

use Part::{Call, Result, Text, Thinking};
use Who::{Model, System, User};

macro_rules! shapes {
    ($($name:ident)*) => {
        pub(crate) const ALL: &[Shape] = &[$(Shape { name: stringify!($name), make: $name }),*];
    };
}

shapes! {
    healthy answered unanswered nearly_answered half_answered answered_backwards answered_late
    answered_in_turns answered_in_turns_late answered_among_words calls_in_turns
    one_id_in_turns one_id_answered one_id_in_one one_id_backwards same_call_twice
    unnamed_results orphans orphans_in_turns orphans_in_rounds orphans_after_calls orphans_everywhere
    twice_answered many_times_answered late_rounds unanswered_rounds
    users_calls models_results calls_of_user_in_turns mixed_sides
    empty_turns empty_models empty_texts blank_users system_turns system_between system_blocks
    same_role models_only alternation untold_tools same_tools odd_tools many_tools many_fields
    words_beside_results system_among_results silent_system
}

fn one(who: Who, parts: impl Iterator<Item = Part>) -> (Who, Vec<Part>) {
    (who, parts.collect())
}

fn talk(turns: impl IntoIterator<Item = (Who, Vec<Part>)>) -> Talk {
    let (begin, tools) = (vec![(User, vec![Text("begin")])], vec!["bash".to_owned()]);
    let mut talk = Talk { turns: begin, tools, ..Talk::default() };
    talk.turns.extend(turns);
    talk.turns.push((User, vec![Text("go on")]));
    talk
}

/// Each number becomes some turns.
fn each(size: usize, turns: impl Fn(usize) -> Vec<(Who, Vec<Part>)>) -> Talk {
    talk((0..size).flat_map(turns))
}

fn call(at: usize) -> Part {
    Call(format!("call_{at}"))
}

fn result(at: usize) -> Part {
    Result(format!("call_{at}"), "done")
}

fn healthy(size: usize) -> Talk {
    each(size, |at| vec![(Model, vec![Text("so"), call(at)]), (User, vec![result(at)])])
}

fn answered(size: usize) -> Talk {
    talk([one(Model, (0..size).map(call)), one(User, (0..size).map(result))])
}

fn unanswered(size: usize) -> Talk {
    talk([one(Model, (0..size).map(call))])
}

fn untold_tools(size: usize) -> Talk {
    Talk { tools: Vec::new(), ..nearly_answered(size) }
}

fn same_tools(size: usize) -> Talk {
    Talk { tools: vec!["bash".to_owned(); size], ..healthy(1) }
}

fn odd_tools(size: usize) -> Talk {
    Talk { tools: (0..size).map(|at| format!("a tool/{at}")).collect(), ..healthy(size) }
}

fn many_tools(size: usize) -> Talk {
    Talk { tools: (0..size).map(|at| format!("tool_{at}")).collect(), ..healthy(size) }
}

fn many_fields(size: usize) -> Talk {
    Talk { fields: size, ..healthy(1) }
}

fn nearly_answered(size: usize) -> Talk {
    let most = (0..size).filter(|at| at % 50 != 0);
    talk([one(Model, (0..size).map(call)), one(User, most.map(result))])
}

fn half_answered(size: usize) -> Talk {
    let half = (0..size).filter(|at| at % 2 != 0);
    talk([one(Model, (0..size).map(call)), one(User, half.map(result))])
}

fn answered_backwards(size: usize) -> Talk {
    talk([one(Model, (0..size).map(call)), one(User, (0..size).rev().map(result))])
}

fn answered_late(size: usize) -> Talk {
    let words = (0..size).map(|_| (User, vec![Text("wait")]));
    let mut turns = vec![one(Model, (0..size).map(call))];
    turns.extend(words);
    turns.push(one(User, (0..size).map(result)));
    talk(turns)
}

fn answered_in_turns(size: usize) -> Talk {
    let mut turns = vec![one(Model, (0..size).map(call))];
    turns.extend((0..size).map(|at| (User, vec![result(at)])));
    talk(turns)
}

fn answered_in_turns_late(size: usize) -> Talk {
    let mut turns = vec![one(Model, (0..size).map(call)), (System, vec![Text("hurry")])];
    turns.extend((0..size).map(|at| (User, vec![Text("wait"), result(at)])));
    talk(turns)
}

fn answered_among_words(size: usize) -> Talk {
    let words = (0..size).flat_map(|at| [Text("and"), result(at)]);
    talk([one(Model, (0..size).map(call)), one(User, words)])
}

fn calls_in_turns(size: usize) -> Talk {
    let mut turns: Vec<_> = (0..size).map(|at| (Model, vec![Text("so"), call(at)])).collect();
    turns.push(one(User, (0..size).map(result)));
    talk(turns)
}

fn one_id_in_turns(size: usize) -> Talk {
    let id = || "c".to_owned();
    each(size, |_| vec![(Model, vec![Call(id())]), (User, vec![Result(id(), "done")])])
}

fn one_id_answered(size: usize) -> Talk {
    let id = || "c".to_owned();
    each(size, |at| {
        vec![(Model, vec![call(at), Call(id())]), (User, vec![Result(id(), "done"), result(at)])]
    })
}

fn one_id_in_one(size: usize) -> Talk {
    let id = || "c".to_owned();
    let calls = (0..size).map(|_| Call(id()));
    talk([one(Model, calls), one(User, (0..size).map(|_| Result(id(), "done")))])
}

fn one_id_backwards(size: usize) -> Talk {
    let id = |at: usize| format!("c{}", at % 7);
    let calls = (0..size).map(|at| Call(id(at)));
    talk([one(Model, calls), one(User, (0..size).rev().map(|at| Result(id(at), "done")))])
}

fn same_call_twice(size: usize) -> Talk {
    let calls = (0..size).map(|at| call(at / 2));
    talk([one(Model, calls), one(User, (0..size / 2).map(result))])
}

fn unnamed_results(size: usize) -> Talk {
    let results = (0..size).map(|_| Result(String::new(), "done"));
    talk([one(Model, (0..size).map(call)), one(User, results)])
}

fn orphans(size: usize) -> Talk {
    talk([(Model, vec![Text("so")]), one(User, (0..size).map(result))])
}

fn orphans_in_turns(size: usize) -> Talk {
    each(size, |at| vec![(User, vec![result(at)])])
}

fn orphans_in_rounds(size: usize) -> Talk {
    each(size, |at| vec![(Model, vec![Text("so")]), (User, vec![result(at)])])
}

fn orphans_after_calls(size: usize) -> Talk {
    let others = (size..size * 2).map(result);
    talk([one(Model, (0..size).map(call)), one(User, others)])
}

fn orphans_everywhere(size: usize) -> Talk {
    each(size, |at| {
        vec![(Model, vec![Thinking, call(at)]), (User, vec![result(at), result(at + 1)])]
    })
}

fn twice_answered(size: usize) -> Talk {
    let results = (0..size).chain(0..size).map(result);
    talk([one(Model, (0..size).map(call)), one(User, results)])
}

fn many_times_answered(size: usize) -> Talk {
    let results = (0..size).map(|_| result(0));
    talk([(Model, vec![call(0)]), one(User, results)])
}

/// Each result comes a round too late.
fn late_rounds(size: usize) -> Talk {
    each(size, |at| vec![(Model, vec![call(at + 1)]), (User, vec![result(at)])])
}

fn unanswered_rounds(size: usize) -> Talk {
    each(size, |at| vec![(Model, vec![call(at)]), (User, vec![Text("no")])])
}

fn users_calls(size: usize) -> Talk {
    talk([one(User, (0..size).map(call)), one(User, (0..size).map(result))])
}

fn models_results(size: usize) -> Talk {
    talk([one(Model, (0..size).flat_map(|at| [call(at), result(at)]))])
}

fn calls_of_user_in_turns(size: usize) -> Talk {
    each(size, |at| vec![(User, vec![Text("so"), call(at), Text("then"), result(at)])])
}

fn mixed_sides(size: usize) -> Talk {
    each(size, |at| vec![(Model, vec![result(at), Text("so")]), (User, vec![call(at)])])
}

fn empty_turns(size: usize) -> Talk {
    each(size, |_| vec![(User, vec![]), (Model, vec![])])
}

fn empty_models(size: usize) -> Talk {
    each(size, |_| vec![(Model, vec![])])
}

fn empty_texts(size: usize) -> Talk {
    talk([one(User, (0..size).map(|_| Text(""))), one(Model, (0..size).map(|_| Text("")))])
}

fn blank_users(size: usize) -> Talk {
    each(size, |_| vec![(User, vec![Text(" ")]), (Model, vec![Text("so ")])])
}

fn system_turns(size: usize) -> Talk {
    each(size, |_| vec![(System, vec![Text("be brief")])])
}

fn system_between(size: usize) -> Talk {
    each(size, |at| {
        let result = (User, vec![result(at)]);
        vec![(Model, vec![call(at)]), (System, vec![Text("be brief")]), result]
    })
}

fn system_among_results(size: usize) -> Talk {
    let mut turns = vec![one(Model, (0..size).map(call))];
    turns.extend(
        (0..size).flat_map(|at| [(System, vec![Text("be brief")]), (User, vec![result(at)])]),
    );
    talk(turns)
}

fn silent_system(size: usize) -> Talk {
    each(size, |_| vec![(Model, vec![Text("so")]), (System, vec![]), (System, vec![])])
}

fn words_beside_results(size: usize) -> Talk {
    each(size, |at| vec![(Model, vec![call(at)]), (User, vec![result(at), Text("and")])])
}

fn system_blocks(size: usize) -> Talk {
    Talk { system: size, ..talk([]) }
}

fn same_role(size: usize) -> Talk {
    each(size, |_| vec![(User, vec![Text("and")])])
}

fn models_only(size: usize) -> Talk {
    each(size, |_| vec![(Model, vec![Text("and")])])
}

fn alternation(size: usize) -> Talk {
    each(size, |_| vec![(User, vec![Text("why")]), (Model, vec![Text("so")])])
}
