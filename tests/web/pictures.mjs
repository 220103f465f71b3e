// C++ and back, shapes as boxes, what is computed of a descriptor, and tensors, in Chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { runTests, test } from "./suite.mjs";
import { LARGE, dropFiles, npy } from "./browsers.mjs";
import { clickCheck, drop, editorText, has, ready, saved, showIndex, summary, type,
         visit } from "./visit.mjs";

const { DMLOP } = process.env;
const { origin, problems, browser, open, onPage, end } = await visit();
await browser.grantPermissions(["clipboard-read", "clipboard-write"], {
    origin: new URL(origin).origin,
});

const native = (...args) => execFileSync(DMLOP, args, { encoding: "utf8", maxBuffer: 1 << 24 });

const cursorLine = (page) => page.locator("#editor .cm-activeLine").textContent();

test("a C++ initializer becomes JSON by a button, and the JSON C++ by another",
    onPage(async (page) => {
    const tensor = (name, dtype, last) =>
        `.${name} = { .DataType = ${dtype}, .Sizes = { 1u, 1, 3, ${last} } }, `;
    const tensors =
        tensor("InputTensor", "FLOAT32", 4) +
        tensor("OutputValueTensor", "FLOAT32", 2) +
        tensor("OutputIndexTensor", "UINT32", 2);
    const rest = ".Axis = 3, .K = 0x2, .AxisDirection = DECREASING";
    assert.ok(await page.getByRole("button", { name: "Make JSON of this C++" }).isHidden());
    await type(page, `{ .type = "DML_OPERATOR_TOP_K1", .desc = { ${tensors}${rest} } }`);
    await page.locator("#findings li.error").first().waitFor();
    assert.ok(await page.getByRole("button", { name: "Copy as C++" }).isDisabled());
    await page.getByRole("button", { name: "Make JSON of this C++" }).click();
    await summary(page, "Valid");
    assert.equal(JSON.parse(await editorText(page)).desc.K, 2);
    assert.ok(await page.getByRole("button", { name: "Make JSON of this C++" }).isHidden());
    await page.getByRole("button", { name: "Copy as C++" }).click();
    await has(page, "#link-said", "lines of C++");
    const folder = fs.mkdtempSync("/tmp/page-");
    fs.writeFileSync(`${folder}/x.json`, await editorText(page));
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, native("validate", "--cpp", `${folder}/x.json`));
    fs.rmSync(folder, { recursive: true });
    // where there is no clipboard, the C++ is shown
    await page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error("denied"));
    });
    await page.getByRole("button", { name: "Copy as C++" }).click();
    await has(page, "dialog[open]", "DML_TOP_K1_OPERATOR_DESC");
    assert.equal(await page.locator("dialog pre").textContent(), copied);
}));

test("statements that fill a struct get the header that writes them as JSON",
    onPage(async (page) => {
    await type(page, "DML_TOP_K1_OPERATOR_DESC desc = {};\ndesc.K = 2;\n");
    await has(page, "#findings", "this is C");
    assert.ok(await page.getByRole("button", { name: "Make JSON of this C++" }).isHidden());
    const [name, bytes] = await saved(page, "Save dmlop_dump.h");
    assert.equal(name, "dmlop_dump.h");
    assert.equal(bytes.toString(), native("validate", "--dump-header"));
}));

const boxes = (page) =>
    page.locator("#shapes .operator").evaluateAll((rows) =>
            rows.map((row) =>
                [...row.children].map((c) => [...c.children].map((e) => e.textContent).join(" "))),
        );

test("shapes are boxes, what a finding names is red, and a click goes to the text",
    onPage(async (page) => {
    await summary(page, "3 errors");
    assert.deepEqual(await boxes(page), [
        ["InputTensor 1\u00d71\u00d73\u00d74 Float32", "TOPK1 \u2192",
         "OutputValueTensor 1\u00d71\u00d73\u00d72 FLOAT32",
         "OutputIndexTensor 1\u00d71\u00d73\u00d74 UINT32"]]);
    const red = page.locator("#shapes .bad");
    assert.deepEqual(await red.allTextContents(), ["Float32", "4"]);
    await page.locator(".cm-lintRange-error").first().waitFor();
    await red.last().click();
    assert.match(await cursorLine(page), /OutputIndexTensor/);
    await page.keyboard.type("2");
    await summary(page, "2 errors");
    assert.deepEqual(await red.allTextContents(), ["Float32"]);
    await page.locator("#shapes .shape", { hasText: "OutputValueTensor" }).getByText(
        "FLOAT32").click();
    assert.match(await cursorLine(page), /OutputValueTensor/);
    await type(page, "[]");
    await has(page, "#shapes", "are shown here");
}));

test("the shapes of templates have every tensor of the table, inputs before outputs",
    onPage(async (page) => {
    for (const name of ["JOIN", "BATCH_NORMALIZATION_GRAD", "DYNAMIC_QUANTIZE_LINEAR", "SPLIT",
        "LSTM"]) {
        const { fields } = JSON.parse(fs.readFileSync(`src/desc/operators/${name}.json`, "utf8"));
        await page.getByLabel("Template").selectOption(name);
        await summary(page, "Valid");
        await has(page, "#shapes .arrow", name);
        const { desc } = JSON.parse((await editorText(page)).replace(/\/\/.*|\/\*[^]*?\*\//g, ""));
        const [row] = await boxes(page), arrow = row.findIndex((e) => e.startsWith(`${name} `));
        const given = fields.filter((f) => /^tensor/.test(f.kind) && desc[f.name]);
        const expected = (output) =>
            given
                .filter((f) => (f.role === "output") === output)
                .flatMap((f) => [desc[f.name]].flat().map((t, i) => [
                    Array.isArray(desc[f.name]) ? `${f.name}[${i}]` : f.name,
                    t.Sizes.join("\u00d7"), t.DataType,
                ].join(" ")));
        assert.deepEqual(row.slice(0, arrow).sort(), expected(false).sort(), name);
        assert.deepEqual(row.slice(arrow + 1).sort(), expected(true).sort(), name);
        assert.equal(await page.locator("#shapes .bad").count(), 0);
    }
}));

test("a model has a row for each operator; only the wrong one is red", onPage(async (page) => {
    const model = JSON.parse(fs.readFileSync("samples/slice.model.json", "utf8").replace(
        /^\s*\/\/.*$/gm, ""));
    const [name] = Object.keys(model.dispatchables);
    const other = structuredClone(model.dispatchables[name]);
    (other.desc ?? other).OutputTensor.Sizes[3] += 1;
    model.dispatchables = { ...model.dispatchables, other };
    await type(page, JSON.stringify(model, null, 1));
    await page.locator("#shapes .operator:nth-child(2) .bad").first().waitFor();
    assert.equal(await page.locator("#shapes .operator:first-child .bad").count(), 0);
}));

const computeIt = (page) => page.getByRole("button", { name: "Compute this" }).click();
const computed = (page) => has(page, "#example-said", /^Computed/);

// What the program makes of the same files, which the page names own.*.
function onDisk(files, ...args) {
    const folder = fs.mkdtempSync("/tmp/page-");
    for (const [name, bytes] of Object.entries(files)) fs.writeFileSync(`${folder}/${name}`, bytes);
    const out = execFileSync(DMLOP, args, { cwd: folder, encoding: "utf8" });
    fs.rmSync(folder, { recursive: true });
    return out;
}

test("descriptors of all five operators are computed on 0, 1, 2 ..., with derivations",
    onPage(async (page) => {
    for (const [name, option, output] of [
        ["SLICE", "0,0,0,0", "OutputTensor"],
        ["SLICE1", "0,0,0,0", "OutputTensor"],
        ["TOP_K", "0,0,0,0", "OutputValueTensor"],
        ["TOP_K1", "0,0,0,0", "OutputValueTensor"],
        ["QUANTIZED_LINEAR_MATRIX_MULTIPLY", "0,0,0,0", "OutputTensor"],
    ]) {
        await clickCheck(page);
        await page.getByLabel("Template").selectOption(name);
        await summary(page, "Valid");
        await page.locator("#shapes .arrow", { hasText: RegExp(`^${name}\\W`) }).waitFor();
        const text = await editorText(page);
        await computeIt(page);
        await has(page, "#example-title", `${name}, your descriptor`);
        await computed(page);
        const cell = page.getByRole("textbox", { name: /^(Input|A)Tensor\[[0,]*1\]/ }).first();
        assert.equal(await cell.inputValue(), "1");
        const command = (await page.locator("#command").textContent()).split(" ").slice(1);
        const inputs = Object.fromEntries(await page.locator("#inputs .tensor").evaluateAll((all) =>
            all.map((f) => [f.dataset.title, f.querySelector("small").textContent])));
        assert.ok(Object.keys(inputs).length > 0);
        assert.match(await page.locator("#explanation").textContent(),
            /^Output\[0,0,0,0\]|^Output\w+\[0,0,0,0\]|^element \[0, 0, 0, 0\]/);
        assert.ok((await page.locator(
            `#outputs [data-title=${output}] td.selected`).count()) === 1);
        if (command[0] === "slice") {
            const made = onDisk({ "own.desc.json": text }, "make", "--sizes",
                /\{(.*)\}/.exec(inputs.InputTensor)[1], "--range", "--format", "json");
            const shown = onDisk({ "own.desc.json": text, "own.input.json": made },
                "slice", "-d", "own.desc.json", "own.input.json", "--explain", option);
            assert.equal(await page.locator("#explanation").textContent(), shown);
        }
    }
    // an input is edited, and Reset brings the numbers back
    await clickCheck(page);
    await page.getByLabel("Template").selectOption("SLICE1");
    await summary(page, "Valid");
    await has(page, "#shapes .arrow", "SLICE1");
    await computeIt(page);
    await computed(page);
    const first = page.locator("#inputs td.selected input");
    const before = await first.inputValue();
    await first.fill("77");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: /^OutputTensor\[0,0,0,0\] = 77/ }).waitFor();
    await page.getByRole("button", { name: "Reset: numbers 0, 1, 2" }).click();
    await page.getByRole("button", { name: RegExp(
        `^OutputTensor\\[0,0,0,0\\] = ${before}:`) }).waitFor();
    await page.locator("#example").selectOption("slice1-ex2");
    await has(page, "#as-text", "equals the documentation");
}));

test("what is larger than the screen is shown in part, with sliders", onPage(async (page) => {
    await type(page, JSON.stringify(LARGE));
    await summary(page, "Valid");
    await computeIt(page);
    await computed(page);
    assert.ok((await page.locator("#outputs td button").count()) <= 200);
    assert.equal(await page.locator("#outputs .slider").count(), 4);
    const value = async (at) => {
        const index = at.map((i, axis) => [i, i, 10 + 2 * i, 399 - 2 * i][axis < 2 ? 0 : axis]);
        return (((index[0] * 3 + index[1]) * 400 + index[2]) * 500 + index[3]) % 32768;
    };
    const slide = (tensor, axis, to) =>
        page.locator(`[data-title=${tensor}]`).getByLabel(`Axis ${axis}`).fill(String(to));
    await slide("OutputTensor", 0, 1);
    await slide("OutputTensor", 1, 2);
    await slide("OutputTensor", 2, 80);
    await slide("OutputTensor", 3, 100);
    const at = [1, 2, 81, 103], cell = page.locator(`#outputs [data-name='OutputTensor[${at}]']`);
    await cell.waitFor();
    assert.equal(await cell.textContent(), String(await value(at)));
    await cell.click();
    await page.locator("#explanation", {
        hasText: `Output[${at}] = Input[1,2,172,193]` }).waitFor();
    // the input is moved there, too
    await slide("InputTensor", 0, 1);
    await slide("InputTensor", 1, 2);
    await slide("InputTensor", 2, 170);
    await slide("InputTensor", 3, 190);
    await page.locator("[data-name='InputTensor[1,2,172,193]']").waitFor();
    await page.locator("#inputs td.window").first().waitFor();
    assert.equal(await page.locator("[data-name='InputTensor[1,2,172,193]']").inputValue(),
                 String(await value(at)));
}));

test("a dropped tensor is computed, and one that does not fit is refused", onPage(async (page) => {
    const desc = fs.readFileSync("samples/slice1-ex1.desc.json", "utf8");
    await type(page, desc);
    await summary(page, "Valid");
    await computeIt(page);
    await computed(page);
    await drop(page, "mine.csv", Buffer.from(
        "11,12,13,14\n21,22,23,24\n31,32,33,34\n41,42,43,44\n"));
    await page.getByRole("button", { name: /^OutputTensor\[0,0,1,1\] = 34:/ }).waitFor();
    await drop(page, "other.csv", Buffer.from("1,2\n3,4\n"));
    await has(page, "#example-said", "other.csv has not the sizes of InputTensor, {1,1,4,4}");
    await page.getByRole("button", { name: "Reset: numbers" }).click();
    await computed(page);
    await page.locator("#inputs input[type=file]").setInputFiles("samples/slice1-ex1.input.npy");
    await page.getByRole("button", { name: /^OutputTensor\[0,0,1,1\] = 12:/ }).waitFor();
    // tensors that were opened together with the descriptor
    await clickCheck(page);
    await dropFiles(page, [["a.desc.json", Buffer.from(desc)],
        ["x.npy", fs.readFileSync("samples/slice1-ex1.input.npy")]]);
    await has(page, "#findings-title", "a.desc.json");
    await computeIt(page);
    await page.getByRole("button", { name: /^OutputTensor\[0,0,1,1\] = 12:/ }).waitFor();
}));

test("what is computed is there after a reload, with the edits of its descriptor",
    onPage(async (page) => {
    const desc = fs.readFileSync("samples/slice1-ex1.desc.json", "utf8");
    await drop(page, "crlf.json", Buffer.from(desc.replaceAll("\n", "\r\n")));
    await has(page, "#findings-title", "crlf.json");
    await summary(page, "Valid");
    await computeIt(page);
    await computed(page);
    const field = page.locator("#descriptor");
    for (const edited of [`${desc}// 1\n`, `${desc}// 2\n`, `${desc}[\n`]) {
        await field.fill(edited);
        await page.reload();
        await ready(page);
        if (edited.endsWith("[\n")) {
            await has(page, "#said", "none that can be computed");
            await has(page, "#as-text", "equals the documentation");
        } else {
            await has(page, "#example-title", "your descriptor");
            await computed(page);
            assert.equal(await field.inputValue(), edited);
        }
        await clickCheck(page);
        assert.equal(await editorText(page), edited);
        const [, bytes] = await saved(page, "Save the text");
        assert.equal(bytes.toString(), edited.replaceAll("\n", "\r\n"));
        await page.goBack();
    }
}));

test("an edit of what is computed does not replace another text in the editor",
    onPage(async (page) => {
    const desc = fs.readFileSync("samples/slice1-ex1.desc.json", "utf8");
    const GEMM = '{ "type": "DML_OPERATOR_GEMM", "desc": {} }';
    await type(page, desc);
    await summary(page, "Valid");
    await computeIt(page);
    await computed(page);
    await clickCheck(page);
    await type(page, GEMM);
    await page.goBack();
    await computed(page);
    await page.locator("#descriptor").fill(`${desc}// mine\n`);
    await clickCheck(page);
    assert.equal(await editorText(page), `${desc}// mine\n`);
    await page.getByRole("button", { name: "Earlier texts" }).click();
    for (const text of ["GEMM", "SLICE1"])
        await page.locator("dialog li", { hasText: text }).first().waitFor();
}));

test("only what dmlop computes has the button", onPage(async (page) => {
    const button = page.getByRole("button", { name: "Compute this" });
    assert.ok(await button.isHidden());
    await page.getByLabel("Template").selectOption("SLICE1");
    await button.waitFor();
    await page.getByLabel("Template").selectOption("GEMM");
    await button.waitFor({ state: "hidden" });
}));

const floats = (shape, values) =>
    npy("<f4", shape, Buffer.from(Float32Array.from(values).buffer));

const CUBE = floats([3, 4, 5], [...Array(59).keys(), NaN]);
const cube = async () => {
    const page = await open("#view=tensor");
    await drop(page, "cube.npy", CUBE);
    await has(page, "#tensor-text", "Sizes:{3,4,5}");
    await has(page, "#tensor-stats", "elements");
    return page;
};

test("a tensor has the statistics of info, and its slice is saved in three formats", async () => {
    const page = await cube();
    assert.equal(await page.locator("#tensor-stats").textContent(),
                 onDisk({ "cube.npy": CUBE }, "info", "--stats", "cube.npy"));
    await showIndex(page, "1:, ::-1, 2:4");
    await has(page, "#tensor-text", "Sizes:{2,4,2}");
    const slice = (...more) => onDisk({ "cube.npy": CUBE }, "slice", "--index", "1:, ::-1, 2:4",
        ...more, "cube.npy");
    for (const format of ["npy", "csv", "json"]) {
        await page.getByLabel("Format").selectOption(format);
        const [name, bytes] = await saved(page, "Download the slice");
        assert.equal(name, `cube-slice.${format}`);
        if (format === "json") assert.equal(bytes.toString(), slice("--format", "json"));
        if (format === "npy") assert.equal(bytes.length, 128 + 4 * 16);
        if (format === "csv") {
            const rows = bytes.toString().trim().split("\n").map((row) => row.split(",").map(
                Number));
            assert.deepEqual(rows.slice(0, 2), [[37, 38], [32, 33]]);
            assert.equal(rows.length, 8);
        }
    }
    await page.close();
});

test("sliders write the index, and the index moves the sliders", async () => {
    const page = await cube(), index = page.getByLabel("Index, as in NumPy");
    assert.equal(await page.locator("#sliders input").count(), 6);
    await page.getByLabel("Axis 0, first index").fill("2");
    await has(page, "#tensor-text", "Sizes:{1,4,5}");
    assert.equal(await index.inputValue(), "2, :, :");
    await page.getByLabel("Axis 2, last index").fill("1");
    await has(page, "#tensor-text", "Sizes:{1,4,2}");
    assert.equal(await index.inputValue(), "2, :, 0:2");
    await page.getByLabel("Axis 0, last index").fill("0"); // takes the first one with it
    await has(page, "#tensor-text", "[[[ 0");
    assert.equal(await index.inputValue(), "0, :, 0:2");
    await index.fill("1:3, 2");
    await page.keyboard.press("Enter");
    await has(page, "#tensor-text", "Sizes:{2,1,5}");
    const at = (axis, end) => page.getByLabel(`Axis ${axis}, ${end} index`).inputValue();
    assert.deepEqual(
        await Promise.all([at(0, "first"), at(0, "last"), at(1, "first"), at(2, "last")]),
        ["1", "2", "2", "4"]);
    await index.fill("..., ::-1"); // which no slider says
    await page.keyboard.press("Enter");
    await has(page, "#tensor-text", "Sizes:{3,4,5}");
    assert.equal(await page.locator("#tensor-said.wrong").count(), 0);
    await page.close();
});

test("a heat map has a color for each value, and a legend", async () => {
    const page = await cube();
    const pixels = () =>
        page.locator("#heat canvas").first().evaluate((canvas) => {
            const { width, height } = canvas;
            return { width, height, data: [...canvas.getContext("2d").getImageData(0, 0, width,
                height).data] };
        });
    const shown = (from, to) => page.getByRole("img", { name: `from ${from} to ${to}` }).waitFor();
    const light = ({ data }, i) => data[4 * i] + data[4 * i + 1] + data[4 * i + 2];
    await shown(0, 19);
    const first = await pixels();
    assert.deepEqual([first.width, first.height], [5, 4]);
    for (let i = 1; i < 20; i++) assert.ok(light(first, i) > light(first, i - 1), `${i}`);
    assert.equal(await page.locator("#heat .legend").textContent(), "019");
    await page.locator("#heat canvas").first().hover({ position: { x: 3, y: 3 } });
    await has(page, "#heat output", "[0, 0] = 0");
    await showIndex(page, "2, ::-1, :");
    await shown(40, 58);
    const last = await pixels();
    assert.equal(last.data[4 * 4 + 3], 0); // NaN has no color
    await has(page, "#heat", "without a color are NaN");
    assert.ok(light(last, 15) < light(last, 0));
    // more than 256 rows or columns are not all shown
    await drop(page, "wide.npy", floats([2, 1000], Array.from({ length: 2000 }, (_, i) => i)));
    await has(page, "#heat", "every 1 by 4 elements");
    assert.equal((await pixels()).width, 250);
    await page.close();
});

test("no errors in the console", () => assert.deepEqual(problems, []));

await runTests();
await end();
