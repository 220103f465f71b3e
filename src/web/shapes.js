// The shapes of a text's operators: a row of boxes for each, inputs -> outputs, drawn from the symbols of the language server. A
// size or type that a finding names is red. Which tensors are outputs is said by the table of operators.
import outputs from "built:outputs";
import { $, button, el } from "./dom.js";

const OPERATOR = 12, TENSOR = 18; // the protocol's kinds of symbols
const MOST_ROWS = 50;

const plainName = (name) => name.replace(/^DML_OPERATOR_/, "");

// The operators of a text, [{ name, title, range, tensors: [{ name, type, sizes, output, range }] }], from symbols.
export function operatorsOf(symbols) {
    return symbols.flatMap((symbol) => {
        if (symbol.kind !== OPERATOR)
            return operatorsOf(symbol.children ?? []);
        const name = plainName(symbol.detail ?? symbol.name), known = outputs[name];
        return [{ name, range: symbol.range, title: symbol.detail ? `${symbol.name}: ${name}` : name,
                  tensors: (symbol.children ?? []).filter(({ kind }) => kind === TENSOR).map((t) => {
                      const field = t.name.replace(/\[\d+\]$/, "");
                      return { name: t.name, type: /^\w*/.exec(t.detail)[0].replace(/^DML_TENSOR_DATA_TYPE_/, ""), range: t.range,
                               sizes: /\[(.*)\]?/s.exec(t.detail)?.[1].match(/\d+/g)?.map(Number) ?? [],
                               output: known ? known.includes(field) : /^Output/.test(field) };
                  }) }];
    });
}

const before = (a, b) => a.line < b.line || a.line === b.line && a.character <= b.character;
const within = (a, b) => before(b.start, a.start) && before(a.end, b.end);

// Where in the lines of the text a tensor has its type and its sizes: { type, list, sizes }, ranges.
function placesOf(lines, { start, end }) {
    const text = lines.slice(start.line, end.line + 1).join("\n").replace(/\/\*[^]*?\*\/|\/\/.*/g, (c) => c.replace(/[^\n]/g, " "));
    const place = (at) => {
        const above = text.slice(0, at).split("\n");
        return { line: start.line + above.length - 1, character: above.at(-1).length };
    };
    const range = (from, to) => ({ start: place(from), end: place(to) });
    const find = (pattern) => {
        pattern.lastIndex = start.character;
        const m = pattern.exec(text);
        return m && [m.index + m[0].length - m[1].length, m[1]];
    };
    const type = find(/"DataType"\s*:\s*("[^"]*")/g), list = find(/"Sizes"\s*:\s*(\[[^\]]*\]?)/g);
    return { type: type && range(type[0], type[0] + type[1].length), list: list && range(list[0], list[0] + list[1].length),
             sizes: list ? [...list[1].matchAll(/[^\s,[\]]+/g)].map((m) => range(list[0] + m.index, list[0] + m.index + m[0].length)) : [] };
}

// Whether a message names something, not as the end of a longer name.
const says = (message, what) => message.split(what).slice(0, -1).some((before) => !/\w$/.test(before));

function box(tensor, lines, findings, go) {
    const places = placesOf(lines, tensor.range), { name, type, sizes } = tensor;
    // findings are in what is around a range and is not the whole tensor
    const part = (text, what, range, around) => findings.some((d) => says(d.message, `${name}.${what}`) ||
        range && within(d.range, around) && before(d.range.start, range.end) && before(range.start, d.range.end))
        ? button(String(text), () => go(range ?? tensor.range), { class: "bad", "aria-label": `${name}.${what} is ${text}: go to it in the text` })
        : el("span", {}, String(text));
    return el("div", { class: "shape", onclick: ({ target }) => target.closest("button") || go(tensor.range) },
        button(name, () => go(tensor.range), { class: "name", "aria-label": `${name}, ${type} {${sizes.join(",")}}: go to it in the text` }),
        el("p", { class: "sizes" }, ...sizes.flatMap((n, i) => [i > 0 && "\u00d7", part(n, `Sizes[${i}]`, places.sizes[i], places.list)])),
        el("p", {}, part(type || "no type", "DataType", places.type, places.type)));
}

// Draws them. go(range) shows a place in the text.
export function drawShapes(operators, text, findings, go) {
    const lines = text.split(/\r\n?|\n/), wrong = findings.filter((d) => d.severity <= 2);
    const rows = operators.filter(({ tensors }) => tensors.length > 0).slice(0, MOST_ROWS).map(({ title, range, tensors }) => {
        const own = wrong.filter((d) => within(d.range, range));
        const boxes = (output) => tensors.filter((t) => t.output === output).map((t) => box(t, lines, own, go));
        return el("div", { class: "operator", role: "group", "aria-label": `Shapes of ${title}` },
            ...boxes(false), el("p", { class: "arrow" }, el("span", {}, title), el("span", { "aria-label": "makes", role: "img" }, "\u2192")), ...boxes(true));
    });
    $("shapes").replaceChildren(...(rows.length > 0 ? rows : [el("p", { class: "soft" }, "The sizes of an operator's tensors are shown here.")]));
}
