//! What is too much: in a request, and in a reply.

use interlingua::model::{FailureKind, Turn};
use interlingua::wire::Node;
use interlingua::{Dialect, Doc, Failure, Ledger, StreamLimits};

use crate::config::Limits;
use crate::refusal::failure;

/// Refuses a request that has more in it than the configuration takes.
pub(crate) fn of_request(body: &Doc, from: &dyn Dialect, limits: &Limits) -> Result<(), Failure> {
    let root = body.root();
    // What has few values in all has few of anything.
    if body.values() > limits.messages {
        let turns = root.get(from.turns_key()).filter(|turns| turns.is_array());
        let turns = turns.map_or(0, Node::len);
        if turns > limits.messages {
            return Err(too_much(&format!("{turns} messages"), limits.messages));
        }
    }
    if body.values() > limits.tools {
        let tools = root.get(TOOLS).filter(|tools| tools.is_array()).map_or(0, offered);
        if tools > limits.tools {
            return Err(too_much(&format!("{tools} tools"), limits.tools));
        }
    }
    // Only a body that is longer can hold arguments that are too long.
    if body.text().len() > limits.arguments {
        let conversation = from.decode_request(body, &mut Ledger::default());
        if conversation.turns.iter().any(|turn| has_long_arguments(turn, limits)) {
            return Err(too_much("a call whose arguments are long", limits.arguments));
        }
    }
    Ok(())
}

/// Refuses a provider's whole reply that has more in it than the configuration takes.
pub(crate) fn of_reply(turn: &Turn, limits: &Limits) -> Result<(), Failure> {
    if has_long_arguments(turn, limits) {
        let most = limits.arguments;
        let message = format!("the arguments of a call have more than {most} bytes");
        return Err(failure(FailureKind::Upstream, &message));
    }
    Ok(())
}

/// The limits of a provider's stream.
pub(crate) fn of_stream(limits: &Limits) -> StreamLimits {
    StreamLimits { event: limits.event, lines: limits.event_lines, arguments: limits.arguments }
}

/// How deep a body may nest, and how long it may be.
pub(crate) fn of_json(limits: &Limits) -> interlingua::Limits {
    interlingua::Limits { bytes: limits.body, depth: limits.depth }
}

fn has_long_arguments(turn: &Turn, limits: &Limits) -> bool {
    turn.blocks.iter().any(|block| block.arguments() > limits.arguments)
}

/// Tools that stand in groups count one by one.
fn offered(tools: Node<'_>) -> usize {
    let group = |tool: Node<'_>| {
        let group = GROUPS.iter().find_map(|key| tool.get(key)).filter(|group| group.is_array());
        group.map_or(1, |group| group.len().max(1))
    };
    tools.items().map(group).sum()
}

fn too_much(what: &str, most: usize) -> Failure {
    let message = format!("the request has {what}, and {most} is the most that is taken here");
    failure(FailureKind::TooLarge, &message)
}

const TOOLS: &str = "tools";
const GROUPS: &[&str] = &["functionDeclarations", "function_declarations", "tools"];
