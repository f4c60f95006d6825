/* The editor of the text: CodeMirror, with what the server says of each line and of each finding in the text itself.
 *
 * Laws: the textarea stays the field of the form, and always has the text of the editor; what a line means, and what a fix
 * makes of it, the server says; whatever changes the text is one step that Ctrl-Z takes back.
 *
 * It is one file, for every part of it is a part of the one editor that it opens.
 */
window.acapEditor = window.CodeMirror === undefined ? null : (function () {
  "use strict";

  const {
    Annotation, ChangeSet, Compartment, Decoration, EditorState, EditorView, GutterMarker, RangeSet, RangeValue,
    StateEffect, StateField, ViewPlugin, WidgetType, defaultKeymap, gutter, highlightActiveLine, highlightActiveLineGutter,
    history, historyKeymap, hoverTooltip, isolateHistory, keymap, lineNumbers, placeholder,
    search, searchKeymap, setDiagnostics,
  } = window.CodeMirror;

  const SEVERITIES = ["error", "warning", "info"];
  const SIGNS = { error: "●", warning: "▲", info: "■" };
  const WORDS = { error: "error", warning: "warning", info: "remark" };
  const PAUSE_AT_LINE = 400;
  const MOST_WORDS = 120;

  /* --- what is known of lines and places, which moves with the text ------------------------------------------------ */

  class Known extends RangeValue {
    constructor(what) { super(); this.what = what; }
    eq(other) { return this.what === other.what; }
  }
  // It goes with the text behind it. Both sides are alike, for else CodeMirror drops it with a change beside it.
  Known.prototype.startSide = 1;
  Known.prototype.endSide = 1;
  Known.prototype.point = true;

  const tellLines = StateEffect.define();
  const tellFindings = StateEffect.define();

  function knownField(effectOfField) {
    return StateField.define({
      create: () => RangeSet.empty,
      update(found, transaction) {
        const moved = transaction.docChanged ? found.map(transaction.changes) : found;
        return transaction.effects.reduce((now, effect) => (effect.is(effectOfField) ? effect.value : now), moved);
      },
    });
  }
  const lineField = knownField(tellLines);
  const findingField = knownField(tellFindings);

  function on(state, field, line) {
    const found = [];
    state.field(field).between(line.from, line.to, (from, _, known) => {
      if (from <= line.to) { found.push(known.what); }
    });
    return found;
  }
  const stateOf = (state, line) => on(state, lineField, line)[0];
  const findingsOf = (state, line) => on(state, findingField, line);

  /* --- how they look ------------------------------------------------------------------------------------------------ */

  class Words extends WidgetType {
    constructor(mark, says, fresh) { super(); this.mark = mark; this.says = says; this.fresh = fresh; }
    eq(other) { return this.mark === other.mark && this.says === other.says && this.fresh === other.fresh; }
    toDOM() {
      const words = document.createElement("span");
      words.className = `line-says ${this.mark}`;
      // Who hears the page is told of the line with the cursor, below the text.
      words.setAttribute("aria-hidden", "true");
      words.textContent = this.says;
      if (this.fresh) {
        const chip = document.createElement("span");
        chip.className = "chip fresh";
        chip.textContent = "new";
        words.append(chip);
      }
      return words;
    }
    ignoreEvent() { return false; }
  }

  const FIELD = /^(\s*)([^:#\s][^:#]*?)(\s*:)/;
  const fieldMark = Decoration.mark({ class: "field-name" });
  const commentMark = Decoration.mark({ class: "comment-text" });

  function drawn(view) {
    const state = view.state;
    const made = [];
    const isRobots = state.field(kindField) === "robots";
    for (const { from, to } of view.visibleRanges) {
      for (let at = from; at <= to;) {
        const line = state.doc.lineAt(at);
        const known = stateOf(state, line);
        const isFresh = findingsOf(state, line).some((one) => one.fresh);
        if (known !== undefined) { made.push(Decoration.line({ class: `is-${known.mark}` }).range(line.from)); }
        if (isRobots) {
          const comment = line.text.indexOf("#");
          const name = FIELD.exec(line.text);
          if (name !== null) {
            const start = line.from + name[1].length;
            made.push(fieldMark.range(start, start + name[2].length));
          }
          if (comment !== -1) { made.push(commentMark.range(line.from + comment, line.to)); }
        }
        const says = known === undefined ? "" : known.says;
        if (says !== "" || isFresh) {
          const cut = says.length > MOST_WORDS ? `${says.slice(0, MOST_WORDS)}…` : says;
          made.push(Decoration.widget({ widget: new Words(known?.mark ?? "", cut, isFresh), side: 1 }).range(line.to));
        }
        at = line.to + 1;
      }
    }
    return Decoration.set(made, true);
  }

  const hasNews = (transaction) => transaction.effects.some((one) => one.is(tellLines) || one.is(tellFindings) || one.is(tellKind));

  const drawing = ViewPlugin.fromClass(class {
    constructor(view) { this.decorations = drawn(view); }
    update(update) {
      if (update.docChanged || update.viewportChanged || update.transactions.some(hasNews)) { this.decorations = drawn(update.view); }
    }
  }, { decorations: (plugin) => plugin.decorations });

  class Sign extends GutterMarker {
    constructor(kind, sign, title) { super(); this.kind = kind; this.sign = sign; this.title = title; }
    eq(other) { return this.kind === other.kind && this.sign === other.sign && this.title === other.title; }
    toDOM() {
      const sign = document.createElement("span");
      sign.className = `sign ${this.kind}`;
      sign.textContent = this.sign;
      sign.title = this.title;
      return sign;
    }
  }

  const hasChanged = (update) => update.docChanged || update.transactions.some(hasNews);
  const stateGutter = gutter({
    class: "states-gutter", renderEmptyElements: true,
    lineMarker(view, block) {
      const known = stateOf(view.state, view.state.doc.lineAt(block.from));
      return known === undefined ? null : new Sign(known.mark, known.sign, known.says);
    },
    lineMarkerChange: hasChanged,
    initialSpacer: () => new Sign("", "✕", ""),
  });
  const findingGutter = gutter({
    class: "findings-gutter", renderEmptyElements: true,
    lineMarker(view, block) {
      const found = findingsOf(view.state, view.state.doc.lineAt(block.from));
      const worst = SEVERITIES.find((severity) => found.some((one) => one.severity === severity));
      if (worst === undefined) { return null; }
      const fresh = found.some((one) => one.fresh) ? " fresh" : "";
      return new Sign(`${worst}${fresh}`, SIGNS[worst], found.map((one) => `${WORDS[one.severity]}: ${plain(one)}`).join("\n"));
    },
    lineMarkerChange: hasChanged,
    initialSpacer: () => new Sign("", SIGNS.error, ""),
  });

  /* --- words -------------------------------------------------------------------------------------------------------- */

  const withHelp = (finding) => `${finding.message}${finding.help ? `; ${finding.help}` : ""}`;
  const plain = (finding) => withHelp(finding).replaceAll("`", "");

  function element(name, className, ...children) {
    const made = document.createElement(name);
    if (className) { made.className = className; }
    made.append(...children);
    return made;
  }

  // A message, with what it has in backticks as code.
  function ticked(text) {
    const pieces = text.split("`");
    return pieces.length % 2 === 0 ? [text] : pieces.map((piece, place) => (place % 2 === 1 ? element("code", "", piece) : piece));
  }

  function sentence(who, what) {
    return element("p", "sentence", element("strong", "", who), ` ${what}`);
  }

  /* --- the editor ---------------------------------------------------------------------------------------------------- */

  const tellKind = StateEffect.define();
  const kindField = StateField.define({
    create: () => "robots",
    update: (kind, transaction) => transaction.effects.reduce((now, effect) => (effect.is(tellKind) ? effect.value : now), kind),
  });
  const fromOutside = Annotation.define();
  const dark = new Compartment();
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");

  /* Opens the editor in the place of the textarea. `root` is where the workshop is; `form` gives the form's data; `typed`
   * is told of each change by the user; `fix` puts a finding's fix into effect; `list` shows all findings; `say` a sentence. */
  function open({ root, form, typed, fix, list, say }) {
    const field = () => document.getElementById("text");
    let findings = [];
    let asking = null;
    let answeredDoc = null;
    let base = null;
    let isFirst = true;
    let isWhole = false;
    let comparing = [];

    const changes = EditorView.updateListener.of((update) => {
      if (update.docChanged) {
        field().value = update.state.doc.toString();
        if (base !== null) { base.since = base.since.compose(update.changes); }
        const byUser = !update.transactions.some((one) => one.annotation(fromOutside));
        if (byUser) {
          const isPasted = update.transactions.some((one) => one.isUserEvent("input.paste") || one.isUserEvent("input.drop"));
          const isNew = isPasted && isReplaced(update);
          if (isNew) { begins(); }
          typed({ arrived: isPasted && update.startState.doc.length === 0, replaced: isNew && update.startState.doc.length > 0 });
        }
      }
      if (update.docChanged || update.selectionSet || update.transactions.some(hasNews)) { tellCursor(update.docChanged); }
    });

    // Of another text nothing is new, or all of it.
    function begins() {
      isFirst = true;
      isWhole = false;
    }

    // Nothing is left of the text before.
    const isReplaced = (update) => {
      let kept = update.startState.doc.length;
      update.changes.iterChangedRanges((from, to) => { kept -= to - from; });
      return kept === 0;
    };

    const hover = hoverTooltip(async (view, at) => {
      const line = view.state.doc.lineAt(at);
      const known = stateOf(view.state, line);
      if (known === undefined) { return null; }
      const answer = await lineSays(line.number).catch(() => null);
      if (answer === null || (answer.sentences.length === 0 && known.says === "")) { return null; }
      return {
        pos: line.from, end: line.to, above: true,
        create: () => ({ dom: element("div", "line-answer", ...lineParts(known, answer)) }),
      };
    }, { hoverTime: 350 });

    const view = new EditorView({
      parent: document.getElementById("editor"),
      state: EditorState.create({
        doc: field().value,
        extensions: [
          EditorView.cspNonce.of(document.getElementById("workshop-style").nonce),
          dark.of(EditorView.darkTheme.of(scheme.matches)),
          EditorView.contentAttributes.of({
            "aria-labelledby": "text-name", tabindex: "0", spellcheck: "false", autocapitalize: "off", autocorrect: "off", translate: "no",
          }),
          lineField, findingField, kindField,
          findingGutter, lineNumbers(), stateGutter, highlightActiveLine(), highlightActiveLineGutter(), drawing, hover,
          history(), search({ top: true }), placeholder(field().placeholder), changes,
          keymap.of([
            { key: "Mod-.", run: () => fixHere(true) },
            { key: "F8", run: () => step(1), shift: () => step(-1) },
            // The list that CodeMirror has puts links and buttons into options, where few who hear it can reach them.
            { key: "Mod-Shift-m", run: () => { list(); return true; } },
            ...searchKeymap, ...historyKeymap, ...defaultKeymap,
          ]),
        ],
      }),
    });
    scheme.addEventListener("change", () => view.dispatch({ effects: dark.reconfigure(EditorView.darkTheme.of(scheme.matches)) }));

    /* --- asking what the text says ------------------------------------------------------------------------------------ */

    function post(path, more, signal) {
      const data = form();
      data.delete("file");
      for (const [name, value] of Object.entries(more)) { data.set(name, value); }
      return fetch(`${root}${path}`, { method: "POST", body: data, signal });
    }

    /* Marks what the server knows of the text. What was asked before is forgotten: of two questions the last one counts. */
    async function ask(patient = false) {
      asking?.abort();
      const mine = new AbortController();
      asking = mine;
      const doc = view.state.doc;
      try {
        const response = await post("/marks", patient ? { patient: "on" } : {}, mine.signal);
        if (!response.ok) { return; }
        const answer = await response.json();
        // Findings that are shown anew close the one that somebody reads, and whose button they are about to press.
        while (patient && view.dom.querySelector(".cm-tooltip-lint") !== null) {
          await new Promise((resolve) => { window.setTimeout(resolve, 200); });
        }
        if (asking !== mine || view.state.doc !== doc) { return; }
        show(answer);
        if (answer.pending.length > 0) { later = window.setTimeout(() => ask(true), 1000); }
      } catch {
        // Stopped by the next question; or the server does not answer, which the view says.
      }
    }
    let later = 0;

    function show(answer) {
      const { state } = view;
      const { doc } = state;
      const lines = answer.lines.filter(([number]) => number <= doc.lines).map(([number, mark, sign, says]) => (
        new Known({ mark, sign, says }).range(doc.line(number).from)
      ));
      const before = [];
      state.field(findingField).between(0, doc.length, (from, _, known) => {
        const to = Math.min(from + known.what.to - known.what.from, doc.length);
        before.push({ known: known.what, from, to });
      });
      const isKnown = matched(before, answer.findings);
      const isSame = answeredDoc === doc;
      if (answer.pending.length > 0) { comparing = answer.pending; }
      findings = [
        ...answer.findings.map((one) => {
          const from = offset(one.start);
          const known = isKnown.get(one);
          const fresh = known === undefined ? !isFirst && (isWhole || !comparing.includes(one.code)) : isSame && known.fresh;
          return { ...one, from, to: Math.max(offset(one.end), from), fresh, text: doc.lineAt(from).text };
        }),
        ...before.filter(({ known }) => answer.pending.includes(known.code)).map(({ known, from, to }) => ({ ...known, from, to })),
      ].sort((one, other) => one.from - other.from);
      answeredDoc = doc;
      // A text that has just come has nothing new in it: all of it is.
      isFirst = false;
      isWhole ||= answer.pending.length === 0;
      view.dispatch(setDiagnostics(state, findings.map(diagnostic)), {
        effects: [
          tellKind.of(answer.kind),
          tellLines.of(RangeSet.of(lines, true)),
          tellFindings.of(RangeSet.of(findings.map((one) => new Known(one).range(one.from)), true)),
        ],
      });
    }

    /* Of each finding that was there before, the one that it was: in the place to which its line went with the changes; or
     * else in a line of the same text, for of many lines that are replaced at once nobody knows where each went. */
    function matched(before, found) {
      const { doc } = view.state;
      const pairs = new Map();
      const taken = new Set();
      const pair = (olds, nameOfOld, nameOf) => {
        const left = Map.groupBy(olds.filter(({ known }) => !taken.has(known)), nameOfOld);
        for (const one of found) {
          const old = pairs.has(one) ? undefined : left.get(nameOf(one))?.shift();
          if (old !== undefined) {
            pairs.set(one, old.known);
            taken.add(old.known);
          }
        }
      };
      const lineNow = (one) => doc.lineAt(offset(one.start));
      // What is about the whole file has no line, and goes with none.
      const place = (one, number) => `${one.code}@${one.line === 0 ? 0 : number}`;
      pair(before, ({ known, from }) => place(known, doc.lineAt(from).number), (one) => place(one, lineNow(one).number));
      pair(findings.map((known) => ({ known })), ({ known }) => `${known.code}@${known.text}`, (one) => `${one.code}@${lineNow(one).text}`);
      return pairs;
    }

    function offset([line, unit]) {
      const { doc } = view.state;
      if (line > doc.lines) { return doc.length; }
      const there = doc.line(line);
      return Math.min(there.from + unit, there.to);
    }

    function diagnostic(one) {
      const there = view.state.doc.lineAt(one.from);
      // What is about a place between characters is underlined where it can be seen.
      const [from, to] = one.from === one.to ? [there.from, there.to] : [one.from, one.to];
      return {
        from, to, severity: one.severity, message: plain(one), renderMessage: () => message(one),
        actions: one.fix === null ? [] : [{ name: title(one), apply: () => fix(one.key) }],
      };
    }

    const title = (one) => `${one.fix.title[0].toUpperCase()}${one.fix.title.slice(1)}${one.fix.safe ? "" : " (may change what is permitted)"}`.replaceAll("`", "");

    function message(one) {
      const link = element("a", "", one.code);
      link.href = `${root}/rules/${one.code}`;
      link.target = "_blank";
      link.title = "All about this rule, in a new tab";
      const head = element("span", "found", element("span", `severity ${one.severity}`, WORDS[one.severity]), " ", ...ticked(withHelp(one)));
      if (one.fresh) { head.append(" ", element("span", "chip fresh", "new")); }
      const related = one.related.map(([line, text]) => element("span", "beside", `line ${line}: `, ...ticked(text)));
      return element("span", "finding-details", head, ...related, element("span", "because", ...ticked(one.why.split("\n\n")[0]), " ", link));
    }

    /* --- the line with the cursor --------------------------------------------------------------------------------------- */

    async function lineSays(line, signal) {
      const response = await post("/line", { at_line: String(line) }, signal);
      if (!response.ok) { throw new Error("no answer"); }
      return response.json();
    }

    function lineParts(known, answer) {
      const parts = [element("p", `line-says ${known.mark}`, `${known.sign} ${known.says}`)];
      parts.push(...answer.sentences.map(([who, what]) => sentence(who, what)));
      if (answer.more > 0) { parts.push(element("p", "sentence", `and ${answer.more} more`)); }
      return parts;
    }

    let waiting = 0;
    let looking = null;
    const here = () => view.state.doc.lineAt(view.state.selection.main.head);

    function tellCursor(isTyping) {
      window.clearTimeout(waiting);
      looking?.abort();
      const line = here();
      const at = findingsOf(view.state, line);
      const mendable = at.find((one) => one.fix !== null);
      const button = document.getElementById("fix-here");
      button.hidden = mendable === undefined;
      if (mendable !== undefined) { button.textContent = title(mendable); }
      const next = document.getElementById("next-finding");
      next.disabled = findings.length === 0;
      // Without a number: the view counts causes, and here each place of one is a stop.
      next.textContent = findings.length === 0 ? "No finding" : "Next finding";
      waiting = window.setTimeout(() => tellLine(line.number, isTyping), PAUSE_AT_LINE);
    }

    async function tellLine(number, isTyping) {
      const line = here();
      if (line.number !== number) { return; }
      const known = stateOf(view.state, line);
      const parts = [`Line ${number}${known === undefined || known.says === "" ? "" : `: ${known.sign} ${known.says}`}`];
      parts.push(...findingsOf(view.state, line).map((one) => `${WORDS[one.severity]}: ${plain(one)}`));
      const out = document.getElementById("cursor-line");
      const text = parts.join(" · ");
      if (out.dataset.text !== text) {
        out.dataset.text = text;
        out.textContent = text;
      }
      if (known === undefined || isTyping) { return; }
      looking = new AbortController();
      try {
        const answer = await lineSays(number, looking.signal);
        const more = answer.sentences.map(([who, what]) => `${who} ${what}`).join("; ");
        if (here().number === number && out.dataset.text === text && more !== "") { out.textContent = `${text} · ${more}`; }
      } catch {
        // Another line is looked at by now.
      }
    }

    function fixHere(isByKey = false) {
      const at = findingsOf(view.state, here()).filter((one) => one.fix !== null);
      const safe = at.find((one) => one.fix.safe);
      if (safe === undefined && (at.length === 0 || isByKey)) {
        say("warning", "Note", at.length === 0 ? "no finding of this line has a fix" : "this fix may change what is permitted; press its button");
        return true;
      }
      fix((safe ?? at[0]).key);
      return true;
    }

    function step(direction) {
      const at = view.state.selection.main.head;
      const places = [];
      view.state.field(findingField).between(0, view.state.doc.length, (from) => { places.push(from); });
      if (direction < 0) { places.reverse(); }
      if (places.length === 0) { return false; }
      goToPlace(places.find((from) => direction * (from - at) > 0) ?? places[0]);
      return true;
    }

    function goToPlace(at) {
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    }

    document.getElementById("fix-here").addEventListener("click", () => fixHere());
    document.getElementById("next-finding").addEventListener("click", () => { step(1); });
    document.getElementById("at-cursor").hidden = false;
    const keys = document.getElementById("keys");
    keys.hidden = false;
    if (/^Mac/.test(navigator.platform)) { keys.querySelector("kbd.mod").textContent = "⌘"; }
    document.getElementById("paper").classList.add("edited");
    document.getElementById("text-name").closest("h2").addEventListener("click", () => view.focus());
    tellCursor(false);

    /* --- texts from outside --------------------------------------------------------------------------------------------- */

    /* The lines that differ, each as a change of its own where there are as many as before: so marks and cursor stay. */
    function differing(from, to) {
      let head = 0;
      const most = Math.min(from.length, to.length);
      while (head < most && from[head] === to[head]) { head += 1; }
      head = from.lastIndexOf("\n", head - 1) + 1;
      let tail = 0;
      while (tail < most - head && from[from.length - 1 - tail] === to[to.length - 1 - tail]) { tail += 1; }
      const old = from.slice(head, from.length - tail);
      const now = to.slice(head, to.length - tail);
      const [oldLines, newLines] = [old.split("\n"), now.split("\n")];
      if (oldLines.length !== newLines.length) { return [{ from: head, to: head + old.length, insert: now }]; }
      const found = [];
      let at = head;
      oldLines.forEach((line, place) => {
        if (line !== newLines[place]) { found.push({ from: at, to: at + line.length, insert: newLines[place] }); }
        at += line.length + 1;
      });
      return found;
    }

    return {
      ask,
      focus: () => view.focus(),
      isFocused: () => view.hasFocus,
      fresh: () => new Set(findings.filter((one) => one.fresh).map((one) => one.key)),
      stop() {
        window.clearTimeout(later);
        asking?.abort();
      },
      /* The text of now is sent; an answer with another text is a change of this one, whatever is typed meanwhile. */
      sent() { base = { text: view.state.doc.toString(), since: ChangeSet.empty(view.state.doc.length) }; },
      /* The text of the answer comes in as one step. */
      answered(text) {
        if (base === null) { return; }
        const made = ChangeSet.of(differing(base.text, text), base.text.length);
        const isOther = base.text === "" || made.length === 0 || made.newLength === 0;
        const since = base.since;
        base = null;
        if (!made.empty) {
          if (isOther) { begins(); }
          view.dispatch({
            changes: made.map(since), userEvent: "input.fix",
            annotations: [fromOutside.of(true), isolateHistory.of("full")],
          });
        }
        field().value = view.state.doc.toString();
      },
      /* Another text in the place of the one that is there. */
      load(text) {
        begins();
        view.dispatch({
          changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: "input.load",
          annotations: [fromOutside.of(true), isolateHistory.of("full")],
        });
        field().value = view.state.doc.toString();
      },
      goTo(number) {
        if (number < 1 || number > view.state.doc.lines) { return; }
        const line = view.state.doc.line(number);
        view.focus();
        view.dispatch({
          selection: { anchor: line.from, head: line.to }, effects: EditorView.scrollIntoView(line.from, { y: "center", x: "start" }),
        });
      },
      /* After what CodeMirror does for the cursor, which a paste leaves at the end. */
      toTop() { window.setTimeout(() => { view.dispatch({ effects: EditorView.scrollIntoView(0, { y: "start", yMargin: 20 }) }); }); },
    };
  }

  return { open };
})();
