// Shows what /api tells. Everything that is said in a conversation goes into the page as text, never as markup.

const $ = (id) => document.getElementById(id);
const shown = { what: "turns", rows: new Map(), chosen: null };
let key = "";

/** An element with text or children. */
function el(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes ?? {})) made.setAttribute(attribute, value);
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

async function ask(path, options = {}) {
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  const reply = await fetch(path, { ...options, headers });
  $("door").hidden = reply.status !== 401;
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}`);
  return reply;
}

const json = async (path) => (await ask(path)).json();
const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString();
const millis = (ms) => (ms === null || ms === undefined ? "" : ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

// --- the list ---

const isRunning = (turn) => turn.outcome === undefined;

function rowOfTurn(turn) {
  const running = isRunning(turn);
  const mood = running ? "dim" : turn.outcome === "answered" ? "good" : "bad";
  const where = [turn.provider, turn.model].filter(Boolean).join(" · ");
  return el("div", {},
    el("div", {}, el("span", { class: mood }, running ? "running" : turn.outcome), " ",
      el("span", { class: "dim" }, [clock(turn.at), millis(turn.ms)].filter(Boolean).join(" · "))),
    el("div", {}, turn.dialect, where && " → ", where),
    el("div", {}, ...(turn.repairs ?? []).map((rule) => el("span", { class: "chip" }, rule)),
      ...(turn.guard ?? []).map((kind) => el("span", { class: "chip bad" }, kind))));
}

function rowOfSession(session) {
  const about = [`${session.turns} turns`, session.model, new Date(session.updated / 1000).toLocaleString()];
  return el("div", {}, el("div", {}, session.title || session.id),
    el("div", { class: "dim" }, about.filter(Boolean).join(" · ")));
}

const idOf = (row) => row.turn ?? row.id;

function draw() {
  const wanted = $("filter").value.trim().toLowerCase();
  const row = shown.what === "turns" ? rowOfTurn : rowOfSession;
  const items = [...shown.rows.values()]
    .filter((one) => !wanted || JSON.stringify(one).toLowerCase().includes(wanted))
    .map((one) => {
      const id = idOf(one);
      const item = el("li", { tabindex: "0", "data-id": id, "aria-current": String(id === shown.chosen) }, row(one));
      item.addEventListener("click", () => choose(id));
      item.addEventListener("keydown", (pressed) => pressed.key === "Enter" && choose(id));
      return item;
    });
  const nothing = shown.what === "turns"
    ? "No turn yet. Point an agent at this gateway and it appears here."
    : "No session yet.";
  $("list").replaceChildren(...(items.length ? items : [el("li", { class: "dim" }, nothing)]));
}

// --- the detail ---

/** JSON as people read it, anything else as it is. */
function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const fold = (title, text, open) => el("details", open ? { open: "" } : {}, el("summary", {}, title), el("pre", {}, text));

function facts(of) {
  const list = el("dl");
  for (const [name, value] of Object.entries(of)) {
    const text = typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
    if (text && text !== "{}" && text !== "[]") list.append(el("dt", {}, name), el("dd", {}, text));
  }
  return list;
}

function detailOfTurn(short, whole) {
  const { stages = [], repairs = [], ...rest } = whole?.turn ?? short;
  const parts = [el("h2", {}, `Turn ${idOf(short)}`), facts(rest)];
  if (repairs.length) {
    parts.push(el("h2", {}, "Repairs"), ...repairs.map((one) =>
      typeof one === "string" ? el("span", { class: "chip" }, one) : fold(one.rule, readable(JSON.stringify(one)), true)));
  }
  if (whole?.guard?.length) {
    parts.push(el("h2", {}, "Guard"), ...whole.guard.map((one) => fold(`${one.tool}: ${one.kind}`, readable(JSON.stringify(one)), true)));
  }
  parts.push(el("h2", {}, "Stages"));
  parts.push(...stages.map(({ stage, body, base64, ...about }) =>
    fold(`${stage} · ${about.size} bytes`, `${JSON.stringify(about, null, 2)}\n\n${readable(body ?? base64 ?? "")}`)));
  if (!stages.length) {
    const why = isRunning(short)
      ? "It is running: what is kept of it is shown when it ends."
      : "What was said at each stage is not kept: [capture] stages = true keeps it from then on.";
    parts.push(el("p", { class: "dim" }, why));
  }
  return parts;
}

async function choose(id) {
  shown.chosen = id;
  draw();
  const short = shown.rows.get(id);
  const turns = shown.what === "turns";
  const path = `/api/${turns ? "turns" : "sessions"}/${encodeURIComponent(id)}`;
  const whole = turns && isRunning(short) ? null : await json(path).catch(() => null);
  if (shown.chosen !== id) return;
  const parts = turns ? detailOfTurn(short, whole) : [el("h2", {}, id), fold("Session", JSON.stringify(whole ?? short, null, 2), true)];
  $("detail").replaceChildren(...parts);
}

// --- what comes in ---

function put(row) {
  const before = shown.rows.get(idOf(row));
  const rows = before ? [...shown.rows.values()].map((one) => (one === before ? { ...before, ...row } : one)) : [row, ...shown.rows.values()];
  shown.rows = new Map(rows.slice(0, 1000).map((one) => [idOf(one), one]));
}

async function load() {
  const what = shown.what;
  const answer = await json(`/api/${what}`);
  if (shown.what !== what) return;
  shown.rows = new Map(answer[what].map((one) => [idOf(one), one]));
  draw();
}

/** One event: its name and its data. */
function hear(text) {
  const field = (name) => text.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = field("data");
  if (!data || shown.what !== "turns") return;
  put(JSON.parse(data));
  draw();
  if (field("event") === "turn.ended" && shown.chosen === JSON.parse(data).turn) choose(shown.chosen);
}

async function listen() {
  for (let wait = 500; ; wait = Math.min(wait * 2, 10_000)) {
    try {
      const reply = await ask("/api/events");
      await load();
      $("state").textContent = "live";
      wait = 500;
      let rest = "";
      for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) {
        const texts = (rest + piece).split("\n\n");
        rest = texts.pop();
        texts.forEach(hear);
      }
      $("state").textContent = "the gateway has stopped";
    } catch (problem) {
      $("state").textContent = problem.message;
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}

function show(what) {
  Object.assign(shown, { what, rows: new Map(), chosen: null });
  $("show-turns").setAttribute("aria-pressed", String(what === "turns"));
  $("show-sessions").setAttribute("aria-pressed", String(what === "sessions"));
  $("detail").replaceChildren(el("p", {}, "Choose one on the left."));
  draw();
  load().catch((problem) => ($("state").textContent = problem.message));
}

$("show-turns").addEventListener("click", () => show("turns"));
$("show-sessions").addEventListener("click", () => show("sessions"));
$("filter").addEventListener("input", draw);
$("door").addEventListener("submit", (event) => {
  event.preventDefault();
  key = $("key").value;
  load().catch((problem) => ($("state").textContent = problem.message));
});
draw();
listen();
