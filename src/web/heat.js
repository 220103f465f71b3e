// A heat map of a tensor's last two axes, with a legend. Its colors, those of cividis, differ for color-blind readers, too.
import { $, el } from "./dom.js";
import { output } from "./engine.js";
import { countOf, parse } from "./parts.js";

const COLORS = [[0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115], [138, 134, 120], [165, 156, 116], [195, 179, 105],
                [254, 232, 56]];
const MOST = 256;           // cells on each axis
const COPIED = 1 << 24;     // elements of a slice that is copied for it
const WIDE = 512;           // pixels

function color(share) {
    const at = share * (COLORS.length - 1), i = Math.min(Math.floor(at), COLORS.length - 2);
    return COLORS[i].map((c, k) => Math.round(c + (COLORS[i + 1][k] - c) * (at - i)));
}

// shares: of the range of values, for each cell; NaN has no color.
function paint(canvas, shares, columns) {
    Object.assign(canvas, { width: columns, height: shares.length / columns });
    const image = new ImageData(columns, canvas.height);
    shares.forEach((share, i) => Number.isNaN(share) || image.data.set([...color(Math.min(Math.max(share, 0), 1)), 255], 4 * i));
    canvas.getContext("2d").putImageData(image, 0, 0);
}

const numberOf = (text) => Number(String(text).replace(/^(-?)inf(inity)?$/i, "$1Infinity"));

function draw(name, { Values }, sizes, steps) {
    const texts = [Values].flat(Infinity), values = texts.map(numberOf), finite = values.filter(Number.isFinite);
    const low = finite.reduce((a, b) => Math.min(a, b), Infinity), high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    const columns = Math.ceil(sizes.at(-1) / steps[1]), rows = values.length / columns, pixels = Math.max(Math.floor(WIDE / Math.max(columns, rows, 8)), 1);
    const axes = `${sizes.length > 1 ? `down axis ${sizes.length - 2}, ` : ""}across axis ${sizes.length - 1}`;
    const skipped = steps.some((s) => s > 1) ? `, every ${steps.join(" by ")} elements` : "", above = sizes.slice(0, -2).some((n) => n > 1) ?
        `, the first of the other axes` : "";
    const said = el("output", { class: "soft" }, "Point at a cell to read it.");
    const canvas = el("canvas", { role: "img", "aria-label": `Heat map of ${name}: ${axes}${skipped}${above}; from ${low} to ${high}`,
        onpointermove(event) {
            const box = canvas.getBoundingClientRect();
            const c = Math.min(Math.floor((event.clientX - box.x) / box.width * columns), columns - 1);
            const r = Math.min(Math.floor((event.clientY - box.y) / box.height * rows), rows - 1);
            said.textContent = `[${sizes.length > 1 ? `${r * steps[0]}, ` : ""}${c * steps[1]}] = ${texts[r * columns + c]}`;
        } });
    const scale = el("canvas", { class: "scale", "aria-hidden": "true" });
    paint(canvas, values.map((v) => low === high && Number.isFinite(v) ? 0.5 : v === Infinity ? 1 : v === -Infinity ? 0 : (v - low) / (high - low)), columns);
    canvas.style.width = `${columns * pixels}px`;
    paint(scale, Array.from({ length: 64 }, (_, i) => i / 63), 64);
    $("heat").replaceChildren(canvas, finite.length > 0 ? el("p", { class: "legend" }, String(low), scale, String(high)) : "",
        el("p", { class: "soft" }, `Heat map: ${axes}${skipped}${above}.`, values.some(Number.isNaN) ? " Cells without a color are NaN." : ""), said);
}

// Shows one of what an index selects of a file that the worker has; sizes are those of the selection.
export async function showHeat(name, index, sizes) {
    const steps = sizes.map((n) => Math.ceil(n / MOST)).slice(-2), last = steps.map((s) => `::${s}`);
    let path = name, files = {};
    if (index !== "") {
        if (countOf(sizes) > COPIED) {
            $("heat").replaceChildren(el("p", { class: "soft" }, "There is no heat map of so many elements: choose fewer."));
            return;
        }
        path = "slice.json";
        files = { [path]: await output(["slice", "--index", index, "--format", "json", "--", name]) };
    }
    const above = sizes.slice(0, -2).map(() => "0:1");
    draw(name, parse(await output(["slice", "--index", [...above, ...last].join(","), "--format", "json", "--", path], files)), sizes,
        sizes.length > 1 ? steps : [1, ...steps]);
}
