// Parts of tensors: what is shown of one that a screen has no room for, and tensors of numbers 0, 1, 2 ...
import { el } from "./dom.js";
import { done, Failure, output } from "./engine.js";

export const SMALL = 192;      // elements of a tensor that is shown whole
const ROWS = 12, COLUMNS = 8; // that are shown of another one
const MOST = 1 << 26;          // elements
const EXACT = { INT8: 128, UINT8: 256, FLOAT16: 2048, INT16: 32768, UINT16: 65536, FLOAT32: 1 << 24 }; // numbers from 0 on, of a type
const HEAD = 256;              // bytes

export const countOf = (sizes) => sizes.reduce((a, b) => a * b, 1);

// Numbers as they are written in the file, which JavaScript's might not keep.
export function parse(text) {
    return JSON.parse(text.replace(/"Values"[^]*/, (values) => values.replace(/(?<=[[,\s])-?[\d.][\w.+-]*/g, '"$&"')));
}

// [first, number] for each axis.
export function spansOf(sizes, rows = ROWS, columns = COLUMNS) {
    const whole = countOf(sizes) <= SMALL, last = sizes.length - 1;
    return sizes.map((n, axis) => [0, whole ? n : axis === last ? Math.min(n, columns) : axis === last - 1 ? Math.min(n, rows) : 1]);
}

// A tensor, { DataType, Sizes, Values, spans }: all of a JSON text, or of the bytes of a .npy file what `spans` say.
export async function read(data, spans) {
    if (typeof data === "string") {
        const tensor = parse(data);
        return { ...tensor, spans: tensor.Sizes.map((n) => [0, n]) };
    }
    const files = { "tensor.npy": data };
    const { type, sizes } = JSON.parse(await output(["info", "--format", "json", "tensor.npy"], files)).tensors[0];
    const fit = spans?.length === sizes.length && spans.every(([from, n], axis) => from + n <= sizes[axis]) ? spans : spansOf(sizes);
    const index = fit.map(([from, n]) => `${from}:${from + n}`).join(",");
    return { ...parse(await output(["slice", "--index", index, "--format", "json", "tensor.npy"], files)), DataType: type, Sizes: sizes, spans: fit };
}

// A slider for each axis that is not shown whole, which changes `spans`.
export function slidersOf(sizes, spans, changed) {
    return sizes.flatMap((n, axis) => {
        const [from, shown] = spans[axis];
        if (shown >= n)
            return [];
        const said = el("output", {}), say = (first) => {
            said.textContent = `${shown === 1 ? first : `${first} to ${first + shown - 1}`} in 0 to ${n - 1}`;
        };
        say(from);
        return [el("label", { class: "slider" }, `Axis ${axis} `, el("input", {
            type: "range", min: "0", max: String(n - shown), value: String(from),
            oninput({ target }) {
                spans[axis][0] = Number(target.value);
                say(spans[axis][0]);
                changed();
            } }), " ", said)];
    });
}

// A tensor of numbers 0, 1, 2 ..., from 0 again where the type has no more of them, or of one number, converted.
export function numbers(type, sizes, same) {
    const n = countOf(sizes), most = EXACT[type] ?? EXACT.FLOAT32;
    if (n > MOST)
        throw new Failure(`A tensor of {${sizes.join(",")}} has ${n} elements, too many for this page: dmlop computes it from a shell.`);
    const head = `\x93NUMPY\x01\0\xf6\0{'descr': '<f4', 'fortran_order': False, 'shape': (${sizes.join(", ")},), }`.padEnd(HEAD - 1) + "\n";
    const bytes = new Uint8Array(HEAD + 4 * n), values = new Float32Array(bytes.buffer, HEAD);
    bytes.set(Array.from(head, (c) => c.charCodeAt(0)));
    for (let i = 0; i < n; i++)
        values[i] = same ?? i % most;
    return converted("float.npy", { "float.npy": bytes }, ["--dtype", type], n);
}

// A file as a JSON text if it has few elements, or as the bytes of a .npy file.
export async function converted(name, files, options, count) {
    const to = count <= SMALL ? "own.json" : "own.npy", made = await done(["convert", ...options, "-o", to, "--", name], files);
    return count <= SMALL ? new TextDecoder().decode(made.files[to]) : made.files[to];
}
