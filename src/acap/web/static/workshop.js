/* The workshop's own script: answers while somebody types, copying, and links that hold the state; editor.js has the text.
 *
 * Laws: it sends nothing anywhere but to the server that the page came from; the state of a link is behind the `#`, which
 * no browser sends; what a link holds is put into fields of the form and never into the page.
 */
(function () {
  "use strict";

  const KEPT = "acap-workshop";
  const VERSION = 1;
  const MAX_LINK = 1_500_000;
  const LONG_LINK = 30_000;
  const MAX_STATE = 5 * 1024 * 1024;
  const MAX_FILE = 1024 * 1024;
  const PAUSE = 250;
  const LATE = 600;
  // The marks of the text come first; a view waits no longer for them.
  const MARKED = 1500;
  const PATIENT = 1200;
  const PASSING = 6000;
  // What a link holds; what was undone, or where the text came from, is nobody else's business.
  const SHARED = ["text", "old", "crawler", "purpose", "usage", "at", "urls", "site", "encoding", "ends",
    "old_encoding", "old_ends", "named_kind", "into", "into_url", "draft", "cases"];

  document.documentElement.classList.add("scripted");

  const form = () => document.getElementById("workspace");
  const field = (name) => form().elements.namedItem(name);
  const viewNow = () => field("view").value;

  /* --- the state, as words --------------------------------------------------------------------------------------- */

  function state() {
    const found = { v: VERSION, view: viewNow() };
    const data = new FormData(form());
    for (const name of SHARED) {
      const value = data.get(name);
      if (typeof value === "string" && value !== "") { found[name] = value; }
    }
    return found;
  }

  function restore(found) {
    if (typeof found !== "object" || found === null || found.v !== VERSION) {
      throw new Error("it was made by another version of the workshop");
    }
    for (const name of SHARED) {
      let there = field(name);
      const value = typeof found[name] === "string" ? found[name] : null;
      if (there === null && value !== null && name === "draft") {
        there = document.createElement("input");
        there.type = "hidden";
        there.name = name;
        form().append(there);
      }
      if (there === null || there instanceof RadioNodeList) { continue; }
      if (value === null) {
        if (name === "text" || name === "old" || name === "named_kind") { there.value = ""; }
      } else if (there instanceof HTMLSelectElement && ![...there.options].some((one) => one.value === value)) {
        there.append(new Option(value, value, true, true));
      } else {
        there.value = value;
      }
    }
    editor?.load(field("text").value);
  }

  async function packed(text) {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const octets = new Uint8Array(await new Response(stream).arrayBuffer());
    let binary = "";
    for (let at = 0; at < octets.length; at += 8192) {
      binary += String.fromCharCode(...octets.subarray(at, at + 8192));
    }
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  }

  async function unpacked(word) {
    if (word.length > MAX_LINK) { throw new Error("it is too long"); }
    const binary = atob(word.replaceAll("-", "+").replaceAll("_", "/"));
    const octets = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const reader = new Blob([octets]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const pieces = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) { break; }
      size += value.length;
      if (size > MAX_STATE) {
        await reader.cancel();
        throw new Error("it holds more than the workshop takes");
      }
      pieces.push(value);
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(await new Blob(pieces).arrayBuffer());
  }

  /* --- saying something ------------------------------------------------------------------------------------------ */

  function say(level, word, text, at = "") {
    const notes = document.getElementById("notes");
    const line = document.createElement("p");
    const strong = document.createElement("strong");
    const sentence = document.createElement("span");
    line.className = `message ${level}`;
    strong.className = "word";
    strong.textContent = word;
    sentence.textContent = text;
    line.append(strong, " ", sentence);
    if (at !== "") { line.dataset.field = at; }
    notes.replaceChildren(line);
    dismissable();
    markMistakes();
  }

  // Over the page, where it moves nothing; what is wrong stays until somebody has read it.
  function dismissable() {
    for (const note of document.querySelectorAll("#notes .message:not(:has(.dismiss))")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet dismiss";
      button.setAttribute("aria-label", "Dismiss");
      button.textContent = "✕";
      button.addEventListener("click", () => note.remove());
      note.append(button);
      if (note.classList.contains("done")) { passing(note); }
    }
  }

  // What was done is seen in the page; the note of it goes, but not from under somebody's pointer or cursor.
  function passing(note) {
    window.setTimeout(() => {
      if (note.matches(":hover, :focus-within")) { passing(note); } else { note.remove(); }
    }, PASSING);
  }

  /* --- asking the server ----------------------------------------------------------------------------------------- */

  function press(id) {
    const button = document.getElementById(id);
    if (button !== null) { button.click(); }
  }

  function send(path, options) {
    const update = document.getElementById("update");
    if (update === null) { return; }
    // Else htmx sends this to where the button leads that was pressed last, if that did not lose the focus since.
    update.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
    // One that is replaced or stopped comes to nothing, and that is no error.
    htmx.ajax("POST", path, { source: form(), swap: "outerHTML", ...options })?.catch(() => {});
  }

  function answer(values = {}) {
    send(document.getElementById("update").getAttribute("formaction"), { target: "#result", select: "#result", values });
  }

  function fix(key) { send(`${form().dataset.root}/do/fix`, { target: "#view", values: { fix: key } }); }

  /* --- slow work: a message shows it, and it can be stopped -------------------------------------------------------- */

  let late = 0;
  let ticking = 0;
  let stopping = false;

  function begun() {
    window.clearTimeout(late);
    window.clearInterval(ticking);
    const since = performance.now();
    late = window.setTimeout(() => {
      document.getElementById("working-text").textContent = "Working on it…";
      document.getElementById("working").hidden = false;
      const bar = document.getElementById("working-bar");
      const tick = () => { bar.value = (performance.now() - since) / 1000; };
      tick();
      ticking = window.setInterval(tick, 200);
    }, LATE);
  }

  function ended() {
    window.clearTimeout(late);
    window.clearInterval(ticking);
    const working = document.getElementById("working");
    if (working.contains(document.activeElement)) { document.getElementById("view-title").focus(); }
    working.hidden = true;
    document.getElementById("working-text").textContent = "";
  }

  function stop() {
    stopping = true;
    htmx.trigger(form(), "htmx:abort");
    ended();
    if (stopping) { say("warning", "Note", "stopped; the text is as it was"); }
    stopping = false;
  }

  // Then results stand above forms, and views below the text.
  const narrow = window.matchMedia("(max-width: 67.99rem)");
  let leads = false;
  let isShown = false;
  let waiting = 0;
  let patient = 0;
  let turn = 0;
  let acting = false;
  let wasActing = false;
  const pause = (time) => new Promise((done) => { window.setTimeout(done, time); });
  // The marks first, then the view: on one core neither waits for the other's work.
  function soon() {
    window.clearTimeout(waiting);
    window.clearTimeout(patient);
    editor?.stop();
    const mine = turn += 1;
    waiting = window.setTimeout(async () => {
      keep();
      if (editor !== null) {
        await Promise.race([editor.ask(), pause(MARKED)]);
      }
      // What a button does is not replaced by what is only looked at.
      while (acting && mine === turn) { await pause(PAUSE); }
      if (mine === turn) { answer(); }
    }, PAUSE);
  }

  /* --- the text over a reload, in this tab alone ----------------------------------------------------------------- */

  function keep() {
    try {
      window.sessionStorage.setItem(KEPT, JSON.stringify(state()));
    } catch {
      // No room, or none allowed: then a reload begins anew.
    }
  }

  function kept() {
    try {
      return JSON.parse(window.sessionStorage.getItem(KEPT));
    } catch {
      return null;
    }
  }

  /* --- the text ----------------------------------------------------------------------------------------------------- */

  let editor = null;
  let textField = null;

  function goTo(line) {
    if (editor !== null) {
      editor.goTo(line);
      return;
    }
    const text = field("text");
    const start = text.value.split("\n", line - 1).join("\n").length + (line > 1 ? 1 : 0);
    const end = text.value.indexOf("\n", start);
    text.focus();
    text.setSelectionRange(start, end === -1 ? text.value.length : end);
  }

  function typed({ arrived, replaced }) {
    // What is pasted in the place of all the text is another text, and what the old one was is not said of it.
    if (replaced) { field("named_kind").value = ""; }
    if (arrived) { begins(); }
    field("text").dispatchEvent(new Event("input", { bubbles: true }));
  }

  // What is pasted into an empty field, or dropped there, is what later changes are compared with.
  function begins() {
    const old = field("old");
    if (old !== null && old.value === "") { old.value = field("text").value; }
    editor.toTop();
  }

  // An answer that changes the text brings it as the field of the form; the editor takes it as one step.
  function taken() {
    const now = field("text");
    if (editor === null || now === textField) { return; }
    textField = now;
    editor.answered(now.value);
    editor.ask();
  }

  /* --- copying, downloading, links ------------------------------------------------------------------------------- */

  async function copy(button) {
    const source = document.querySelector(button.dataset.copy);
    const text = "value" in source ? source.value : source.textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      if ("select" in source) { source.select(); }
      say("warning", "Note", "this browser does not let a page copy; press Ctrl+C");
      return;
    }
    const before = button.textContent;
    // No narrower than before, so that its neighbours stay where they are; CSS leaves room for a longer word.
    button.style.minWidth = `${button.getBoundingClientRect().width}px`;
    button.textContent = "Copied";
    window.setTimeout(() => { button.textContent = before; }, 1500);
  }

  async function download(button) {
    const response = await fetch(button.getAttribute("formaction"), { method: "POST", body: new FormData(form()) });
    if (!response.ok) {
      say("error", "Problem", "the file could not be made; the text may be too large");
      return;
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = button.dataset.download;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  async function link(button) {
    const box = document.getElementById("link-box");
    box.hidden = !box.hidden;
    button.setAttribute("aria-expanded", String(!box.hidden));
    if (box.hidden) { return; }
    const note = document.getElementById("link-note");
    const out = document.getElementById("link-text");
    const word = await packed(JSON.stringify(state()));
    if (word.length > MAX_LINK) {
      out.value = "";
      note.textContent = "All of this does not fit into a link; send the file instead.";
      return;
    }
    out.value = `${window.location.origin}${form().dataset.root}/#s=${word}`;
    if (word.length > LONG_LINK) {
      note.textContent = `The link has ${out.value.length.toLocaleString("en")} characters, and some programs cut long ones. Browsers send what is behind the # nowhere.`;
    }
    out.focus();
    out.select();
  }

  // A field that is folded away, from a button that is about it.
  function reach(id) {
    const there = document.getElementById(id);
    there.closest("details").open = true;
    there.focus();
    if (there.type === "file") { there.click(); }
  }

  function staleLink() {
    const box = document.getElementById("link-box");
    if (box !== null && !box.hidden) {
      box.hidden = true;
      document.getElementById("link").setAttribute("aria-expanded", "false");
    }
  }

  async function openLink() {
    const word = window.location.hash.slice("#s=".length);
    history.replaceState(null, "", window.location.pathname);
    try {
      const found = JSON.parse(await unpacked(word));
      restore(found);
      keep();
      show(found.view);
      editor?.ask();
    } catch (error) {
      const known = error instanceof Error && /^it /.test(error.message);
      say("error", "Problem", `this link cannot be opened: ${known ? error.message : "it is damaged, perhaps cut"}`);
    }
  }

  function show(view) {
    if (typeof view === "string" && /^[a-z]+$/.test(view) && document.getElementById(`tab-${view}`) !== null) {
      press(`tab-${view}`);
    } else {
      press("tab-policy");
    }
  }

  /* --- events ---------------------------------------------------------------------------------------------------- */

  document.addEventListener("input", (event) => {
    const there = event.target;
    if (there.closest("#workspace") === null) { return; }
    if (there.id === "text" && there.value === "") { field("named_kind").value = ""; }
    staleLink();
    if (there.closest(".live") !== null) { soon(); }
  });

  document.addEventListener("change", (event) => {
    const file = event.target.id === "file" ? event.target.files[0] : undefined;
    if (file === undefined) { return; }
    if (file.size > MAX_FILE) {
      event.target.value = "";
      say("error", "Problem", `${file.name} is larger than 1 MB, and was not taken; is it a robots.txt?`, "file");
    } else {
      press("open");
    }
  });

  document.addEventListener("keydown", (event) => {
    const there = event.target;
    if (event.key === "Enter" && there.dataset !== undefined && there.dataset.enter !== undefined) {
      event.preventDefault();
      press(there.dataset.enter);
    }
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button === null) { return; }
    if (button.dataset.copy !== undefined) { copy(button); }
    if (button.closest("#tabs") !== null) {
      // Where the view stands below the text, whoever presses a tab wants to see it; who uses keys stays at the tabs.
      leads = event.detail > 0 && narrow.matches;
      const sources = document.querySelector(".sources");
      if (sources !== null && field("text").value !== "") { sources.open = false; }
    }
    // Whoever presses a button outside of the result wants to see what came of it.
    isShown = button.closest("#view") !== null && button.closest("#result") === null
      && button.getAttribute("formaction")?.includes("/do/") === true;
    if (button.dataset.go !== undefined) { goTo(Number(button.dataset.go)); }
    if (button.dataset.reach !== undefined) { reach(button.dataset.reach); }
    if (button.id === "link") { link(button); }
    if (button.id === "stop") { stop(); }
    if (button.dataset.download !== undefined) {
      event.preventDefault();
      download(button);
    }
  });

  // A request that the next one replaces, or that the user stops, is no error; htmx would write it into the console.
  htmx.logger = (element, event, detail) => {
    if (event === "htmx:sendAbort" || (event === "htmx:afterRequest" && detail.xhr.status === 0)) { delete detail.error; }
  };

  let focused = null;
  let stood = 0;
  let unfolded = new Map();
  document.addEventListener("htmx:beforeRequest", (event) => {
    window.clearTimeout(waiting);
    window.clearTimeout(patient);
    turn += 1;
    acting = event.detail.requestConfig.path.includes("/do/");
    wasActing = acting;
    editor?.sent();
    begun();
  });
  document.addEventListener("htmx:afterRequest", () => {
    acting = false;
    ended();
    // What was not taken is not sent again with each letter that is typed.
    document.getElementById("file").value = "";
  });
  document.addEventListener("htmx:beforeSwap", () => {
    focused = document.activeElement;
    stood = focused.getBoundingClientRect().top;
    unfolded = new Map([...folds()].map((one) => [foldName(one), one.open]));
  });
  // Before it is painted, so that nothing moves.
  document.addEventListener("htmx:afterSwap", markNew);
  document.addEventListener("htmx:afterSettle", () => {
    taken();
    for (const one of folds()) { one.open = unfolded.get(foldName(one)) ?? one.open; }
    markMistakes();
    dismissable();
    const mistaken = document.getElementById(document.querySelector("#notes .at-field")?.dataset.field);
    if (wasActing) { mistaken?.focus(); }
    const showsResult = wasActing && isShown && mistaken === null && !isResultSeen();
    if (wasActing) { isShown = false; }
    wasActing = false;
    keep();
    if (focused !== null && focused !== document.body && document.activeElement === document.body) {
      // Who pressed a button that has gone goes on at the view's title, and not at the top of the page.
      document.getElementById("view-title").focus({ preventScroll: true });
    } else if (focused?.isConnected && focused.closest("#view") !== null && !leads && !showsResult) {
      // The field in which somebody types stays where it is, whatever grows above it.
      window.scrollBy(0, focused.getBoundingClientRect().top - stood);
    }
    focused = null;
    if (leads) { document.getElementById("view").scrollIntoView(); }
    if (showsResult) { document.getElementById("result").scrollIntoView(); }
    leads = false;
    window.clearTimeout(patient);
    if (document.querySelector("#result[data-partial]") !== null) {
      patient = window.setTimeout(() => answer({ patient: "on" }), PATIENT);
    }
  });

  // Where the result stands above the form it begins anew with each press; beside or below it, it may be seen already.
  function isResultSeen() {
    const { top } = document.getElementById("result").getBoundingClientRect();
    return !narrow.matches && top >= 0 && top < window.innerHeight / 2;
  }

  // What somebody has unfolded or folded stays so in the next answer; numbers in its name may be others by then.
  const folds = () => document.querySelectorAll("#result details");
  const foldName = (one) => one.querySelector("summary").textContent.replace(/\d+/g, "").trim();

  function markNew() {
    if (editor === null) { return; }
    const fresh = editor.fresh();
    for (const one of document.querySelectorAll("#result [data-key]")) {
      const old = one.querySelector(".fresh");
      if (!fresh.has(one.dataset.key)) {
        old?.remove();
      } else if (old === null) {
        const chip = document.createElement("span");
        chip.className = "chip fresh";
        chip.textContent = "new";
        one.append(" ", chip);
      }
    }
  }

  document.addEventListener("htmx:sendError", () => {
    say("error", "Problem", "the workshop does not answer; is `acap serve` still running?");
  });
  window.addEventListener("hashchange", () => {
    if (window.location.hash.startsWith("#s=")) { openLink(); }
  });

  // What is wrong with an answer stands at its field too; the result alone comes anew while somebody types.
  function markMistakes() {
    for (const old of document.querySelectorAll(".field-wrong:not(#where-wrong)")) {
      const marked = document.querySelector(`[aria-describedby="${old.id}"]`);
      if (marked !== null) {
        marked.removeAttribute("aria-invalid");
        marked.removeAttribute("aria-describedby");
      }
      old.remove();
    }
    for (const notice of document.querySelectorAll("#result [data-field], #notes [data-field]")) {
      const at = document.getElementById(notice.dataset.field);
      // What stands at its field is not said twice.
      notice.classList.toggle("at-field", at !== null && notice.closest("#notes") !== null);
      if (at === null || at.hasAttribute("aria-describedby")) { continue; }
      const folded = at.closest("details");
      if (folded !== null) { folded.open = true; }
      const text = document.createElement("p");
      text.className = "field-wrong";
      text.id = `${at.id}-wrong`;
      text.textContent = notice.querySelector("span").textContent;
      (at.closest(".joined") || at).after(text);
      at.setAttribute("aria-invalid", "true");
      at.setAttribute("aria-describedby", text.id);
    }
  }

  function begin() {
    dismissable();
    textField = field("text");
    editor = window.acapEditor?.open({
      root: form().dataset.root, form: () => new FormData(form()), typed, fix, say, list: () => press("tab-lint"),
    }) ?? null;
    markMistakes();
    if (window.location.hash.startsWith("#s=")) {
      openLink();
      return;
    }
    const before = kept();
    if (before !== null && field("text").value === "" && (before.text || before.old)) {
      try {
        restore(before);
      } catch {
        return;
      }
      show(viewNow());
      editor?.ask();
    } else if (field("text").value !== "") {
      editor?.ask();
    }
  }

  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", begin);
  } else {
    begin();
  }
})();
