// Tests the debug UI in a browser.
import assert from "node:assert/strict";
import { test } from "node:test";

import { post, sees, slowProvider, withPage } from "./gateway.js";

const MARKUP = "<img src=x onerror=alert(1)><b id=injected>bold</b>";

/** A call that nobody answered: what is mended here has a name. */
const TORN = [
  { role: "user", content: `Look: ${MARKUP}` },
  { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }] },
  { role: "user", content: MARKUP },
];

test("a turn appears while it happens, with its repairs and its stages", () => withPage("[capture]\nstages = true\n", async ({ page, gateway }) => {
  await sees(page, "#state", "live");
  await sees(page, "#list li", "No turn yet");
  const response = await post(`${gateway.address}/v1/chat/completions`, { model: "sim/echo", stream: true, messages: TORN });
  await sees(page, "#list li", "answered");
  await sees(page, "#list li", "openai-chat → sim · sim/echo");
  await sees(page, "#list li .chip", "unanswered-call");

  const turn = response.headers.get("x-interlingua-turn");
  await page.locator(`#list li[data-id="${turn}"]`).press("Enter");
  await sees(page, "#detail h2", `Turn ${turn}`);
  for (const stage of ["client-request", "provider-request", "provider-reply", "client-reply"]) {
    await sees(page, "#detail summary", new RegExp(`^${stage} · [1-9][0-9]* bytes$`));
  }
  await page.locator("#detail summary", { hasText: "client-request" }).click();
  await sees(page, "#detail details[open] pre", "onerror=alert(1)");
  assert.equal(await page.locator("#injected, #detail img").count(), 0);
}));

test("a turn opened while it runs shows everything when it ends", async () => {
  const provider = await slowProvider();
  const config = `[capture]\nstages = true\n[providers.slow]\ndialect = "openai-chat"\nbase_url = "${provider.address}"\n`;
  await withPage(config, async ({ page, gateway }) => {
    await sees(page, "#state", "live");
    const messages = [{ role: "user", content: "Good morning" }];
    const asked = post(`${gateway.address}/v1/chat/completions`, { model: "slow/m", stream: true, messages });
    await page.locator("#list li", { hasText: "running" }).click();
    await sees(page, "#detail p", "It is running");
    await provider.end();
    await asked;
    await sees(page, "#list li", "answered");
    await sees(page, "#detail summary", "client-reply");
  });
});

test("the filter shows only matching turns", () => withPage("", async ({ page, gateway }) => {
  await sees(page, "#state", "live");
  for (const model of ["sim/echo", "sim/agent"]) {
    await post(`${gateway.address}/v1/messages`, { model, max_tokens: 99, messages: [{ role: "user", content: "Good morning" }] });
  }
  await sees(page, "#list li", "sim/agent");
  assert.equal(await page.locator("#list li[data-id]").count(), 2);
  await page.locator("#filter").fill("ECHO");
  assert.equal(await page.locator("#list li[data-id]").count(), 1);
  await sees(page, "#list li", "sim/echo");
  await page.locator("#filter").fill("nobody");
  assert.equal(await page.locator("#list li[data-id]").count(), 0);
  await sees(page, "#list li", "No entry matches the filter");
}));

test("the focus stays where it is while the list changes", () => withPage("", async ({ page, gateway }) => {
  await sees(page, "#state", "live");
  const ask = (model) => post(`${gateway.address}/v1/messages`, { model, max_tokens: 99, messages: [{ role: "user", content: "Good morning" }] });
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  await ask("sim/echo");
  await sees(page, "#list li", "answered");
  await page.locator("#list li[data-id]").press("Enter");
  await sees(page, "#detail h2", "Turn");
  assert.match(await focused(), /sim\/echo/);
  await ask("sim/agent");
  await sees(page, "#list li:first-child", "answered");
  assert.match(await focused(), /sim\/echo/);
  await page.keyboard.press("ArrowUp");
  assert.match(await focused(), /sim\/agent/);
  await page.keyboard.press(" ");
  await sees(page, "#detail dd", "sim/agent");
}));

test("sessions are listed with their texts", () => withPage("", async ({ page, gateway }) => {
  const begun = await post(`${gateway.address}/api/sessions`, { title: "Harbour <i>light</i>" });
  const { id } = JSON.parse(begun.text);
  await post(`${gateway.address}/api/sessions/${id}/continue`, { model: "sim/echo", say: "Good morning" });
  await page.locator("#show-sessions").click();
  await page.locator("#list li", { hasText: "Harbour <i>light</i>" }).click();
  await sees(page, "#detail pre", "Good morning");
  assert.equal(await page.locator("#show-sessions").getAttribute("aria-pressed"), "true");
}));

test("an answer that is stored beside its session is shown as text", async () => {
  const provider = await slowProvider();
  const config = `[providers.slow]\ndialect = "openai-chat"\nbase_url = "${provider.address}"\n`;
  await withPage(config, async ({ page, gateway }) => {
    const { id } = JSON.parse((await post(`${gateway.address}/api/sessions`, { title: "Harbour" })).text);
    const path = `${gateway.address}/api/sessions/${id}`;
    const asked = post(`${path}/continue`, { model: "slow/m", say: "Good evening", stream: true });
    await provider.isAsked;
    // Another client is faster.
    await post(`${path}/turns`, { seen: 1, turns: [{ role: "user", blocks: [{ text: "And now?" }] }] });
    await provider.end(MARKUP);
    await asked;
    await page.locator("#show-sessions").click();
    await page.locator("#list li", { hasText: "Harbour" }).click();
    await sees(page, "#detail h2", "Beside the session");
    await page.locator("#detail summary", { hasText: "answer to the first 1 turns · slow/m" }).click();
    await sees(page, "#detail details[open] pre", "Good <img src=x onerror=alert(1)>");
    assert.equal(await page.locator("#injected, #detail img").count(), 0);
  });
});

test("without a key nothing is shown", () => withPage('[access]\nkeys = ["sesame"]\n', async ({ page, gateway, wrong }) => {
  const message = { role: "user", content: "Good morning" };
  await post(`${gateway.address}/v1/chat/completions`, { model: "sim/echo", messages: [message] }, "sesame");
  await page.locator("#sign-in").waitFor();
  await sees(page, "#list li", "Nothing is shown without a key");
  await page.locator("#key").fill("barley");
  await page.locator("#sign-in button").click();
  await sees(page, "#state", "401");
  assert.equal(await page.locator("#list li[data-id]").count(), 0);
  await page.locator("#key").fill("sesame");
  await page.locator("#sign-in button").click();
  await sees(page, "#list li[data-id]", "answered");
  await page.locator("#sign-in").waitFor({ state: "hidden" });
  await sees(page, "#state", "live");
  // The browser logs every error response.
  assert.ok(wrong.length > 0 && wrong.every((line) => line.includes("401")), wrong.join("\n"));
  wrong.length = 0;
}));

test("a stopped gateway is distinguished from an idle one", () => withPage("", async ({ page, gateway, wrong }) => {
  await sees(page, "#state", "live");
  await gateway.stop();
  await page.locator("#state", { hasNotText: "live" }).waitFor();
  // The browser logs the refused connection.
  wrong.length = 0;
}));
