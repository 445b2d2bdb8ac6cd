// A running simulator, and a test conversation.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";

export const RESULT = '14 °C, "light rain"\n<wind>7</wind>';
export const PROMPT = "What is the weather in Paris? Use get_weather.";
export const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, unit: { type: "string", enum: ["celsius", "kelvin"] } },
  required: ["city", "unit"],
  additionalProperties: false,
};

/** Gives `use` the address of a simulator that nobody else talks to, so that its log is ours. */
export async function withSimulator(use) {
  const command = ["simulate", "--listen", "127.0.0.1:0"];
  const running = spawn(process.env.INTERLINGUA_BIN, command, { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(running, "exit");
  try {
    const [address] = await once(createInterface(running.stdout), "line");
    await use(address.trim());
  } finally {
    running.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
  }
}

/** The tool was called once, with the arguments that the simulated agent makes of the schema. */
export function assertArguments(calls) {
  assert.deepEqual(calls, [{ city: "Paris", unit: "celsius" }]);
}

/** The answer quotes the result and gives its digest. */
export function assertProof(text) {
  assert.ok(text.includes(RESULT), text);
  assert.ok(text.includes(createHash("sha256").update(RESULT).digest("hex")), text);
}

/** The provider saw as many requests as the conversation has steps, and has nothing against any of them. */
export async function assertAccepted(address, steps) {
  const { requests } = await (await fetch(`${address}/sim/log`)).json();
  assert.deepEqual(requests.flatMap((entry) => entry.violations), []);
  assert.deepEqual(requests.map((entry) => entry.accepted), Array(steps).fill(true));
}
