// The page in Chromium, as a user drives it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { runTests, test } from "./suite.mjs";
import { npy } from "./browsers.mjs";
import { drop, dropAs, dropMade, editorText, filled, has, saved, showIndex, summary, type,
         visit } from "./visit.mjs";

const { DMLOP, WEB } = process.env;
const { origin, asked, data, start, browser, problems, open, onPage, end } = await visit();

test("a wrong descriptor is typed, and its findings are read", onPage(async (page) => {
    await type(page, '{ "type": "DML_OPERATOR_TOP_K1", "desc": { "K": 0 } }');
    await page.locator("#findings li.error").first().waitFor();
    await has(page, "#findings", "InputTensor");
    assert.match(await page.locator("#summary").textContent(), /\d+ errors, 0 warnings/);
    assert.ok((await page.locator(".cm-lintRange-error").count()) > 0);
}));

test("what the list says is what the program says", onPage(async (page) => {
    const text = fs.readFileSync("samples/broken.json", "utf8");
    const native = JSON.parse(
        execFileSync("bash", ["-c", `"$DMLOP" validate --format json samples/broken.json || :`], {
            encoding: "utf8",
        }),
    );
    const found = native.files[0].findings;
    await type(page, text);
    await summary(page, `${found.length} errors`);
    const items = await page.locator("#findings li").allTextContents();
    assert.equal(items.length, found.length);
    found.forEach((f, i) => {
        assert.ok(items[i].includes(f.message), items[i]);
        assert.ok(
            items[i].includes(f.hint) &&
                items[i].includes(f.rule) &&
                items[i].includes(`${f.line}:${f.column}`),
            items[i]);
    });
}));

test("a hint is applied by a click", onPage(async (page) => {
    await summary(page, "3 errors");
    await page.getByRole("button", { name: /^Fix: did you mean FLOAT32/ }).click();
    await summary(page, "2 errors");
    assert.match(await editorText(page), /"FLOAT32", "Sizes": \[1, 1, 3, 4\]/);
}));

test("all that is certain is fixed, with the difference of validate --fix", onPage(async (page) => {
    await summary(page, "3 errors");
    await page.getByRole("button", { name: "Fix all that is certain" }).click();
    const shown = await page.locator("dialog pre").textContent();
    const native = execFileSync(
        "bash", ["-c", `cd samples && "$DMLOP" validate --fix broken.json 2>&1 >/dev/null`],
        { encoding: "utf8" });
    assert.equal(shown.trimEnd(), native.replaceAll("broken.json", "descriptor.json").trimEnd());
    await page.getByRole("button", { name: "Apply" }).click();
    await summary(page, "Valid");
}));

test("a rule is explained as validate --explain does", onPage(async (page) => {
    await page.getByRole("button", { name: "Explain the rule topk.index-sizes" }).click();
    const native = execFileSync(DMLOP, ["validate", "--explain", "topk.index-sizes"], {
        encoding: "utf8",
    });
    await page.locator("dialog[open] pre").waitFor();
    assert.equal(await page.locator("dialog pre").textContent(), native);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("dialog[open]").count(), 0);
}));

test("templates of 12 operators are those of the program, and valid", onPage(async (page) => {
    const all = fs.readdirSync("src/desc/operators").map((f) => f.replace(".json", ""));
    assert.equal(await page.locator("#template option").count(), all.length + 2);
    for (const name of all.filter((_, i) => i % Math.ceil(all.length / 12) === 0)) {
        await page.getByLabel("Template").selectOption(name);
        const native = execFileSync(DMLOP, ["validate", `--template=${name}`], {
            encoding: "utf8",
        });
        await page.waitForFunction(
            (n) => document.querySelector("#editor .cm-line").textContent.includes(n), name);
        await summary(page, "Valid");
        assert.equal(await editorText(page), native);
    }
    const [, bytes] = await saved(page, "Save the text");
    assert.equal(bytes.toString(), await editorText(page));
}));

test("feature level and portability are switches", onPage(async (page) => {
    await page.getByLabel("Template").selectOption("SLICE1");
    await summary(page, "Valid");
    await page.getByLabel("Feature level").selectOption("1_0");
    await has(page, "#findings", "2_1");
    const levels = await page.locator("#level option").allTextContents();
    for (const level of levels)
        execFileSync(DMLOP, ["validate", "--quiet", "--feature-level", level,
                             "samples/slice-ex1.desc.json"]);
}));

test("hover, F1 and completion come from the language server", onPage(async (page) => {
    await page.getByText('"K"', { exact: true }).first().hover();
    await page.locator(".cm-tooltip .hover").waitFor();
    await page.mouse.move(0, 0);
    await page.locator(".cm-tooltip .hover").waitFor({ state: "detached" });
    await type(page, '{ "type": "DML_OPERATOR_TOP_K1", "desc": { "Axis": 3, ');
    await page.keyboard.press("Control+Space");
    await has(page, ".cm-tooltip-autocomplete li", "AxisDirection");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Home");
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("F1");
    await has(page, "#described", /\w/);
}));

test("every example is as make demo has it, byte for byte", async () => {
    const demo = execFileSync("samples/demo", [DMLOP], { encoding: "utf8" });
    const page = await open("#view=examples");
    const names = await page
        .locator("#example option")
        .evaluateAll((all) => all.map((o) => o.value));
    let text = "";
    for (const name of names) {
        await page.goto(`${origin}#example=${name}`);
        await has(page, "#as-text", `${name}: `);
        await has(page, "#example-said", "Computed");
        text += `${await page.locator("#as-text").textContent()}\n`;
    }
    assert.equal(`${text}${names.length} of ${names.length} examples as expected\n`, demo);
    await page.close();
});

test("an element of the output is explained, and a number is edited", onPage(async (page) => {
    await page.getByRole("button", { name: "OutputTensor[0,0,1,1] = 8" }).click();
    const native = execFileSync(
        DMLOP,
        ["slice", "-d", "slice1-ex2.desc.json", "slice1-ex2.input.json", "--explain", "0,0,1,1"],
        { cwd: "samples", encoding: "utf8" });
    await has(page, "#explanation", "Output[0,0,1,1] = Input[0,0,1,3] = 8");
    assert.equal(await page.locator("#explanation").textContent(), native);
    assert.equal(await page.locator("td.window").count(), 12);
    await page.getByRole("textbox", { name: /^InputTensor\[0,0,1,3\]/ }).fill("88");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "OutputTensor[0,0,1,1] = 88" }).waitFor();
    await has(page, "#explained", "Output[0,0,0,0] is explained");
    for (const number of ["nan", "-inf", "1e400", "0x", "", "]"]) {
        await page.locator("#inputs input").first().fill(number);
        await page.keyboard.press("Tab");
        await has(page, "#example-said", /Computed|input\.json/);
    }
    await page.locator("#descriptor").fill("{}");
    await has(page, "#example-said", "slice1-ex2.desc.json");
    assert.ok(
        (await page.locator("#computed").isHidden()) &&
            (await page.locator("td.window").count()) === 0);
    await page.getByRole("button", { name: "As in the documentation" }).click();
    await page.getByRole("button", { name: "OutputTensor[0,0,1,1] = 8:" }).waitFor();
}, "#example=slice1-ex2"));

test("a .npy of 8 MB is shown, sliced and downloaded", async () => {
    const values = new Int32Array(2048 * 1024).map((_, i) => i);
    const bytes = npy("<i4", [2048, 1024], Buffer.from(values.buffer));
    const page = await open();
    await dropMade(
        page, "big.npy",
        (head) => [Uint8Array.from(head), Int32Array.from({ length: 2048 * 1024 }, (_, i) => i)],
        [...bytes.subarray(0, -values.byteLength)]);
    await has(page, "#tensor-text", "Sizes:{2048,1024}");
    await showIndex(page, "-2:, ::512");
    await has(page, "#tensor-text", "2096640");
    await page.getByLabel("Format").selectOption("json");
    const [, slice] = await saved(page, "Download the slice");
    const folder = fs.mkdtempSync(path.join(data, "npy-"));
    fs.writeFileSync(path.join(folder, "big.npy"), bytes);
    execFileSync(DMLOP, ["slice", "--index", "-2:, ::512", "-o", "y.json", "big.npy"], {
        cwd: folder,
    });
    assert.deepEqual(slice, fs.readFileSync(path.join(folder, "y.json")));
    await showIndex(page, "9999");
    await has(page, "#tensor-said", "9999");
    await page.close();
});

test("memory that is not there is a message, and the page goes on", onPage(async (page) => {
    await drop(page, "small.npy", fs.readFileSync("samples/slice1-ex1.input.npy"));
    await has(page, "#tensor-text", "Sizes:{1,1,4,4}");
    await dropAs(page, () => {
        const file = new File([new Uint8Array(8)], "huge.npy");
        Object.defineProperty(file, "size", { value: 9e9 });
        file.arrayBuffer = () => Promise.reject(new RangeError("Array buffer allocation failed"));
        return { files: [file] };
    });
    await has(page, "#tensor-said", "not enough memory");
    await drop(page, "small.npy", fs.readFileSync("samples/slice1-ex1.input.npy"));
    await has(page, "#tensor-text", "Sizes:{1,1,4,4}");
}));

test("WebAssembly with 32 MiB says so for a tensor, a result and a text, and goes on", async () => {
    const small = await start("small", {}, "--js-flags=--wasm-max-mem-pages=512"),
        page = await open("", small);
    const input = fs.readFileSync("samples/slice1-ex1.input.npy"),
        size = 48e6;
    const goesOn = async () => {
        await drop(page, "small.npy", input);
        await has(page, "#tensor-text", "Sizes:{1,1,4,4}");
    };
    await dropMade(page, "large.npy", filled, [...npy("|u1", [size], Buffer.alloc(0))], size);
    await has(page, "#tensor-said", "cannot map the file: Out of memory");
    await goesOn();
    // which can be mapped, but not also printed
    await dropMade(page, "half.npy", filled, [...npy("|u1", [12e6], Buffer.alloc(0))], 12e6);
    await has(page, "#tensor-text", "half.npy");
    await page.getByLabel("Format").selectOption("json");
    await page.getByRole("button", { name: "Download the slice" }).click();
    await has(page, "#tensor-said", "dmlop: slice: out of memory");
    await goesOn();
    await page.goto(`${origin}#view=check`);
    await dropMade(page, "large.json", filled, [...Buffer.from("[")], size / 2);
    await page.locator("#findings", { hasText: "not enough memory" }).waitFor();
    await drop(page, "small.json", Buffer.from("{}"));
    await summary(page, "1 error");
    await small.close();
});

test("a folder that cannot be read and a text are not taken for a file", onPage(async (page) => {
    await dropAs(page, () => {
        const folder = new File([], "folder"),
            gone = () => Promise.reject(new DOMException("gone", "NotFoundError"));
        Object.assign(folder, { arrayBuffer: gone, slice: () => ({ arrayBuffer: gone }) });
        return { files: [folder], types: ["Files"] };
    });
    await has(page, "#said", "folder cannot be read: it is a folder");
    await summary(page, "3 errors");
    const taken = await page.evaluate(() => {
        const dataTransfer = new DataTransfer(),
            over = new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true });
        dataTransfer.setData("text/plain", "x");
        return !document.body.dispatchEvent(over);
    });
    assert.ok(!taken);
}));

test("tensors of unusual names and shapes", onPage(async (page) => {
    for (const [name, bytes, said] of [
        ["-x.npy", npy("|u1", [2], Buffer.from([7, 8])), "Sizes:{2}"],
        ["rank8.npy", npy("|u1", [1, 1, 1, 1, 1, 1, 1, 2], Buffer.from([7, 8])),
         "Sizes:{1,1,1,1,1,1,1,2}"],
    ]) {
        await drop(page, name, bytes);
        await has(page, "#tensor-text", said);
    }
}, "#view=tensor"));

test("a file of 120 MB says what happens, and is shown", onPage(async (page) => {
    const header = [...npy("|u1", [12000, 10000], Buffer.alloc(0))];
    await page.evaluate(() => {
        window.said = [];
        new MutationObserver(() =>
            window.said.push(document.getElementById("tensor-said").textContent),
        ).observe(document.getElementById("tensor-said"), { childList: true, characterData: true,
                                                            subtree: true });
    });
    await dropMade(page, "large.npy", filled, header, 120e6, 7);
    await page
        .locator("#tensor-text", { hasText: "Sizes:{12000,10000}" })
        .waitFor();
    assert.match((await page.evaluate(() => window.said)).join("\n"),
                 /114\.4 MiB: it is copied to this tab's memory/);
}, "#view=tensor"));

test("a .npy that claims 3 GB and has none of them is a message", onPage(async (page) => {
    await drop(page, "claim.npy", npy("<f4", [30000, 25000], Buffer.alloc(64)));
    await page
        .locator("#tensor-said", { hasText: "claim.npy" })
        .filter({ hasNotText: "Reading" })
        .waitFor();
    assert.doesNotMatch(await page.locator("#tensor-said").textContent(),
                        /in the middle of its work|Nothing of it/);
}));

test("a .npz is refused with a sentence", onPage(async (page) => {
    await drop(page, "x.npz", Buffer.from("PK\x03\x04" + "\0".repeat(60), "latin1"));
    await has(page, "#tensor-said", /x\.npz/);
}));

test("a model of 10 MB is checked, and typing goes on", onPage(async (page) => {
    await dropMade(page, "big.json", () => {
        const values = `"initialValues": [${"1, ".repeat(400)}1]`;
        const one = `"initialValuesDataType": "FLOAT32", ${values}`;
        const resources = Array.from({ length: 8000 }, (_, i) => `"r${i}": { ${one} }`);
        window.big = `{ "resources": {\n${resources.join(",\n")} },
            "dispatchables": {}, "commands": [] }`;
        return [window.big];
    });
    assert.ok((await page.evaluate(() => window.big.length)) > 9.5e6);
    await page
        .locator("#summary", { hasText: /Valid|error|warning/ })
        .filter({ hasNotText: "3 errors" })
        .waitFor();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.insertText("x");
    await page.locator("#findings li.error").first().waitFor();
}));

test("a text of more than 64 MiB is refused with the program's sentence", onPage(async (page) => {
    await dropMade(page, "long.json", filled, [], (64 << 20) + 1);
    await has(page, "#said", "long.json");
    await summary(page, "3 errors");
}));

test("text that is not UTF-8 is reported as the program reports it", onPage(async (page) => {
    await drop(page, "bad.json", Buffer.from('{ "type": "\xff\xfe" }', "latin1"));
    await has(page, "#summary", "UTF-8");
    await page.locator("#findings li").first().waitFor();
    // checks what the editor shows, not an older text
    await page.getByLabel("Feature level").selectOption("5_0");
    await has(page, "#summary", /^\d+ error/);
    assert.ok(!(await page.locator("#findings").textContent()).includes("DML_OPERATOR_TOPK1"));
}));

test("text that an editor can have and JSON cannot is checked", onPage(async (page) => {
    for (const text of [
        "nonsense", "\0", "{ \ud800 }", '{ "type": "\udc00" }', "\ufeff{}", '{\r\n"type": 1}\r\n',
        "[".repeat(1e4),
    ]) {
        await type(page, "");
        await summary(page, "Nothing to check");
        await type(page, text);
        await page.locator("#findings li.error").first().waitFor();
        assert.doesNotMatch(await page.locator("#findings").textContent(),
                            /in the middle of its work/);
    }
}));

test("a file keeps line ends and byte order mark; columns are those of the program",
    onPage(async (page) => {
    const file = Buffer.from('\ufeff{ "type": "DML_OPERATOR_TOPK1",\r\n\t"desc": { "K": 1 } }\r\n');
    const text = async (on = page) => (await saved(on, "Save the text"))[1];
    const folder = fs.mkdtempSync(path.join(data, "ends-")),
        name = path.join(folder, "ends.json");
    fs.writeFileSync(name, file);
    const native = (...args) =>
        execFileSync("bash", ["-c", '"$DMLOP" validate "$@" 2>/dev/null || :', "dmlop", ...args,
                              name]);
    const found = () => JSON.parse(native("--format", "json")).files[0].findings;
    await drop(page, "ends.json", file);
    await summary(page, `${found().length} error`);
    assert.deepEqual(await page.locator("#findings li > p:first-child .place").allTextContents(),
                     found().map((f) => `${f.line}:${f.column}`));
    assert.deepEqual(await text(), file);
    await page.getByRole("button", { name: "Copy a link" }).click();
    await has(page, "#link-said", /\w/);
    const other = await open(`#${new URL(page.url()).hash.slice(1)}`);
    await summary(other, `${found().length} error`);
    assert.deepEqual(await text(other), file);
    await other.close();
    const fixed = native("--fix");
    await page.getByRole("button", { name: "Fix all that is certain" }).click();
    await page.getByRole("button", { name: "Apply" }).click();
    await has(page, "#editor", "DML_OPERATOR_TOP_K1");
    assert.notDeepEqual(fixed, file);
    assert.deepEqual(await text(), fixed);
    await drop(page, "mixed.json", Buffer.from("{\r\n}\r\n\n"));
    await has(page, "#link-said", "The lines of mixed.json end in several ways");
    assert.equal((await text()).toString(), "{\r\n}\r\n\r\n");
    await drop(page, "lf.json", Buffer.from("{\n}\n"));
    await page.waitForFunction(() => document.getElementById("link-said").textContent === "");
    assert.equal((await text()).toString(), "{\n}\n");
}));

test("a link that names nothing or is damaged says so", onPage(async (page) => {
    const text = '{ "type": 1 }';
    await type(page, text);
    await page.getByRole("button", { name: "Copy a link" }).click();
    await has(page, "#link-said", /\w/);
    const { hash } = new URL(page.url()),
        packed = new URLSearchParams(hash.slice(1)).get("packed");
    const damaged = [hash.replace(packed, packed.slice(0, -4)), hash.replace(/sum=./, "sum=-"),
                     "#packed=", "#text=_w"];
    for (const [fragment, said, view] of [
        ["#example=nonsense", "an example 'nonsense'", "Examples"],
        ["#example=", "an example ''", "Examples"],
        ["#view=nonsense", "a view 'nonsense'", "Check"],
        ["#level=9_9", "a feature level '9_9'", "Check"],
        ["#nonsense", "'#nonsense', which names nothing", "Check"],
        ["#=", "names nothing", "Check"],
        ...damaged.map((d) => [d, "damaged", "Check"]),
    ]) {
        await page.goto(`${origin}#view=tensor`);
        await page.waitForFunction(() => document.getElementById("said").textContent === "");
        await page.goto(origin + fragment); // in the page that is open
        await has(page, "#said", said);
        await page.getByRole("region", { name: view }).waitFor();
        const other = await open(fragment);
        await other.locator("#said", { hasText: said }).waitFor();
        await other.getByRole("region", { name: view }).waitFor();
        await other.close();
    }
    await page.goto(origin + hash);
    await page.waitForFunction(() => document.getElementById("said").textContent === "");
    assert.equal(await editorText(page), text);
}));

test("comments are read as such, and the names after them", onPage(async (page) => {
    await type(page, '/* a "name":\n more */ { // "b": 1\n"c": "d", /* e */ "f": [1, true] }');
    const parts = async (name) =>
        (await page.locator(`#editor .cm-line span:text-is('${name}')`).getAttribute("class")) ??
        "";
    await page.locator("#editor .cm-line span", { hasText: '// "b": 1' }).waitFor();
    assert.equal(await parts('"c"'), await parts('"f"'));
    assert.notEqual(await parts('"c"'), await parts('"d"'));
}));

test("a link has the text and the switches, and is read again", async () => {
    const page = await open();
    const text = '{ "type": "DML_OPERATOR_GEMM", "desc": { "a": "ä€😀" } }';
    await page.getByLabel("Feature level").selectOption("3_0");
    await page.getByLabel("Portable to DxDispatch").check();
    await type(page, text);
    await page.getByRole("button", { name: "Copy a link" }).click();
    await has(page, "#link-said", /\w/);
    const url = page.url(),
        other = await browser.newPage();
    assert.match(url, /#packed=/);
    await other.goto(url);
    await other.waitForFunction(() => performance.getEntriesByName("findings").length > 0);
    assert.equal(await editorText(other), text);
    assert.equal(await other.getByLabel("Feature level").inputValue(), "3_0");
    assert.ok(await other.getByLabel("Portable to DxDispatch").isChecked());
    await other.goto(`${origin}#packed=%%%`);
    await other.reload();
    await other.locator("#said", { hasText: "damaged" }).waitFor();
    await other.goto(`${origin}#view=check`);
    await other.waitForFunction(() => document.getElementById("said").textContent === "");
    await dropMade(other, "noise.json", () => [
        Uint8Array.from({ length: 3e6 }, () => 48 + Math.random() * 64)]);
    await other.locator("#findings-title", { hasText: "noise.json" }).waitFor();
    await other.getByRole("button", { name: "Copy a link" }).click();
    await other.locator("#link-said", { hasText: "too long" }).waitFor();
    await page.close();
    await other.close();
});

test("the notices of all that is in the page are linked", onPage(async (page) => {
    const href = await page.getByRole("link", { name: "Licences" }).getAttribute("href");
    const text = await (await page.request.get(new URL(href, origin).href)).text();
    const { packages } = JSON.parse(fs.readFileSync("src/web/package-lock.json", "utf8"));
    const tools = /^$|axe-core|esbuild|playwright-core|fsevents|@lezer\/lr/;
    const bundled = Object.entries(packages).filter(([folder]) => !tools.test(folder));
    assert.ok(bundled.length > 10);
    for (const [folder, { version }] of bundled)
        assert.ok(text.includes(`\n${folder.replace("node_modules/", "")} ${version}\n=`), folder);
    const notice = { cjson: "Dave Gamble", "wasi-libc": "Rich Felker",
                     "libxxhash-dev": "Yann Collet" };
    for (const [name, author] of Object.entries({ dmlop: "MIT License", ...notice }))
        assert.ok(text.split(`${name}\n==`)[1].includes(author), name);
    assert.ok(text.includes("APACHE-2-LLVM-EXCEPTIONS"));
    assert.equal(text.match(/^=+$/gm).length, bundled.length + 5);
}));

test("dark mode follows the system", onPage(async (page) => {
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await back();
    await page.emulateMedia({ colorScheme: "dark" });
    assert.notEqual(await back(), light);
}));

test("the policy forbids connections, also of the worker, and the page needs none",
    onPage(async (page) => {
    await browser.setOffline(true);
    await type(page, "{");
    await page.locator("#findings li.error").first().waitFor();
    await browser.setOffline(false);
    const before = problems.length;
    const refused = await page.evaluate(() => fetch("index.html").then(() => false, () => true));
    const inWorker = await page.evaluate(
        (url) =>
            new Promise((resolve) => {
                const then = ".then(() => postMessage(false), () => postMessage(true))";
                const source = `fetch(${JSON.stringify(url)})${then}`;
                const worker = new Worker(URL.createObjectURL(new Blob([source])));
                worker.onmessage = (e) => resolve(e.data);
            }),
        `${origin}index.html`);
    problems.length = before;
    assert.deepEqual([refused, inWorker], [true, true]);
}));

test("a script that is not there is reported", async () => {
    for (const name of ["program.js", "dmlop.js"]) {
        const page = await browser.newPage();
        await page.route(`**/${name}`, (route) => route.abort());
        await page.goto(origin);
        await summary(page, `${name} cannot be loaded`);
        await page.close();
    }
});

test("no errors in the console, and no requests but for the page's files", () => {
    assert.deepEqual(problems, []);
    assert.deepEqual([...new Set(asked)].sort(), ["", "LICENSES.txt", "dmlop.js", "engine.js",
                                                  "program.js", "style.css"]);
});

test("the time to the first finding is measured", async () => {
    const times = [];
    for (let i = 0; i < 9; i++) {
        const page = await open();
        times.push(
            await page.evaluate(() => performance.getEntriesByName("findings")[0].startTime));
        await page.close();
    }
    times.sort((a, b) => a - b);
    console.log(
        `    from opening to the first finding: ${times[4].toFixed(0)} ms, ` +
            `at best ${times[0].toFixed(0)}`);
});

// A model of so many bytes or a few more, with an error in one of its dispatchables.
function model(size) {
    const { type, desc } = JSON.parse(
        fs.readFileSync("samples/slice1-ex1.desc.json", "utf8").replace(/\/\/.*/g, ""));
    const dispatchables = { slice: { type, desc: { ...desc, DimensionCount: 3 } } };
    const text = () => JSON.stringify({ resources: {}, dispatchables, commands: [] }, null, 2);
    while (text().length < size)
        dispatchables[`slice${Object.keys(dispatchables).length}`] = { type, desc };
    return text();
}

test("the time from a keystroke to the findings is measured", onPage(async (page) => {
    for (const text of [model(400), model(100e3)]) {
        await drop(page, `${text.length}.json`, Buffer.from(text));
        await has(page, "#findings-title", `${text.length}.json`);
        await has(page, "#findings", "DimensionCount");
        await page.locator(".cm-content").click();
        await page.keyboard.press("Control+End");
        await page.evaluate(() => {
            addEventListener("keydown", () => performance.mark("key"), true);
        });
        const times = [];
        for (let i = 0; i < 40; i++) {
            await page.keyboard.press("Space");
            const taken = await page.waitForFunction(() => {
                const last = (name) => performance.getEntriesByName(name).at(-1).startTime;
                return Math.max(last("findings") - last("key"), 0);
            });
            times.push(await taken.jsonValue());
        }
        times.sort((a, b) => a - b);
        console.log(
            `    from a keystroke to the findings, ${(text.length / 1000).toFixed(0)} KB: ` +
                `median ${times[20].toFixed(0)} ms, 95 of 100 in ${times[37].toFixed(0)} ms, ` +
                `at best ${times[0].toFixed(0)}`);
    }
}));

test("sizes: 600 KB of WebAssembly, 300 KB of it packed", () => {
    const wasm = path.join(WEB, "dmlop.wasm");
    const packed = execFileSync("gzip", ["-9c", wasm], { maxBuffer: 1 << 24 }).length;
    console.log(`    dmlop.wasm: ${fs.statSync(wasm).size} bytes, ${packed} packed`);
    assert.ok(fs.statSync(wasm).size <= 600e3 && packed <= 300e3);
});

await runTests();
await end();
