// C++ and back, shapes as boxes, what is computed of a descriptor, and tensors, in Chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { runTests, test } from "./suite.mjs";
import { editorText, summary, type, visit } from "./visit.mjs";

const { DMLOP } = process.env;
const { origin, problems, browser, open, end } = await visit();
await browser.grantPermissions(["clipboard-read", "clipboard-write"], {
    origin: new URL(origin).origin,
});

const native = (...args) => execFileSync(DMLOP, args, { encoding: "utf8", maxBuffer: 1 << 24 });

async function saved(page, button) {
    const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: button }).click(),
    ]);
    return [download.suggestedFilename(), fs.readFileSync(await download.path())];
}

const cursorLine = (page) => page.locator("#editor .cm-activeLine").textContent();

test("a C++ initializer becomes JSON by a button, and the JSON C++ by another", async () => {
    const page = await open();
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
    await page.locator("#link-said", { hasText: "lines of C++" }).waitFor();
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
    await page.locator("dialog[open]", { hasText: "DML_TOP_K1_OPERATOR_DESC" }).waitFor();
    assert.equal(await page.locator("dialog pre").textContent(), copied);
    await page.close();
});

test("statements that fill a struct get the header that writes them as JSON", async () => {
    const page = await open();
    await type(page, "DML_TOP_K1_OPERATOR_DESC desc = {};\ndesc.K = 2;\n");
    await page.locator("#findings", { hasText: "this is C" }).waitFor();
    assert.ok(await page.getByRole("button", { name: "Make JSON of this C++" }).isHidden());
    const [name, bytes] = await saved(page, "Save dmlop_dump.h");
    assert.equal(name, "dmlop_dump.h");
    assert.equal(bytes.toString(), native("validate", "--dump-header"));
    await page.close();
});

const boxes = (page) =>
    page
        .locator("#shapes .operator")
        .evaluateAll((rows) =>
            rows.map((row) =>
                [...row.children].map((c) =>
                    [...c.children].map((e) => e.textContent).join(" "),
                ),
            ),
        );

test("shapes are boxes, what a finding names is red, and a click goes to the text", async () => {
    const page = await open();
    await summary(page, "3 errors");
    assert.deepEqual(await boxes(page), [
        [
            "InputTensor 1\u00d71\u00d73\u00d74 Float32",
            "TOPK1 \u2192",
            "OutputValueTensor 1\u00d71\u00d73\u00d72 FLOAT32",
            "OutputIndexTensor 1\u00d71\u00d73\u00d74 UINT32",
        ],
    ]);
    const red = page.locator("#shapes .bad");
    assert.deepEqual(await red.allTextContents(), ["Float32", "4"]);
    await page.locator(".cm-lintRange-error").first().waitFor();
    await red.last().click();
    assert.match(await cursorLine(page), /OutputIndexTensor/);
    await page.keyboard.type("2");
    await summary(page, "2 errors");
    assert.deepEqual(await red.allTextContents(), ["Float32"]);
    await page.locator("#shapes .shape", { hasText: "OutputValueTensor" }).getByText("FLOAT32").click();
    assert.match(await cursorLine(page), /OutputValueTensor/);
    await type(page, "[]");
    await page.locator("#shapes", { hasText: "are shown here" }).waitFor();
    await page.close();
});

test("the shapes of templates have every tensor of the table, inputs before outputs", async () => {
    const page = await open();
    for (const name of ["JOIN", "BATCH_NORMALIZATION_GRAD", "DYNAMIC_QUANTIZE_LINEAR", "SPLIT", "LSTM"]) {
        const { fields } = JSON.parse(fs.readFileSync(`src/desc/operators/${name}.json`, "utf8"));
        await page.getByLabel("Template").selectOption(name);
        await summary(page, "Valid");
        await page.locator("#shapes .arrow", { hasText: name }).waitFor();
        const { desc } = JSON.parse((await editorText(page)).replace(/\/\/.*|\/\*[^]*?\*\//g, ""));
        const [row] = await boxes(page), arrow = row.findIndex((e) => e.startsWith(`${name} `));
        const given = fields.filter((f) => /^tensor/.test(f.kind) && desc[f.name]);
        const expected = (output) =>
            given
                .filter((f) => (f.role === "output") === output)
                .flatMap((f) => [desc[f.name]].flat().map((t, i) => [
                    Array.isArray(desc[f.name]) ? `${f.name}[${i}]` : f.name,
                    t.Sizes.join("\u00d7"),
                    t.DataType,
                ].join(" ")));
        assert.deepEqual(row.slice(0, arrow).sort(), expected(false).sort(), name);
        assert.deepEqual(row.slice(arrow + 1).sort(), expected(true).sort(), name);
        assert.equal(await page.locator("#shapes .bad").count(), 0);
    }
    await page.close();
});

test("a model has a row for each operator; only the wrong one is red", async () => {
    const page = await open();
    const model = JSON.parse(fs.readFileSync("samples/slice.model.json", "utf8").replace(/^\s*\/\/.*$/gm, ""));
    const [name] = Object.keys(model.dispatchables);
    const other = structuredClone(model.dispatchables[name]);
    (other.desc ?? other).OutputTensor.Sizes[3] += 1;
    model.dispatchables = { ...model.dispatchables, other };
    await type(page, JSON.stringify(model, null, 1));
    await page.locator("#findings li.error").first().waitFor();
    assert.equal(await page.locator("#shapes .operator").count(), 2);
    assert.equal(await page.locator("#shapes .operator").first().locator(".bad").count(), 0);
    assert.ok((await page.locator("#shapes .operator").last().locator(".bad").count()) > 0);
    await page.close();
});

test("no errors in the console", () => assert.deepEqual(problems, []));

await runTests();
await end();
