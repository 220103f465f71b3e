// The page for the documentation: the examples of samples/ as tables that can be edited, computed by dmlop, and any descriptor of
// their operators. What is drawn over the tables is read from `--explain`.
import runs from "built:runs";
import samples from "built:samples";
import { $, button, el } from "./dom.js";
import { bytesOf, done, Failure, output } from "./engine.js";
import { converted, countOf, numbers, read, slidersOf } from "./parts.js";

const EXPLAINED = 64;     // elements that are explained to draw what comes from where,
const COPIED = 64 << 20;  // with at most so many bytes that are copied for that
const LATER_MS = 80;      // from a slider to what it shows

export const OWN = "own"; // instead of the name of an example: the descriptor in the editor

const slice = (name) => ({ name, args: ["slice", "-d", `${name}.desc.json`, `${name}.input.json`], results: ["expected"] });
const topk = (name) => ({
    name, args: ["topk", "-d", `${name}.desc.json`, "--indices", "indices.json", `${name}.input.json`],
    results: ["expected-values", "expected-indices"] });
const product = (name, ...args) => ({
    name, args: ["qmatmul", "-d", `${name}.desc.json`, ...args, `${name}.a.json`, `${name}.b.json`], results: ["expected"],
    source: "the arithmetic shown in the descriptor" });
const perRow = ["a-scale", "a-zero-point", "b-scale", "b-zero-point", "output-scale", "output-zero-point"];

// In the order of samples/demo, with its commands.
export const EXAMPLES = [
    ...["slice1-ex1", "slice1-ex2", "slice-ex1", "slice-ex2"].map(slice),
    ...["topk1-ex1", "topk1-ex2", "topk1-ex3", "topk1-ex4", "topk-ex1", "topk-ex2", "topk-ex3"].map(topk),
    product("qmatmul-per-tensor", "--a-scale", "0.5", "--b-scale", "0.25", "--output-scale", "0.5"),
    product("qmatmul-per-row", ...perRow.flatMap((part) => [`--${part}`, `qmatmul-per-row.${part}.json`])),
    product("qmatmul-mixed-sign", "--a-scale", "0.5", "--b-scale", "1", "--output-scale", "256", "--output-zero-point", "5"),
];

const TENSORS = {
    input: "InputTensor", a: "ATensor", b: "BTensor", "a-scale": "AScaleTensor", "a-zero-point": "AZeroPointTensor",
    "b-scale": "BScaleTensor", "b-zero-point": "BZeroPointTensor", "output-scale": "OutputScaleTensor",
    "output-zero-point": "OutputZeroPointTensor",
};

let example, args, files, cells, turn = 0;
let own;               // what is computed instead of an example: { text, tensors }
let results, figures;  // the newest outputs; what is shown of each tensor
let asked;             // what was clicked since the pictures were last drawn: its explanation, and where it is

// The numbers among the arguments, by option: they can be edited, too.
const numbersOf = (e) => e.args.flatMap((a, i) => /^--/.test(a) && /^[\d.]+$/.test(e.args[i + 1]) ? [i + 1] : []);

const titleOf = (e) => e.title ?? samples[`${e.name}.desc.json`].split("\n")[0].replace(/^\/\/ */, "");
const sentenceOf = (e) => titleOf(e).replace(/\. .*$/, "."); // a title may end in the middle of the next one
const tensorOf = (file) => TENSORS[file.split(".")[1]];
const rank = (file) => /\.(input|a|b)\./.test(file) ? 0 : 1; // matrices before their scales
const inputFiles = () => args.filter(tensorOf).sort((a, b) => rank(a) - rank(b));
const isOutput = (name) => /^Output(Value|Index)?Tensor\[/.test(name);
const sameAsSamples = () => args.join() === example.args.join() && Object.keys(files).every((file) => files[file] === samples[file]);

const range = (first, number) => Array.from({ length: number }, (_, i) => first + i);

// Of spans, [first, number] for each axis.
const coordinates = (spans) => spans.reduce((all, span) => all.flatMap((at) => range(...span).map((i) => [...at, i])), [[]]);

const valueAt = (values, at) => at.reduce((v, i) => v[i], values);

const write = ({ DataType, Sizes, Values }) => {
    const list = (v) => Array.isArray(v) ? `[${v.map(list).join(", ")}]` : v;
    return `{ "DataType": "${DataType}", "Sizes": [${Sizes.join(", ")}], "Values": ${list(Values)} }\n`;
};

// What is shown of a tensor, as tables of its last two axes. cell(coordinates, name, value) makes what is in a cell.
function tablesOf(title, { Values, spans }, cell) {
    const rows = spans.length > 1 ? spans.at(-2) : [0, 1], columns = spans.at(-1);
    return coordinates(spans.slice(0, -2)).map((above) => {
        const head = range(...columns).map((c) => el("th", { scope: "col" }, String(c)));
        const row = (r) => el("tr", {}, el("th", { scope: "row" }, String(r)), ...range(...columns).map((c) => {
            const at = [...above, r, c].slice(-spans.length), name = `${title}[${at.join(",")}]`;
            const td = el("td", {}, cell(at, name, valueAt(Values, at.map((i, axis) => i - spans[axis][0]))));
            cells.set(name, td);
            return td;
        }));
        return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title },
            el("table", {}, el("caption", {}, `${title}[${[...above, ":", ":"].join(",")}]`),
                el("thead", {}, el("tr", {}, el("td"), ...head)), ...range(...rows).map(row)));
    });
}

// A figure of a tensor in a file, with sliders for what is shown of one that is not small. cells(tensor) makes the function for cells.
async function figureOf(title, data, cellsOf, ...more) {
    const tensor = await read(data, figures.get(title)), body = el("div");
    const fill = (t) => {
        for (const name of [...cells.keys()].filter((n) => n.startsWith(`${title}[`)))
            cells.delete(name);
        body.replaceChildren(...tablesOf(title, t, cellsOf(t)));
    };
    figures.set(title, tensor.spans);
    fill(tensor);
    let timer;
    const sliders = slidersOf(tensor.Sizes, tensor.spans, () => {
        clearTimeout(timer);
        timer = setTimeout(() => guarded(async (mine) => {
            const later = await read(data, structuredClone(tensor.spans));
            if (mine !== turn)
                return;
            fill(later);
            await draw(mine);
        }), LATER_MS);
    });
    return el("div", { class: "tensor", "data-title": title },
        el("h4", {}, title, " ", el("small", {}, `{${tensor.Sizes.join(",")}} ${tensor.DataType}`)), ...more, ...sliders, body);
}

const editable = (file, tensor) => (at, name, value) => el("input", {
    value, size: "4", inputmode: "decimal", "aria-label": name, "data-name": name, autocomplete: "off", spellcheck: "false",
    readonly: typeof files[file] !== "string",
    onchange(event) {
        const text = event.target.value.trim();
        const last = at[at.length - 1];
        event.target.value ||= "0";
        valueAt(tensor.Values, at.slice(0, -1))[last] = /^-?(nan|inf|infinity)$/i.test(text) ? `"${text}"` : text || "0";
        files[file] = write(tensor);
        compute();
    },
});

function inputTable(file) {
    const opener = own && el("label", { class: "file" }, "From a file ", el("input", {
        type: "file", "aria-label": `${tensorOf(file)} from a file`,
        onchange: ({ target }) => take([target.files[0]], tensorOf(file)) }));
    return figureOf(tensorOf(file), files[file], (tensor) => editable(file, tensor), opener);
}

function numberField(i) {
    return el("label", { class: "number" }, `${args[i - 1]} `, el("input", {
        value: args[i], size: "6", inputmode: "decimal", autocomplete: "off",
        onchange(event) {
            event.target.value ||= "0";
            args[i] = event.target.value.trim() || "0";
            compute();
        },
    }));
}

function mark(name, className, badge, words) {
    const td = cells.get(name);
    if (!td)
        return;
    td.classList.add(className);
    const field = td.firstElementChild;
    if (badge !== undefined) {
        td.querySelector(".badge")?.remove();
        td.append(el("span", { class: "badge", "aria-hidden": "true" }, badge));
    }
    if (words)
        field.setAttribute("aria-label", `${field.dataset.name}, ${words}`);
}

// Draws what an explanation of a slice says of the window: offset, size, stride by axis, and whether SLICE1's rule of negative
// strides is in force.
function drawWindow(text) {
    const axes = [...text.matchAll(/^ +\d+ +(\d+) +(\d+) +(-?\d+) +\d/gm)].map((row) => row.slice(1).map(Number));
    const counts = text.includes("The start is the offset.");
    const spans = axes.map(([offset, size, stride]) => [offset, offset + (counts ? (size - 1) * stride : size - 1)]);
    for (const name of cells.keys()) {
        const at = /^InputTensor\[(.*)\]$/.exec(name)?.[1].split(",").map(Number);
        if (at?.every((i, axis) => i >= spans[axis][0] && i <= spans[axis][1]))
            mark(name, "window", undefined, "in the window");
    }
    $("legend").textContent = `The window is marked: offsets {${axes.map((a) => a[0])}}, sizes {${axes.map((a) => a[1])}}, ` +
        `strides {${axes.map((a) => a[2])}}. Numbers count the elements of the output, in its order.`;
}

const sourceOf = (text) => /^Output\w*\[[\d,]+\] = Input(\[[\d,]+\])/m.exec(text)?.[1];

// The ranks of a sequence, from the explanation of one of its elements.
function drawRanks(text) {
    const sequence = /Input\[([\d,:]+)\]/.exec(text)[1];
    const beyond = text.indexOf("not in the output");
    for (const m of text.matchAll(/^ +(\d+) +(\d+) +\S+ +(.*)$/gm)) {
        const name = `InputTensor[${sequence.replace(":", m[2])}]`;
        const inside = beyond < 0 || m.index < beyond;
        mark(name, inside ? "chosen" : "beyond", m[1], `rank ${m[1]}${inside ? "" : ", not in the output"}`);
        if (/^equal/.test(m[3]))
            for (const tied of [name, `InputTensor${sourceOf(text)}`])
                mark(tied, "tie");
    }
    $("legend").textContent = "Small numbers are ranks; elements with a dashed border are equal, and the lower index comes first. " +
        "Pale elements are not in the output.";
}

function select(text, output) {
    for (const [name, td] of cells) {
        td.classList.remove("operand");
        td.classList.toggle("selected", isOutput(name) && name.endsWith(`[${output.join(",")}]`));
    }
    const pair = /: row (\d+) of A by column (\d+) of B/.exec(text);
    mark(`InputTensor${sourceOf(text)}`, "selected");
    for (const name of pair ? cells.keys() : []) {
        const [, tensor, at] = /^(\w+)\[(.*)\]$/.exec(name), place = at.split(",");
        if ((tensor === "ATensor" && place.at(-2) === pair[1]) || (tensor === "BTensor" && place.at(-1) === pair[2]))
            mark(name, "operand");
    }
    $("explanation").textContent = text;
    $("explained").textContent = `Output[${output}] is explained below.`;
}

const explain = (at) => output([...args.filter((a) => !/^--indices$|^indices\./.test(a)), "--explain", at.join(",")], files);

function outputTable(title, data) {
    return figureOf(title, data, () => (at, name, value) => button(value, async () => {
        try {
            asked = [await explain(at), at];
            select(...asked);
        } catch (error) {
            $("explanation").textContent = error.message;
        }
    }, { "aria-label": `${name} = ${value}: where it comes from`, "data-name": name }));
}

async function draw(mine) {
    const all = coordinates(figures.get(outputTitles()[0])), size = (data) => data.length ?? 0;
    const most = Math.ceil(COPIED / (1 + Object.values(files).reduce((sum, data) => sum + size(data), 0)));
    const texts = [];
    asked = undefined;
    for (const at of all.slice(0, Math.min(EXPLAINED, most))) {
        texts.push(await explain(at));
        if (mine !== turn)
            return;
    }
    undrawInputs();
    $("legend").textContent = "";
    if (example.args[0] === "slice") {
        drawWindow(texts[0]);
        texts.forEach((t, i) => mark(`InputTensor${sourceOf(t)}`, "chosen", String(i + 1),
            `in the window, element ${i + 1} of ${own ? "what is shown of the output" : "the output"}`));
    } else if (example.args[0] === "topk")
        texts.forEach(drawRanks);
    else
        $("legend").textContent = "The row of A and the column of B of the explained element are marked.";
    select(...(asked ?? [texts[0], all[0]]));
}

// What samples/demo prints of the example.
async function asText() {
    const names = outputTitles();
    let text = `${example.name}: ${titleOf(example)}\n    $ dmlop ${args.join(" ")}\n`;
    for (const [i, name] of names.entries()) {
        const result = own ? "result.npy" : "result.json", shown = await output(["show", result], { [result]: results[i] });
        text += shown.replace(/^.*: \(/, `${name}: (`).replace(/^(?=.)/gm, "    ");
    }
    if (own)
        return text;
    const same = results.every((r, i) => r === samples[`${example.name}.${example.results[i]}.json`]);
    const source = example.source ?? "the documentation";
    return `${text}    => ${sameAsSamples() ? `${same ? "equals" : "DIFFERS from"} ${source}` : "edited"}\n`;
}

function undrawInputs() {
    for (const [name, td] of cells)
        if (!isOutput(name)) {
            td.className = "";
            td.querySelector(".badge")?.remove();
            td.firstElementChild.setAttribute("aria-label", td.firstElementChild.dataset.name);
        }
}

// Nothing is drawn over the inputs, and there are no outputs.
function undraw() {
    undrawInputs();
    cells = new Map([...cells].filter(([name]) => !isOutput(name)));
    $("outputs").replaceChildren();
}

const outputTitles = () => example.args[0] === "topk" ? ["OutputValueTensor", "OutputIndexTensor"] : ["OutputTensor"];

// Only what is wrong is seen; the rest is for screen readers.
function say(text, wrong = false) {
    $("example-said").textContent = text;
    $("example-said").className = wrong ? "said wrong" : "heard";
    if (text) // not between two results
        $("computed").hidden = wrong;
}

// Does what ends as soon as something newer begins, and says what is wrong.
async function guarded(action) {
    const mine = ++turn;
    try {
        await action(mine);
    } catch (error) {
        if (mine !== turn)
            return;
        undraw();
        $("as-text").textContent = $("explanation").textContent = $("explained").textContent = $("legend").textContent = "";
        say(error.message, true);
    }
}

// The results of an example are JSON; those of any descriptor may be long.
function compute() {
    return guarded(async (mine) => {
        say("");
        $("command").textContent = `dmlop ${args.join(" ")}`;
        const made = await done([...args, ...(own ? ["-o", "output.npy"] : ["--format", "json"])], files);
        if (mine !== turn)
            return;
        const indices = made.files["indices.json"];
        results = own ? [made.files["output.npy"], made.files["indices.npy"]].filter(Boolean) :
            [made.out, ...(indices ? [new TextDecoder().decode(indices)] : [])];
        const tables = await Promise.all(results.map((r, i) => outputTable(outputTitles()[i], r)));
        const text = await asText();
        if (mine !== turn)
            return;
        const fresh = [...cells].filter(([name]) => isOutput(name));
        undraw();
        fresh.forEach(([name, td]) => cells.set(name, td));
        $("outputs").replaceChildren(...tables);
        $("as-text").textContent = text;
        await draw(mine);
        if (mine === turn)
            say("Computed.");
    });
}

// Shows the inputs, and computes.
async function showInputs(descriptor) {
    const mine = ++turn;
    cells = new Map();
    figures = new Map();
    say("");
    $("example").querySelector(`[value=${OWN}]`)?.remove();
    if (own)
        $("example").prepend(el("option", { value: OWN }, "your descriptor"));
    $("example").value = example.name;
    $("reset").textContent = own ? "Reset: numbers 0, 1, 2 \u2026" : "Reset: as in the documentation";
    $("example-title").replaceChildren(...sentenceOf(example).split(/(?<=_)/).flatMap((part) => [part, el("wbr")]));
    $("command").textContent = `dmlop ${args.join(" ")}`;
    $("descriptor").value = files[descriptor];
    $("descriptor").rows = files[descriptor].trimEnd().split("\n").length + 2; // an empty line, and a scroll bar
    $("outputs").replaceChildren();
    $("explanation").textContent = $("legend").textContent = $("as-text").textContent = "";
    await drawInputs(mine);
    if (mine === turn)
        await compute();
}

async function drawInputs(mine) {
    const tables = await Promise.all(inputFiles().map(inputTable));
    if (mine === turn)
        $("inputs").replaceChildren(...tables, el("div", { class: "numbers" }, ...numbersOf(example).map(numberField)));
}

// Without a name, or with OWN: the descriptor that was computed, or the first example.
export function showExample(name) {
    if (own && (name ?? OWN) === OWN)
        return compute();
    own = undefined;
    example = EXAMPLES.find((e) => e.name === name) ?? EXAMPLES[0];
    args = [...example.args];
    const descriptor = `${example.name}.desc.json`;
    files = Object.fromEntries([descriptor, ...inputFiles()].map((file) => [file, samples[file]]));
    return showInputs(descriptor);
}

export const isComputed = (operator) => operator in runs;

// Computes a descriptor on numbers 0, 1, 2 ..., or on those of `found` whose sizes fit: [[name, File]...]. `tensors` are those of
// the descriptor (shapes.js).
export async function showOwn(operator, text, tensors, found = []) {
    const { command, inputs } = runs[operator], mine = ++turn, left = [...found], made = { "own.desc.json": text };
    const given = inputs.map(({ name, option, role }) => ({ option, role, tensor: tensors.find((t) => t.name === name) })).filter((i) => i.tensor);
    say("");
    $("outputs").replaceChildren();
    const list = [];
    for (const { option, role, tensor } of given) {
        let data;
        for (const file of left)
            if ((data = await fitting(file, tensor).catch(() => undefined))) {
                left.splice(left.indexOf(file), 1);
                break;
            }
        data ??= await numbers(tensor.type, tensor.sizes, { scale: 1, zero_point: 0 }[role]);
        const key = Object.keys(TENSORS).find((k) => TENSORS[k] === tensor.name);
        const file = `own.${key}.${typeof data === "string" ? "json" : "npy"}`;
        made[file] = data;
        list.push(option ? [option, file] : [file]);
    }
    if (mine !== turn)
        return;
    own = { text, tensors };
    files = made;
    example = { name: OWN, title: `${operator}, your descriptor.`, results: [], args: [command, "-d", "own.desc.json",
        ...(command === "topk" ? ["--indices", "indices.npy"] : []), ...list.sort((a, b) => b.length - a.length).flat()] };
    args = [...example.args];
    await showInputs("own.desc.json");
}

// A file with the sizes of a tensor, but for leading ones of 1: a text if it is small, or bytes. Undefined if it has others.
async function fitting([name, file], { type, sizes }) {
    const bytes = { [name]: await bytesOf(file) }, plain = (list) => list.join().replace(/^(1,)+/, "");
    const info = JSON.parse(await output(["info", "--format", "json", "--", name], bytes)).tensors[0];
    if (plain(info.sizes) !== plain(sizes))
        return undefined;
    return converted(name, bytes, ["--sizes", sizes.join(","), ...(info.format === "npy" ? [] : ["--dtype", type])], countOf(sizes));
}

// Whether tensors that are dropped now are for the inputs of what is computed.
export const takes = () => own !== undefined && !$("view-examples").hidden;

// Has an input, or the first ones, be those of files.
export function take(list, title) {
    const names = inputFiles().map(tensorOf), from = Math.max(names.indexOf(title), 0);
    return guarded(async (mine) => {
        for (const [i, file] of list.entries()) {
            const tensor = own.tensors.find((t) => t.name === names[from + i]);
            const data = tensor && await fitting([file.name, file], tensor);
            if (!data)
                throw new Failure(tensor ? `${file.name} has not the sizes of ${tensor.name}, {${tensor.sizes.join(",")}}.` :
                    `There is no input for ${file.name}.`);
            const at = args.findIndex((arg) => tensorOf(arg) === tensor.name), to = `${args[at].replace(/\.\w+$/, "")}.${typeof data === "string" ? "json" : "npy"}`;
            delete files[args[at]];
            example.args[at] = args[at] = to;
            files[to] = data;
        }
        await drawInputs(mine);
        if (mine === turn)
            compute();
    });
}

// restart(): computes the descriptor again; edit(before, after): its text is edited.
export function startExamples(shown, restart, edit) {
    $("example").append(...EXAMPLES.map((e) => el("option", { value: e.name }, `${e.name}: ${sentenceOf(e).replace(/^DML_\w+, |\.$/g, "")}`)));
    $("example").addEventListener("change", () => shown($("example").value));
    $("reset").addEventListener("click", () => own ? restart() : showExample(example.name));
    let timer;
    $("descriptor").addEventListener("input", () => {
        files[`${example.name}.desc.json`] = $("descriptor").value;
        if (own)
            own.text = edit(own.text, $("descriptor").value);
        clearTimeout(timer);
        timer = setTimeout(compute, 150);
    });
}
