//! Instruction counts under callgrind, which do not depend on the load of the machine.

use std::hint::black_box;

use bytes::Bytes;
use gungraun::{library_benchmark, library_benchmark_group, main};
use interlingua::{
    ReplyContext, StreamTranslator, Target, find_dialect, transcode_request, translate_request,
};
use interlingua_benches::{Convert, history_in, model_without_repairs, stream_in};

fn history(dialect: &str) -> Bytes {
    trim_allocator(find_dialect(dialect).map(history_in).unwrap_or_default())
}

fn stream_of(dialect: &str) -> Bytes {
    trim_allocator(find_dialect(dialect).map(stream_in).unwrap_or_default())
}

/// Makes the allocator consolidate free memory before anything is counted: a large allocation
/// triggers that.
fn trim_allocator(input: Bytes) -> Bytes {
    drop(black_box(Vec::<u8>::with_capacity(100_000)));
    input
}

#[library_benchmark]
#[bench::same_dialect(history("anthropic"), "anthropic", "anthropic")]
#[bench::to_chat(history("anthropic"), "anthropic", "openai-chat")]
#[bench::to_responses(history("anthropic"), "anthropic", "openai-responses")]
#[bench::to_gemini(history("anthropic"), "anthropic", "gemini")]
#[bench::to_bedrock(history("anthropic"), "anthropic", "bedrock")]
#[bench::from_chat(history("openai-chat"), "openai-chat", "anthropic")]
#[bench::from_responses(history("openai-responses"), "openai-responses", "anthropic")]
#[bench::from_gemini(history("gemini"), "gemini", "anthropic")]
fn request(body: Bytes, from: &str, to: &str) -> usize {
    let (Some(from), Some(to)) = (find_dialect(from), find_dialect(to)) else { return 0 };
    black_box(translate_request(body, from, to, &Target::default()).map_or(0, |out| out.body.len()))
}

// The difference to `transcode_same_dialect` is the cost of checking the repair rules.
#[library_benchmark]
#[bench::anthropic(history("anthropic"), "anthropic")]
#[bench::chat(history("openai-chat"), "openai-chat")]
#[bench::responses(history("openai-responses"), "openai-responses")]
#[bench::gemini(history("gemini"), "gemini")]
#[bench::bedrock(history("bedrock"), "bedrock")]
fn translate_same_dialect(body: Bytes, dialect: &str) -> usize {
    let Some(dialect) = find_dialect(dialect) else { return 0 };
    let target = Target { model: Some(model_without_repairs(dialect)), ..Target::default() };
    let out = translate_request(body, dialect, dialect, &target);
    black_box(out.map_or(0, |out| out.body.len()))
}

#[library_benchmark]
#[bench::anthropic(history("anthropic"), "anthropic")]
#[bench::chat(history("openai-chat"), "openai-chat")]
#[bench::responses(history("openai-responses"), "openai-responses")]
#[bench::gemini(history("gemini"), "gemini")]
#[bench::bedrock(history("bedrock"), "bedrock")]
fn transcode_same_dialect(body: Bytes, dialect: &str) -> usize {
    let Some(dialect) = find_dialect(dialect) else { return 0 };
    let target = Target { model: Some(model_without_repairs(dialect)), ..Target::default() };
    let out = transcode_request(body, dialect, dialect, &target);
    black_box(out.map_or(0, |out| out.body.len()))
}

#[library_benchmark]
#[bench::same_dialect(stream_of("anthropic"), "anthropic", "anthropic")]
#[bench::to_chat(stream_of("anthropic"), "anthropic", "openai-chat")]
#[bench::to_responses(stream_of("anthropic"), "anthropic", "openai-responses")]
#[bench::to_gemini(stream_of("anthropic"), "anthropic", "gemini")]
#[bench::to_bedrock(stream_of("anthropic"), "anthropic", "bedrock")]
#[bench::from_chat(stream_of("openai-chat"), "openai-chat", "anthropic")]
#[bench::from_responses(stream_of("openai-responses"), "openai-responses", "anthropic")]
#[bench::from_gemini(stream_of("gemini"), "gemini", "anthropic")]
#[bench::from_bedrock(stream_of("bedrock"), "bedrock", "anthropic")]
fn stream(bytes: Bytes, from: &str, to: &str) -> usize {
    let (Some(from), Some(to)) = (find_dialect(from), find_dialect(to)) else { return 0 };
    let mut out = Vec::new();
    let mut stream = StreamTranslator::new(from, to, &ReplyContext::default());
    stream.push(&bytes, &mut out);
    stream.finish(&mut out);
    black_box(out.len())
}

#[library_benchmark]
#[bench::parse_and_write(history("anthropic"))]
fn through_value(body: Bytes) -> usize {
    black_box(interlingua_benches::parse_and_write(&body).len())
}

#[library_benchmark]
#[bench::to_chat(history("anthropic"), "anthropic", "openai-chat")]
#[bench::from_chat(history("openai-chat"), "openai-chat", "anthropic")]
#[bench::from_responses(history("openai-responses"), "openai-responses", "gemini")]
fn request_through_value(body: Bytes, from: &str, to: &str) -> usize {
    black_box(interlingua_benches::convert(from, to, &body).len())
}

#[library_benchmark]
#[bench::anthropic(stream_of("anthropic"), "anthropic")]
#[bench::chat(stream_of("openai-chat"), "openai-chat")]
#[bench::responses(stream_of("openai-responses"), "openai-responses")]
#[bench::gemini(stream_of("gemini"), "gemini")]
#[bench::bedrock(stream_of("bedrock"), "bedrock")]
fn relay_through_value(bytes: Bytes, dialect: &str) -> usize {
    let Some(dialect) = find_dialect(dialect) else { return 0 };
    let mut out = Vec::new();
    interlingua_benches::relay_through_value(dialect.framing(), &bytes, bytes.len(), &mut out);
    black_box(out.len())
}

#[library_benchmark]
#[bench::to_chat(stream_of("anthropic"), interlingua_benches::anthropic_event_to_chat)]
#[bench::from_chat(stream_of("openai-chat"), interlingua_benches::chat_event_to_anthropic)]
fn stream_through_value(bytes: Bytes, convert: Convert) -> usize {
    let mut out = Vec::new();
    interlingua_benches::convert_through_value(&bytes, bytes.len(), convert, &mut out);
    black_box(out.len())
}

library_benchmark_group!(
    name = translation,
    benchmarks = [
        request,
        through_value,
        request_through_value,
        translate_same_dialect,
        transcode_same_dialect,
        stream,
        relay_through_value,
        stream_through_value
    ]
);
main!(library_benchmark_groups = translation);
