//! How a reply travels: what is written when, and where it breaks off.

use std::io::Write as _;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::fault::{Fault, Kind};
use crate::speak::{Frame, Place};

/// One thing that happens on the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Send(Bytes),
    Wait(Duration),
    /// The connection is closed before the reply is over.
    Cut,
    /// The connection is reset.
    Reset,
}

/// Changes the events of a stream, as the faults ask.
pub(crate) fn spoil(frames: &mut Vec<Frame>, faults: &[Fault], error: impl Fn() -> Frame) {
    for fault in faults {
        let half = frames.len() / 2;
        match fault.kind {
            Kind::NoFinish => frames.retain(|frame| frame.place != Place::Finish),
            Kind::NoEnd => frames.retain(|frame| frame.place != Place::End),
            Kind::Garbage => frames.insert(half, Frame::new(GARBAGE, Place::Content)),
            Kind::Duplicate => {
                let twice = |frame: Frame| match frame.place {
                    Place::Content => vec![frame.clone(), frame],
                    _ => vec![frame],
                };
                *frames = std::mem::take(frames).into_iter().flat_map(twice).collect();
            }
            Kind::Shuffle => {
                let first = frames.iter().position(|frame| frame.place == Place::Content);
                let contents = frames.iter().filter(|f| f.place == Place::Content).count();
                let first = first.unwrap_or_default();
                if let Some(contents) = frames.get_mut(first..first + contents) {
                    contents.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
                }
            }
            Kind::Trailing => {
                let content = frames.iter().find(|frame| frame.place == Place::Content).cloned();
                frames.extend(content);
            }
            Kind::ErrorIn200 => {
                frames.truncate(half.max(1));
                frames.push(error());
            }
            _ => {}
        }
    }
}

/// What is written, in which pieces, when.
pub(crate) fn deliver(frames: Vec<Frame>, faults: &[Fault]) -> Vec<Step> {
    let find = |kind: Kind| faults.iter().find(|fault| fault.kind == kind);
    let mut chunks: Vec<Bytes> = frames.into_iter().map(|frame| frame.bytes).collect();
    if find(Kind::Gzip).is_some() {
        chunks = compressed(&chunks);
    }
    if chunks.len() == 1 && BREAKS.iter().any(|kind| find(*kind).is_some()) {
        let middle = chunks[0].len() / 2;
        let rest = chunks[0].split_off(middle);
        chunks.push(rest);
    }
    let half = chunks.len().div_ceil(2);
    let after = |fault: &Fault| {
        let events = usize::try_from(fault.number(half as u64)).unwrap_or(usize::MAX);
        events.min(chunks.len())
    };
    let end = match (find(Kind::ResetMidstream), find(Kind::Cut), find(Kind::CutCharacter)) {
        (Some(fault), ..) => Some((after(fault), Step::Reset)),
        (_, Some(fault), _) => Some((after(fault), Step::Cut)),
        (_, _, Some(_)) => Some((cut_character(&mut chunks), Step::Cut)),
        _ => None,
    };
    let stall = find(Kind::Stall).map(|fault| Duration::from_secs(fault.number(LONG)));
    let mut steps = Vec::new();
    let count = end.as_ref().map_or(chunks.len(), |(count, _)| *count);
    for (at, chunk) in chunks.into_iter().take(count).enumerate() {
        if let Some(stall) = stall.filter(|_| at == half) {
            steps.push(Step::Wait(stall));
        }
        steps.push(Step::Send(chunk));
    }
    steps.extend(end.map(|(_, step)| step));
    paced(steps, faults)
}

/// Cuts within the first character that has several bytes; gives how many chunks are left.
fn cut_character(chunks: &mut [Bytes]) -> usize {
    for (at, chunk) in chunks.iter_mut().enumerate() {
        if let Some(place) = chunk.iter().position(|byte| *byte >= 0xC0) {
            chunk.truncate(place + 1);
            return at + 1;
        }
    }
    chunks.len() / 2
}

fn paced(steps: Vec<Step>, faults: &[Fault]) -> Vec<Step> {
    let mut size = usize::MAX;
    let mut pause = None;
    for fault in faults {
        match fault.kind {
            Kind::Bytes => size = usize::try_from(fault.number(1)).unwrap_or(usize::MAX).max(1),
            Kind::Pause => pause = Some(Duration::from_millis(fault.number(10))),
            Kind::Drip => {
                size = 1;
                pause = Some(Duration::from_millis(fault.number(10)));
            }
            _ => {}
        }
    }
    if size == usize::MAX && pause.is_none() {
        return steps;
    }
    let mut out = Vec::new();
    for step in steps {
        let Step::Send(mut bytes) = step else {
            out.push(step);
            continue;
        };
        while !bytes.is_empty() {
            let piece = bytes.split_to(size.min(bytes.len()));
            out.push(Step::Send(piece));
            // Even no time at all lets a write happen on its own.
            out.push(Step::Wait(pause.unwrap_or_default()));
        }
    }
    out
}

/// Compresses, so that each chunk can be read when it comes.
fn compressed(chunks: &[Bytes]) -> Vec<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let mut out = Vec::new();
    for chunk in chunks {
        // Writing to memory does not fail.
        let _ = encoder.write_all(chunk).and_then(|()| encoder.flush());
        out.push(std::mem::take(encoder.get_mut()).into());
    }
    out.push(encoder.finish().unwrap_or_default().into());
    out
}

/// Faults that need a reply of several parts.
const BREAKS: &[Kind] = &[Kind::ResetMidstream, Kind::Cut, Kind::Stall];
const LONG: u64 = 3600;
const GARBAGE: &str = "data: {\"type\": \u{0}<<< no JSON >>>\n\n";
