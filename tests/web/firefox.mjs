// The page in Firefox.
import assert from "node:assert/strict";
import fs from "node:fs";
import { FIREFOX, Firefox } from "./browsers.mjs";
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

test("Firefox: a fix is applied", async () => {
    await browser.open(origin);
    await browser.has("#summary", "^3 errors");
    await browser.until(() => document.querySelector("#editor .cm-lintRange-error") !== null);
    await browser.click("#findings button", "Fix: did you mean FLOAT32");
    await browser.has("#summary", "^2 errors");
    assert.match(await browser.evaluate(text), /"FLOAT32", "Sizes": \[1, 1, 3, 4\]/);
    await browser.click("#fix-all");
    await browser.has("dialog[open] pre", "--- ");
    await browser.click("dialog button", "Apply");
    await browser.has("#summary", "^Valid");
});

test("Firefox: an example of the documentation is computed, and an element explained", async () => {
    await browser.open(`${origin}#example=slice1-ex2`);
    await browser.has("#example-said", "^Computed");
    await browser.click("#outputs button", "OutputTensor[0,0,1,1] = 8");
    await browser.has("#explanation", "Output\\[0,0,1,1\\] = Input\\[0,0,1,3\\] = 8");
    await browser.has("#as-text", "=> equals the documentation");
});

test("Firefox: a .npy is dropped and sliced", async () => {
    await browser.open(`${origin}#view=tensor`);
    await browser.drop(["x.npy", fs.readFileSync("samples/slice1-ex1.input.npy")]);
    await browser.has("#tensor-text", "Sizes:\\{1,1,4,4\\}");
    await browser.click("#index");
    await browser.press(...":,:,1,::-2", "Enter");
    await browser.has("#tensor-text", "Sizes:\\{1,1,1,2\\}");
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

test("Firefox: no errors in the console", () => {
    assert.deepEqual(browser.problems, []);
});

await runTests();
await browser.end();
close();
