//! Law 7: streams follow the grammar wherever they are cut, and fold to the complete reply.

use bytes::Bytes;
use interlingua::{Dialect, Ledger, Reply, ReplyContext, StreamEvent, translate_reply};
use interlingua_corpus::stream;
use interlingua_laws::generate::GeneratedReply;
use interlingua_model::Verbatim;

use crate::replies::{
    for_all_replies, in_all_dialects, in_all_pairs, parse_json, show, translate_stream,
};
use crate::reply_equality::{BlockOrder, check_same_reply, kind_sequence};

#[test]
fn unfolding_and_folding_gives_the_same_reply() {
    for_all_replies(|streamed, _| {
        let events = streamed.events();
        stream::check_grammar(&events)?;
        let folded = stream::fold_events(&events).map_err(|error| format!("{error:?}"))?;
        check_same_reply("the reply", &streamed.reply, "its fold", &folded, BlockOrder::Preserved)
    });
}

#[test]
fn a_stream_folds_to_the_complete_reply() {
    for_all_replies(|reply, _| {
        in_all_dialects(|dialect| {
            let (streamed, complete) = (stream_bytes(dialect, reply), body_bytes(dialect, reply));
            let folded = read(dialect, &streamed)?;
            let block_order = block_order(dialect, reply)?;
            check_same_reply(
                "whole",
                &decode(dialect, &complete)?,
                "streamed",
                &folded,
                block_order,
            )
            .map_err(|error| format!("{error}\n{}\n{}", show(&streamed), show(&complete)))
        })
    });
}

#[test]
fn a_translated_stream_folds_to_the_translated_reply() {
    for_all_replies(|reply, _| {
        in_all_pairs(|from, to| {
            let (streamed, complete) = (stream_bytes(from, reply), body_bytes(from, reply));
            let stream = translate_stream(from, to, &[streamed]);
            let folded =
                read(to, &stream).map_err(|violation| format!("{violation}\n{}", show(&stream)))?;
            let (body, _) = translate_reply(complete, from, to, &ReplyContext::default())
                .map_err(|error| error.to_string())?;
            let is_preserved = block_order(from, reply)? == BlockOrder::Preserved
                && block_order(to, reply)? == BlockOrder::Preserved;
            let block_order = if is_preserved { BlockOrder::Preserved } else { BlockOrder::Lost };
            check_same_reply("whole", &decode(to, &body)?, "streamed", &folded, block_order)
        })
    });
}

#[test]
fn chunk_boundaries_do_not_change_streams() {
    for_all_replies(|reply, rng| {
        in_all_pairs(|from, to| {
            let streamed = stream_bytes(from, reply);
            let expected = translate_stream(from, to, std::slice::from_ref(&streamed));
            let cuts = rng.in_range(1, 5);
            let mut positions: Vec<_> = (0..cuts).map(|_| rng.below(streamed.len() + 1)).collect();
            positions.sort_unstable();
            positions.push(streamed.len());
            let mut start = 0;
            let chunks: Vec<_> = positions
                .into_iter()
                .map(|end| streamed.slice(std::mem::replace(&mut start, end)..end))
                .collect();
            let cut = translate_stream(from, to, &chunks);
            let difference = || format!("{} became {}", show(&expected), show(&cut));
            (cut == expected).then_some(()).ok_or_else(difference)
        })
    });
}

#[test]
fn a_truncated_stream_ends_in_an_error() {
    for_all_replies(|reply, rng| {
        let is_end = |event: &StreamEvent| matches!(event, StreamEvent::Stop(_));
        let events: Vec<_> = reply.events().into_iter().filter(|event| !is_end(event)).collect();
        in_all_pairs(|from, to| {
            let without_end = stream::write(from, &events, &ReplyContext::default());
            let cut = without_end.slice(..rng.below(without_end.len() + 1));
            let out = translate_stream(from, to, std::slice::from_ref(&cut));
            let events = stream::read(to, &out, &ReplyContext::default());
            stream::check_grammar(&events)?;
            match stream::fold_events(&events) {
                Err(_) => Ok(()),
                Ok(_) => Err(format!("a clean end: {}\nof {}", show(&out), show(&cut))),
            }
        })
    });
}

/// The reply as the dialect's stream.
fn stream_bytes(dialect: &dyn Dialect, reply: &GeneratedReply) -> Bytes {
    stream::write(dialect, &reply.events(), &ReplyContext::default())
}

/// The reply as the dialect's complete body.
fn body_bytes(dialect: &dyn Dialect, reply: &GeneratedReply) -> Bytes {
    dialect.encode_reply(&reply.reply, &ReplyContext::default(), &mut Ledger::default()).into()
}

fn decode(dialect: &dyn Dialect, body: &Bytes) -> Result<Reply, String> {
    let (cx, mut ledger) = (ReplyContext::default(), Ledger::default());
    let reply = dialect.decode_reply(&parse_json(body)?, &cx, &mut ledger);
    reply.map(Verbatim::into_value).map_err(|error| format!("{error:?}"))
}

fn read(dialect: &dyn Dialect, bytes: &Bytes) -> Result<Reply, String> {
    let events = stream::read(dialect, bytes, &ReplyContext::default());
    stream::check_grammar(&events)?;
    stream::fold_events(&events).map_err(|error| format!("{error:?}"))
}

/// Determines whether the dialect preserves the order of this reply's blocks.
fn block_order(dialect: &dyn Dialect, reply: &GeneratedReply) -> Result<BlockOrder, String> {
    let is_preserved = kind_sequence(&decode(dialect, &body_bytes(dialect, reply))?)
        == kind_sequence(&reply.reply);
    Ok(if is_preserved { BlockOrder::Preserved } else { BlockOrder::Lost })
}
