// A dropped tensor file: what `show` prints, a slice by `--index`, and its download.
import { $, download, el, sizeText } from "./dom.js";
import { run } from "./engine.js";

let name, base;

const LARGE = 100e6; // bytes

function say(text, wrong = false) {
    $("tensor-said").textContent = text;
    $("tensor-said").classList.toggle("wrong", wrong);
}

async function show() {
    const index = $("index").value.trim();
    const { status, out, err } = await run(["show", ...(index ? ["--index", index] : []), "--", name]);
    $("tensor-text").textContent = out;
    say(err.trim() || `${name}: read. Nothing of it leaves the browser.`, status !== 0);
    $("tensor-text").hidden = status !== 0;
    return status === 0;
}

async function save() {
    const index = $("index").value.trim(), to = `${base}-slice.${$("tensor-format").value}`;
    say(`Slicing ${name} …`);
    const { status, err, files } = await run(["slice", ...(index ? ["--index", index] : []), "--no-sync", "-o", to, "--", name]);
    say(err.trim() || (status === 0 ? `${to}: ${sizeText(files[to].length)}` : `dmlop ended with status ${status}`), status !== 0);
    if (status === 0)
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
    $("tensor-form").hidden = true;
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
    })();
}

export function startTensor() {
    $("tensor-form").addEventListener("submit", guard(show));
    $("tensor-save").addEventListener("click", guard(save));
}
