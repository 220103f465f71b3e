// The page in Firefox, driven by WebDriver BiDi. SHOTS is a folder for pictures.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { serve } from "./server.mjs";
import { runTests, test } from "./suite.mjs";

const { ws: WebSocket } = createRequire(import.meta.url)("playwright-core/lib/utilsBundle");
const { FIREFOX = "/usr/bin/firefox-esr", SHOTS } = process.env;
const PATIENCE_MS = 60000;

if (!fs.existsSync(FIREFOX)) {
    console.log("skipped: Firefox is not installed");
    process.exit();
}

const KEYS = { Control: "\uE009", Delete: "\uE017", Enter: "\uE007" };

// Firefox without a window, with a profile of its own.
class Firefox {
    static async start() {
        const f = new Firefox();
        f.profile = fs.mkdtempSync(path.join(os.tmpdir(), "dmlop-firefox-"));
        f.process = spawn(FIREFOX, ["--headless", "--no-remote", "--profile", f.profile, "--remote-debugging-port=0", "about:blank"],
            { stdio: ["ignore", "ignore", "pipe"] });
        const address = await new Promise((resolve, reject) => {
            let said = "";
            f.process.stderr.on("data", (some) => {
                said += some;
                const found = /WebDriver BiDi listening on (\S+)/.exec(said);
                if (found)
                    resolve(found[1]);
            });
            f.process.on("exit", () => reject(new Error(`Firefox ended: ${said}`)));
        });
        f.socket = new WebSocket(`${address}/session`);
        await new Promise((resolve, reject) => {
            f.socket.on("open", resolve);
            f.socket.on("error", reject);
        });
        f.waiting = new Map();
        f.problems = []; // errors of the console
        f.socket.on("message", (text) => f.message(JSON.parse(text)));
        const { capabilities } = await f.send("session.new", { capabilities: {} });
        f.version = capabilities.browserVersion;
        await f.send("session.subscribe", { events: ["log.entryAdded"] });
        return f;
    }

    message({ id, method, params, result, error, message }) {
        if (method === "log.entryAdded" && params.level === "error")
            this.problems.push(params.text);
        const { resolve, reject } = this.waiting.get(id) ?? {};
        this.waiting.delete(id);
        error ? reject?.(new Error(`${error}: ${message}`)) : resolve?.(result);
    }

    send(method, params) {
        const id = this.waiting.size === 0 ? 1 : Math.max(...this.waiting.keys()) + 1;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            this.socket.send(JSON.stringify({ id, method, params }));
        });
    }

    async open(url) {
        const { contexts } = await this.send("browsingContext.getTree", {});
        this.context = contexts[0].context;
        await this.send("browsingContext.navigate", { context: this.context, url: "about:blank", wait: "complete" });
        await this.send("browsingContext.navigate", { context: this.context, url, wait: "complete" });
        await this.until(() => performance.getEntriesByName("findings").length > 0);
    }

    // What a function returns in the page.
    async evaluate(action, ...args) {
        const { type, result, exceptionDetails } = await this.send("script.evaluate", {
            target: { context: this.context }, awaitPromise: true,
            expression: `(async () => JSON.stringify(await (${action})(...${JSON.stringify(args)})))()` });
        assert.equal(type, "success", exceptionDetails?.text);
        return result.type === "undefined" ? undefined : JSON.parse(result.value);
    }

    async until(action, ...args) {
        for (const end = Date.now() + PATIENCE_MS; !await this.evaluate(action, ...args);) {
            assert.ok(Date.now() < end, `not in time: ${action} ${args}`);
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
    }

    // Waits until what a selector finds has a text, a part of which matches.
    has(selector, pattern) {
        return this.until((s, p) => [...document.querySelectorAll(s)].some((e) => new RegExp(p).test(e.textContent)), selector, pattern);
    }

    async click(selector, text = "") {
        const { x, y } = await this.evaluate((s, t) => {
            const e = [...document.querySelectorAll(s)].find((one) => (one.getAttribute("aria-label") ?? one.textContent).includes(t));
            e.scrollIntoView({ block: "center" });
            const box = e.getBoundingClientRect();
            return { x: Math.round(box.x + Math.min(box.width / 2, 40)), y: Math.round(box.y + Math.min(box.height / 2, 10)) };
        }, selector, text);
        await this.send("input.performActions", { context: this.context, actions: [{ type: "pointer", id: "mouse", actions: [
            { type: "pointerMove", x, y }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }] }] });
    }

    // Each key is a character or a list of keys that are held together.
    async press(...keys) {
        const actions = keys.map((k) => [k].flat()).flatMap((together) => [
            ...together.map((k) => ({ type: "keyDown", value: KEYS[k] ?? k })),
            ...[...together].reverse().map((k) => ({ type: "keyUp", value: KEYS[k] ?? k }))]);
        await this.send("input.performActions", { context: this.context, actions: [{ type: "key", id: "keys", actions }] });
    }

    async picture(name) {
        if (!SHOTS)
            return;
        const { data } = await this.send("browsingContext.captureScreenshot", { context: this.context, origin: "document" });
        fs.writeFileSync(path.join(SHOTS, `firefox-${name}.png`), Buffer.from(data, "base64"));
    }

    async end() {
        await this.send("browser.close", {}).catch(() => {});
        this.process.kill();
        fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 10 });
    }
}

const browser = await Firefox.start();
const { origin, close } = await serve(process.env.WEB);
console.log(`    Firefox ${browser.version}`);

const text = () => [...document.querySelectorAll("#editor .cm-line")].map((line) => line.textContent).join("\n");

test("Firefox: a wrong descriptor is typed, and its findings are read", async () => {
    await browser.open(origin);
    await browser.has("#summary", "^3 errors, 0 warnings$");
    await browser.picture("check");
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
    await browser.has("dialog[open] pre", "^--- ");
    await browser.picture("difference");
    await browser.click("dialog button", "Apply");
    await browser.has("#summary", "^Valid");
});

test("Firefox: an example of the documentation is computed, and an element explained", async () => {
    await browser.open(`${origin}#example=slice1-ex2`);
    await browser.has("#example-said", "^Computed");
    await browser.click("#outputs button", "OutputTensor[0,0,1,1] = 8");
    await browser.has("#explanation", "Output\\[0,0,1,1\\] = Input\\[0,0,1,3\\] = 8");
    await browser.has("#as-text", "=> equals the documentation");
    await browser.picture("example");
});

test("Firefox: a .npy is dropped and sliced", async () => {
    await browser.open(`${origin}#view=tensor`);
    await browser.evaluate((bytes) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(bytes)], "x.npy"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, [...fs.readFileSync("samples/slice1-ex1.input.npy")]);
    await browser.has("#tensor-text", "Sizes:\\{1,1,4,4\\}");
    await browser.click("#index");
    await browser.press(...":,:,1,::-2", "Enter");
    await browser.has("#tensor-text", "Sizes:\\{1,1,1,2\\}");
    await browser.picture("tensor");
});

test("Firefox: no errors in the console", () => {
    assert.deepEqual(browser.problems, []);
});

await runTests();
await browser.end();
close();
