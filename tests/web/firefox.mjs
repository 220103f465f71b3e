// The page in Firefox, besides what tour.mjs does there: fixes, examples, a tensor.
import assert from "node:assert/strict";
import fs from "node:fs";
import { FIREFOX, Firefox, LARGE, npy } from "./browsers.mjs";
import { serve } from "./server.mjs";
import { runTests, test } from "./suite.mjs";

if (!fs.existsSync(FIREFOX)) {
    console.log("skipped: Firefox is not installed");
    process.exit();
}

const browser = await Firefox.start();
const { origin, close } = await serve(process.env.WEB);
console.log(`    Firefox ${browser.version}`);

const text = () =>
    [...document.querySelectorAll("#editor .cm-line")].map((line) => line.textContent).join("\n");

test("Firefox: a wrong descriptor is typed, and its findings are read", async () => {
    await browser.open(origin);
    await browser.has("#summary", "^3 errors, 0 warnings$");
    await browser.click(".cm-content");
    await browser.press(["Control", "a"], "Delete");
    await browser.has("#summary", "^Nothing to check yet");
    await browser.press(...'{"type":"DML_OPERATOR_TOP_K1","desc":{"K":0');
    await browser.has("#summary", "errors, 0 warnings");
    await browser.has("#findings li.error", "InputTensor");
    assert.equal(await browser.evaluate(text), '{"type":"DML_OPERATOR_TOP_K1","desc":{"K":0}}');
});

test("Firefox: a text is kept over a reload, and after a failure it is checked again", async () => {
    await browser.open(`${origin}#view=check`);
    await browser.until(() => document.querySelector("#editor .cm-lintRange-error") !== null);
    await browser.click(".cm-content");
    await browser.press(["Control", "a"], "Delete", ..."[1]");
    await browser.has("#summary", "error");
    await browser.openAgain(`${origin}#view=check`);
    await browser.has("#editor .cm-line", "^\\[1\\]$");
    await browser.evaluate(() => {
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (message) {
            Worker.prototype.postMessage = postMessage;
            postMessage.call(this, { ...message, messages: [{ method: 1n }] }); // no JSON
        };
    });
    await browser.click(".cm-content");
    await browser.press("2");
    await browser.has("#link-said", "started again");
    await browser.has("#findings li.error", "\\w");
});

const visible = (id) => browser.evaluate((i) => !document.getElementById(i).hidden, id);

async function template(name) {
    await browser.open(`${origin}#view=check`);
    await browser.evaluate((operator) => {
        const menu = document.getElementById("template");
        menu.value = operator;
        menu.dispatchEvent(new Event("change"));
    }, name);
    await browser.has("#summary", "^Valid");
    await browser.has("#shapes .arrow", name);
}

// Moves a slider, the nth that a selector finds.
const slide = (selector, n, to) =>
    browser.evaluate(
        (s, i, value) => {
            const slider = document.querySelectorAll(s)[i];
            slider.value = value;
            slider.dispatchEvent(new Event("input"));
        },
        selector, n, String(to));

test("Firefox: C++ becomes JSON, and JSON C++", async () => {
    await browser.open(`${origin}#view=check`);
    const tensor = (name, dtype, last) =>
        `.${name} = { .DataType = ${dtype}, .Sizes = { 1u, 1, 3, ${last} } }, `;
    const tensors =
        tensor("InputTensor", "FLOAT32", 4) +
        tensor("OutputValueTensor", "FLOAT32", 2) +
        tensor("OutputIndexTensor", "UINT32", 2);
    const rest = ".Axis = 3, .K = 0x2, .AxisDirection = DECREASING";
    const cpp = `{ .type = "DML_OPERATOR_TOP_K1", .desc = { ${tensors}${rest} } }`;
    await browser.drop(["x.json", cpp]);
    await browser.has("#editor .cm-line", "0x2");
    await browser.has("#findings li.error", "C");
    await browser.click("#to-json");
    await browser.has("#summary", "^Valid");
    assert.equal(JSON.parse(await browser.evaluate(text)).desc.K, 2);
    assert.ok(!(await visible("to-json")));
    await browser.click("#copy-cpp");
    await browser.has("#link-said", "lines of C\\+\\+");
    await browser.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error("denied"));
    });
    await browser.click("#copy-cpp");
    await browser.has("dialog[open] pre", "DML_TOP_K1_OPERATOR_DESC");
});

test("Firefox: shapes are boxes, red where they are wrong, and lead to the text", async () => {
    await browser.open(`${origin}#view=check`);
    await browser.drop(["broken.json", fs.readFileSync("samples/broken.json")]);
    await browser.has("#findings-title", "broken.json");
    await browser.has("#summary", "^3 errors");
    const boxes = () =>
        [...document.querySelectorAll("#shapes .operator > *")].map((box) =>
            [...box.children].map((e) => e.textContent).join(" "));
    assert.deepEqual(await browser.evaluate(boxes), [
        "InputTensor 1\u00d71\u00d73\u00d74 Float32", "TOPK1 \u2192",
        "OutputValueTensor 1\u00d71\u00d73\u00d72 FLOAT32",
        "OutputIndexTensor 1\u00d71\u00d73\u00d74 UINT32"]);
    await browser.click("#shapes .bad", "4");
    await browser.has("#editor .cm-activeLine", "OutputIndexTensor");
    await browser.press("2");
    await browser.has("#summary", "^2 errors");
});

test("Firefox: a descriptor is computed, also after a reload with an edit of it", async () => {
    await template("GEMM");
    assert.ok(!(await visible("compute")));
    await template("SLICE1");
    await browser.until(() => !document.getElementById("compute").hidden);
    await browser.click("#compute");
    await browser.has("#example-title", "SLICE1, your descriptor");
    await browser.has("#example-said", "^Computed");
    await browser.has("#explanation", "^Output\\[0,0,0,0\\]");
    await browser.click("#descriptor");
    await browser.press(["Control", "End"], ..."// mine");
    await browser.openAgain(await browser.evaluate(() => location.href));
    await browser.has("#example-title", "SLICE1, your descriptor");
    await browser.has("#example-said", "^Computed");
    assert.match(await browser.evaluate(() => document.getElementById("descriptor").value),
                 /\/\/ mine$/);
});

test("Firefox: what is larger than the screen has sliders", async () => {
    await browser.open(`${origin}#view=check`);
    await browser.drop(["large.json", JSON.stringify(LARGE)]);
    await browser.has("#findings-title", "large.json");
    await browser.until(() => !document.getElementById("compute").hidden);
    await browser.click("#compute");
    await browser.has("#example-said", "^Computed");
    for (const [axis, to] of [1, 2, 80, 100].entries())
        await slide("#outputs .slider input", axis, to);
    await browser.has("[data-name='OutputTensor[1,2,81,103]']", "^4849$");
});

test("Firefox: a tensor has statistics, sliders, a heat map, and CSV", async () => {
    await browser.open(`${origin}#view=tensor`);
    const values = Float32Array.from([...Array(59).keys(), NaN]);
    await browser.drop(["cube.npy", npy("<f4", [3, 4, 5], Buffer.from(values.buffer))]);
    await browser.has("#tensor-text", "Sizes:\\{3,4,5\\}");
    await browser.has("#tensor-stats", "elements");
    await browser.has("#heat .legend", "^019$");
    await slide("#sliders input", 0, 2); // the first index of axis 0
    await browser.has("#tensor-text", "Sizes:\\{1,4,5\\}");
    assert.equal(await browser.evaluate(() => document.getElementById("index").value), "2, :, :");
    await browser.has("#heat .legend", "^4058$");
    await browser.has("#heat", "without a color are NaN");
    const light = await browser.evaluate(() => {
        const canvas = document.querySelector("#heat canvas"),
            { width, height } = canvas;
        const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
        return Array.from({ length: width * height }, (_, i) =>
            data[4 * i + 3] === 0 ? -1 : data[4 * i] + data[4 * i + 1] + data[4 * i + 2]);
    });
    assert.equal(light.length, 20);
    assert.equal(light[19], -1);
    assert.ok(light.every((value, i) => i === 0 || i === 19 || value > light[i - 1]));
    await browser.evaluate(() => {
        document.getElementById("tensor-format").value = "csv";
        URL.createObjectURL = (blob) => {
            window.saved = blob;
            return "data:,";
        };
    });
    await browser.click("#tensor-save");
    await browser.until(() => window.saved !== undefined);
    const rows = (await browser.evaluate(() => window.saved.text())).trim().split("\n");
    assert.equal(rows[0], "40.0,41.0,42.0,43.0,44.0");
    assert.equal(rows.length, 4);
});

test("Firefox: a reload works without a network", async () => {
    const other = await serve(process.env.WEB);
    await browser.open(other.origin);
    await browser.evaluate(() => navigator.serviceWorker.ready.then(() => true));
    await other.close();
    await browser.openAgain(`${other.origin}#example=slice1-ex2`);
    await browser.has("#example-said", "^Computed");
});

test("Firefox: no errors in the console", () => {
    assert.deepEqual(browser.problems, []);
});

await runTests();
await browser.end();
close();
