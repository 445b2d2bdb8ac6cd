//! Instruction counts under callgrind: the same from run to run, whatever the machine is doing.

use std::hint::black_box;

use bytes::Bytes;
use gungraun::{library_benchmark, library_benchmark_group, main};
use interlingua::{Exchange, Stream, Target, find, translate_request};
use interlingua_benches::{
    anthropic_history, anthropic_stream, in_dialect, stream_in, stream_through_value,
};

fn history_in(dialect: &str) -> Bytes {
    find(dialect).map(in_dialect).unwrap_or_default()
}

fn stream_of(dialect: &str) -> Bytes {
    find(dialect).map(stream_in).unwrap_or_default()
}

#[library_benchmark]
#[bench::same_dialect(anthropic_history(), "anthropic", "anthropic")]
#[bench::to_chat(anthropic_history(), "anthropic", "openai-chat")]
#[bench::to_responses(anthropic_history(), "anthropic", "openai-responses")]
#[bench::to_gemini(anthropic_history(), "anthropic", "gemini")]
#[bench::to_bedrock(anthropic_history(), "anthropic", "bedrock")]
#[bench::from_chat(history_in("openai-chat"), "openai-chat", "anthropic")]
#[bench::from_responses(history_in("openai-responses"), "openai-responses", "anthropic")]
#[bench::from_gemini(history_in("gemini"), "gemini", "anthropic")]
fn request(body: Bytes, from: &str, to: &str) -> usize {
    let (Some(from), Some(to)) = (find(from), find(to)) else { return 0 };
    black_box(translate_request(body, from, to, &Target::default()).map_or(0, |out| out.body.len()))
}

#[library_benchmark]
#[bench::same_dialect(anthropic_stream(), "anthropic", "anthropic")]
#[bench::to_chat(anthropic_stream(), "anthropic", "openai-chat")]
#[bench::to_responses(anthropic_stream(), "anthropic", "openai-responses")]
#[bench::to_gemini(anthropic_stream(), "anthropic", "gemini")]
#[bench::to_bedrock(anthropic_stream(), "anthropic", "bedrock")]
#[bench::from_chat(stream_of("openai-chat"), "openai-chat", "anthropic")]
#[bench::from_responses(stream_of("openai-responses"), "openai-responses", "anthropic")]
#[bench::from_gemini(stream_of("gemini"), "gemini", "anthropic")]
#[bench::from_bedrock(stream_of("bedrock"), "bedrock", "anthropic")]
fn stream(bytes: Bytes, from: &str, to: &str) -> usize {
    let (Some(from), Some(to)) = (find(from), find(to)) else { return 0 };
    let mut out = Vec::new();
    let mut stream = Stream::new(from, to, &Exchange::default());
    stream.push(&bytes, &mut out);
    stream.finish(&mut out);
    black_box(out.len())
}

#[library_benchmark]
#[bench::parse_and_write(anthropic_history())]
fn through_value(body: Bytes) -> usize {
    black_box(interlingua_benches::parse_and_write(&body).len())
}

#[library_benchmark]
#[bench::to_chat(anthropic_history(), interlingua_benches::anthropic_to_chat)]
#[bench::from_chat(history_in("openai-chat"), interlingua_benches::chat_to_anthropic)]
fn convert_through_value(body: Bytes, convert: fn(&[u8]) -> Vec<u8>) -> usize {
    black_box(convert(&body).len())
}

#[library_benchmark]
#[bench::anthropic(anthropic_stream(), "anthropic")]
#[bench::chat(stream_of("openai-chat"), "openai-chat")]
#[bench::responses(stream_of("openai-responses"), "openai-responses")]
#[bench::gemini(stream_of("gemini"), "gemini")]
#[bench::bedrock(stream_of("bedrock"), "bedrock")]
fn relay_through_value(bytes: Bytes, dialect: &str) -> usize {
    let Some(dialect) = find(dialect) else { return 0 };
    let mut out = Vec::new();
    stream_through_value(dialect.framing(), &bytes, bytes.len(), &mut out);
    black_box(out.len())
}

library_benchmark_group!(
    name = road,
    benchmarks = [request, through_value, convert_through_value, stream, relay_through_value]
);
main!(library_benchmark_groups = road);
