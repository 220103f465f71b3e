// The page: three views, files that are dropped, the link's fragment.
import samples from "built:samples";
import version from "built:version";
import { $, sizeText } from "./dom.js";
import * as drafts from "./drafts.js";
import { checked, computable, edit, hasLevel, reload, setSwitches, startChecking } from "./check.js";
import { EXAMPLES, OWN, showExample, showOwn, startExamples, take, takes } from "./examples.js";
import * as link from "./link.js";
import { startTensor } from "./tensor.js";
import { filesOf, open, startWorkspace, tensors } from "./workspace.js";

const VIEWS = ["check", "examples", "tensor"];
const SAMPLE = "slice1-ex1.input.json";
const LATER_MS = 1000; // after the page is loaded

function show(view) {
    for (const v of VIEWS) {
        $(`view-${v}`).hidden = v !== view;
        $(`tab-${v}`).setAttribute("aria-current", v === view ? "page" : "false");
    }
}

function say(text) {
    $("said").textContent = text;
}

// Shows a view in a new entry of the tab's history.
function go(view) {
    if ($(`view-${view}`).hidden)
        link.push(`view=${view}`);
    show(view);
}

const opened = (files) => open(files).catch((error) => say(error.message));

function dropping() {
    const over = (on) => document.body.classList.toggle("over", on);
    addEventListener("dragover", (event) => {
        if (!event.dataTransfer.types.includes("Files"))
            return; // a text, which the editor takes
        event.preventDefault();
        over(true);
    });
    addEventListener("dragleave", () => over(false));
    addEventListener("drop", (event) => {
        if (event.dataTransfer.files.length === 0)
            return;
        event.preventDefault();
        event.stopPropagation();
        over(false);
        const title = event.target.closest?.("[data-title]")?.dataset.title;
        filesOf(event.dataTransfer).then((files) => takes() ? take(files.map(([, file]) => file), title) : opened(files),
            (error) => say(error.message));
    }, true);
    for (const id of ["open", "open-tensor"])
        $(id).addEventListener("change", (event) => {
            const files = [...event.target.files];
            event.target.value = "";
            if (files.length > 0)
                opened(files.map((file) => [file.name, file]));
        });
}

// "light", "dark" or "", which is that of the system.
function theme(chosen) {
    document.documentElement.dataset.theme = chosen;
    document.documentElement.style.colorScheme = chosen;
    $("theme").value = chosen;
}

// Has a reload work without a network, where the address allows that; a folder on a disk needs none.
function keepOffline() {
    if (location.protocol === "file:")
        $("archive").hidden = true;
    else
        addEventListener("load", () => setTimeout(() => navigator.serviceWorker?.register("offline.js").catch(() => {}), LATER_MS));
}

// Computes the descriptor in the editor, once it is checked.
async function computeOwn() {
    await checked;
    const { name, text, tensors: described } = computable();
    if (!name)
        say("The text in the editor is none that can be computed. This is the first example.");
    await (name ? showOwn(name, text, described, tensors()) : showExample()).catch((error) => say(error.message));
}

const examples = (name) => name === OWN && !takes() ? computeOwn() : showExample(name);

// What the link says, and in `wrong` what is wrong with it.
async function state() {
    let s;
    try {
        s = await link.read(location.hash);
    } catch (error) {
        const why = error instanceof link.TooLong ? `has a text of more than ${sizeText(link.MOST)}, which is not opened` :
            "is damaged: its text cannot be read";
        return { view: "check", level: null, wrong: `The link ${why}. The text below is not from the link.` };
    }
    const view = s.example !== null ? "examples" : s.view ?? "check", known = VIEWS.includes(view);
    const wrong =
        s.example !== null && s.example !== OWN && !EXAMPLES.some((e) => e.name === s.example) ?
            `The link names an example '${s.example}', which does not exist. This is the first example.` :
        !known ? `The link names a view '${view}', which does not exist.` :
        s.level !== null && !hasLevel(s.level) ? `The link names a feature level '${s.level}', which does not exist.` :
        s.nothing !== undefined ? `The link ends with '#${s.nothing}', which names nothing on this page.` : "";
    return { ...s, view: known ? view : "check", wrong };
}

async function begin() {
    const s = await state(), draft = drafts.begin();
    const kept = draft && (s.text === undefined || draft.hash === location.hash);
    if (!kept)
        drafts.next();
    history.replaceState(link.SEEN, "");
    $("version").textContent = `dmlop ${version}`;
    setSwitches(kept && (s.text !== undefined || s.level === null) ? draft : s);
    startChecking(kept ? draft : s);
    startExamples((name) => {
        location.hash = `example=${name}`;
    }, computeOwn, edit);
    $("compute").addEventListener("click", () => {
        link.push(`example=${OWN}`);
        show("examples");
        computeOwn();
    });
    startTensor();
    $("sample").addEventListener("click", () => opened([[SAMPLE, new File([samples[SAMPLE]], SAMPLE)]]));
    theme(drafts.setting("theme") ?? "");
    $("theme").addEventListener("change", () => theme(drafts.setting("theme", $("theme").value)));
    keepOffline();
    startWorkspace(go, say);
    dropping();
    show(s.view);
    say(s.wrong);
    if (s.view === "examples")
        await examples(s.example);
}

async function moved() {
    if (location.hash === "#main") // to skip the head of the page
        return;
    const back = history.state !== null, s = await state();
    history.replaceState(link.SEEN, "");
    $("link-said").textContent = "";
    show(s.view);
    say(s.wrong);
    if (s.text !== undefined || s.level !== null)
        reload(s, back);
    else if (s.view === "examples")
        await examples(s.example);
}

if (globalThis.dmlop) {
    begin();
    addEventListener("hashchange", moved);
} else
    $("summary").textContent = "engine.js cannot be loaded, and the page does nothing without it.";
