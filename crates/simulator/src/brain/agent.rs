//! `sim/agent`: thinks, calls a tool that fits, and proves that it read the result.

use serde_json::{Map, Value, json};

use super::arguments;
use super::phrase::{Misdeed, WISH, Wishes};
use crate::hear::{Choice, Heard, Outcome, Thinking, Tool};
use crate::seed::digest;
use crate::turn::{Block, Call, Stop, Turn};

pub fn answer(heard: &Heard) -> Turn {
    let elsewhere = !heard.prompt.contains(WISH) && heard.around.contains(WISH);
    let wishes = Wishes::read(if elsewhere { &heard.around } else { &heard.prompt });
    let misdeed = wishes.misdeed.filter(|_| heard.steps == 0);
    match misdeed {
        Some(Misdeed::Empty) => return Turn::new(Vec::new()),
        Some(Misdeed::Refuse) => {
            let text = Block::Text("I can't help with that.".to_owned());
            return Turn { stop: Stop::Refusal, ..Turn::new(vec![text]) };
        }
        _ => {}
    }
    let mut turn = if calls_again(heard, &wishes) {
        call(heard, &wishes, misdeed)
    } else {
        Turn::new(conclude(heard))
    };
    if misdeed == Some(Misdeed::Truncate) {
        truncate(&mut turn);
    }
    turn
}

fn calls_again(heard: &Heard, wishes: &Wishes) -> bool {
    // A call that went wrong is made again, as a model does that is told so.
    let second_chance = usize::from(wishes.misdeed.is_some_and(Misdeed::is_a_bad_call));
    let rounds = wishes.rounds + second_chance;
    match heard.choice {
        _ if heard.tools.is_empty() => false,
        Choice::None => false,
        Choice::Any | Choice::Tool(_) => true,
        Choice::Auto => heard.steps == 0 || !heard.results.is_empty() && heard.steps < rounds,
    }
}

fn call(heard: &Heard, wishes: &Wishes, misdeed: Option<Misdeed>) -> Turn {
    let chosen = choose(heard, wishes);
    let names: Vec<&str> = chosen.iter().map(|tool| tool.name.as_str()).collect();
    let names = names.join(" and ");
    let mut blocks = Vec::new();
    let thinks = heard.thinking != Thinking::Off;
    if thinks {
        let thought = format!(
            "The user wants: {}. There are {} tools; {names} fits.",
            quoted(&heard.prompt, 120),
            heard.tools.len()
        );
        blocks.push(Block::Thinking(thought));
    }
    blocks.push(Block::Text(if misdeed == Some(Misdeed::EmptyText) {
        String::new()
    } else {
        format!("Let me use {names}.")
    }));
    if thinks {
        blocks.push(Block::Thinking(format!("The arguments follow from the schema of {names}.")));
    }
    for (variant, tool) in chosen.into_iter().enumerate() {
        let variant = variant + heard.calls;
        blocks.push(Block::Call(called(tool, variant, wishes.arguments.as_ref(), misdeed)));
    }
    Turn::new(blocks)
}

fn called(
    tool: &Tool,
    variant: usize,
    given: Option<&Map<String, Value>>,
    misdeed: Option<Misdeed>,
) -> Call {
    let mut call = Call {
        name: tool.name.clone(),
        namespace: tool.namespace.clone(),
        custom: tool.custom,
        ..Call::default()
    };
    call.arguments = match given {
        Some(given) => Value::from(given.clone()).to_string(),
        None if tool.custom => format!("free text {}", variant + 1),
        None => arguments::make(&tool.schema, variant).to_string(),
    };
    match misdeed {
        Some(Misdeed::EmptyArguments) => call.arguments.clear(),
        Some(Misdeed::MissingArguments) => "{}".clone_into(&mut call.arguments),
        Some(Misdeed::MalformedArguments) => {
            call.arguments.pop();
            call.arguments.push_str(", \"cut");
        }
        Some(Misdeed::DoubleEncoded) => call.arguments = Value::from(call.arguments).to_string(),
        Some(Misdeed::UnknownTool) => {
            "no_such_tool".clone_into(&mut call.name);
            call.namespace = None;
        }
        _ => {}
    }
    call
}

/// The tools to call, one for each call.
fn choose<'h>(heard: &'h Heard, wishes: &Wishes) -> Vec<&'h Tool> {
    let by_name = |name: &str| heard.tools.iter().find(|tool| tool.name == name);
    let forced = match &heard.choice {
        Choice::Tool(name) => by_name(name),
        _ => None,
    };
    let asked_for = forced.or_else(|| wishes.tool.as_deref().and_then(by_name));
    let mut chosen: Vec<&Tool> = match asked_for {
        Some(tool) => vec![tool],
        None => Some(named(heard, &heard.prompt))
            .filter(|named| !named.is_empty())
            .unwrap_or_else(|| named(heard, &heard.around)),
    };
    if chosen.is_empty() {
        chosen.extend(fittest(heard));
    }
    let first = chosen.first().copied();
    chosen.truncate(wishes.parallel);
    while chosen.len() < wishes.parallel {
        chosen.extend(first);
    }
    chosen
}

/// The tools that the text names, in its order.
fn named<'h>(heard: &'h Heard, text: &str) -> Vec<&'h Tool> {
    let place = |tool: &Tool| {
        text.match_indices(tool.name.as_str()).map(|(at, _)| at).find(|at| {
            let before = text[..*at].chars().next_back();
            let after = text[at + tool.name.len()..].chars().next();
            let of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
            ![before, after].into_iter().flatten().any(of_word)
        })
    };
    let tools = heard.tools.iter().filter(|tool| !tool.name.is_empty());
    let mut named: Vec<(usize, &Tool)> = tools.filter_map(|t| Some((place(t)?, t))).collect();
    named.sort_by_key(|(at, _)| *at);
    named.into_iter().map(|(_, tool)| tool).collect()
}

/// The tool whose words are most like those of the prompt; the first of equals.
fn fittest(heard: &Heard) -> Option<&Tool> {
    let prompt = words_of(&heard.prompt);
    let shared = |text: &str| words_of(text).iter().filter(|word| prompt.contains(word)).count();
    let score = |tool: &Tool| 3 * shared(&tool.name) + shared(&tool.description);
    let mut best: Option<(usize, &Tool)> = None;
    for tool in &heard.tools {
        // Free text is hard to guess, and agents would ask the same again, without end: such tools are called only
        // by their names.
        let score = if tool.custom || starts_agents(tool) { 0 } else { score(tool) + 1 };
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, tool));
        }
    }
    best.map(|(_, tool)| tool)
}

fn starts_agents(tool: &Tool) -> bool {
    let name = tool.name.to_lowercase();
    name == "task" || name.contains("agent")
}

fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words.map(str::to_lowercase).collect()
}

/// The answer: to the results, in the shape asked for, or to the prompt.
fn conclude(heard: &Heard) -> Vec<Block> {
    let mut blocks = Vec::new();
    if heard.thinking != Thinking::Off {
        let thought = match heard.results.len() {
            0 => format!("The user says: {}.", quoted(&heard.prompt, 120)),
            count => format!("I have {count} results and can answer."),
        };
        blocks.push(Block::Thinking(thought));
    }
    let text = match &heard.format {
        Some(Value::Null) => json!({"answer": quoted(&heard.prompt, 200)}).to_string(),
        Some(schema) => arguments::make(schema, 0).to_string(),
        None if heard.results.is_empty() => {
            format!("You said {}. This is my whole answer.", quoted(&heard.prompt, 200))
        }
        None => {
            let proofs = heard.results.iter().map(proof);
            format!("I received {} result(s).{}", heard.results.len(), proofs.collect::<String>())
        }
    };
    blocks.push(Block::Text(text));
    blocks
}

/// Shows that a result arrived unchanged.
fn proof(outcome: &Outcome) -> String {
    let failed = if outcome.failed { ", an error" } else { "" };
    format!(
        "\n- {} ({}){failed}: {} bytes, sha256 {}: {}",
        outcome.name,
        outcome.call,
        outcome.text.len(),
        digest(&outcome.text),
        quoted(&outcome.text, 200)
    )
}

fn quoted(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
        None => format!("\"{text}\""),
    }
}

/// Ends in the middle of the last block.
fn truncate(turn: &mut Turn) {
    let text = match turn.blocks.last_mut() {
        Some(Block::Call(call)) => &mut call.arguments,
        Some(
            Block::Text(text)
            | Block::Thinking(text)
            | Block::Redacted(text)
            | Block::Summary(text),
        ) => text,
        None => return,
    };
    let half = text.chars().count() / 2;
    *text = text.chars().take(half).collect();
    turn.count();
    turn.stop = Stop::Length;
}
