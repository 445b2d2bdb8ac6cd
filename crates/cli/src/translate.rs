//! `interlingua translate`: translates one body or stream.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use bytes::{Bytes, BytesMut};
use interlingua::{
    Dialect, JsonKind, JsonLimits, JsonString, Ledger, ReplyContext, ReplyError, StreamTranslator,
    Target, TranslateError, translate_reply, translate_request,
};
use interlingua_wire::json::JsonErrorKind;

use crate::args::TranslateArgs;
use crate::error::CommandError;
use crate::{input, output, suggest};

pub(crate) fn run(args: &TranslateArgs) -> Result<(), CommandError> {
    let provider = if args.reply || args.stream { args.from } else { args.to };
    let flavor = args.flavor.as_deref().map(|name| resolve_flavor(provider, name)).transpose()?;
    let model = args.model.as_deref().map(JsonString::new);
    let input = open_input(args.file.as_deref())?;
    // Before any output: a running stream cannot be translated again.
    check_ledger_writable(args)?;
    if args.stream {
        let cx = ReplyContext { client_model: model, flavor, ..ReplyContext::default() };
        return translate_stream(args, input, cx);
    }
    let body = read_all(args, input)?;
    if args.reply {
        let cx = ReplyContext { client_model: model, flavor, ..ReplyContext::default() };
        return translate_reply_body(args, &body, &cx);
    }
    let betas = args.beta.iter().map(|beta| JsonString::new(beta)).collect();
    let target = Target { model, flavor, betas, ..Target::default() };
    let translated = translate_request(body.clone(), args.from, args.to, &target)
        .map_err(|error| parse_error(args, &error, &body))?;
    output::print(&translated.body)?;
    output::end_line()?;
    write_ledger(args, &translated.ledger)
}

fn translate_reply_body(
    args: &TranslateArgs,
    body: &Bytes,
    cx: &ReplyContext,
) -> Result<(), CommandError> {
    match translate_reply(body.clone(), args.from, args.to, cx) {
        Ok((body, ledger)) => {
            output::print(&body)?;
            output::end_line()?;
            write_ledger(args, &ledger)
        }
        Err(ReplyError::InvalidBody(error)) => Err(parse_error(args, &error, body)),
        Err(ReplyError::Api(error)) => {
            output::print(&args.to.encode_error(&error))?;
            output::end_line()?;
            write_ledger(args, &Ledger::default())?;
            let message = format!(
                "{}: the reply is an error: {}",
                input::display_name(args.file.as_deref()),
                error.message
            );
            Err(CommandError::failed(message, "It was translated as an error."))
        }
    }
}

/// Translates chunk by chunk, so that a running stream is translated while it runs.
fn translate_stream(
    args: &TranslateArgs,
    mut input: Box<dyn Read>,
    mut cx: ReplyContext,
) -> Result<(), CommandError> {
    let (mut chunk, mut buffer) = (vec![0; CHUNK_BYTES], BytesMut::new());
    let mut ended = false;
    // The first byte that is not white space shows whether this is a JSON array, which stays one
    // within one dialect.
    while !ended && buffer.iter().all(u8::is_ascii_whitespace) {
        ended = read_chunk(args, &mut input, &mut chunk, &mut buffer)? == 0;
    }
    let first = buffer.iter().find(|byte| !byte.is_ascii_whitespace());
    cx.wants_json_array = args.from.id() == args.to.id() && first == Some(&b'[');
    let mut stream = StreamTranslator::new(args.from, args.to, &cx);
    let mut out = Vec::new();
    loop {
        stream.push(&buffer.split().freeze(), &mut out);
        if ended {
            stream.finish(&mut out);
        }
        output::print(&out)?;
        out.clear();
        if ended {
            break;
        }
        ended = read_chunk(args, &mut input, &mut chunk, &mut buffer)? == 0;
    }
    output::end_line()?;
    let (reply, ledger) = stream.into_reply();
    write_ledger(args, &ledger)?;
    reply.map(|_| ()).map_err(|error| {
        let message = format!(
            "{}: the stream ends in an error: {}",
            input::display_name(args.file.as_deref()),
            error.message
        );
        CommandError::failed(message, "It was translated as the dialect's own error.")
    })
}

fn read_chunk(
    args: &TranslateArgs,
    input: &mut dyn Read,
    chunk: &mut [u8],
    buffer: &mut BytesMut,
) -> Result<usize, CommandError> {
    let count = loop {
        match input.read(chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => {
                break result.map_err(|error| {
                    read_error(&input::display_name(args.file.as_deref()), &error)
                })?;
            }
        }
    };
    buffer.extend_from_slice(&chunk[..count]);
    Ok(count)
}

fn read_all(args: &TranslateArgs, input: Box<dyn Read>) -> Result<Bytes, CommandError> {
    let mut body = Vec::new();
    // One byte above the limit shows that the body is too large.
    let limit = JsonLimits::default().max_bytes as u64 + 1;
    input
        .take(limit)
        .read_to_end(&mut body)
        .map_err(|error| read_error(&input::display_name(args.file.as_deref()), &error))?;
    Ok(input::strip_bom(body).into())
}

fn open_input(file: Option<&Path>) -> Result<Box<dyn Read>, CommandError> {
    match file {
        Some(path) if path != Path::new("-") => match File::open(path) {
            Ok(file) => Ok(Box::new(file)),
            Err(error) => Err(read_error(&path.display().to_string(), &error)),
        },
        _ => Ok(Box::new(io::stdin().lock())),
    }
}

fn resolve_flavor(provider: &dyn Dialect, name: &str) -> Result<&'static str, CommandError> {
    let flavors = provider.flavors();
    let flavor = flavors.iter().find(|flavor| **flavor == name).copied();
    flavor.ok_or_else(|| suggest::unknown_flavor(name, provider.id().0, flavors))
}

/// Checks that the ledger can be written.
fn check_ledger_writable(args: &TranslateArgs) -> Result<(), CommandError> {
    let file = args.ledger.as_deref().filter(|path| *path != Path::new("-"));
    let Some(path) = file else { return Ok(()) };
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.map(|_| ()).map_err(|error| ledger_error(path, &error))
}

fn ledger_error(path: &Path, error: &io::Error) -> CommandError {
    let message = format!("cannot write the ledger to {}: {error}", path.display());
    CommandError::usage(message, "Check that the folder exists and is writable.")
}

fn write_ledger(args: &TranslateArgs, ledger: &Ledger) -> Result<(), CommandError> {
    let Some(path) = &args.ledger else { return Ok(()) };
    let mut lines = String::new();
    for entry in &ledger.entries {
        lines.push_str(entry.to_json().as_str());
        lines.push('\n');
    }
    let written = if path == Path::new("-") {
        output::print_stderr_bytes(lines.as_bytes())
    } else {
        fs::write(path, lines)
    };
    written.map_err(|error| ledger_error(path, &error))
}

fn read_error(name: &str, error: &io::Error) -> CommandError {
    let hint = "Give an existing, readable file, or - for stdin.";
    CommandError::usage(format!("cannot read {name}: {error}"), hint)
}

/// The error of a body that cannot be parsed: its position, the reason and a hint.
fn parse_error(args: &TranslateArgs, error: &TranslateError, body: &[u8]) -> CommandError {
    let (line, column) = error.line_and_column(body);
    let hint = match error {
        TranslateError::NotAnObject { found: JsonKind::Array, .. } if args.reply => {
            "A stream that was recorded as one JSON array is translated with --stream."
        }
        TranslateError::NotAnObject { .. } => "Give the whole body of one request or reply.",
        TranslateError::InvalidJson(json_error) => match json_error.kind {
            JsonErrorKind::InvalidUtf8 => "JSON is UTF-8: save the file in that encoding.",
            JsonErrorKind::TooLarge { .. } | JsonErrorKind::TooManyValues { .. } => {
                "Send less at once, or refer to large media by URL or file id."
            }
            JsonErrorKind::TooDeep { .. } => {
                "No provider accepts values nested this deeply: flatten them."
            }
            JsonErrorKind::UnexpectedEnd | JsonErrorKind::Expected(_)
                if looks_like_stream(body) =>
            {
                "This looks like a recorded stream: it is translated with --stream."
            }
            JsonErrorKind::UnexpectedEnd if body.iter().all(u8::is_ascii_whitespace) => {
                "The input is empty."
            }
            JsonErrorKind::UnexpectedEnd => {
                "The body seems to be truncated: give the complete body."
            }
            JsonErrorKind::Expected(_) => "Fix the JSON there and try again.",
        },
    };
    CommandError::failed(
        format!("{}:{line}:{column}: {error}", input::display_name(args.file.as_deref())),
        hint,
    )
}

fn looks_like_stream(body: &[u8]) -> bool {
    let body = body.trim_ascii_start();
    [&b"data:"[..], b"event:", b":"].iter().any(|start| body.starts_with(start))
}

const CHUNK_BYTES: usize = 64 * 1024;
