//! Compares server-sent event framing with a simple implementation of the WHATWG rules.

mod framing;
mod rng;

use bytes::Bytes;
use interlingua_wire::frame::{self, Frame, FrameError, FrameReader, Framing};

use framing::LIMIT;

/// Streams that servers send, or that the rules allow.
const STREAMS: &[&str] = &[
    "",
    "\n",
    "\r",
    "\r\n",
    "\n\n\n",
    "\r\r\n\n\r",
    "data: a\n\n",
    "data:a\n\n",
    "data:  two spaces\n\n",
    "data:\ttab\n\n",
    "data\n\n",
    "data:\n\n",
    "data: \n\n",
    "data:\ndata:\n\n",
    "data\ndata\ndata\n\n",
    "data: a\ndata: b\n\n",
    "data: a\ndata:\ndata: c\n\n",
    "data:\ndata: b\n\n",
    "event: ping\ndata: {}\n\n",
    "event:ping\ndata:{}\n\n",
    "event: ping\n\n",
    "event\ndata: x\n\n",
    "event: one\nevent: two\ndata: x\n\n",
    "event: one\nevent:\ndata: x\n\n",
    "data: x\nevent: late\n\n",
    "data: a\r\n\r\ndata: b\r\n\r\n",
    "data: a\r\rdata: b\r\r",
    "data: a\r\n\ndata: b\n\r\ndata: c\r\r\ndata: d\n\r",
    "data: a\rdata: b\ndata: c\r\ndata: d\n\n",
    "data: a\r\n\r\n\r\ndata: b\r\n\r\n",
    ": comment\n\n",
    ":\n\n:keep-alive\n\ndata: a\n\n",
    ": OPENROUTER PROCESSING\r\n\r\ndata: a\r\n\r\n",
    "data: a\n: inside\ndata: b\n\n",
    "id: 7\nretry: 10\ndata: a\n\n",
    "id: 7\n\nretry\n\n",
    "\u{feff}data: a\n\n",
    "\u{feff}\nevent: x\ndata: a\n\n",
    "\u{feff}: c\n\ndata: a\n\n",
    "\u{feff}\u{feff}data: a\n\ndata: b\n\n",
    "data: a\n\n\u{feff}data: b\n\n",
    "datax: a\n\n data: a\n\nDATA: a\n\n",
    "data: a:b:c\n\n",
    "data: last without blank line\n",
    "data: last without any end",
    "data: a\n\nevent: cut\ndata: {\"x\":",
    "data: a\r\n\r",
    "data: grün 漢字 🦀\u{2028}\u{85}\n\nevent: 名\ndata: é\n\n",
    "data: nul \0 \u{b} \u{c}\n\n",
    "event: message_start\ndata: {\"type\":\"message_start\"}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"Hällo\"}}\n\ndata: [DONE]\n\n",
];

#[derive(Debug, PartialEq)]
struct Event {
    name: String,
    data: String,
}

/// The WHATWG rules, step by step, on a complete text; except that the end of the stream dispatches
/// a pending event.
fn reference(stream: &str) -> Vec<Event> {
    let stream = stream.strip_prefix('\u{feff}').unwrap_or(stream);
    let lines = stream.replace("\r\n", "\n").replace('\r', "\n");
    let mut events = Vec::new();
    let (mut name, mut data) = (String::new(), String::new());
    for line in lines.split('\n').chain([""]) {
        if line.is_empty() {
            if !data.is_empty() {
                data.pop();
                events.push(Event { name: name.clone(), data: data.clone() });
            }
            (name, data) = (String::new(), String::new());
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut name),
            "data" => data.extend([value, "\n"]),
            _ => {}
        }
    }
    events
}

fn read_frames<'c>(
    chunks: impl IntoIterator<Item = &'c [u8]>,
    limit: usize,
) -> (Vec<Frame>, Option<FrameError>) {
    framing::read_frames(Framing::Sse, chunks, limit)
}

fn read_all(stream: &[u8]) -> Vec<Frame> {
    framing::read_all(Framing::Sse, stream)
}

fn assert_matches_reference(stream: &str) {
    let frames = read_all(stream.as_bytes());
    let events: Vec<Event> = frames
        .iter()
        .filter_map(|frame| {
            let name = frame.event.as_deref().unwrap_or_default().to_owned();
            Some(Event { name, data: frame.data.as_deref()?.to_owned() })
        })
        .collect();
    assert_eq!(events, reference(stream), "{stream:?}");
}

#[test]
fn frames_match_the_reference() {
    for stream in STREAMS {
        assert_matches_reference(stream);
    }
}

#[test]
fn random_streams_match_the_reference() {
    const PIECES: &[&str] = &[
        "data", "event", "id", ":", ":", " ", "x", "é", "\r", "\n", "\r\n", "\n\n", "\u{feff}",
        "data: ",
    ];
    let mut rng = rng::Rng::new(5);
    for _ in 0..5_000 {
        let pieces = rng.below(24);
        let stream: String = (0..pieces).map(|_| rng.choose(PIECES)).collect();
        assert_matches_reference(&stream);
        framing::assert_chunking_invariant(Framing::Sse, stream.as_bytes());
    }
}

#[test]
fn frames_do_not_depend_on_chunks_and_their_bytes_are_the_stream() {
    let all = STREAMS.concat();
    for stream in STREAMS.iter().copied().chain([all.as_str()]) {
        framing::assert_chunking_invariant(Framing::Sse, stream.as_bytes());
    }
}

#[test]
fn a_frame_is_returned_as_soon_as_its_blank_line() {
    let mut framer = FrameReader::new(Framing::Sse, LIMIT);
    framer.push(&Bytes::from_static(b"data: a\n"));
    assert_eq!(framer.next(), Ok(None));
    framer.push(&Bytes::from_static(b"\n"));
    assert_eq!(framer.next().unwrap().unwrap().data.as_deref(), Some("a"));
}

#[test]
fn frames_within_a_chunk_share_its_memory() {
    let chunk = Bytes::from("event: x\ndata: one\n\ndata: two\n\n".to_owned());
    let mut framer = FrameReader::new(Framing::Sse, LIMIT);
    framer.push(&chunk);
    let memory = chunk.as_ptr_range();
    for _ in 0..2 {
        let frame = framer.next().unwrap().unwrap();
        let data = frame.data.unwrap();
        assert!(memory.contains(&frame.raw.as_ptr()) && memory.contains(&data.as_ptr()));
    }
}

#[test]
fn the_limit_is_exact_in_any_chunks() {
    for stream in ["data: 12345\n\n", "data: 1234\r\n\r\n", "data: 12345\r\r", ": 34567890\n\n"] {
        let stream = format!(": first\n\n{stream}data: next\n\n");
        let longest =
            read_all(stream.as_bytes()).iter().map(|frame| frame.raw.len()).max().unwrap();
        let start = u64::try_from(": first\n\n".len()).unwrap();
        for size in 1..=stream.len() {
            let chunks = || stream.as_bytes().chunks(size);
            assert_eq!(read_frames(chunks(), longest).1, None, "{stream:?} by {size}");
            let (frames, error) = read_frames(chunks(), longest - 1);
            assert_eq!(frames.len(), 1);
            assert_eq!(error.unwrap().offset, start + longest as u64 - 1, "{stream:?} by {size}");
        }
    }
}

#[test]
fn an_endless_event_is_rejected_before_it_is_buffered() {
    for line in ["data:\n", "data: x", ":", "\u{feff}"] {
        let chunk = Bytes::from(line.repeat(100));
        let mut framer = FrameReader::new(Framing::Sse, 10_000);
        let pushed = (0..1000).find(|_| {
            framer.push(&chunk);
            framer.next().is_err()
        });
        assert!(pushed.unwrap() <= 10_000 / chunk.len(), "{line:?}");
        assert_eq!(framer.next().unwrap_err().offset, 10_000);
    }
}

#[test]
fn an_event_of_too_many_lines_is_rejected() {
    let event = |lines| "data:\n".repeat(lines) + "\n";
    let (frames, error) = read_frames([event(65_536).as_bytes()], LIMIT);
    assert_eq!((frames.len(), error), (1, None));
    assert_eq!(frames[0].data.as_ref().unwrap().len(), 65_535);
    for size in [1, 4096, LIMIT] {
        let (frames, error) = read_frames(event(100_000).as_bytes().chunks(size), LIMIT);
        assert_eq!((frames.len(), error.unwrap().offset), (0, 65_537 * 6 - 1));
    }
}

#[test]
fn invalid_utf8_is_rejected_with_its_offset() {
    for (stream, at) in [
        (&b"data: a\n\ndata: b\xff\n\n"[..], 16),
        (b"data: a\n\nevent: \xc3\ndata: x\n\n", 16),
        (b"data: \xe6\xbc\ndata: \xa2\n\n", 6),
        (b"data: x\ndata: ok \xed\xa0\x80\n\n", 17),
        (b"data: cut \xf0\x9f", 10),
    ] {
        for size in [1, 2, 3, stream.len()] {
            assert_eq!(
                read_frames(stream.chunks(size), LIMIT).1,
                Some(FrameError { offset: at, reason: "not UTF-8" })
            );
        }
    }
    // Comments need not be UTF-8.
    let comment = b": \xff\n\ndata: x\n\n";
    framing::assert_chunking_invariant(Framing::Sse, comment);
}

#[test]
fn an_error_stays() {
    let mut framer = FrameReader::new(Framing::Sse, LIMIT);
    framer.push(&Bytes::from_static(b"data: \xff\n\ndata: fine\n\n"));
    let error = framer.next().unwrap_err();
    assert_eq!(framer.next(), Err(error));
    assert_eq!(framer.finish(), Err(error));
}

#[test]
fn written_events_are_read_back() {
    for (event, data, expected) in [
        (None, "{}", "data: {}\n\n"),
        (Some("ping"), "{\"type\":\"ping\"}", "event: ping\ndata: {\"type\":\"ping\"}\n\n"),
        (None, "", "data: \n\n"),
        (None, " lead", "data:  lead\n\n"),
        (Some("x"), "a\nb\n", "event: x\ndata: a\ndata: b\ndata: \n\n"),
        (Some("a\ndata: injected"), "x", "event: a\ndata: x\n\n"),
    ] {
        let mut out = Vec::new();
        frame::write(Framing::Sse, event, data, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), expected);
        let frames = read_all(&out);
        assert_eq!(frames.len(), 1);
        assert_eq!(frames[0].event.as_deref(), event.and_then(|event| event.lines().next()));
        assert_eq!(frames[0].data.as_deref(), Some(data));
    }
    let mut out = Vec::new();
    frame::write(Framing::Sse, None, "a\r\nb\rc", &mut out);
    assert_eq!(out, b"data: a\ndata: b\ndata: c\n\n");
}

/// Scanning buffered bytes again with every chunk would process 512 GiB here, which takes minutes.
#[test]
fn a_large_event_in_small_chunks_takes_linear_time() {
    let event = Bytes::from(format!("data: {}\n\n", "x".repeat(64 << 20)));
    let mut framer = FrameReader::new(Framing::Sse, usize::MAX);
    let begun = std::time::Instant::now();
    for at in (0..event.len()).step_by(4096) {
        assert_eq!(framer.next(), Ok(None));
        framer.push(&event.slice(at..event.len().min(at + 4096)));
    }
    assert_eq!(framer.next().unwrap().unwrap().raw, event);
    assert!(begun.elapsed().as_secs() < 10);
}

#[test]
fn the_lines_of_an_event_are_counted() {
    let stream = Bytes::from("data: 1\ndata: 2\ndata: 3\n\ndata: 4\n\n");
    let mut enough = FrameReader::new(Framing::Sse, LIMIT).with_max_lines(3);
    enough.push(&stream);
    assert_eq!(enough.next().unwrap().unwrap().data.as_deref(), Some("1\n2\n3"));
    assert_eq!(enough.next().unwrap().unwrap().data.as_deref(), Some("4"));
    let mut less = FrameReader::new(Framing::Sse, LIMIT).with_max_lines(2);
    less.push(&stream);
    assert!(less.next().unwrap_err().to_string().contains("too many lines"));
}
