// Every screen of the page, in Chromium and Firefox: nothing is wider than the page, all that a
// screen reader needs is there, colours have the contrast that they need, as axe-core finds, and
// the keyboard alone is enough. With SHOTS, a folder, pictures of every screen at three widths,
// light and dark; TOUR is a part of the names of screens then. SCREENS_IN is the browser that shows
// the screens, if one is enough.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Chromium, FIREFOX, Firefox } from "./browsers.mjs";
import { serve } from "./server.mjs";
import { runTests, test } from "./suite.mjs";

const { source: AXE } = createRequire(import.meta.url)("axe-core");
const { SHOTS, TOUR = "", SCREENS_IN = "" } = process.env;
const WIDTHS = [320, 768, 1280];
const { origin, close } = await serve(process.env.WEB);

const input = fs.readFileSync("samples/slice1-ex1.input.npy");
const broken = (n) =>
    `{ "type": "DML_OPERATOR_TOP_K1", "desc": {\n${'  "Kay": 1,\n'.repeat(n)}  "K": 1 } }\n`;
const example = (name) => async (b) => {
    await b.open(`${origin}#example=${name}`);
    await b.has("#example-said", "^Computed");
};
const check = async (b) => {
    await b.open(origin);
    await b.has("#summary", "^3 errors");
    await b.until(() => document.querySelector("#editor .cm-lintRange-error") !== null);
};
// The cursor is in a field, and the pointer elsewhere.
const inAxis = async (b) => {
    await check(b);
    await b.click("#editor .cm-line span", '"Axis"');
    await b.hover("h1");
};
const checked = (name, bytes, said) => async (b) => {
    await check(b);
    await b.drop([name, bytes]);
    await b.has("#summary", said);
};
const tensor = async (b) => {
    await b.open(`${origin}#view=tensor`);
    await b.drop(["slice1-ex1.input.npy", input]);
    await b.has("#tensor-form:not([hidden])", "Index"); // the last that is shown
};
// A file that never comes, so that what is said meanwhile can be seen.
const reading = (name, hash, said) => async (b) => {
    await b.open(origin + hash);
    await b.evaluate((n) => {
        const file = new File([], n);
        Object.defineProperty(file, "size", { value: 345e6 });
        file.arrayBuffer = () => new Promise(() => {});
        const event = new DragEvent("drop", { bubbles: true, cancelable: true });
        Object.defineProperty(event, "dataTransfer", {
            value: { files: [file], types: ["Files"] } });
        document.body.dispatchEvent(event);
    }, name);
    await b.has(said, "345|329");
};

const SCREENS = {
    check,
    valid: async (b) => {
        await check(b);
        await b.evaluate(() => {
            const menu = document.getElementById("template");
            menu.value = "CONVOLUTION";
            menu.dispatchEvent(new Event("change"));
        });
        await b.has("#summary", "^Valid");
    },
    empty: checked("empty.json", Buffer.from(""), "^Nothing to check"),
    many: checked("a-rather-long-name-of-a-file-that-was-dropped-on-the-page.json",
                  Buffer.from(broken(120)), "errors"),
    "not-utf-8": checked("bad.json", Buffer.from('{ "type": "\xff\xfe" }', "latin1"), "UTF-8"),
    reading: reading("a-rather-long-name-of-a-model.json", "", "#summary"),
    difference: async (b) => {
        await check(b);
        await b.click("#fix-all");
        await b.has("dialog[open] pre", "--- ");
    },
    rule: async (b) => {
        await check(b);
        await b.click("#findings .rule", "topk.index-sizes");
        await b.has("dialog[open] pre", "topk.index-sizes");
    },
    hover: async (b) => {
        await check(b);
        await b.hover("#editor .cm-line span", '"Axis"');
        await b.has(".cm-tooltip .hover", "\\w");
    },
    squiggle: async (b) => {
        await check(b);
        await b.hover("#editor .cm-lintRange-error");
        await b.has(".cm-tooltip .cm-diagnostic", "\\w");
    },
    described: async (b) => {
        await inAxis(b);
        await b.press("F1");
        await b.has("#described", "\\w");
    },
    completion: async (b) => {
        await inAxis(b);
        await b.press("Home", ["Control", " "]);
        await b.has(".cm-tooltip-autocomplete li", "\\w");
    },
    search: async (b) => {
        await inAxis(b);
        await b.press(["Control", "f"]);
        await b.has(".cm-search", "\\w");
    },
    "next-finding": async (b) => {
        await inAxis(b);
        await b.press("F8");
        await b.has(".cm-tooltip .cm-diagnostic", "\\w");
    },
    link: async (b) => {
        await check(b);
        await b.click("#copy-link");
        await b.has("#link-said", "link");
    },
    damaged: async (b) => {
        await b.open(`${origin}#packed=%%%`);
        await b.has("#said", "damaged");
        await b.until(() => document.querySelector("#editor .cm-lintRange-error") !== null);
    },
    nothing: async (b) => {
        await b.open(`${origin}#example=nonsense`);
        await b.has("#said", "nonsense");
        await b.has("#example-said", "^Computed");
    },
    files: async (b) => {
        await check(b);
        await b.drop(["a.json", "{}"], ["b.json", "{}"]);
        await b.has("#files button", "^b.json \u2717 1");
    },
    slice: example("slice1-ex2"),
    topk: example("topk1-ex4"),
    "product-per-row": example("qmatmul-per-row"),
    product: example("qmatmul-mixed-sign"),
    element: async (b) => {
        await example("slice1-ex2")(b);
        await b.click("#outputs button", "OutputTensor[0,0,1,1] = 8");
        await b.has("#explanation", "Output\\[0,0,1,1\\]");
    },
    "example-error": async (b) => {
        await example("slice1-ex2")(b);
        await b.click("#descriptor");
        await b.press(["Control", "Home"], "x");
        await b.has("#example-said", "error");
    },
    "no-tensor": (b) => b.open(`${origin}#view=tensor`),
    tensor,
    sliced: async (b) => {
        await tensor(b);
        await b.click("#index");
        await b.press(...":,:,1,::-2", "Enter");
        await b.has("#tensor-text", "Sizes:\\{1,1,1,2\\}");
    },
    "bad-index": async (b) => {
        await tensor(b);
        await b.click("#index");
        await b.press(..."9999", "Enter");
        await b.has("#tensor-said", "9999");
    },
    npz: async (b) => {
        await b.open(`${origin}#view=tensor`);
        await b.drop(["x.npz", Buffer.from("PK\x03\x04" + "\0".repeat(60), "latin1")]);
        await b.has("#tensor-said", "archive");
    },
    "reading-tensor": reading("a-rather-long-name-of-a-tensor.npy", "#view=tensor", "#tensor-said"),
};

// What axe-core finds wrong. F1 shows what the editor's tooltips show.
const audit = (b) =>
    b.evaluate(`async () => {
    globalThis.axe ?? (0, function () { ${AXE} }).call(globalThis);
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    const scrolls = "scrollable-region-focusable";
    const inTooltip = (n) => document.querySelector(n.target).closest(".cm-tooltip");
    return violations.flatMap((v) =>
        v.nodes
            .filter((n) => v.id !== scrolls || !inTooltip(n))
            .slice(0, 3)
            .map((n) => v.id + ": " + n.html.slice(0, 160) + " " +
                n.failureSummary.replace(/\\s+/g, " ")));
}`);

async function fits(b) {
    const [page, width] = await b.evaluate(() => [document.documentElement.scrollWidth,
                                                  document.documentElement.clientWidth]);
    assert.ok(page <= width, `${page} pixels wide on a page of ${width}`);
}

async function pictures(b, scheme, name, show) {
    for (const width of WIDTHS) {
        await b.resize(width, 800);
        await show(b);
        await b.evaluate(
            () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 200))),
        ); // painted
        await b.picture(path.join(SHOTS, `${name}-${b.name}-${scheme}-${width}.png`));
        if (width === 768) assert.deepEqual(await audit(b), []);
    }
}

async function looks(b, name, show) {
    await b.resize(320, 800);
    await show(b);
    assert.deepEqual(await audit(b), [], "at 320 pixels");
    for (const width of WIDTHS) {
        await b.resize(width, 800);
        await fits(b);
    }
}

// What has the focus; it must be seen.
async function focused(b) {
    await b.until(() => {
        const e = document.activeElement,
            { outlineStyle, outlineWidth } = getComputedStyle(e.closest(".cm-editor") ?? e);
        return e === document.body || (outlineStyle !== "none" && outlineWidth !== "0px");
    });
}

// Presses a key until what a selector finds has the focus.
async function goTo(b, selector, key = "Tab") {
    for (let i = 0; i < 60; i++) {
        await b.press(key);
        await focused(b);
        if (await b.evaluate((s) => document.activeElement.matches(s), selector)) return;
    }
    assert.fail(`${selector} is not reached`);
}

async function keyboard(b) {
    await b.resize(1280, 800);
    await check(b);
    await goTo(b, ".skip");
    await b.press("Enter");
    await b.until(() => document.activeElement.id === "main");
    await goTo(b, "#template");
    await b.press(..."GEMM");
    await b.has("#editor .cm-line", "DML_OPERATOR_GEMM");
    await b.has("#summary", "^Valid");
    for (const id of ["#level", "#portable", "#open", ".cm-content"]) await goTo(b, id);
    await b.press(["Control", "a"], "Delete");
    await b.has("#summary", "^Nothing to check yet");
    for (const id of ["#copy-link", "#save", "#broken"]) await goTo(b, id);
    await b.press("Enter");
    await b.has("#summary", "^3 errors");
    await goTo(b, "#findings .place");
    await b.press("Enter");
    await b.until(() => document.activeElement.matches(".cm-content"));
    await goTo(b, "#findings .rule");
    await b.press("Enter");
    await b.has("dialog[open]", "desc.operator-unknown");
    await b.press("Escape");
    await b.until(() => document.activeElement.matches("#findings .rule"));
    await goTo(b, "#fix-all", ["Shift", "Tab"]);
    await b.press("Enter");
    await b.has("dialog[open]", "Apply");
    await b.press("Enter"); // Apply has the focus
    await b.has("#summary", "^Valid");
    await goTo(b, "#tab-examples", ["Shift", "Tab"]);
    await b.press("Enter");
    await b.has("#example-said", "^Computed");
    await goTo(b, "#outputs td:last-child button");
    await b.press("Enter");
    await b.has("#explained", "0,0,0,1. is explained below");
    await b.has("#as-text", "=> equals the documentation");
    await goTo(b, "#descriptor");
    await b.press("Tab");
}

const NAMES = {
    check: [["navigation", "Views"], ["link", "Examples"], ["region", "Check"],
            ["combobox", "Template"], ["combobox", "Feature level"],
            ["checkbox", "Portable to DxDispatch"], ["textbox", "Descriptor or model, JSON"],
            ["button", "Go to 3:11, line and column"],
            ["button", "Explain the rule topk.index-sizes"],
            ["button", "Fix: did you mean FLOAT32?"]],
    element: [["region", "Examples"], ["combobox", "Example"], ["table", "InputTensor[0,0,:,:]"],
              ["textbox", "InputTensor[0,0,1,3], in the window, element 4 of the output"],
              ["button", "OutputTensor[0,0,1,1] = 8: where it comes from"],
              ["textbox", "Descriptor"]],
    difference: [["dialog", "Fix all that is certain"], ["button", "Apply"], ["button", "Close"]],
    tensor: [["region", "Tensor file"], ["textbox", "Index, as in NumPy"], ["button", "Show"],
             ["combobox", "Format"], ["button", "Download the slice"]],
};

async function names(b) {
    for (const [screen, list] of Object.entries(NAMES)) {
        await SCREENS[screen](b);
        // Firefox takes most of a second for each
        for (const [role, name] of b.name === "firefox" ? list.slice(0, 2) : list)
            assert.ok((await b.named(role, name)) > 0,
                      `${screen}: no ${role} has the name '${name}'`);
    }
}

// On a small screen, the number of findings is seen without scrolling, and a finding is read before
// its explanation.
async function small(b) {
    await b.resize(320, 800);
    await check(b);
    assert.ok(
        await b.evaluate(
            () => document.getElementById("summary").getBoundingClientRect().bottom <= innerHeight),
    );
    await b.hover("#editor .cm-lintRange-error");
    await b.until(
        () =>
            document.querySelector(
                ".cm-tooltip .cm-diagnostic ~ .hover, .cm-tooltip :has(.cm-diagnostic) ~ .hover",
            ) !== null);
}

const browsers = [];

async function tour(Browser, scheme) {
    const b = await Browser.start({ dark: scheme === "dark" });
    browsers.push(b);
    if (!SHOTS) {
        test(`the keyboard alone is enough in ${b.name}`, () => keyboard(b));
        test(`names for a screen reader in ${b.name}`, () => names(b));
        test(`a small screen in ${b.name}`, () => small(b));
    }
    for (const [name, show] of Object.entries(SCREENS))
        if (name.includes(TOUR) && b.name.includes(SCREENS_IN))
            test(`${name} in ${b.name}, ${scheme}`, () =>
                SHOTS ? pictures(b, scheme, name, show) : looks(b, name, show));
}

for (const Browser of fs.existsSync(FIREFOX) ? [Chromium, Firefox] : [Chromium])
    for (const scheme of SHOTS ? ["light", "dark"] : ["light"]) await tour(Browser, scheme);
await runTests();
for (const b of browsers) await b.end();
close();
