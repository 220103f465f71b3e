// The page for checking: the editor, the list of findings, templates, fixes, links.
import operators from "built:operators";
import samples from "built:samples";
import { $, button, download, el, linked, showDialog, showText, sizeText } from "./dom.js";
import * as drafts from "./drafts.js";
import { applyEdits, goTo, hoverText, makeEditor, resetText, setText, showSquiggles } from "./editor.js";
import { bytesOf, Failure, output, run } from "./engine.js";
import { found as mark, leave } from "./workspace.js";
import { adoptForm, textOf, writtenOf } from "./form.js";
import { isComputed } from "./examples.js";
import * as link from "./link.js";
import { Server } from "./server.js";
import { drawShapes, operatorsOf } from "./shapes.js";

const LISTED = 100;          // findings
const KEEP_MS = 300;
const MOST_EDITED = 64 << 20; // bytes of a text
const MOST_LINKED = 2 << 20;  // characters of a link, which is what Chromium opens
const NAME = "descriptor.json";
const TEMPLATE = /'dmlop validate --template=(\w+)' prints a descriptor( to start from)?/; // what a hint says
const SEVERITIES = { 1: "error", 2: "warning", 3: "note" };

let view, server, name = NAME;
let shown = [[], new Map()]; // the newest findings and their fixes
let computed;                // the operator of the text, if it can be computed (shapes.js)
let edited = false;          // the text or a switch, since it was opened
let opening = false;         // the editor's text is replaced by another one
let keeping, unkept = false; // a timer until an edit is kept; it could not be
let drawn;                   // resolves

export const checked = new Promise((resolve) => { // the first text is, and what computable() says
    drawn = resolve;
});

export const switches = () => ({ level: $("level").value, portable: $("portable").checked });

function args() {
    const { level, portable } = switches();
    return ["--feature-level", level, ...(portable ? ["--portable"] : [])];
}

function say(text, sign = "") {
    $("summary").textContent = text;
    $("summary").className = sign;
}

// Nothing can be done with findings or a picture that are not there.
function lacksFindings() {
    $("fix-all").disabled = $("copy-cpp").disabled = true;
    $("to-json").hidden = true;
    showShapes([], "", []);
    shown = [[], new Map()];
}

function fail(error) {
    $("findings").replaceChildren(el("li", { class: "error" }, el("pre", {}, error.message)));
    lacksFindings();
    say("It could not be checked.", "error");
    showSquiggles(editor(), ...shown);
}

// C++: initializers, which --fix makes JSON of, and statements, whose program can write JSON.
const isC = ({ code, message }) => code === "json.syntax" && / is C[,;]/.test(message);
const statements = (d) => isC(d) && d.message.startsWith("this is C");

function fixesOf(diagnostics, actions) {
    const fixes = new Map(), same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
    for (const d of diagnostics) {
        const action = actions.find((a) => a.kind === "quickfix" && a.diagnostics?.some(
            (o) => o.code === d.code && o.message === d.message && same(o.range, d.range)));
        const [edits] = Object.values(action?.edit?.changes ?? {});
        if (edits)
            fixes.set(d, () => {
                applyEdits(editor(), edits);
                view.focus();
            });
    }
    return fixes;
}

function place(range) {
    const text = `${range.start.line + 1}:${range.start.character + 1}`;
    return button(text, () => goTo(editor(), range), { class: "place", "aria-label": `Go to ${text}, line and column` });
}

function item(d, fix) {
    const [message, ...hints] = d.message.split("\n"), hint = hints.join(" "), start = TEMPLATE.exec(hint)?.[1];
    const severity = SEVERITIES[d.severity] ?? "note";
    return el("li", { class: severity },
        el("p", {}, place(d.range), el("strong", {}, ` ${severity}: `), ...linked(message)),
        hint && el("p", { class: "hint" }, "hint: ", ...linked(hint.replace(TEMPLATE, "begin with a template"))),
        ...(d.relatedInformation ?? []).map((r) => el("p", { class: "hint" }, place(r.location.range), ` ${r.message}`)),
        el("p", { class: "buttons" },
            statements(d) && button("Save dmlop_dump.h",
                async () => download("dmlop_dump.h", await output(["validate", "--dump-header"]), "text/plain")),
            start && start !== "NAME" && button(`Template: ${start.toUpperCase()}`, () => template(start)),
            fix && button("Fix", fix, { class: "main", "aria-label": `Fix: ${hints[0] ?? message}` }),
            button(d.code, async () => showText(`Rule ${d.code}`, await output(["validate", "--explain", d.code])),
                { class: "rule", "aria-label": `Explain the rule ${d.code}` })));
}

const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
const signOf = (errors) => errors > 0 ? `\u2717 ${errors}` : "\u2713";

// A file that a model names and the page has not is no error here.
const lacks = (rule, message) => rule === "run.source-file" && message.includes(": No such file");
const lackedBy = ({ code, message }) => lacks(code, message) ? message.slice(0, message.indexOf(": No such file")) : undefined;
export const lacking = () => shown[0].map((d) => d.lacked).filter(Boolean);

function show(found, actions, text, failure, symbols) {
    const fixes = fixesOf(found, actions);
    let diagnostics = found.map((d) => lackedBy(d) === undefined ? d : { ...d, severity: 3, lacked: lackedBy(d), message:
        `${lackedBy(d)} is not here, so it is not checked.\nDrop it on this page, or drop the model and its files together.` });
    const number = (severity) => diagnostics.filter((d) => d.severity === severity).length;
    const errors = number(1), warnings = number(2), lacked = number(3);
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
        say((errors + warnings === 0 ? "Valid: no errors, no warnings." : `${count(errors, "error")}, ${count(warnings, "warning")}`) +
            (lacked > 0 ? ` (${count(lacked, "file")} not here)` : ""), errors > 0 ? "error" : warnings > 0 ? "warning" : "good");
    $("run").hidden = !isModel(text);
    $("to-json").hidden = !(all && diagnostics.some(isC));
    $("copy-cpp").disabled = errors > 0 || isModel(text) || text.trim() === "";
    Promise.resolve(symbols).then((later) => text === server.text && showShapes(later ?? [], text, diagnostics), () => {});
    mark(signOf(errors));
    if (failure)
        $("link-said").textContent = `${failure.message} It was started again, and has checked the text.`;
    performance.mark("findings");
    shown = [diagnostics, fixes];
    if (view)
        showSquiggles(view, ...shown);
    else
        requestAnimationFrame(() => setTimeout(editor)); // after the first findings are painted
}

function showShapes(symbols, text, diagnostics) {
    const operators = operatorsOf(symbols), wrong = diagnostics.some((d) => d.severity === 1);
    drawShapes(operators, text, diagnostics, (range) => goTo(editor(), range));
    computed = !wrong && !isModel(text) && isComputed(operators[0]?.name) ? operators[0] : undefined;
    $("compute").hidden = !computed;
    drawn();
}

// The descriptor, { name, text, tensors }, if its operator is one that dmlop computes.
export const computable = () => ({ ...computed, text: currentText() });

// The editor, which is made when it is first needed: the first findings do not wait for it.
function editor() {
    if (!view) {
        view = makeEditor($("editor"), server.text, {
            server,
            changed(t) {
                $("template").value = "";
                server.change(t);
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
        unkept = !drafts.keep({ name, text: currentText(), edited, hash: location.hash, ...switches() }, edited);
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
        el("div", {}, el("ol", { class: "kept" }, ...all.map((draft) => el("li", {},
            button(`${new Date(draft.time).toLocaleString()}, ${/DML_OPERATOR_(\w+)/.exec(draft.text)?.[1] ?? "no operator"}`, () => {
                $("dialog").close();
                setSwitches(draft);
                openText(draft.text, draft.name);
                server.restart();
            }), ` ${draft.name}, ${sizeText(draft.text.length)}: `, el("code", {}, draft.text.slice(0, 200))))),
            button("Delete all", () => {
                drafts.deleteAll();
                showKept();
            })));
}

// What `dmlop run` prints, and the files that it writes.
async function runModel() {
    const { out, err, files } = await run(["run", "--", name], { [name]: currentText() });
    showText(`Run ${name}`, out + err, Object.entries(files).map(([path, bytes]) => [`Save ${path}`,
        () => download(path.replace(/.*\//, ""), bytes)]));
}

const fixed = () => run(["validate", "--fix", ...args(), "--", name], { [name]: currentText() });

async function toJson() {
    setText(view, adoptForm((await fixed()).out).text);
    view.focus();
    $("link-said").textContent = "JSON was made of the C++. Ctrl-Z brings it back.";
}

async function copyCpp() {
    const out = await output(["validate", "--cpp", ...args(), "--", name], { [name]: currentText() });
    await navigator.clipboard.writeText(out).then(() => {
        $("link-said").textContent = `Copied: ${out.split("\n").length - 1} lines of C++, which build this descriptor.`;
    }, () => showText("The descriptor as C++", out));
}

// The difference and the fixed text are what `validate --fix` prints.
async function fixAll() {
    const { out, err } = await fixed();
    showText("Fix all that is certain", err, out === "" ? [] : [["Apply", () => {
        setText(view, adoptForm(out).text);
        view.focus();
    }]], true);
}

// Says more than the editor can: a file that is not UTF-8 is checked as it is. Throws what the program says of a file that is no
// text.
async function findingsIn(path, bytes) {
    const { out, err } = await run(["validate", "--format", "json", ...args(), "--", path], { [path]: bytes });
    const found = JSON.parse(out).files[0]?.findings ?? [];
    if (found.length === 0)
        throw new Failure(err.replace(/^dmlop: validate: /, "") || `${path} is not a text.`);
    return found;
}

function showBroken(found) {
    lacksFindings();
    $("findings").replaceChildren(...found.map((f) => item({
        range: { start: { line: f.line - 1, character: f.column - 1 }, end: { line: f.line - 1, character: f.end_column - 1 } },
        severity: f.severity === "error" ? 1 : 2, code: f.rule, message: [f.message, f.hint].filter(Boolean).join("\n") })));
    say(`${count(found.length, "finding")} in the file, which is not UTF-8. The editor shows \uFFFD for each wrong byte, ` +
        "and checks its own text when you edit it.", "error");
}

function nameFindings() {
    $("findings-title").textContent = name === NAME ? "Findings" : `Findings in ${name}`;
}

// linked: it is that of the page's link; tab: of the workspace, with an undo history and a place in the list of its own.
function openText(text, from = NAME, { linked, tab } = {}) {
    const editing = editor(), replaced = edited && !tab;
    if (keeping)
        keep();
    if (!tab)
        leave();
    if (!linked && link.hasText(location.hash))
        link.push("view=check");
    const { text: plain, several } = adoptForm(text), folder = from.replace(/[^/]*$/, ""), moved = folder !== server.folder;
    const draft = drafts.next(tab?.draft);
    edited = false;
    name = from;
    server.folder = folder;
    nameFindings();
    opening = true;
    if (tab) {
        tab.draft = draft;
        resetText(editing, plain);
    } else
        setText(editing, plain);
    opening = false;
    if (moved && !tab)
        again();
    keepSoon();
    $("link-said").textContent = several ? `The lines of ${name} end in several ways: all are written like most of them.` :
        replaced ? "The text that was here is among the earlier texts." : "";
}

// Edits a text elsewhere. Where the editor has another one, that is kept like one that is replaced. Returns the new text.
export function edit(before, text) {
    if (currentText() !== before)
        openText(before);
    setText(view, text.replace(/^\ufeff/, ""));
    return currentText();
}

export const currentName = () => name;
export const currentText = () => writtenOf(editor().state.doc);
export const isModel = (text) => /"dispatchables"\s*:/.test(text);

export function reading(files) {
    say(files.length > 1 ? `Reading ${files.length} files …` : `Reading ${files[0][0]}, ${sizeText(files[0][1].size)} …`);
}

// Checks the editor's text again, with the files that are there now.
export const again = () => server.restart();

// The encoding of a text: that of its byte order mark, or the one by which its first characters are ASCII.
function encodingOf([a, b, c, d]) {
    return a === 0xff && b === 0xfe || a && b === 0 && c && d === 0 ? "utf-16le" :
        a === 0xfe && b === 0xff || a === 0 && b && c === 0 && d ? "utf-16be" : "utf-8";
}

// The text of a file, { text, note, broken }: what there is to say of it, and the findings of one that is not UTF-8. Of a file that
// is none, {} if there are several, or it throws why.
export async function decode(path, file, several) {
    const bytes = await bytesOf(file), encoding = encodingOf(bytes);
    const decoded = (fatal) => new TextDecoder(encoding, { fatal, ignoreBOM: encoding === "utf-8" }).decode(bytes);
    try {
        if (bytes.length > MOST_EDITED) { // the program says how long a text may be
            const { out, err } = await run(["validate", ...args(), "--", path], { [path]: bytes });
            throw new Failure(err + out || `${path} is too long for the editor.`);
        }
        try {
            const text = decoded(true);
            if (!text.includes("\0"))
                return { text, note: encoding === "utf-8" ? "" : `${path} is ${encoding.toUpperCase()}: it is saved as UTF-8.` };
        } catch { // shown as it can be
        }
        return { broken: await findingsIn(path, bytes), text: decoded(false) };
    } catch (error) {
        if (several)
            return {};
        throw error;
    }
}

// Shows a tab of the workspace.
export function openTab(path, tab) {
    const { text, note, broken } = tab;
    openText(text, path, { tab });
    if (note)
        $("link-said").textContent = note;
    server.skip(textOf(view.state.doc));
    if (broken)
        showBroken(broken);
    else
        again();
}

// A sign for each of several texts, path -> text.
export async function judge(texts) {
    const { out } = await run(["validate", "--format", "json", ...args(), "--", ...Object.keys(texts)], texts);
    return JSON.parse(out || '{ "files": [] }').files.map(({ file, findings }) => {
        const errors = findings.filter((f) => f.severity === "error" && !lacks(f.rule, f.message)).length;
        return [file, signOf(errors)];
    });
}

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

async function template(operator) {
    try {
        openText(await output(["validate", `--template=${operator}`]), `${operator.toLowerCase()}.json`);
    } catch (error) {
        fail(error);
    }
    $("template").value = operators.find((o) => o.toLowerCase().replaceAll("_", "") === operator.toLowerCase().replaceAll("_", "")) ??
        operator; // so that the arrow keys go on from there
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
    $("template").addEventListener("change", () => $("template").value && template($("template").value));
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
    for (const [id, action] of [["run", runModel], ["fix-all", fixAll], ["to-json", toJson]])
        $(id).addEventListener("click", () => action().catch(fail));
    for (const [id, copy] of [["copy-link", copyLink], ["copy-cpp", copyCpp]])
        $(id).addEventListener("click", () => copy().catch((error) => {
            $("link-said").textContent = error.message;
        }));
    $("save").addEventListener("click", () => download(name.replace(/.*\//, ""), currentText(), "application/json"));
    $("broken").addEventListener("click", () => openText(samples["broken.json"]));
}

// Shows what a link says; back: one that was shown before, whose text does not replace an edited one.
export function reload(state, back) {
    const other = state.text !== undefined && state.text !== currentText();
    if (!(other && back && edited)) {
        setSwitches(state);
        if (other)
            openText(state.text, NAME, { linked: true });
    } else
        $("link-said").textContent = "The text was edited since: it stays, and the link is now one to it.";
    keepSoon();
    server.restart();
}
