// Files of all kinds, and several together, in Chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { dropFiles } from "./browsers.mjs";
import { runTests, test } from "./suite.mjs";
import { drop, dropAs, editorText, has, saved, showIndex, summary, type, visit } from "./visit.mjs";

const { data, problems, onPage, end } = await visit();
const { DMLOP } = process.env;
const input = fs.readFileSync("samples/slice1-ex1.input.npy"); // FLOAT32 {1,1,4,4}

// A model that slices a file, as those of DxDispatch that name files.
const model = (file, more = "") =>
    fs
        .readFileSync("samples/slice.model.json", "utf8")
        .replace(/\{ "valueCount": 16.*\}/, `{ "sourcePath": "${file}" }`)
        .replace(/(?=\n {4}\]\n)/, more);
const WRITE = ',\n{ "type": "writeFile", "resource": "output", "targetPath": "made/y.npy" }';

// Drops folders, which the page sees as a browser's entries: { name: { name: bytes } }.
async function dropFolder(page, folder) {
    const base64 = (k, v) =>
        typeof v === "string" || v?.type === "Buffer"
            ? Buffer.from(v.data ?? v).toString("base64")
            : v;
    const make = (top) => {
        const bytes = (content) => Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
        const file = (name, content) => (done) => done(new File([bytes(content)], name));
        const some = (content) => Object.entries(content).map(([n, c]) => entry(n, c));
        const reader = (left) => ({ readEntries: (done) => done(left.splice(0, 2)) });
        const entry = (name, content) =>
            typeof content === "string"
                ? { name, isDirectory: false, file: file(name, content) }
                : { name, isDirectory: true, createReader: () => reader(some(content)) };
        return { files: [new File([], "folder")], types: ["Files"],
                 items: some(top).map((e) => ({ webkitGetAsEntry: () => e })) };
    };
    await dropAs(page, make, JSON.parse(JSON.stringify(folder, base64)));
}

const tab = (page, name) =>
    page.getByRole("navigation", { name: "Files" }).getByRole("button", { name });
const said = (page, text) => has(page, "#said", text);

// The arrays of an archive, by numpy.
function npz(how, arrays) {
    const file = path.join(data, `${how}.npz`);
    execFileSync("/usr/bin/python3", [
        "-c", `import sys, numpy as np; np.${how}(sys.argv[1], ${arrays})`, file]);
    return fs.readFileSync(file);
}

test("a model whose file is not there is valid, with a note", onPage(async (page) => {
    await drop(page, "model.json", Buffer.from(model("data/in.npy")));
    await summary(page, "Valid: no errors, no warnings. (1 file not here)");
    await has(page, "#findings li.note", "data/in.npy is not here");
    assert.equal(await page.locator("#findings li.error, .cm-lintRange-error").count(), 0);
    // other errors of the same rule stay
    await type(page, model("data/in.npz"));
    await has(page, "#findings li", "is not here");
    await type(page, model("../"));
    await has(page, "#findings li.error", "../");
}));

test("what a model lacks is dropped after it, and the model runs", onPage(async (page) => {
    await type(page, model("data/in.npy"));
    await summary(page, "1 file not here");
    await drop(page, "in.npy", input.subarray(0, -1));
    await has(page, "#findings li.error", "cut short");
    await dropFiles(page, [["model.json", model("data/in.npy")]]);
    await summary(page, "1 file not here");
    await drop(page, "in.npy", input);
    await page.waitForFunction(
        () => document.getElementById("summary").textContent === "Valid: no errors, no warnings.");
    assert.equal(await page.locator("#findings li").count(), 0);
    await page.getByRole("button", { name: "Run the model" }).click();
    await has(page, "dialog pre", "Resource 'output': 14, 16, 6, 8");
    await page.keyboard.press("Escape");
    await dropFolder(page, { top: { models: { "m.json": model("../data/in.npy") } } });
    await summary(page, "1 file not here");
    await drop(page, "in.npy", input);
    await tab(page, "data/in.npy").waitFor();
    await page.locator("#findings li").first().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Run the model" }).click();
    await has(page, "dialog pre", "Resource 'output': 14, 16, 6, 8");
}));

test("a folder is a workspace: its models are checked, and run, with its files",
    onPage(async (page) => {
    const text = model("../data/in.npy", WRITE);
    await dropFolder(page, {
        top: { models: { "m.json": text, "wrong.json": '{ "dispatchables": 1 }' },
               data: { "in.npy": input }, "raw.bin": Buffer.from([0, 1, 2, 255]), ".hidden": "x" },
    });
    await tab(page, /^models\/m.json \u2713$/).waitFor();
    await tab(page, /^models\/wrong.json \u2717 \d$/).waitFor();
    await has(page, "#files", "raw.bin");
    await summary(page, "Valid");
    assert.equal(await page.locator("#findings li").count(), 0);
    assert.ok(!(await page.locator("#files").textContent()).includes("hidden"));
    await page.getByRole("button", { name: "Run the model" }).click();
    const [, bytes] = await saved(page, "Save made/y.npy");
    const folder = fs.mkdtempSync(path.join(data, "run-"));
    fs.mkdirSync(path.join(folder, "data"));
    fs.mkdirSync(path.join(folder, "models"));
    fs.writeFileSync(path.join(folder, "data/in.npy"), input);
    fs.writeFileSync(path.join(folder, "models/m.json"), text);
    execFileSync(DMLOP, ["run", "models/m.json"], { cwd: folder });
    assert.deepEqual(bytes, fs.readFileSync(path.join(folder, "made/y.npy")));
}));

test("tabs keep their edits, and each has its own undo", onPage(async (page) => {
    await dropFiles(page, [["a.json", '{ "a": 1 }'], ["b.json", '{ "b": 1 }'], ["in.npy", input]]);
    await tab(page, /^b.json/).click();
    await page.locator("#editor", { hasText: '"b"' }).waitFor();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText(" // more");
    await tab(page, /^in.npy/).click();
    await has(page, "#tensor-text", "Sizes:{1,1,4,4}");
    await tab(page, /^in.npy/).and(page.locator("[aria-current=true]")).waitFor();
    await tab(page, /^a.json/).click();
    await page.locator("#editor", { hasText: '"a"' }).waitFor();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+z");
    assert.equal(await editorText(page), '{ "a": 1 }');
    await tab(page, /^b.json/).click();
    await has(page, "#editor", "// more");
    assert.equal(await page.locator("#findings-title").textContent(), "Findings in b.json");
    await page.reload();
    await has(page, "#editor", "// more");
}));

test("a picture and other data are named, and the editor keeps its text", onPage(async (page) => {
    await summary(page, "3 errors");
    const before = await editorText(page);
    for (const [name, bytes, words] of [
        ["x.png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe", "PNG picture"],
        ["x.json", `\xfe\xed\xfa\xce\0\0\0\x07${"\x80\0".repeat(99)}`, "not a descriptor"],
        ["zeros.json", "\0".repeat(64), "zeros.json"],
    ]) {
        await drop(page, name, Buffer.from(bytes, "latin1"));
        await said(page, words);
        await summary(page, "3 errors, 0 warnings");
        assert.equal(await editorText(page), before);
    }
}));

test("UTF-16 is decoded, with and without its mark", onPage(async (page) => {
    const text = '{ "type": "DML_OPERATOR_GEMM", "desc": { "\u00e4\u20ac": 1 } }';
    const little = Buffer.from(text, "utf16le");
    for (const [i, bytes] of [
        Buffer.concat([Buffer.from([0xff, 0xfe]), little]),
        Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(little).swap16()]), little,
        Buffer.from(little).swap16(),
    ].entries()) {
        await drop(page, `${i}.json`, bytes);
        await has(page, "#link-said", `${i}.json is UTF-16`);
        await has(page, "#findings", "\u00e4\u20ac");
        assert.equal(await editorText(page), text);
    }
}));

test("CSV, text and JSON tensors are shown as tensors", onPage(async (page) => {
    const printed = execFileSync(DMLOP, ["show", "samples/slice1-ex1.input.npy"]);
    for (const [name, bytes, words] of [
        ["a.csv", "x,y,z\n1,2,3\n4,5,6\n", "Sizes:{2,3}, DataType:INT64"],
        ["b.tsv", "1.5\t2\n", "Sizes:{2}"],
        ["c.txt", printed, "Sizes:{1,1,4,4}, DataType:FLOAT32"],
        ["d.json", fs.readFileSync("samples/topk1-ex1.input.json"), "DataType:FLOAT32"],
    ]) {
        await drop(page, name, Buffer.from(bytes));
        await has(page, "#tensor-text", `${name}: (`);
        assert.ok((await page.locator("#tensor-text").textContent()).includes(words));
    }
    await drop(page, "bad.csv", Buffer.from("1,2\n3,x,y\n"));
    await has(page, "#tensor-said", "cell 2");
    await dropFolder(page, { empty: {} });
    await said(page, "There are no files");
}));

test("the members of an archive are shown, and one is sliced", onPage(async (page) => {
    for (const how of ["savez", "savez_compressed"]) {
        await drop(page, "x.npz",
                   npz(how, "a=np.arange(6).reshape(2, 3), b=np.ones((1, 4), 'f4')"));
        await tab(page, "x/a.npy").waitFor();
        await has(page, "#tensor-text", "Sizes:{2,3}, DataType:INT64");
        await tab(page, "x/b.npy").click();
        await has(page, "#tensor-text", "Sizes:{1,4}, DataType:FLOAT32");
        await showIndex(page, "0, ::2");
        await has(page, "#tensor-text", "Sizes:{1,2}");
        await drop(page, "in.npy", input);
        await has(page, "#tensor-text", "Sizes:{1,1,4,4}");
        await page.locator("#files").waitFor({ state: "hidden" });
    }
}));

test("an archive that is damaged or claims gigabytes is refused", onPage(async (page) => {
    const good = npz("savez_compressed", "a=np.zeros(1000)");
    const claims = Buffer.from(good),
        directory = claims.indexOf("PK\x01\x02", "latin1");
    claims.writeUInt32LE(0xfffffff0, directory + 24);
    await drop(page, "cut.npz", good.subarray(0, 100));
    await has(page, "#tensor-said", "cut.npz cannot be read as a .npz archive");
    await drop(page, "claims.npz", claims);
    await has(page, "#tensor-said", "its members have more than 1024.0 MiB");
    await drop(page, "none.npz", Buffer.from(`PK\x05\x06${"\0".repeat(18)}`, "latin1"));
    await page
        .locator("#tensor-said", { hasText: "none.npz" })
        .filter({ hasNotText: "Reading" })
        .waitFor();
}));

test("no errors in the console", () => assert.deepEqual(problems, []));

await runTests();
await end();
