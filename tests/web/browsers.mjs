// The browsers as a user has them: Firefox, driven by WebDriver BiDi, and Chromium, driven by
// playwright, with the same methods. `problems` are the errors of the console.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const require = createRequire(import.meta.url);
const { ws: WebSocket } = require("playwright-core/lib/utilsBundle");
const { chromium } = require("playwright-core");
const PATIENCE_MS = 180000;
const CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-background-networking",
                  "--disable-quic", "--no-first-run", "--disable-component-update",
                  "--disable-sync"];

export const FIREFOX = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

// A slice that is larger than the screen.
export const LARGE = {
    type: "DML_OPERATOR_SLICE1",
    desc: { InputTensor: { DataType: "INT16", Sizes: [2, 3, 400, 500] },
            OutputTensor: { DataType: "INT16", Sizes: [2, 3, 100, 200] },
            InputWindowOffsets: [0, 0, 10, 0], InputWindowSizes: [2, 3, 200, 400],
            InputWindowStrides: [1, 1, 2, -2] },
};

// A .npy file.
export function npy(descr, shape, bytes) {
    const head = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(", ")},), }`;
    const start = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${head.padEnd(117)}\n`, "latin1");
    return Buffer.concat([start, bytes]);
}

// A Chromium with a profile of its own, as playwright has it, with options of both.
export function startChromium(profile, options = {}, ...more) {
    return chromium.launchPersistentContext(profile, {
        executablePath: "/usr/bin/chromium-headless-shell", // half the work of chromium
        args: [...CHROMIUM, ...more],
        viewport: { width: 1280, height: 900 },
        acceptDownloads: true,
        serviceWorkers: "block", // tests ask for files, and hold some back
        ...options,
    });
}

// Drops files, [name, bytes] each, on a page.
export function dropFiles(page, files) {
    return page.evaluate(
        (all) => {
            const transfer = new DataTransfer();
            for (const [name, base64] of all)
                transfer.items.add(
                    new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
            document.body.dispatchEvent(
                new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        },
        files.map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]));
}

// What both do: an action is a function that runs in the page, with arguments that JSON can have.
class Browser {
    constructor() {
        this.problems = [];
        this.profile = fs.mkdtempSync(path.join(os.tmpdir(), "browser-"));
    }

    async until(action, ...args) {
        for (const end = Date.now() + PATIENCE_MS; !(await this.evaluate(action, ...args));) {
            assert.ok(Date.now() < end, `not in time: ${action} ${args}`);
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
    }

    // Opens the page, which knows of no earlier text, or has the tab's.
    async open(url) {
        await this.go(new URL("style.css", url).href);
        await this.evaluate(() => sessionStorage.clear());
        await this.openAgain(url);
    }

    async openAgain(url) {
        await this.go("about:blank");
        await this.go(url);
        await this.until(() => performance.getEntriesByName("findings").length > 0);
    }

    // Waits until what a selector finds has a text, a part of which matches.
    has(selector, pattern) {
        return this.until(
            (s, p) =>
                [...document.querySelectorAll(s)].some((e) => new RegExp(p).test(e.textContent)),
            selector, pattern);
    }

    // Where a pointer meets what a selector finds and a name or text belongs to.
    point(selector, text) {
        return this.evaluate(
            (s, t) => {
                const e = [...document.querySelectorAll(s)].find((one) =>
                    (one.getAttribute("aria-label") ?? one.textContent).includes(t));
                e.scrollIntoView({ block: "center" });
                const box = e.getBoundingClientRect();
                return { x: Math.round(box.x + Math.min(box.width / 2, 40)),
                         y: Math.round(box.y + Math.min(box.height / 2, 10)) };
            },
            selector, text);
    }

    // Drops files, [name, bytes] each.
    drop(...files) {
        return dropFiles(this, files);
    }

    forget() {
        fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 10 });
    }
}

const KEYS = { Alt: "\uE00A", ArrowDown: "\uE015", ArrowRight: "\uE014", Control: "\uE009",
               Delete: "\uE017", End: "\uE010", Enter: "\uE007", Escape: "\uE00C", F1: "\uE031",
               F8: "\uE038", Home: "\uE011", Shift: "\uE008", Tab: "\uE004" };

export class Firefox extends Browser {
    name = "firefox";

    // Without a window.
    static async start({ dark = false } = {}) {
        const f = new Firefox();
        fs.writeFileSync(
            path.join(f.profile, "user.js"),
            `user_pref("layout.css.prefers-color-scheme.content-override", ${dark ? 0 : 1});\n`);
        f.process = spawn(
            FIREFOX,
            ["--headless", "--no-remote", "--profile", f.profile, "--remote-debugging-port=0",
             "about:blank"],
            { stdio: ["ignore", "ignore", "pipe"] });
        const address = await new Promise((resolve, reject) => {
            let said = "";
            f.process.stderr.on("data", (some) => {
                said += some;
                const found = /WebDriver BiDi listening on (\S+)/.exec(said);
                if (found) resolve(found[1]);
            });
            f.process.on("exit", () => reject(new Error(`Firefox ended: ${said}`)));
        });
        f.socket = new WebSocket(`${address}/session`);
        await new Promise((resolve, reject) => {
            f.socket.on("open", resolve);
            f.socket.on("error", reject);
        });
        f.waiting = new Map();
        f.socket.on("message", (text) => f.message(JSON.parse(text)));
        const { capabilities } = await f.send("session.new", { capabilities: {} });
        f.version = capabilities.browserVersion;
        await f.send("session.subscribe", { events: ["log.entryAdded"] });
        // the first one never has the focus
        f.context = (await f.send("browsingContext.create", { type: "window" })).context;
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

    async go(url) {
        await this.send("browsingContext.navigate", { context: this.context, url,
                                                      wait: "complete" });
    }

    // What a function returns in the page.
    async evaluate(action, ...args) {
        const { type, result, exceptionDetails } = await this.send("script.evaluate", {
            target: { context: this.context },
            awaitPromise: true,
            expression:
                `(async () => JSON.stringify(await (${action})(...${JSON.stringify(args)})))()`,
        });
        assert.equal(type, "success", exceptionDetails?.text);
        return result.type === "undefined" ? undefined : JSON.parse(result.value);
    }

    pointer(x, y, ...more) {
        return this.send("input.performActions", {
            context: this.context,
            actions: [
                { type: "pointer", id: "mouse", actions: [{ type: "pointerMove", x, y }, ...more] },
            ],
        });
    }

    async hover(selector, text = "") {
        const { x, y } = await this.point(selector, text);
        await this.pointer(x, y);
    }

    async click(selector, text = "") {
        const { x, y } = await this.point(selector, text);
        await this.pointer(x, y, { type: "pointerDown", button: 0 },
                           { type: "pointerUp", button: 0 });
    }

    async resize(width, height) {
        await this.send("browsingContext.setViewport", { context: this.context,
                                                         viewport: { width, height } });
    }

    // Each key is a character or a list of keys that are held together.
    async press(...keys) {
        const actions = keys
            .map((k) => [k].flat())
            .flatMap((together) => [
                ...together.map((k) => ({ type: "keyDown", value: KEYS[k] ?? k })),
                ...[...together].reverse().map((k) => ({ type: "keyUp", value: KEYS[k] ?? k }))]);
        await this.send("input.performActions", {
            context: this.context, actions: [{ type: "key", id: "keys", actions }] });
    }

    // The number of elements that a screen reader knows by a role and a name.
    async named(role, name) {
        const { nodes } = await this.send("browsingContext.locateNodes", {
            context: this.context,
            locator: { type: "accessibility", value: { role, name } },
        });
        return nodes.length;
    }

    async picture(file) {
        const { data } = await this.send("browsingContext.captureScreenshot", {
            context: this.context,
            origin: "document",
        });
        fs.writeFileSync(file, Buffer.from(data, "base64"));
    }

    async end() {
        await this.send("browser.close", {}).catch(() => {});
        this.process.kill();
        this.forget();
    }
}

export class Chromium extends Browser {
    name = "chromium";

    static async start({ dark = false } = {}) {
        const c = new Chromium();
        c.context = await startChromium(c.profile);
        c.version = c.context.browser()?.version() ?? "";
        c.page = c.context.pages()[0] ?? (await c.context.newPage());
        c.page.on("console", (m) => m.type() === "error" && c.problems.push(m.text()));
        c.page.on("pageerror", (e) => c.problems.push(e.message));
        await c.page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
        return c;
    }

    async go(url) {
        await this.page.goto(url);
    }

    evaluate(action, ...args) {
        return this.page.evaluate(`(${action})(...${JSON.stringify(args)})`);
    }

    async hover(selector, text = "") {
        const { x, y } = await this.point(selector, text);
        await this.page.mouse.move(x, y);
    }

    async click(selector, text = "") {
        const { x, y } = await this.point(selector, text);
        await this.page.mouse.click(x, y);
    }

    async press(...keys) {
        for (const k of keys) await this.page.keyboard.press([k].flat().join("+"));
    }

    async resize(width, height) {
        await this.page.setViewportSize({ width, height });
    }

    named(role, name) {
        return this.page.getByRole(role, { name, exact: true }).count();
    }

    picture(file) {
        return this.page.screenshot({ path: file, fullPage: true });
    }

    async end() {
        await this.context.close();
        this.forget();
    }
}
