// Texts are not lost, and failures do not leave old findings, in Chromium.
import assert from "node:assert/strict";
import zlib from "node:zlib";
import { runTests, test } from "./suite.mjs";
import { dropMade, editorText, filled, has, ready, summary, type, visit } from "./visit.mjs";

const { origin, start, browser, problems, open, onPage, end } = await visit();
const K0 = '{ "type": "DML_OPERATOR_TOP_K1", "desc": { "K": 0 } }';
const GEMM = '{ "type": "DML_OPERATOR_GEMM", "desc": {} }';

async function again(page) {
    await page.reload();
    await ready(page);
    await page.locator("#editor .cm-line").first().waitFor();
}

async function copyLink(page) {
    await page.getByRole("button", { name: "Copy a link" }).click();
    await has(page, "#link-said", /\w/);
    return page.url();
}

const show = (page, view) =>
    page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view }).click();

test("a typed text is there after a reload, also one at once", onPage(async (page) => {
    await page.getByLabel("Feature level").selectOption("3_0");
    await page.getByLabel("Portable to DxDispatch").check();
    await type(page, K0);
    await again(page);
    assert.equal(await editorText(page), K0);
    assert.equal(await page.getByLabel("Feature level").inputValue(), "3_0");
    assert.ok(await page.getByLabel("Portable to DxDispatch").isChecked());
    await has(page, "#findings", "InputTensor");
    await page.getByLabel("Template").selectOption("GEMM");
    await has(page, "#editor", "DML_OPERATOR_GEMM");
    const template = await editorText(page);
    await again(page);
    assert.equal(await editorText(page), template);
    await page.goto("about:blank");
    await page.goBack();
    await ready(page);
    await has(page, "#editor", "DML_OPERATOR_GEMM");
}));

test("an edit after a link is in the address bar, and there after a reload",
    onPage(async (page) => {
    await type(page, K0);
    const link = await copyLink(page);
    await type(page, GEMM);
    await again(page);
    assert.equal(await editorText(page), GEMM);
    await page.waitForFunction((u) => location.href !== u, link);
    const other = await open(new URL(page.url()).hash);
    assert.equal(await editorText(other), GEMM);
    await other.close();
    // the link itself, opened again in the same tab, has its own text
    await page.goto("about:blank");
    await page.goto(link);
    await ready(page);
    await page.locator("#editor", { hasText: '"K": 0' }).waitFor();
    assert.equal(await editorText(page), K0);
    await page.getByRole("button", { name: "Earlier texts" }).click();
    await has(page, "dialog li", "DML_OPERATOR_GEMM");
}));

test("Back never replaces an edit", onPage(async (page) => {
    await type(page, K0);
    const link = await copyLink(page);
    await type(page, GEMM);
    await show(page, "Examples");
    await has(page, "#example-said", "Computed");
    await page.goBack();
    await page.getByRole("region", { name: "Check" }).waitFor();
    await page.waitForTimeout(500);
    assert.equal(await editorText(page), GEMM);
    // a link that is opened is not Back: its text is shown, and the edit is among the earlier texts
    await page.evaluate((u) => location.assign(u), link);
    await page.locator("#editor", { hasText: '"K": 0' }).waitFor();
    await has(page, "#link-said", "earlier texts");
    await type(page, `${K0} `);
    await page.waitForFunction((u) => location.href !== u, link);
    await page.goBack();
    await has(page, "#link-said", "it stays");
    assert.equal(await editorText(page), `${K0} `);
}));

test("the last ten texts are a list, which can be opened and deleted", async () => {
    const context = await start("ten"),
        page = await open("", context);
    for (let i = 1; i <= 12; i++) {
        await type(page, `{ "type": "DML_OPERATOR_TOP_K1", "desc": { "K": ${i} } }`);
        await page.getByRole("button", { name: "An example with errors" }).click();
        await summary(page, "3 errors");
    }
    const items = page.locator("dialog li"),
        list = async (on) => {
            await on.getByRole("button", { name: "Earlier texts" }).click();
            return items;
        };
    assert.equal(await (await list(page)).count(), 10);
    const said = await items.allTextContents();
    said.forEach((text, i) => assert.match(text, RegExp(`TOP_K1.*"K": ${12 - i} `)));
    assert.ok(said[0].includes(new Date().getFullYear()));
    await items.nth(9).getByRole("button").click();
    await page.locator("#editor", { hasText: '"K": 3' }).waitFor();
    await page.getByRole("button", { name: "Earlier texts" }).click();
    await page.getByRole("button", { name: "Delete all" }).click();
    await has(page, "dialog", "There are none");
    assert.equal(await page.evaluate(() => Object.keys(localStorage).length), 0);
    await context.close();
});

test("each tab keeps its own text, also one that was copied", onPage(async (page) => {
    await type(page, K0);
    await page.waitForFunction(() => sessionStorage.getItem("dmlop-tab")?.includes("TOP_K1"));
    const [copy] = await Promise.all([
        browser.waitForEvent("page"),
        page.evaluate(() => void window.open(location.href)), // has a copy of the tab's storage
    ]);
    await ready(copy);
    await copy.locator("#editor .cm-line").first().waitFor();
    assert.equal(await editorText(copy), K0);
    await type(copy, GEMM);
    await again(copy);
    await again(page);
    assert.equal(await editorText(copy), GEMM);
    assert.equal(await editorText(page), K0);
    await copy.getByRole("button", { name: "Earlier texts" }).click();
    for (const text of [K0, GEMM])
        await copy.locator("dialog li", { hasText: text }).first().waitFor();
    await copy.close();
}));

test("storage that is forbidden or full is no error, and leaving asks", async () => {
    for (const forbidden of [true, false]) {
        const page = await browser.newPage(),
            asked = [];
        page.on("pageerror", (e) => problems.push(e.message));
        page.on("dialog", (d) => asked.push(d.type()) && d.accept());
        await page.addInitScript((none) => {
            if (none)
                for (const kind of ["localStorage", "sessionStorage"])
                    Object.defineProperty(window, kind, {
                        get() {
                            throw new DOMException("denied", "SecurityError");
                        },
                    });
            else
                Storage.prototype.setItem = () => {
                    throw new DOMException("full", "QuotaExceededError");
                };
        }, forbidden);
        await page.goto(origin);
        await ready(page);
        await type(page, K0);
        await has(page, "#findings", "InputTensor");
        await page.getByRole("button", { name: "Earlier texts" }).click();
        await has(page, "dialog", "There are none");
        await page.keyboard.press("Escape");
        await page.reload();
        await ready(page);
        assert.deepEqual(asked, ["beforeunload"]);
        await page.close();
    }
});

test("where texts are too long for the storage, the oldest make room", async () => {
    const context = await start("room"),
        page = await open("", context);
    const text = (i) => [`{ "K": ${i}, "long": "${"x".repeat(1.5e6)}" }`];
    for (let i = 1; i <= 5; i++) {
        await dropMade(page, `${i}.txt`, text, i);
        await has(page, "#findings-title", `${i}.txt`);
        await page.locator(".cm-content").click();
        await page.keyboard.press("Control+End");
        await page.keyboard.insertText(" ");
        await page.waitForFunction(
            (k) =>
                Object.keys(localStorage).some((key) =>
                    localStorage.getItem(key).includes(`\\"K\\": ${k},`)),
            i);
    }
    await again(page);
    await page.locator("#editor", { hasText: '"K": 5' }).waitFor();
    await context.close();
});

// Blanks, so many MiB, packed: one MiB again and again, and an empty end.
function packedBlanks(mib) {
    const finishFlush = zlib.constants.Z_FULL_FLUSH;
    const one = zlib.deflateRawSync(Buffer.alloc(1 << 20, 32), { level: 9, finishFlush });
    return Buffer.concat([...Array(mib).fill(one), zlib.deflateRawSync("")]);
}

test("a link that unpacks to more than a text may have is not unpacked", async () => {
    assert.equal(zlib.inflateRawSync(packedBlanks(2)).toString(), " ".repeat(2 << 20));
    for (const mib of [17, 400]) {
        const blanks = packedBlanks(mib);
        assert.ok(blanks.length < 2000 * mib);
        const page = await open(`#packed=${blanks.toString("base64url")}`);
        await has(page, "#said", "The link has a text of more than 16.0 MiB");
        await summary(page, "3 errors");
        await page.close();
    }
    const page = await open();
    await dropMade(page, "long.txt", filled, [], 17 << 20);
    await summary(page, "Nothing to check");
    await page.getByRole("button", { name: "Copy a link" }).click();
    await has(page, "#link-said", "too long");
    await page.close();
});

// Has workers fail: `inject` is called in each, before its own script, with the number of workers
// before it.
async function failing(inject, context = browser) {
    const page = await context.newPage();
    page.on("pageerror", (e) => problems.push(e.message));
    await page.addInitScript((source) => {
        const Real = Blob;
        window.Blob = class extends Real {
            constructor(parts, options) {
                super(
                    options?.type === "text/javascript"
                        ? [`(${source})(JSON.parse(self.name));`, ...parts] : parts, options);
            }
        };
        const RealWorker = Worker;
        window.made = 0;
        window.failWith = "";
        window.Worker = class extends RealWorker {
            constructor(url) {
                super(url, { name: JSON.stringify([window.made++, window.failWith]) });
                window.workers = [...(window.workers ?? []), this];
            }
        };
    }, `${inject}`);
    await page.goto(origin);
    await ready(page);
    return page;
}

// A worker in which a message fails that has a word: { word, how } comes before it.
const onWord = () => {
    let wanted;
    self.addEventListener("message", (event) => {
        if (event.data.wanted) {
            ({ wanted } = event.data);
            event.stopImmediatePropagation();
        } else if (wanted && JSON.stringify(event.data.messages ?? "").includes(wanted.word)) {
            const { how } = wanted;
            wanted = undefined;
            if (how === "throw") {
                event.stopImmediatePropagation();
                throw new Error("injected");
            }
            if (how === "answer") {
                event.stopImmediatePropagation();
                self.postMessage({ id: event.data.id, error: "unreachable" });
            }
            if (how === "memory") {
                const real = Uint8Array.prototype.set;
                Uint8Array.prototype.set = () => {
                    Uint8Array.prototype.set = real;
                    throw new RangeError("Array buffer allocation failed");
                };
            }
        }
    });
};

const FIRST = ["initialize", "didOpen", "didChange", "codeAction", "hover", "completion"];

for (const word of FIRST)
    for (const how of ["throw", "answer", "memory"])
        test(`a failure (${how}) at ${word} starts the worker and checks again`, async () => {
            const page = await failing(onWord);
            await page.locator("#editor .cm-lintRange-error").first().waitFor();
            const made = await page.evaluate(() => window.made);
            if (word === "initialize" || word === "didOpen") {
                // the next worker is the one that fails
                await page.evaluate(
                    (wanted) => {
                        const { postMessage } = Worker.prototype;
                        Worker.prototype.postMessage = function (message, ...more) {
                            if (message.messages && wanted) {
                                postMessage.call(this, { wanted });
                                wanted = undefined;
                            }
                            postMessage.call(this, message, ...more);
                        };
                    },
                    { word, how });
                await page.getByLabel("Feature level").selectOption("5_0");
            } else
                await page.evaluate((wanted) => window.workers[0].postMessage({ wanted }), {
                    word,
                    how,
                });
            if (word === "hover") {
                await page.locator("#editor .cm-line span", { hasText: '"Axis"' }).first().click();
                await page.keyboard.press("F1");
            } else if (word === "completion") {
                await page.locator("#editor .cm-line span", { hasText: '"Axis"' }).first().click();
                await page.keyboard.press("Home");
                await page.keyboard.press("Control+Space");
            } else if (word === "didChange" || word === "codeAction") await type(page, K0);
            await has(page, "#link-said", "started again");
            assert.ok((await page.evaluate(() => window.made)) > made);
            await type(page, GEMM);
            await has(page, "#findings", "ATensor");
            await type(page, K0);
            await has(page, "#findings", "AxisDirection");
            assert.doesNotMatch(await page.locator("#findings").textContent(), /ATensor/);
            await page.close();
        });

test("a check that always fails says so, and leaves no old findings", async () => {
    const page = await failing(onWord);
    await page.locator("#editor .cm-lintRange-error").first().waitFor();
    await page.evaluate(() => {
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (message, ...more) {
            if (message.messages && window.failing)
                postMessage.call(this, {
                    wanted: { word: "jsonrpc" in message ? "" : "method", how: "answer" } });
            postMessage.call(this, message, ...more);
        };
        window.failing = true;
    });
    await type(page, K0);
    await summary(page, "could not be checked");
    await has(page, "#findings", "in the middle of its work");
    await page.waitForFunction(() => document.querySelector(".cm-lintRange-error") === null);
    await page.evaluate(() => {
        window.failing = false;
    });
    await type(page, GEMM);
    await has(page, "#findings", "ATensor");
    await page.close();
});

test("a command that fails says so, and the next one runs", async () => {
    const page = await failing(onWord);
    await page.evaluate(() => {
        const { postMessage } = Worker.prototype;
        let once = true;
        Worker.prototype.postMessage = function (message, ...more) {
            if (message.run && once) {
                once = false;
                message = { ...message, run: {} }; // without arguments
            }
            postMessage.call(this, message, ...more);
        };
    });
    await show(page, "Examples");
    await has(page, "#example-said", "in the middle of its work");
    await page.getByRole("button", { name: "As in the documentation" }).click();
    await has(page, "#example-said", "Computed");
    await page.close();
});

test("no errors in the console", () => assert.deepEqual(problems, []));

await runTests();
await end();
