// Shows the data of /api. Content of conversations is inserted as text, never as markup.

const $ = (id) => document.getElementById(id);
const view = { kind: "turns", rows: new Map(), chosen: null };
let key = "";

/** Creates an element with text or children. */
function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes ?? {})) element.setAttribute(attribute, value);
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

async function request(path, options = {}) {
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  const reply = await fetch(path, { ...options, headers });
  const locked = reply.status === 401;
  if ($("sign-in").hidden === locked) {
    $("sign-in").hidden = !locked;
    draw();
  }
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}`);
  return reply;
}

const json = async (path) => (await request(path)).json();
const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString();
const millis = (ms) => (ms === null || ms === undefined ? "" : ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

// --- the list ---

const isRunning = (turn) => turn.outcome === undefined;

function rowOfTurn(turn) {
  const running = isRunning(turn);
  const style = running ? "dim" : turn.outcome === "answered" ? "good" : "bad";
  const where = [turn.provider, turn.model].filter(Boolean).join(" · ");
  return el("div", {},
    el("div", {}, el("span", { class: style }, running ? "running" : turn.outcome), " ",
      el("span", { class: "dim" }, [clock(turn.at), millis(turn.ms)].filter(Boolean).join(" · "))),
    el("div", {}, turn.dialect, where && " → ", where),
    el("div", {}, ...(turn.repairs ?? []).map((rule) => el("span", { class: "chip" }, rule)),
      ...(turn.guard ?? []).map((kind) => el("span", { class: "chip bad" }, kind))));
}

function rowOfSession(session) {
  const details = [`${session.turns} turns`, session.model, new Date(session.updated / 1000).toLocaleString()];
  return el("div", {}, el("div", {}, session.title || session.id),
    el("div", { class: "dim" }, details.filter(Boolean).join(" · ")));
}

const idOf = (row) => row.turn ?? row.id;

function draw() {
  const wanted = $("filter").value.trim().toLowerCase();
  const row = view.kind === "turns" ? rowOfTurn : rowOfSession;
  const items = [...view.rows.values()]
    .filter((entry) => !wanted || JSON.stringify(entry).toLowerCase().includes(wanted))
    .map((entry) => {
      const id = idOf(entry);
      const item = el("li", { tabindex: "0", "data-id": id, "aria-current": String(id === view.chosen) }, row(entry));
      item.addEventListener("click", () => choose(id));
      item.addEventListener("keydown", (pressed) => press(pressed, item, id));
      return item;
    });
  const focused = $("list").contains(document.activeElement) ? document.activeElement.dataset.id : undefined;
  $("list").replaceChildren(...(items.length ? items : [el("li", { class: "dim" }, placeholder())]));
  // The new element of the same entry gets the focus back.
  if (focused) items.find((item) => item.dataset.id === focused)?.focus({ preventScroll: true });
}

function placeholder() {
  if (!$("sign-in").hidden) return "Nothing is shown without a key.";
  if (view.rows.size) return "No entry matches the filter.";
  return view.kind === "turns" ? "No turn yet. Point an agent at this gateway and it appears here." : "No session yet.";
}

function press(pressed, item, id) {
  const neighbour = { ArrowDown: item.nextElementSibling, ArrowUp: item.previousElementSibling }[pressed.key];
  if (neighbour) neighbour.focus();
  else if (pressed.key === "Enter" || pressed.key === " ") choose(id);
  else return;
  // Space and arrows do not scroll the page as well.
  pressed.preventDefault();
}

// --- the detail ---

/** Indents JSON; other text stays unchanged. */
function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const fold = (title, text, open) => el("details", open ? { open: "" } : {}, el("summary", {}, title), el("pre", {}, text));

function facts(values) {
  const list = el("dl");
  for (const [name, value] of Object.entries(values)) {
    const text = typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
    if (text && text !== "{}" && text !== "[]") list.append(el("dt", {}, name), el("dd", {}, text));
  }
  return list;
}

function detailOfTurn(short, whole) {
  const { stages = [], repairs = [], reply_repairs = [], ...rest } = whole?.turn ?? short;
  const parts = [el("h2", {}, `Turn ${idOf(short)}`), facts(rest)];
  for (const [title, entries] of [["Repairs", repairs], ["Changes of the reply", reply_repairs]]) {
    if (!entries.length) continue;
    parts.push(el("h2", {}, title), ...entries.map((entry) =>
      typeof entry === "string" ? el("span", { class: "chip" }, entry) : fold(entry.rule, readable(JSON.stringify(entry)), true)));
  }
  if (whole?.guard?.length) {
    parts.push(el("h2", {}, "Guard"), ...whole.guard.map((finding) => fold(`${finding.tool}: ${finding.kind}`, readable(JSON.stringify(finding)), true)));
  }
  parts.push(el("h2", {}, "Stages"));
  parts.push(...stages.map(({ stage, body, base64, ...metadata }) =>
    fold(`${stage} · ${metadata.size} bytes`, `${JSON.stringify(metadata, null, 2)}\n\n${readable(body ?? base64 ?? "")}`)));
  if (!stages.length) {
    const reason = isRunning(short)
      ? "It is running: its stages are shown when it ends."
      : "Stages are not captured: set stages = true in [capture] to capture them.";
    parts.push(el("p", { class: "dim" }, reason));
  }
  return parts;
}

function detailOfSession(short, whole) {
  const { beside = [], ...session } = whole ?? short;
  const parts = [el("h2", {}, session.id), fold("Session", JSON.stringify(session, null, 2), true)];
  if (beside.length) {
    parts.push(el("h2", {}, "Beside the session"),
      el("p", { class: "dim" }, "Answers that found other turns in their place."),
      ...beside.map(({ seen, at, model, turn }) =>
        fold(`answer to the first ${seen} turns · ${model} · ${new Date(at / 1000).toLocaleString()}`, JSON.stringify(turn, null, 2))));
  }
  return parts;
}

async function choose(id) {
  view.chosen = id;
  draw();
  const short = view.rows.get(id);
  const turns = view.kind === "turns";
  const path = `/api/${turns ? "turns" : "sessions"}/${encodeURIComponent(id)}`;
  const whole = turns && isRunning(short) ? null : await json(path).catch(() => null);
  if (view.chosen !== id) return;
  const detail = turns ? detailOfTurn : detailOfSession;
  $("detail").replaceChildren(...detail(short, whole));
}

// --- events ---

function put(row) {
  const before = view.rows.get(idOf(row));
  const rows = before ? [...view.rows.values()].map((other) => (other === before ? { ...before, ...row } : other)) : [row, ...view.rows.values()];
  view.rows = new Map(rows.slice(0, 1000).map((entry) => [idOf(entry), entry]));
}

async function load() {
  const kind = view.kind;
  const answer = await json(`/api/${kind}`);
  if (view.kind !== kind) return;
  view.rows = new Map(answer[kind].map((entry) => [idOf(entry), entry]));
  draw();
}

/** Handles one server-sent event. */
function handleEvent(text) {
  const field = (name) => text.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = field("data");
  if (!data || view.kind !== "turns") return;
  put(JSON.parse(data));
  draw();
  if (field("event") === "turn.ended" && view.chosen === JSON.parse(data).turn) choose(view.chosen);
}

async function subscribe() {
  for (let wait = 500; ; wait = Math.min(wait * 2, 10_000)) {
    try {
      const reply = await request("/api/events");
      await load();
      $("state").textContent = "live";
      wait = 500;
      let rest = "";
      for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) {
        const texts = (rest + piece).split("\n\n");
        rest = texts.pop();
        texts.forEach(handleEvent);
      }
      $("state").textContent = "the gateway has stopped";
    } catch (problem) {
      $("state").textContent = problem.message;
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}

function show(kind) {
  Object.assign(view, { kind, rows: new Map(), chosen: null });
  $("show-turns").setAttribute("aria-pressed", String(kind === "turns"));
  $("show-sessions").setAttribute("aria-pressed", String(kind === "sessions"));
  $("detail").replaceChildren(el("p", {}, "Select an entry on the left."));
  draw();
  load().catch((problem) => ($("state").textContent = problem.message));
}

$("show-turns").addEventListener("click", () => show("turns"));
$("show-sessions").addEventListener("click", () => show("sessions"));
$("filter").addEventListener("input", draw);
$("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  key = $("key").value;
  load().catch((problem) => ($("state").textContent = problem.message));
});
draw();
subscribe();
