// The page: three views, files that are dropped, the link's fragment.
import version from "built:version";
import { $ } from "./dom.js";
import { openFile, openText, reload, setSwitches, startChecking } from "./check.js";
import { EXAMPLES, showExample, startExamples } from "./examples.js";
import * as link from "./link.js";
import { openTensor, startTensor } from "./tensor.js";

const VIEWS = ["check", "examples", "tensor"];

function show(view) {
    for (const v of VIEWS) {
        $(`view-${v}`).hidden = v !== view;
        if (v === view)
            $(`tab-${v}`).setAttribute("aria-current", "page");
        else
            $(`tab-${v}`).removeAttribute("aria-current");
    }
}

const SAYS = { check: "link-said", examples: "example-said", tensor: "tensor-said" };

function failed(text) {
    $(SAYS[VIEWS.find((v) => !$(`view-${v}`).hidden)]).textContent = text;
}

const opened = (files) => files.length === 1 ? open(files[0]) :
    failed(`${files.length} files were dropped: open one at a time.`);

function damaged() {
    $("link-said").textContent = "The link is damaged: its text cannot be read.";
}

async function open(file) {
    $("link-said").textContent = "";
    if (/\.(npy|npz)$/i.test(file.name)) {
        location.hash = "view=tensor";
        show("tensor");
        await openTensor(file);
    } else {
        show("check");
        await openFile(file);
    }
}

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
        opened(event.dataTransfer.files);
    }, true);
    for (const id of ["open", "open-tensor"])
        $(id).addEventListener("change", (event) => {
            const file = event.target.files[0];
            event.target.value = "";
            if (file)
                open(file);
        });
}

async function state() {
    try {
        return await link.read(location.hash);
    } catch {
        return { damaged: true };
    }
}

const readable = (s) => ({ ...s, view: s.example ? "examples" : VIEWS.includes(s.view) ? s.view : "check" });

async function begin() {
    const s = readable(await state());
    $("version").textContent = `dmlop ${version}`;
    setSwitches(s);
    startChecking(s);
    startExamples((name) => {
        location.hash = `example=${name}`;
    });
    startTensor();
    dropping();
    show(s.view);
    if (s.damaged)
        damaged();
    if (s.view === "examples")
        await showExample(s.example ?? EXAMPLES[0].name);
}

addEventListener("hashchange", async () => {
    if (location.hash === "#main") // to skip the head of the page
        return;
    const s = readable(await state());
    $("link-said").textContent = "";
    show(s.view);
    if (s.damaged)
        damaged();
    else if (s.text !== undefined)
        reload(s);
    else if (s.view === "examples")
        await showExample(s.example ?? EXAMPLES[0].name);
});

begin();
