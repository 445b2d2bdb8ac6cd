// The Vercel AI SDK takes the simulator for the providers: streamed, two steps, tools, thinking.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const RESULT = '14 °C, "light rain"\n<wind>7</wind>';
const apiKey = "x";
let running, base;

before(async () => {
  const command = ["simulate", "--listen", "127.0.0.1:0"];
  running = spawn(process.env.INTERLINGUA_BIN, command, { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: running.stdout })) {
    base = line;
    break;
  }
});

after(() => running.kill());

const providers = {
  anthropic: () => [
    createAnthropic({ apiKey, baseURL: `${base}/anthropic/v1` })("claude-opus-4-8"),
    { anthropic: { thinking: { type: "adaptive", display: "summarized" } } },
  ],
  responses: () => [
    createOpenAI({ apiKey, baseURL: `${base}/openai/v1` }).responses("gpt-5.5"),
    { openai: { store: false, include: ["reasoning.encrypted_content"], reasoningSummary: "auto" } },
  ],
  chat: () => [createOpenAI({ apiKey, baseURL: `${base}/openai/v1` }).chat("gpt-4.1"), {}],
  deepseek: () => [
    createOpenAICompatible({ name: "deepseek", apiKey, baseURL: `${base}/deepseek/v1` })("deepseek-v4"),
    {},
  ],
  gemini: () => [
    createGoogleGenerativeAI({ apiKey, baseURL: `${base}/gemini/v1beta` })("gemini-3-pro"),
    { google: { thinkingConfig: { includeThoughts: true } } },
  ],
};

for (const [name, provider] of Object.entries(providers)) {
  test(`${name}: two steps with a tool`, async () => {
    const [model, providerOptions] = provider();
    const asked = [];
    const errors = [];
    const reply = streamText({
      model,
      providerOptions,
      maxRetries: 0,
      prompt: "What is the weather in Paris? Use get_weather.",
      stopWhen: stepCountIs(3),
      onError: ({ error }) => errors.push(error),
      tools: {
        get_weather: tool({
          description: "Tells the weather.",
          inputSchema: z.object({ city: z.string() }),
          execute: async (input) => {
            asked.push(input);
            return RESULT;
          },
        }),
      },
    });
    let text = "";
    for await (const piece of reply.textStream) text += piece;
    assert.deepEqual(errors, []);
    assert.deepEqual(asked, [{ city: "Paris" }]);
    const steps = await reply.steps;
    assert.equal(steps.length, 2);
    assert.equal(steps[0].finishReason, "tool-calls");
    assert.equal(steps[1].finishReason, "stop");
    assert.ok(steps[0].usage.inputTokens > 0 && steps[0].usage.outputTokens > 0);
    if (name !== "chat") assert.ok(steps[0].reasoningText.length > 0);
    // For Gemini the SDK wraps what a tool gives.
    const wrapped = JSON.stringify({ name: "get_weather", content: RESULT });
    const result = name === "gemini" ? wrapped : RESULT;
    assert.ok(text.includes(createHash("sha256").update(result).digest("hex")), text);
  });
}
