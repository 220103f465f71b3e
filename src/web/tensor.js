// A dropped tensor file: what `show` and `info` print, a slice by sliders or `--index`, a heat map, and downloads.
import { $, download, el, sizeText } from "./dom.js";
import { done, run } from "./engine.js";
import { showHeat } from "./heat.js";

let name, base;
let sizes;           // of the file
let spans = [];      // what the sliders say: [first, last] for each axis
let turn = 0, timer;

const LATER_MS = 80; // from a slider to what it shows
const LARGE = 100e6; // bytes

function say(text, wrong = false) {
    $("tensor-said").textContent = text;
    $("tensor-said").classList.toggle("wrong", wrong);
}

// The sizes in what `show` prints.
const sizesIn = (text) => /\(Sizes:\{([\d,]+)\}/.exec(text)?.[1].split(",").map(Number);

async function show() {
    const index = $("index").value.trim(), mine = ++turn;
    const { status, out, err } = await run(["show", ...(index ? ["--index", index] : []), "--", name]);
    if (mine !== turn)
        return false;
    $("tensor-text").textContent = out;
    say(err.trim() || `${name}: read. Nothing of it leaves the browser.`, status !== 0);
    $("tensor-text").hidden = $("heat").hidden = status !== 0;
    const selected = sizesIn(out);
    sizes ??= selected;
    if (selected)
        await showHeat(name, index, selected);
    return status === 0;
}

async function showStats() {
    const file = name, { out } = await run(["info", "--stats", "--", file]);
    if (file === name)
        $("tensor-stats").textContent = out;
}

const indexOf = ([first, last], n) => first === 0 && last === n - 1 ? ":" : first === last ? String(first) : `${first}:${last + 1}`;

// Two sliders for each axis, its first and its last index, which write the index; what is typed there moves them if they can say it.
function drawSliders() {
    spans = sizes.map((n) => [0, n - 1]);
    $("sliders").replaceChildren(...sizes.flatMap((n, axis) => n === 1 ? [] : [el("fieldset", { class: "slider" },
        el("legend", {}, `Axis ${axis}, 0 to ${n - 1}`), ...[0, 1].map((end) => el("input", {
            type: "range", min: "0", max: String(n - 1), value: String(spans[axis][end]), "data-axis": String(axis),
            "aria-label": `Axis ${axis}, ${end === 0 ? "first" : "last"} index`,
            oninput({ target }) {
                const span = spans[axis];
                span[end] = Number(target.value);
                span[1 - end] = end === 0 ? Math.max(span[1], span[0]) : Math.min(span[0], span[1]);
                moveSliders();
                $("index").value = sizes.map((m, i) => indexOf(spans[i], m)).join(", ");
                clearTimeout(timer);
                timer = setTimeout(guard(show), LATER_MS);
            } })), el("output", {}))]));
    moveSliders();
}

function moveSliders() {
    for (const slider of $("sliders").querySelectorAll("fieldset")) {
        const inputs = [...slider.querySelectorAll("input")], axis = inputs[0].dataset.axis;
        inputs.forEach((input, end) => {
            input.value = String(spans[axis][end]);
        });
        slider.querySelector("output").textContent = indexOf(spans[axis], sizes[axis]);
    }
}

function readIndex() {
    const parts = $("index").value.trim().split(",").map((part) => /^\s*(?:(\d+)|(\d*):(\d*))\s*$/.exec(part));
    const plain = $("index").value.trim() === "" ? [] : parts;
    if (!plain.every(Boolean) || plain.length > sizes.length)
        return;
    const read = sizes.map((n, axis) => {
        const [, one, from, to] = plain[axis] ?? [undefined, undefined, "", ""];
        return one !== undefined ? [Number(one), Number(one)] : [Number(from || 0), Number(to || n) - 1];
    });
    if (read.every(([first, last], axis) => first <= last && last < sizes[axis])) {
        spans = read;
        moveSliders();
    }
}

async function save() {
    const index = $("index").value.trim(), format = $("tensor-format").value, to = `${base}-slice.${format}`;
    say(`Slicing ${name} …`);
    const slice = (path) => done(["slice", ...(index ? ["--index", index] : []), "--no-sync", "-o", path, "--", name]);
    let { err, files } = await slice(format === "csv" ? "slice.npy" : to);
    if (format === "csv") // which has rows and columns
        ({ err, files } = await done(["convert", "--sizes", `-1,${sizesIn($("tensor-text").textContent).at(-1)}`, "--no-sync", "-o", to, "slice.npy"], files));
    say(err.trim() || `${to}: ${sizeText(files[to].length)}`);
    download(to, files[to]);
}

const guard = (action) => async (event) => {
    event?.preventDefault();
    try {
        await action();
    } catch (error) {
        tensorFailed(error);
    }
};

// Says that a file is being read.
export function reading(path, file) {
    name = path;
    base = name.replace(/.*\//, "").replace(/\.[^.]*$/, "");
    $("tensor-name").textContent = `${name}, ${sizeText(file.size)}`;
    $("tensor-text").textContent = "";
    $("tensor-form").hidden = $("heat").hidden = true;
    $("tensor-stats").textContent = "";
    $("sliders").replaceChildren();
    sizes = undefined;
    $("index").value = "";
    say(file.size > LARGE
        ? `Reading ${name}, ${sizeText(file.size)}: it is copied to this tab's memory, which takes a while and needs twice its size …`
        : `Reading ${name} …`);
}

export const tensorFailed = (error) => say(error.message, true);

// Shows a file that the worker has.
export async function showTensor(path, file) {
    reading(path, file);
    await guard(async () => {
        $("tensor-form").hidden = !await show();
        if (sizes)
            drawSliders();
        await showStats();
    })();
}

export function startTensor() {
    $("tensor-form").addEventListener("submit", guard(async () => {
        readIndex();
        await show();
    }));
    $("tensor-save").addEventListener("click", guard(save));
}
