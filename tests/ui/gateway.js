// A running gateway, and a browser page of its debug UI.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

/** A gateway of its own with this configuration: its address, and a way to end it. */
async function start(home, config) {
  const file = join(home, "interlingua.toml");
  await writeFile(file, config);
  const command = ["serve", "--listen", "127.0.0.1:0", "--config", file];
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home };
  const running = spawn(process.env.INTERLINGUA_BIN, command, { env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(running, "exit");
  const [address] = await once(createInterface(running.stdout), "line");
  const stop = async () => {
    running.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
  };
  return { address: address.trim(), stop, isRunning: () => running.exitCode === null };
}

/** Gives `use` a page that shows the UI of a gateway. Nothing may go wrong in the page meanwhile. */
export async function withPage(config, use) {
  const home = await mkdtemp(join(tmpdir(), "interlingua-ui-"));
  const gateway = await start(home, config);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium" });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    page.on("dialog", (dialog) => wrong.push(`a dialog: ${dialog.message()}`));
    page.on("console", (line) => line.type() === "error" && wrong.push(line.text()));
    await page.goto(`${gateway.address}/ui/`);
    await use({ page, gateway, wrong });
    assert.deepEqual(wrong, []);
  } finally {
    await browser.close();
    if (gateway.isRunning()) await gateway.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/** A provider that begins to answer at once, and ends when it is told to. */
export async function slowProvider() {
  const { promise: asked, resolve } = Promise.withResolvers();
  const server = createServer((request, reply) => {
    request.resume();
    reply.writeHead(200, { "content-type": "text/event-stream" });
    reply.write(chunk({ role: "assistant", content: "Good " }, null));
    resolve(reply);
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  const end = async (text = "night") => {
    (await asked).end(`${chunk({ content: text }, "stop")}data: [DONE]\n\n`);
    server.close();
  };
  return { address: `http://127.0.0.1:${server.address().port}`, isAsked: asked.then(() => {}), end };
}

function chunk(delta, finish_reason) {
  const chunk = { id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** Posts JSON, and wants an answer. */
export async function post(url, body, key) {
  const headers = { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) };
  const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await reply.text();
  assert.equal(reply.status, 200, text);
  return { headers: reply.headers, text };
}

/** Waits until there is such an element, and only one. */
export async function sees(page, selector, hasText) {
  await page.locator(selector, { hasText }).waitFor();
}
