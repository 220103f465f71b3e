// The page for checking: the editor, the list of findings, templates, fixes, links.
import operators from "built:operators";
import samples from "built:samples";
import { $, button, download, el, showDialog, showText, sizeText } from "./dom.js";
import * as drafts from "./drafts.js";
import { applyEdits, goTo, hoverText, makeEditor, setText, showSquiggles } from "./editor.js";
import { bytesOf, Failure, output, run } from "./engine.js";
import { adoptForm, textOf, writtenOf } from "./form.js";
import * as link from "./link.js";
import { Server } from "./server.js";

const LISTED = 100;          // findings
const KEEP_MS = 300;
const MOST_EDITED = 64 << 20; // bytes of a text
const MOST_LINKED = 2 << 20;  // characters of a link, which is what Chromium opens
const NAME = "descriptor.json";
const SEVERITIES = { 1: "error", 2: "warning", 3: "note" };

let view, server, name = NAME;
let shown = [[], new Map()]; // the newest findings and their fixes
let edited = false;          // the text or a switch, since it was opened
let opening = false;         // the editor's text is replaced by another one
let keeping, unkept = false; // a timer until an edit is kept; it could not be

export const switches = () => ({ level: $("level").value, portable: $("portable").checked });

function args() {
    const { level, portable } = switches();
    return ["--feature-level", level, ...(portable ? ["--portable"] : [])];
}

function say(text) {
    $("summary").textContent = text;
}

function fail(error) {
    $("findings").replaceChildren(el("li", { class: "error" }, el("pre", {}, error.message)));
    $("fix-all").disabled = true;
    say("It could not be checked.");
    shown = [[], new Map()];
    showSquiggles(editor(), ...shown);
}

async function explain(rule) {
    showText(`Rule ${rule}`, await output(["validate", "--explain", rule]));
}

const sameRange = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function fixesOf(diagnostics, actions) {
    const fixes = new Map();
    for (const d of diagnostics) {
        const action = actions.find((a) => a.kind === "quickfix" && a.diagnostics?.some(
            (o) => o.code === d.code && o.message === d.message && sameRange(o.range, d.range)));
        const edit = action?.edit;
        const edits = edit?.documentChanges?.[0].edits ?? (edit?.changes && Object.values(edit.changes)[0]);
        if (edits)
            fixes.set(d, () => {
                applyEdits(editor(), edits);
                view.focus();
            });
    }
    return fixes;
}

function place(range) {
    return `${range.start.line + 1}:${range.start.character + 1}`;
}

function item(d, fix) {
    const [message, ...hints] = d.message.split("\n");
    const severity = SEVERITIES[d.severity] ?? "note";
    return el("li", { class: severity },
        el("p", {},
            button(place(d.range), () => goTo(editor(), d.range),
                { class: "place", "aria-label": `Go to ${place(d.range)}, line and column` }),
            el("strong", {}, ` ${severity}: `), message),
        hints.length > 0 && el("p", { class: "hint" }, `hint: ${hints.join(" ")}`),
        ...(d.relatedInformation ?? []).map((r) => el("p", { class: "hint" },
            button(place(r.location.range), () => goTo(editor(), r.location.range),
                { class: "place", "aria-label": `Go to ${place(r.location.range)}, line and column` }), ` ${r.message}`)),
        el("p", { class: "buttons" },
            fix && button("Fix", fix, { class: "main", "aria-label": `Fix: ${hints[0] ?? message}` }),
            button(d.code, () => explain(d.code), { class: "rule", "aria-label": `Explain the rule ${d.code}` })));
}

function count(n, word) {
    return `${n} ${word}${n === 1 ? "" : "s"}`;
}

function show(diagnostics, actions, text, failure) {
    const fixes = fixesOf(diagnostics, actions);
    const errors = diagnostics.filter((d) => d.severity === 1).length, warnings = diagnostics.length - errors;
    if (text.trim() === "")
        diagnostics = [];
    $("findings").replaceChildren(...diagnostics.slice(0, LISTED).map((d) => item(d, fixes.get(d))));
    if (diagnostics.length > LISTED)
        $("findings").append(el("li", {}, `and ${diagnostics.length - LISTED} more`));
    const all = actions.find((a) => a.kind === "source.fixAll");
    $("fix-all").disabled = !all;
    if (text.trim() === "")
        say("Nothing to check yet: type, paste or drop a descriptor, or choose a template.");
    else
        say(diagnostics.length === 0 ? "Valid: no errors, no warnings." :
            `${count(errors, "error")}, ${count(warnings, "warning")}`);
    if (failure)
        $("link-said").textContent = `${failure.message} It was started again, and has checked the text.`;
    performance.mark("findings");
    shown = [diagnostics, fixes];
    if (view)
        showSquiggles(view, ...shown);
    else
        requestAnimationFrame(() => setTimeout(editor)); // after the first findings are painted
}

// The editor, which is made when it is first needed: the first findings do not wait for it.
function editor() {
    if (!view) {
        view = makeEditor($("editor"), server.text, {
            server,
            changed(t) {
                $("template").value = "";
                quiet || server.change(t);
                edited ||= !opening;
                keepSoon();
            },
            describe: (hover) => {
                $("described").replaceChildren(...(hover ? hoverText(hover) : [el("p", {}, "There is nothing to say of this place.")]));
            },
        });
        showSquiggles(view, ...shown);
    }
    return view;
}

// Keeps the text on this device, and in the page's link if there is one with a text.
async function keep() {
    clearTimeout(keeping);
    keeping = undefined;
    const put = () => {
        const text = writtenOf(editor().state.doc);
        unkept = !drafts.keep({ name, text, edited, hash: location.hash, ...switches() }, edited);
    };
    put();
    const { hash } = location, { doc } = view.state;
    if (!edited || !link.hasText(hash))
        return;
    const fragment = await fragmentOf(doc).catch(() => "view=check");
    if (location.hash === hash && view.state.doc === doc) {
        history.replaceState(history.state, "", `#${fragment}`);
        put();
    }
}

function keepSoon() {
    clearTimeout(keeping);
    keeping = setTimeout(keep, KEEP_MS);
}

const fragmentOf = (doc) => link.write({ text: writtenOf(doc), ...switches() });

function showKept() {
    if (keeping)
        keep();
    const all = drafts.list();
    showDialog("Earlier texts", all.length === 0 ? el("p", {}, "There are none: a text that is edited is kept here, on this device.") :
        el("ol", { class: "kept" }, ...all.map((draft) => el("li", {},
            button(`${new Date(draft.time).toLocaleString()}, ${/DML_OPERATOR_(\w+)/.exec(draft.text)?.[1] ?? "no operator"}`, () => {
                $("dialog").close();
                setSwitches(draft);
                openText(draft.text, draft.name);
                server.restart();
            }), ` ${draft.name}, ${sizeText(draft.text.length)}: `, el("code", {}, draft.text.slice(0, 200))))),
        all.length === 0 ? [] : [["Delete all", drafts.deleteAll]]);
}

// The difference and the fixed text are what `validate --fix` prints.
async function fixAll() {
    const text = writtenOf(editor().state.doc);
    const { out, err } = await run(["validate", "--fix", ...args(), NAME], { [NAME]: text });
    showText("Fix all that is certain", err, out === "" ? [] : [["Apply", () => {
        setText(view, adoptForm(out).text);
        view.focus();
    }]], true);
}

// Says more than the editor can: a file that is not UTF-8 is checked as it is.
async function showBroken(bytes) {
    const { out, err } = await run(["validate", "--format", "json", ...args(), NAME], { [NAME]: bytes });
    const found = JSON.parse(out).files[0]?.findings ?? [];
    $("findings").replaceChildren(...found.map((f) => item({
        range: { start: { line: f.line - 1, character: f.column - 1 }, end: { line: f.line - 1, character: f.end_column - 1 } },
        severity: f.severity === "error" ? 1 : 2, code: f.rule, message: [f.message, f.hint].filter(Boolean).join("\n") })));
    $("fix-all").disabled = true;
    say(`${count(found.length, "finding")}${err} in the file, which is not UTF-8. The editor shows \uFFFD for each wrong byte, ` +
        "and checks its own text when you edit it.");
}

function nameFindings() {
    $("findings-title").textContent = name === NAME ? "Findings" : `Findings in ${name}`;
}

function openText(text, from = NAME) {
    const editing = editor(), replaced = edited;
    if (keeping)
        keep();
    const { text: plain, several } = adoptForm(text);
    drafts.next();
    edited = false;
    name = from;
    nameFindings();
    opening = true;
    setText(editing, plain);
    opening = false;
    keepSoon();
    $("link-said").textContent = several ? `The lines of ${name} end in several ways: all are written like most of them.` :
        replaced ? "The text that was here is among the earlier texts." : "";
}

export async function openFile(file) {
    try {
        await read(file);
    } catch (error) {
        fail(error);
    }
}

async function read(file) {
    say(`Reading ${file.name}, ${sizeText(file.size)} …`);
    const bytes = await bytesOf(file);
    if (bytes.length > MOST_EDITED) { // the program says how long a text may be
        const { out, err } = await run(["validate", ...args(), "--", file.name], { [file.name]: bytes });
        throw new Failure(err + out || `${file.name} is too long for the editor.`);
    }
    let text, broken = false;
    try {
        text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
        broken = true;
        text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    }
    say(`Checking ${file.name}, ${sizeText(file.size)} …`);
    if (broken) {
        quiet = true;
        openText(text, file.name);
        server.skip(textOf(view.state.doc));
        quiet = false;
        await showBroken(bytes);
    } else
        openText(text, file.name);
}

let quiet = false; // edits are not checked

async function copyLink() {
    const url = new URL(location.href);
    url.hash = await fragmentOf(editor().state.doc).catch(() => "");
    if (url.hash === "" || url.href.length > MOST_LINKED)
        throw new Failure("A link to this text is too long for browsers: save the text, and send the file.");
    history.replaceState(history.state, "", url);
    keepSoon();
    try {
        await navigator.clipboard.writeText(url.href);
        $("link-said").textContent = `Copied: ${url.href.length} characters. The text is in the link itself.`;
    } catch {
        $("link-said").textContent = "The link is in the address bar: copy it from there.";
    }
}

async function template() {
    const operator = $("template").value;
    if (!operator)
        return;
    try {
        openText(await output(["validate", `--template=${operator}`]), `${operator.toLowerCase()}.json`);
    } catch (error) {
        fail(error);
    }
    $("template").value = operator; // so that the arrow keys go on from there
}

export const hasLevel = (level) => [...$("level").options].some((o) => o.value === level);

export function setSwitches({ level, portable }) {
    if (hasLevel(level))
        $("level").value = level;
    $("portable").checked = Boolean(portable);
}

export function startChecking({ text = samples["broken.json"], name: from = NAME, edited: was = false }) {
    server = new Server(switches, show, fail);
    [name, edited] = [from, was];
    nameFindings();
    if (edited)
        keepSoon(); // the link may be older
    server.change(adoptForm(text).text);
    $("template").append(el("option", { value: "model" }, "a model (DxDispatch)"),
        ...operators.map((o) => el("option", { value: o }, o)));
    $("template").addEventListener("change", template);
    for (const id of ["level", "portable"])
        $(id).addEventListener("change", () => {
            edited = true;
            server.restart();
            keepSoon();
        });
    addEventListener("pagehide", () => keeping && keep());
    addEventListener("visibilitychange", () => keeping && keep());
    addEventListener("beforeunload", (event) => unkept && event.preventDefault());
    $("kept").addEventListener("click", showKept);
    $("fix-all").addEventListener("click", () => fixAll().catch(fail));
    $("copy-link").addEventListener("click", () => copyLink().catch((error) => {
        $("link-said").textContent = error.message;
    }));
    $("save").addEventListener("click", () => download(name, writtenOf(editor().state.doc), "application/json"));
    $("broken").addEventListener("click", () => openText(samples["broken.json"]));
}

// Shows what a link says; back: one that was shown before, whose text does not replace an edited one.
export function reload(state, back) {
    const other = state.text !== undefined && state.text !== writtenOf(editor().state.doc);
    if (!(other && back && edited)) {
        setSwitches(state);
        if (other)
            openText(state.text);
    } else
        $("link-said").textContent = "The text was edited since: it stays, and the link is now one to it.";
    keepSoon();
    server.restart();
}
