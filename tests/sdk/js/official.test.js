// Runs the providers' own packages against the simulator, streamed, with a tool and reasoning.
import assert from "node:assert/strict";
import { test } from "node:test";

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

import { PROMPT, RESULT, SCHEMA, assertAccepted, assertArguments, assertProof, withSimulator } from "./simulated.js";

const apiKey = "x";
const TOOL = { name: "get_weather", description: "Tells the weather." };

test("anthropic", () => withSimulator(async (address) => {
  const client = new Anthropic({ baseURL: `${address}/anthropic`, apiKey, maxRetries: 0 });
  const messages = [{ role: "user", content: PROMPT }];
  const say = () => client.messages.stream({
    model: "claude-opus-4-8", max_tokens: 4000, messages, tools: [{ ...TOOL, input_schema: SCHEMA }],
    thinking: { type: "adaptive", display: "summarized" },
  }).finalMessage();
  const first = await say();
  assert.deepEqual(first.content.map((block) => block.type), ["thinking", "text", "thinking", "tool_use"]);
  assert.ok(first.content[0].thinking && first.content[0].signature);
  const calls = first.content.filter((block) => block.type === "tool_use");
  assertArguments(calls.map((call) => call.input));
  messages.push({ role: "assistant", content: first.content });
  messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: calls[0].id, content: RESULT }] });
  const second = await say();
  assert.equal(second.stop_reason, "end_turn");
  assertProof(second.content.at(-1).text);
  await assertAccepted(address, 2);
}));

test("openai responses", () => withSimulator(async (address) => {
  const client = new OpenAI({ baseURL: `${address}/openai/v1`, apiKey, maxRetries: 0 });
  const input = [{ role: "user", content: PROMPT }];
  const say = () => client.responses.stream({
    model: "gpt-5.5", input, store: false, include: ["reasoning.encrypted_content"],
    reasoning: { summary: "auto" }, tools: [{ type: "function", ...TOOL, parameters: SCHEMA, strict: true }],
  }).finalResponse();
  const first = await say();
  assert.deepEqual(first.output.map((item) => item.type), ["reasoning", "message", "reasoning", "function_call"]);
  assert.ok(first.output[0].summary[0].text && first.output[0].encrypted_content);
  const calls = first.output.filter((item) => item.type === "function_call");
  assertArguments(calls.map((call) => JSON.parse(call.arguments)));
  input.push(...first.output.map(sendable));
  input.push({ type: "function_call_output", call_id: calls[0].call_id, output: RESULT });
  const second = await say();
  assert.equal(second.status, "completed");
  assertProof(second.output_text);
  await assertAccepted(address, 2);
}));

/** Without what the package adds to items for its users. */
function sendable({ parsed_arguments, ...item }) {
  const content = item.content?.map(({ parsed, ...part }) => part);
  return content ? { ...item, content } : item;
}

test("openai chat", () => withSimulator(async (address) => {
  const client = new OpenAI({ baseURL: `${address}/openai/v1`, apiKey, maxRetries: 0 });
  const calls = [];
  const run = (input) => {
    calls.push(input);
    return RESULT;
  };
  const tool = { ...TOOL, parameters: SCHEMA, parse: JSON.parse, function: run };
  const result = client.chat.completions.runTools({
    model: "gpt-5.5", stream: true, messages: [{ role: "user", content: PROMPT }],
    tools: [{ type: "function", function: tool }],
  });
  assertProof(await result.finalContent());
  assertArguments(calls);
  await assertAccepted(address, 2);
}));

test("google", () => withSimulator(async (address) => {
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${address}/gemini` } });
  const contents = [{ role: "user", parts: [{ text: PROMPT }] }];
  const tools = [{ functionDeclarations: [{ ...TOOL, parametersJsonSchema: SCHEMA }] }];
  const say = async () => {
    const config = { tools, thinkingConfig: { includeThoughts: true } };
    const parts = [];
    for await (const chunk of await client.models.generateContentStream({ model: "gemini-3-pro", contents, config })) {
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    }
    return parts;
  };
  const first = await say();
  assert.ok(first.some((part) => part.thought && part.text));
  const calls = first.map((part) => part.functionCall).filter(Boolean);
  assertArguments(calls.map((call) => call.args));
  contents.push({ role: "model", parts: first });
  const functionResponse = { id: calls[0].id, name: calls[0].name, response: { output: RESULT } };
  contents.push({ role: "user", parts: [{ functionResponse }] });
  const second = await say();
  assertProof(second.filter((part) => !part.thought).map((part) => part.text ?? "").join(""));
  await assertAccepted(address, 2);
}));
