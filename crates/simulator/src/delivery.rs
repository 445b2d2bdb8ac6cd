//! Plans the delivery of a reply: which bytes are written when, and where the connection aborts.

use std::io::Write as _;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::fault::{Fault, FaultKind};
use crate::render::{Frame, FrameRole};
use crate::response::TimedAction;

/// Applies the faults that change the events of a stream.
pub(crate) fn inject_event_faults(
    frames: &mut Vec<Frame>,
    faults: &[Fault],
    error: impl Fn() -> Frame,
) {
    for fault in faults {
        let half = frames.len() / 2;
        match fault.kind {
            FaultKind::NoFinish => frames.retain(|frame| frame.role != FrameRole::Finish),
            FaultKind::NoEnd => frames.retain(|frame| frame.role != FrameRole::End),
            FaultKind::Garbage => {
                frames.insert(half, Frame::new(GARBAGE_EVENT, FrameRole::Content));
            }
            FaultKind::Duplicate => {
                let duplicate = |frame: Frame| match frame.role {
                    FrameRole::Content => vec![frame.clone(), frame],
                    _ => vec![frame],
                };
                *frames = std::mem::take(frames).into_iter().flat_map(duplicate).collect();
            }
            FaultKind::Shuffle => {
                let first = frames.iter().position(|frame| frame.role == FrameRole::Content);
                let contents = frames.iter().filter(|f| f.role == FrameRole::Content).count();
                let first = first.unwrap_or_default();
                if let Some(contents) = frames.get_mut(first..first + contents) {
                    contents.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
                }
            }
            FaultKind::Trailing => {
                let content = frames.iter().find(|frame| frame.role == FrameRole::Content).cloned();
                frames.extend(content);
            }
            FaultKind::ErrorIn200 => {
                frames.truncate(half.max(1));
                frames.push(error());
            }
            _ => {}
        }
    }
}

/// Turns frames into timed writes, with the faults that split, delay or abort them.
pub(crate) fn plan_delivery(frames: Vec<Frame>, faults: &[Fault]) -> Vec<TimedAction> {
    let find = |kind: FaultKind| faults.iter().find(|fault| fault.kind == kind);
    let mut chunks: Vec<Bytes> = frames.into_iter().map(|frame| frame.bytes).collect();
    if find(FaultKind::Gzip).is_some() {
        chunks = gzip_chunks(&chunks);
    }
    if chunks.len() == 1 && SPLITTING_FAULTS.iter().any(|kind| find(*kind).is_some()) {
        let middle = chunks[0].len() / 2;
        let rest = chunks[0].split_off(middle);
        chunks.push(rest);
    }
    let half = chunks.len().div_ceil(2);
    let abort_index = |fault: &Fault| {
        let events = usize::try_from(fault.value_or(half as u64)).unwrap_or(usize::MAX);
        events.min(chunks.len())
    };
    let abort = match (
        find(FaultKind::ResetMidstream),
        find(FaultKind::Cut),
        find(FaultKind::CutCharacter),
    ) {
        (Some(fault), ..) => Some((abort_index(fault), TimedAction::Reset)),
        (_, Some(fault), _) => Some((abort_index(fault), TimedAction::Close)),
        (_, _, Some(_)) => Some((truncate_in_character(&mut chunks), TimedAction::Close)),
        _ => None,
    };
    let stall =
        find(FaultKind::Stall).map(|fault| Duration::from_secs(fault.value_or(DEFAULT_STALL_SECS)));
    let mut actions = Vec::new();
    let count = abort.as_ref().map_or(chunks.len(), |(count, _)| *count);
    for (at, chunk) in chunks.into_iter().take(count).enumerate() {
        if let Some(stall) = stall.filter(|_| at == half) {
            actions.push(TimedAction::Wait(stall));
        }
        actions.push(TimedAction::Send(chunk));
    }
    actions.extend(abort.map(|(_, action)| action));
    apply_pacing(actions, faults)
}

/// Cuts within the first multi-byte character; returns the number of chunks that are left.
fn truncate_in_character(chunks: &mut [Bytes]) -> usize {
    for (at, chunk) in chunks.iter_mut().enumerate() {
        if let Some(index) = chunk.iter().position(|byte| *byte >= 0xC0) {
            chunk.truncate(index + 1);
            return at + 1;
        }
    }
    chunks.len() / 2
}

fn apply_pacing(actions: Vec<TimedAction>, faults: &[Fault]) -> Vec<TimedAction> {
    let mut size = usize::MAX;
    let mut pause = None;
    for fault in faults {
        match fault.kind {
            FaultKind::Bytes => {
                size = usize::try_from(fault.value_or(1)).unwrap_or(usize::MAX).max(1);
            }
            FaultKind::Pause => pause = Some(Duration::from_millis(fault.value_or(10))),
            FaultKind::Drip => {
                size = 1;
                pause = Some(Duration::from_millis(fault.value_or(10)));
            }
            _ => {}
        }
    }
    if size == usize::MAX && pause.is_none() {
        return actions;
    }
    let mut out = Vec::new();
    for action in actions {
        let TimedAction::Send(mut bytes) = action else {
            out.push(action);
            continue;
        };
        while !bytes.is_empty() {
            let piece = bytes.split_to(size.min(bytes.len()));
            out.push(TimedAction::Send(piece));
            // A wait of zero also separates two writes.
            out.push(TimedAction::Wait(pause.unwrap_or_default()));
        }
    }
    out
}

/// Compresses with a flush after each chunk, so that each can be decompressed on arrival.
fn gzip_chunks(chunks: &[Bytes]) -> Vec<Bytes> {
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

/// Faults that need at least two chunks.
const SPLITTING_FAULTS: &[FaultKind] =
    &[FaultKind::ResetMidstream, FaultKind::Cut, FaultKind::Stall];
const DEFAULT_STALL_SECS: u64 = 3600;
const GARBAGE_EVENT: &str = "data: {\"type\": \u{0}<<< no JSON >>>\n\n";
