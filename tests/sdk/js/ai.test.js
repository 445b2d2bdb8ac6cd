// Runs the tool loop of the Vercel AI SDK against the simulator, streamed, with reasoning.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { isStepCount, jsonSchema, streamText, tool } from "ai";

import { PROMPT, RESULT, SCHEMA, assertAccepted, assertArguments, assertProof, withSimulator } from "./simulated.js";

const apiKey = "x";
const anthropic = (address) => createAnthropic({ baseURL: `${address}/anthropic/v1`, apiKey });
const openai = (address) => createOpenAI({ baseURL: `${address}/openai/v1`, apiKey });
const google = (address) => createGoogleGenerativeAI({ baseURL: `${address}/gemini/v1beta`, apiKey });
const compatible = (address, name) =>
  createOpenAICompatible({ name, baseURL: `${address}/${name}/v1`, apiKey, includeUsage: true });

const thinking = (more) => ({ anthropic: { thinking: { display: "summarized", ...more } } });
const unstored = { store: false, include: ["reasoning.encrypted_content"], reasoningSummary: "auto" };

// Each with the options that enable reasoning; `shown`: the reasoning reaches the client as text.
const CONVERSATIONS = [
  {
    name: "anthropic, adaptive thinking",
    model: (address) => anthropic(address)("claude-opus-4-8"),
    providerOptions: thinking({ type: "adaptive" }),
    shown: true,
  },
  {
    name: "anthropic, thinking with a budget",
    model: (address) => anthropic(address)("claude-sonnet-4-5"),
    providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 2048 } } },
    shown: true,
  },
  {
    name: "openai responses, stateless",
    model: (address) => openai(address).responses("gpt-5.5"),
    providerOptions: { openai: unstored },
    shown: true,
  },
  {
    name: "openai responses, stored",
    model: (address) => openai(address).responses("gpt-5.5"),
    providerOptions: { openai: { reasoningSummary: "auto" } },
    shown: true,
  },
  {
    name: "openai chat",
    model: (address) => openai(address).chat("gpt-4.1"),
    shown: false,
  },
  {
    name: "openai-compatible, openrouter",
    model: (address) => compatible(address, "openrouter")("deepseek/deepseek-v4"),
    providerOptions: { openrouter: { reasoningEffort: "high" } },
    shown: true,
  },
  {
    name: "openai-compatible, openrouter, claude",
    model: (address) => compatible(address, "openrouter")("anthropic/claude-sonnet-4.6"),
    providerOptions: { openrouter: { reasoningEffort: "high" } },
    shown: true,
  },
  {
    name: "openai-compatible, deepseek",
    model: (address) => compatible(address, "deepseek")("deepseek-v4"),
    shown: true,
  },
  {
    name: "openai-compatible, generic",
    model: (address) => compatible(address, "generic")("some-model"),
    shown: false,
  },
  {
    name: "google",
    model: (address) => google(address)("gemini-3-pro"),
    providerOptions: { google: { thinkingConfig: { includeThoughts: true } } },
    shown: true,
  },
];

/** Holds the conversation until the model answers without a call; what was called, and what was seen. */
async function converse(model, providerOptions) {
  const calls = [];
  const execute = async (input) => {
    calls.push(input);
    return RESULT;
  };
  const get_weather = tool({ description: "Tells the weather.", inputSchema: jsonSchema(SCHEMA), execute });
  const result = streamText({
    model, providerOptions, prompt: PROMPT, tools: { get_weather }, stopWhen: isStepCount(4), maxRetries: 0,
    onError: () => {}, // Errors are parts of the stream, too.
  });
  const streamed = { text: "", reasoning: "" };
  for await (const part of result.fullStream) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") streamed.text += part.text;
    if (part.type === "reasoning-delta") streamed.reasoning += part.text;
  }
  return { calls, streamed, steps: await result.steps };
}

for (const { name, model, providerOptions, shown } of CONVERSATIONS) {
  test(`a streamed conversation with a tool: ${name}`, () => withSimulator(async (address) => {
    const { calls, streamed, steps } = await converse(model(address), providerOptions);
    assertArguments(calls);
    assertProof(steps.at(-1).text);
    assert.deepEqual(steps.map((step) => step.finishReason), ["tool-calls", "stop"]);
    assert.equal(streamed.text, steps.map((step) => step.text).join(""));
    assert.equal(streamed.reasoning.includes("get_weather fits"), shown, streamed.reasoning);
    for (const { usage } of steps) assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0);
    await assertAccepted(address, 2);
  }));
}
