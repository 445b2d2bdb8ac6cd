//! Law 7: streams are lawful wherever they are cut, and add up to the whole reply.

use bytes::Bytes;
use interlingua::model::Verbatim;
use interlingua::{Dialect, Exchange, Ledger, Reply, Stream, translate_reply};
use interlingua_corpus::stream;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::reply::{Streamed, reply};
use crate::same::{Order, same, sequence};
use crate::{bodies, for_all, in_all_dialects, in_all_pairs};

#[test]
fn unfolding_and_folding_gives_the_same_reply() {
    for_all(reply(), |streamed| {
        let events = streamed.events();
        stream::lawful(&events)?;
        let folded = stream::fold(&events).map_err(|failure| format!("{failure:?}"))?;
        same("the reply", &streamed.reply, "its fold", &folded, Order::Kept)
    });
}

#[test]
fn a_stream_adds_up_to_the_whole_reply() {
    for_all(reply(), |reply| {
        in_all_dialects(|dialect| {
            let (streamed, whole) = (streamed(dialect, reply), whole(dialect, reply));
            let read = read(dialect, &streamed)?;
            let order = order(dialect, reply)?;
            same("whole", &decoded(dialect, &whole)?, "streamed", &read, order)
                .map_err(|why| format!("{why}\n{}\n{}", show(&streamed), show(&whole)))
        })
    });
}

#[test]
fn a_stream_crosses_like_the_whole_reply() {
    for_all(reply(), |reply| {
        in_all_pairs(|from, to| {
            let (streamed, whole) = (streamed(from, reply), whole(from, reply));
            let stream = translate(from, to, &[streamed]);
            let read = read(to, &stream).map_err(|why| format!("{why}\n{}", show(&stream)))?;
            let (body, _) = translate_reply(whole, from, to, &Exchange::default())
                .map_err(|error| error.to_string())?;
            let kept = order(from, reply)? == Order::Kept && order(to, reply)? == Order::Kept;
            let order = if kept { Order::Kept } else { Order::Lost };
            same("whole", &decoded(to, &body)?, "streamed", &read, order)
        })
    });
}

#[test]
fn a_stream_is_the_same_wherever_it_is_cut() {
    let cuts = prop::collection::vec(any::<Index>(), 1..6);
    for_all((reply(), cuts), |(reply, cuts)| {
        in_all_pairs(|from, to| {
            let streamed = streamed(from, reply);
            let whole = translate(from, to, std::slice::from_ref(&streamed));
            let mut places: Vec<_> = cuts.iter().map(|cut| cut.index(streamed.len() + 1)).collect();
            places.sort_unstable();
            places.push(streamed.len());
            let mut start = 0;
            let pieces: Vec<_> = places
                .into_iter()
                .map(|end| streamed.slice(std::mem::replace(&mut start, end)..end))
                .collect();
            let cut = translate(from, to, &pieces);
            let differ = || format!("{} became {}", show(&whole), show(&cut));
            (cut == whole).then_some(()).ok_or_else(differ)
        })
    });
}

#[test]
fn a_stream_that_is_cut_short_ends_in_an_error() {
    for_all((reply(), any::<Index>()), |(reply, cut)| {
        in_all_pairs(|from, to| {
            let streamed = streamed(from, reply);
            // Half of it never holds the end.
            let cut = streamed.slice(..cut.index(streamed.len() / 2 + 1));
            let out = translate(from, to, &[cut]);
            let events = stream::read(to, &out, &Exchange::default());
            stream::lawful(&events)?;
            match stream::fold(&events) {
                Err(_) => Ok(()),
                Ok(_) => Err(format!("a clean end: {}", show(&out))),
            }
        })
    });
}

/// The reply as a provider of this dialect streams it.
fn streamed(dialect: &dyn Dialect, reply: &Streamed) -> Bytes {
    stream::write(dialect, &reply.events(), &Exchange::default())
}

/// The reply as a provider of this dialect gives it in one piece.
fn whole(dialect: &dyn Dialect, reply: &Streamed) -> Bytes {
    dialect.encode_reply(&reply.reply, &Exchange::default(), &mut Ledger::default()).into()
}

fn decoded(dialect: &dyn Dialect, body: &Bytes) -> Result<Reply, String> {
    let (exchange, mut ledger) = (Exchange::default(), Ledger::default());
    let reply = dialect.decode_reply(&bodies::doc(body)?, &exchange, &mut ledger);
    reply.map(Verbatim::into_value).map_err(|failure| format!("{failure:?}"))
}

fn read(dialect: &dyn Dialect, bytes: &Bytes) -> Result<Reply, String> {
    let events = stream::read(dialect, bytes, &Exchange::default());
    stream::lawful(&events)?;
    stream::fold(&events).map_err(|failure| format!("{failure:?}"))
}

fn translate(from: &dyn Dialect, to: &dyn Dialect, pieces: &[Bytes]) -> Bytes {
    let mut stream = Stream::new(from, to, &Exchange::default());
    let mut out = Vec::new();
    for piece in pieces {
        stream.push(piece, &mut out);
    }
    stream.finish(&mut out);
    out.into()
}

/// Finds out from what the dialect makes of this reply.
fn order(dialect: &dyn Dialect, reply: &Streamed) -> Result<Order, String> {
    let kept = sequence(&decoded(dialect, &whole(dialect, reply))?) == sequence(&reply.reply);
    Ok(if kept { Order::Kept } else { Order::Lost })
}

/// The readable parts of a stream.
fn show(bytes: &[u8]) -> String {
    let binary = |letter: char| letter.is_control() && letter != '\n';
    String::from_utf8_lossy(bytes).replace(binary, "·")
}
