//! `interlingua translate`: one body or stream down the road.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::path::Path;

use bytes::{Bytes, BytesMut};
use interlingua::wire::json::Why;
use interlingua::{
    Dialect, Exchange, Kind, Ledger, Limits, ReplyError, Stream, Target, Text, TranslateError,
    translate_reply, translate_request,
};

use crate::args::Translate;
use crate::problem::Problem;
use crate::{input, near, output};

pub(crate) fn run(order: &Translate) -> Result<(), Problem> {
    let provider = if order.reply || order.stream { order.from } else { order.to };
    let flavor = order.flavor.as_deref().map(|name| flavor(provider, name)).transpose()?;
    let model = order.model.as_deref().map(Text::new);
    let input = open(order.file.as_deref())?;
    // Before anything is said: a stream that runs cannot be translated again.
    try_ledger(order)?;
    if order.stream {
        let exchange = Exchange { model, flavor, ..Exchange::default() };
        return stream(order, input, exchange);
    }
    let body = read_all(order, input)?;
    if order.reply {
        let exchange = Exchange { model, flavor, ..Exchange::default() };
        return reply(order, &body, &exchange);
    }
    let betas = order.beta.iter().map(|beta| Text::new(beta)).collect();
    let target = Target { model, flavor, betas, ..Target::default() };
    let translated = translate_request(body.clone(), order.from, order.to, &target)
        .map_err(|error| unreadable(order, &error, &body))?;
    output::print(&translated.body)?;
    output::end_line()?;
    write_ledger(order, &translated.ledger)
}

fn reply(order: &Translate, body: &Bytes, exchange: &Exchange) -> Result<(), Problem> {
    match translate_reply(body.clone(), order.from, order.to, exchange) {
        Ok((body, ledger)) => {
            output::print(&body)?;
            output::end_line()?;
            write_ledger(order, &ledger)
        }
        Err(ReplyError::Unreadable(error)) => Err(unreadable(order, &error, body)),
        Err(ReplyError::Failed(failure)) => {
            output::print(&order.to.encode_error(&failure))?;
            output::end_line()?;
            write_ledger(order, &Ledger::default())?;
            let what = format!(
                "{}: the reply is an error: {}",
                input::name(order.file.as_deref()),
                failure.message
            );
            Err(Problem::bad(what, "It was translated as an error."))
        }
    }
}

/// Chunk by chunk, so that a running stream is translated while it runs.
fn stream(
    order: &Translate,
    mut input: Box<dyn Read>,
    mut exchange: Exchange,
) -> Result<(), Problem> {
    let (mut chunk, mut seen) = (vec![0; CHUNK], BytesMut::new());
    let mut ended = false;
    // The first byte that is no space tells whether this is a JSON array; within one dialect it
    // leaves as one.
    while !ended && seen.iter().all(u8::is_ascii_whitespace) {
        ended = read_some(order, &mut input, &mut chunk, &mut seen)? == 0;
    }
    let first = seen.iter().find(|byte| !byte.is_ascii_whitespace());
    exchange.array = order.from.id() == order.to.id() && first == Some(&b'[');
    let mut stream = Stream::new(order.from, order.to, &exchange);
    let mut out = Vec::new();
    loop {
        stream.push(&seen.split().freeze(), &mut out);
        if ended {
            stream.finish(&mut out);
        }
        output::print(&out)?;
        out.clear();
        if ended {
            break;
        }
        ended = read_some(order, &mut input, &mut chunk, &mut seen)? == 0;
    }
    output::end_line()?;
    let (reply, ledger) = stream.into_reply();
    write_ledger(order, &ledger)?;
    reply.map(|_| ()).map_err(|failure| {
        let what = format!(
            "{}: the stream ends in an error: {}",
            input::name(order.file.as_deref()),
            failure.message
        );
        Problem::bad(what, "It was translated as the dialect's own error.")
    })
}

fn read_some(
    order: &Translate,
    input: &mut dyn Read,
    chunk: &mut [u8],
    seen: &mut BytesMut,
) -> Result<usize, Problem> {
    let count = loop {
        match input.read(chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => {
                break read
                    .map_err(|error| cannot_read(&input::name(order.file.as_deref()), &error))?;
            }
        }
    };
    seen.extend_from_slice(&chunk[..count]);
    Ok(count)
}

fn read_all(order: &Translate, input: Box<dyn Read>) -> Result<Bytes, Problem> {
    let mut body = Vec::new();
    // One byte more than allowed is enough to know that it is too much.
    let most = Limits::default().bytes as u64 + 1;
    input
        .take(most)
        .read_to_end(&mut body)
        .map_err(|error| cannot_read(&input::name(order.file.as_deref()), &error))?;
    Ok(input::without_mark(body).into())
}

fn open(file: Option<&Path>) -> Result<Box<dyn Read>, Problem> {
    match file {
        Some(path) if path != Path::new("-") => match File::open(path) {
            Ok(file) => Ok(Box::new(file)),
            Err(error) => Err(cannot_read(&path.display().to_string(), &error)),
        },
        _ => Ok(Box::new(io::stdin().lock())),
    }
}

fn flavor(provider: &dyn Dialect, name: &str) -> Result<&'static str, Problem> {
    let known = provider.flavors();
    if let Some(flavor) = known.iter().find(|flavor| **flavor == name) {
        return Ok(flavor);
    }
    if known.is_empty() {
        let what = format!("--flavor {name}: {} has no flavors", provider.id());
        return Err(Problem::usage(what, "A flavor belongs to the provider's side. Leave it out."));
    }
    let what = near::unknown("flavor", name, known.iter().copied());
    let advice = format!("The flavors of {} are {}.", provider.id(), known.join(", "));
    Err(Problem::usage(format!("--flavor: {what}"), advice))
}

/// Whether the ledger can be written.
fn try_ledger(order: &Translate) -> Result<(), Problem> {
    let file = order.ledger.as_deref().filter(|path| *path != Path::new("-"));
    let Some(path) = file else { return Ok(()) };
    let opened = OpenOptions::new().create(true).append(true).open(path);
    opened.map(|_| ()).map_err(|error| no_ledger(path, &error))
}

fn no_ledger(path: &Path, error: &io::Error) -> Problem {
    let what = format!("cannot write the ledger to {}: {error}", path.display());
    Problem::usage(what, "Is the folder there, and may you write to it?")
}

fn write_ledger(order: &Translate, ledger: &Ledger) -> Result<(), Problem> {
    let Some(path) = &order.ledger else { return Ok(()) };
    let mut lines = String::new();
    for entry in &ledger.entries {
        lines.push_str(entry.to_json().as_str());
        lines.push('\n');
    }
    let written = if path == Path::new("-") {
        io::stderr().lock().write_all(lines.as_bytes())
    } else {
        fs::write(path, lines)
    };
    written.map_err(|error| no_ledger(path, &error))
}

fn cannot_read(name: &str, error: &io::Error) -> Problem {
    let advice = "Give a file that is there and may be read, or - for stdin.";
    Problem::usage(format!("cannot read {name}: {error}"), advice)
}

/// What is wrong with the body, where, and what to do.
fn unreadable(order: &Translate, error: &TranslateError, body: &[u8]) -> Problem {
    let (line, column) = error.line_and_column(body);
    let advice = match error {
        TranslateError::NotAnObject { found: Kind::Array, .. } if order.reply => {
            "A stream that was recorded as one JSON array is translated with --stream."
        }
        TranslateError::NotAnObject { .. } => "Give the whole body of one request or reply.",
        TranslateError::Malformed(malformed) => match malformed.why {
            Why::NotUtf8 => "JSON is UTF-8: save the file in that encoding.",
            Why::TooLarge { .. } => "Send less at once, or refer to large media by URL or file id.",
            Why::TooDeep { .. } => "No provider takes values nested this deep: flatten them.",
            Why::Ended | Why::Expected(_) if looks_streamed(body) => {
                "This looks like a recorded stream: it is translated with --stream."
            }
            Why::Ended if body.iter().all(u8::is_ascii_whitespace) => "The input is empty.",
            Why::Ended => "The body seems to be cut off: give the whole of it.",
            Why::Expected(_) => "Mend the JSON there and try again.",
        },
    };
    Problem::bad(format!("{}:{line}:{column}: {error}", input::name(order.file.as_deref())), advice)
}

fn looks_streamed(body: &[u8]) -> bool {
    let body = body.trim_ascii_start();
    [&b"data:"[..], b"event:", b":"].iter().any(|start| body.starts_with(start))
}

const CHUNK: usize = 64 * 1024;
