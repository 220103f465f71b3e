// The page for the documentation: the examples of samples/ as tables that can be edited, computed by dmlop. What is drawn over
// the tables is read from `--explain`.
import samples from "built:samples";
import { $, button, el } from "./dom.js";
import { Failure, output, run } from "./engine.js";

const EXPLAINED = 64; // elements that are explained to draw what comes from where

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

let example, args, files, cells, edited, turn = 0;

// The numbers among the arguments, by option: they can be edited, too.
const numbersOf = (e) => e.args.flatMap((a, i) => /^--/.test(a) && /^[\d.]+$/.test(e.args[i + 1]) ? [i + 1] : []);

const titleOf = (e) => samples[`${e.name}.desc.json`].split("\n")[0].replace(/^\/\/ */, "");
const sentenceOf = (e) => titleOf(e).replace(/\. .*$/, "."); // a title may end in the middle of the next one
const tensorOf = (file) => TENSORS[file.split(".")[1]];
const rank = (file) => /\.(input|a|b)\./.test(file) ? 0 : 1; // matrices before their scales
const isInput = (arg) => tensorOf(arg) !== undefined && arg in samples;

function* coordinates(sizes, at = []) {
    if (at.length === sizes.length)
        yield at;
    else
        for (let i = 0; i < sizes[at.length]; i++)
            yield* coordinates(sizes, [...at, i]);
}

const valueAt = (values, at) => at.reduce((v, i) => v[i], values);

// Numbers as they are written in the file, which JavaScript's might not keep.
function parse(text) {
    return JSON.parse(text.replace(/"Values"[^]*/, (values) => values.replace(/(?<=[[,\s])-?[\d.][\w.+-]*/g, '"$&"')));
}

const write = ({ DataType, Sizes, Values }) => {
    const list = (v) => Array.isArray(v) ? `[${v.map(list).join(", ")}]` : v;
    return `{ "DataType": "${DataType}", "Sizes": [${Sizes.join(", ")}], "Values": ${list(Values)} }\n`;
};

// A tensor as tables of its last two axes. cell(coordinates, name) makes what is in a cell.
function tables(title, { DataType, Sizes, Values }, cell) {
    const rank = Sizes.length, rows = rank > 1 ? Sizes[rank - 2] : 1, columns = Sizes[rank - 1];
    const figure = el("div", { class: "tensor" }, el("h4", {}, title, " ", el("small", {}, `{${Sizes.join(",")}} ${DataType}`)));
    for (const above of coordinates(Sizes.slice(0, Math.max(rank - 2, 0)))) {
        const head = el("tr", {}, el("td", {}));
        for (let c = 0; c < columns; c++)
            head.append(el("th", { scope: "col" }, String(c)));
        const table = el("table", {}, el("caption", {}, `${title}[${[...above, ":", ":"].join(",")}]`), el("thead", {}, head));
        for (let r = 0; r < rows; r++) {
            const row = el("tr", {}, el("th", { scope: "row" }, String(r)));
            for (let c = 0; c < columns; c++) {
                const at = rank > 1 ? [...above, r, c] : [c];
                const td = el("td", {}, cell(at, `${title}[${at.join(",")}]`, valueAt(Values, at)));
                cells.set(`${title}[${at.join(",")}]`, td);
                row.append(td);
            }
            table.append(row);
        }
        figure.append(el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title }, table));
    }
    return figure;
}

function inputTable(file) {
    const title = tensorOf(file), tensor = parse(files[file]);
    return tables(title, tensor, (at, name, value) => el("input", {
        value, size: "4", inputmode: "decimal", "aria-label": name, "data-name": name, autocomplete: "off", spellcheck: "false",
        onchange(event) {
            const text = event.target.value.trim();
            const last = at[at.length - 1];
            event.target.value ||= "0";
            valueAt(tensor.Values, at.slice(0, -1))[last] = /^-?(nan|inf|infinity)$/i.test(text) ? `"${text}"` : text || "0";
            files[file] = write(tensor);
            edited = true;
            compute();
        },
    }));
}

function numberField(i) {
    return el("label", { class: "number" }, `${args[i - 1]} `, el("input", {
        value: args[i], size: "6", inputmode: "decimal", autocomplete: "off",
        onchange(event) {
            event.target.value ||= "0";
            args[i] = event.target.value.trim() || "0";
            edited = true;
            $("command").textContent = `dmlop ${args.join(" ")}`;
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

function clearMarks(...classes) {
    for (const td of cells.values())
        td.classList.remove(...classes);
}

// What an explanation of a slice says of the window: [[offset, size, stride]...] by axis, and whether SLICE1's rule of
// negative strides is in force.
function windowOf(text) {
    const rows = [...text.matchAll(/^ +\d+ +(\d+) +(\d+) +(-?\d+) +\d/gm)];
    return rows.map((r) => r.slice(1).map(Number));
}

function drawWindow(text) {
    const axes = windowOf(text), counts = text.includes("The start is the offset.");
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
        if (/^equal/.test(m[3])) {
            mark(name, "tie");
            const own = sourceOf(text);
            if (own)
                mark(`InputTensor${own}`, "tie");
        }
    }
    $("legend").textContent = "Small numbers are ranks; elements with a dashed border are equal, and the lower index comes first. " +
        "Pale elements are not in the output.";
}

function select(text, output) {
    clearMarks("selected", "operand");
    for (const [name, td] of cells)
        if (/^Output(Value|Index)?Tensor\[/.test(name) && name.endsWith(`[${output.join(",")}]`))
            td.classList.add("selected");
    const from = sourceOf(text), pair = /: row (\d+) of A by column (\d+) of B/.exec(text);
    if (from)
        mark(`InputTensor${from}`, "selected");
    for (const name of pair ? cells.keys() : []) {
        const [, tensor, at] = /^(\w+)\[(.*)\]$/.exec(name), place = at.split(",");
        if ((tensor === "ATensor" && place.at(-2) === pair[1]) || (tensor === "BTensor" && place.at(-1) === pair[2]))
            mark(name, "operand");
    }
    $("explanation").textContent = text;
    $("explained").textContent = `Output[${output}] is explained below.`;
}

const explain = (at) => output([...args.filter((a) => a !== "--indices" && a !== "indices.json"), "--explain", at.join(",")], files);

function outputTable(title, text) {
    return tables(title, parse(text), (at, name, value) => button(value, async () => {
        try {
            select(await explain(at), at);
        } catch (error) {
            $("explanation").textContent = error.message;
        }
    }, { "aria-label": `${name} = ${value}: where it comes from`, "data-name": name }));
}

async function draw(sizes, mine) {
    const all = [...coordinates(sizes)];
    const texts = [];
    for (const at of all.slice(0, EXPLAINED)) {
        texts.push(await explain(at));
        if (mine !== turn)
            return;
    }
    $("legend").textContent = "";
    if (example.args[0] === "slice") {
        drawWindow(texts[0]);
        texts.forEach((t, i) => mark(`InputTensor${sourceOf(t)}`, "chosen", String(i + 1), `in the window, element ${i + 1} of the output`));
    } else if (example.args[0] === "topk")
        texts.forEach(drawRanks);
    else
        $("legend").textContent = "The row of A and the column of B of the explained element are marked.";
    select(texts[0], all[0]);
}

// What samples/demo prints of the example.
async function asText(results) {
    const names = example.args[0] === "topk" ? ["OutputValueTensor", "OutputIndexTensor"] : ["OutputTensor"];
    let text = `${example.name}: ${titleOf(example)}\n    $ dmlop ${args.join(" ")}\n`;
    for (const [i, name] of names.entries()) {
        const shown = await output(["show", "result.json"], { "result.json": results[i] });
        text += shown.replace(/^.*: \(/, `${name}: (`).replace(/^(?=.)/gm, "    ");
    }
    const same = results.every((r, i) => r === samples[`${example.name}.${example.results[i]}.json`]);
    const source = example.source ?? "the documentation";
    return text + (edited ? "    => edited\n" : same ? `    => equals ${source}\n` : `    => DIFFERS from ${source}\n`);
}

// Nothing is drawn over the inputs, and there are no outputs.
function undraw() {
    cells = new Map([...cells].filter(([name]) => !/^Output(Value|Index)?Tensor\[/.test(name)));
    for (const td of cells.values()) {
        td.className = "";
        td.querySelector(".badge")?.remove();
        td.firstElementChild.setAttribute("aria-label", td.firstElementChild.dataset.name);
    }
    $("outputs").replaceChildren();
}

// Only what is wrong is seen; the rest is for screen readers.
function say(text, wrong = false) {
    $("example-said").textContent = text;
    $("example-said").className = wrong ? "said wrong" : "heard";
    if (text) // not between two results
        $("computed").hidden = wrong;
}

async function compute() {
    const mine = ++turn;
    say("");
    try {
        const made = await run([...args, "--format", "json"], files);
        if (mine !== turn)
            return;
        if (made.status !== 0)
            throw new Failure(made.err);
        const results = [made.out, ...(made.files["indices.json"] ? [new TextDecoder().decode(made.files["indices.json"])] : [])];
        const titles = results.length > 1 ? ["OutputValueTensor", "OutputIndexTensor"] : ["OutputTensor"];
        undraw();
        $("outputs").replaceChildren(...results.map((r, i) => outputTable(titles[i], r)));
        $("as-text").textContent = await asText(results);
        await draw(parse(results[0]).Sizes, mine);
        say("Computed.");
    } catch (error) {
        if (mine !== turn)
            return;
        undraw();
        $("as-text").textContent = $("explanation").textContent = $("explained").textContent = $("legend").textContent = "";
        say(error.message, true);
    }
}

export function showExample(name) {
    example = EXAMPLES.find((e) => e.name === name) ?? EXAMPLES[0];
    args = [...example.args];
    const inputs = args.filter(isInput).sort((a, b) => rank(a) - rank(b)), descriptor = `${example.name}.desc.json`;
    files = Object.fromEntries([descriptor, ...inputs].map((file) => [file, samples[file]]));
    cells = new Map();
    edited = false;
    $("example").value = example.name;
    $("example-title").replaceChildren(...sentenceOf(example).split(/(?<=_)/).flatMap((part) => [part, el("wbr")]));
    $("command").textContent = `dmlop ${args.join(" ")}`;
    $("descriptor").value = files[descriptor];
    $("descriptor").rows = files[descriptor].trimEnd().split("\n").length + 2; // an empty line, and a scroll bar
    $("inputs").replaceChildren(...inputs.map(inputTable), el("div", { class: "numbers" }, ...numbersOf(example).map(numberField)));
    $("outputs").replaceChildren();
    $("explanation").textContent = $("legend").textContent = $("as-text").textContent = "";
    return compute();
}

export function startExamples(shown) {
    $("example").append(...EXAMPLES.map((e) => el("option", { value: e.name }, `${e.name}: ${sentenceOf(e).replace(/^DML_\w+, |\.$/g, "")}`)));
    $("example").addEventListener("change", () => shown($("example").value));
    $("reset").addEventListener("click", () => showExample(example.name));
    let timer;
    $("descriptor").addEventListener("input", () => {
        files[`${example.name}.desc.json`] = $("descriptor").value;
        edited = true;
        clearTimeout(timer);
        timer = setTimeout(compute, 150);
    });
}
