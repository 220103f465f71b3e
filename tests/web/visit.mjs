// What tests of the page in Chromium have in common: a browser, pages, and what a user does there.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { dropFiles, startChromium } from "./browsers.mjs";
import { serve } from "./server.mjs";

const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 180000);

// A server and a browser: `problems` are errors of the console, and requests beyond the page's own;
// `open` shows the page with a fragment, and waits for the first findings.
export async function visit() {
    const { origin, asked, close } = await serve(process.env.WEB);
    const data = fs.mkdtempSync(path.join(os.tmpdir(), "page-"));
    const problems = [];
    const contexts = [];

    async function start(folder, options, ...more) {
        const context = await startChromium(path.join(data, folder), options, ...more);
        contexts.push(context);
        context.setDefaultTimeout(PATIENCE_MS);
        return context;
    }

    function watch(page) {
        page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
        page.on("pageerror", (e) => problems.push(e.message));
        page.on(
            "request",
            (r) =>
                /^(http|ws)/.test(r.url()) &&
                !r.url().startsWith(origin) &&
                problems.push(`request: ${r.url()}`));
    }

    const browser = await start("profile");

    async function open(hash = "", context = browser) {
        const page = await context.newPage();
        watch(page);
        await page.goto(origin + hash);
        await ready(page);
        return page;
    }

    // A test's steps on a page of its own.
    const onPage =
        (steps, hash = "") =>
        async () => {
            const page = await open(hash);
            await steps(page);
            await page.close();
        };

    async function end() {
        for (const context of contexts) await context.close();
        close();
        fs.rmSync(data, { recursive: true, force: true });
    }

    return { origin, asked, data, start, browser, problems, open, onPage, end };
}

export const ready = (page) =>
    page.waitForFunction(() => performance.getEntriesByName("findings").length > 0);

// Waits until what a selector finds has a text.
export const has = (page, selector, text) => page.locator(selector, { hasText: text }).waitFor();

export const summary = (page, text) => has(page, "#summary", text);

export const clickCheck = (page) => page.getByRole("link", { name: "Check" }).click().then(
    () => page.locator("#view-check").waitFor());

// Presses a button, and waits for the file that it saves: its name and bytes.
export async function saved(page, button) {
    const [download] = await Promise.all([page.waitForEvent("download"),
                                          page.getByRole("button", { name: button }).click()]);
    return [download.suggestedFilename(), fs.readFileSync(await download.path())];
}

export async function showIndex(page, index) {
    await page.getByLabel("Index, as in NumPy").fill(index);
    await page.getByRole("button", { name: "Show" }).click();
}

export const editorText = (page) =>
    page.locator("#editor .cm-content").evaluate(
            (content) =>
                content.cmTile?.view?.state.doc.toString() ??
                [...content.querySelectorAll(".cm-line")].map((l) => l.textContent).join("\n"));

// Without the pointer, which a tooltip may be in the way of.
export async function type(page, text) {
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(text);
}

export const drop = (page, name, bytes) => dropFiles(page, [[name, bytes]]);

// Drops a file of what a function returns, parts of a Blob. It is called in the page: sending
// megabytes there takes seconds.
export const dropMade = (page, name, make, ...args) =>
    page.evaluate(`{
        const parts = (${make})(...${JSON.stringify(args)}), transfer = new DataTransfer();
        transfer.items.add(new File(parts, ${JSON.stringify(name)}));
        document.body.dispatchEvent(
            new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }`);

// Drops what a function that is called in the page makes, the data of the event.
export const dropAs = (page, make, ...args) =>
    page.evaluate(`{
        const event = new DragEvent("drop", { bubbles: true, cancelable: true });
        const value = (${make})(...${JSON.stringify(args)});
        Object.defineProperty(event, "dataTransfer", { value });
        document.body.dispatchEvent(event);
    }`);

// So many bytes behind a head.
export const filled = (head, size, byte = 32) => [Uint8Array.from(head),
                                                  new Uint8Array(size).fill(byte)];
