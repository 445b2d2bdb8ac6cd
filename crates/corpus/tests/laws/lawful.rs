//! Law 7: streams are lawful wherever they are cut, and add up to the whole reply.

use bytes::Bytes;
use interlingua::model::Verbatim;
use interlingua::{Dialect, Exchange, Ledger, Reply, Stream, translate_reply, unfold};
use interlingua_corpus::stream;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::reply::reply;
use crate::{bodies, for_all, in_all_dialects, in_all_pairs};

#[test]
fn unfolding_and_folding_gives_the_same_reply() {
    for_all(reply(), |reply| {
        let events = unfold(reply);
        stream::lawful(&events)?;
        let folded = stream::fold(&events).map_err(|failure| format!("{failure:?}"))?;
        same("the reply", reply, "its fold", &folded)
    });
}

#[test]
fn a_stream_adds_up_to_the_whole_reply() {
    for_all(reply(), |reply| {
        in_all_dialects(|dialect| {
            let (streamed, whole) = (streamed(dialect, reply), whole(dialect, reply));
            let read = read(dialect, &streamed)?;
            same("whole", &decoded(dialect, &whole)?, "streamed", &read)
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
            same("whole", &decoded(to, &body)?, "streamed", &read)
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
fn streamed(dialect: &dyn Dialect, reply: &Reply) -> Bytes {
    stream::write(dialect, &unfold(reply), &Exchange::default())
}

/// The reply as a provider of this dialect gives it in one piece.
fn whole(dialect: &dyn Dialect, reply: &Reply) -> Bytes {
    dialect.encode_reply(reply, &Exchange::default(), &mut Ledger::default()).into()
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

/// Equal but for how one dialect spells it.
fn same(a_is: &str, a: &Reply, b_is: &str, b: &Reply) -> Result<(), String> {
    let (a, b) = (plain(a), plain(b));
    let differ = || format!("{a_is} is\n{a:?}\n{b_is} is\n{b:?}");
    (a == b).then_some(()).ok_or_else(differ)
}

/// The reply without the words and fields that only one dialect has.
fn plain(reply: &Reply) -> Reply {
    let mut plain = reply.clone();
    plain.extras = interlingua::model::Extras::default();
    plain.turn.extras = interlingua::model::Extras::default();
    plain.usage.written = None;
    plain.stop.word = None;
    for block in &mut plain.turn.blocks {
        block.edit().extras = interlingua::model::Extras::default();
    }
    plain
}

fn show(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
