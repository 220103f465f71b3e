// What is seen of the page where something is missing, with fingers, in forced colors, and while it
// is made, in Chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { runTests, test } from "./suite.mjs";
import { editorText, has, ready, showIndex, summary, type, visit } from "./visit.mjs";

const { origin, data, start, browser, problems, open, onPage, end } = await visit();

for (const width of [320, 768, 1280])
    for (const view of ["view=check", "example=slice1-ex2", "example=topk1-ex4", "view=tensor"])
        test(`nothing moves while the page is made: ${view} at ${width} pixels`, async () => {
            const page = await browser.newPage();
            await page.setViewportSize({ width, height: 800 });
            await page.addInitScript(() => {
                window.shift = 0;
                new PerformanceObserver((list) => {
                    for (const entry of list.getEntries()) window.shift += entry.value;
                }).observe({ type: "layout-shift", buffered: true });
            });
            await page.goto(`${origin}#${view}`);
            await ready(page);
            if (view === "view=check") await page.locator(".cm-lintRange-error").first().waitFor();
            if (view.startsWith("example"))
                await has(page, "#explanation", /\w/);
            await page.waitForTimeout(300);
            const shift = await page.evaluate(() => window.shift);
            assert.ok(shift < 0.05, `${shift}`);
            await page.close();
        });

test("forced colors show the view, the window and the selected element", async () => {
    const page = await browser.newPage();
    await page.emulateMedia({ forcedColors: "active", colorScheme: "dark" });
    await page.goto(`${origin}#example=slice1-ex2`);
    await has(page, "#explanation", /\w/);
    const style = (selector, name) =>
        page.locator(selector).first().evaluate((e, n) => getComputedStyle(e)[n], name);
    const back = await style("body", "backgroundColor");
    assert.equal(await style("#tab-check", "borderBottomColor"), back);
    assert.notEqual(await style("#tab-examples", "borderBottomColor"), back);
    assert.equal(await style("td:not(.window, .selected) > input", "borderTopStyle"), "solid");
    assert.equal(await style("td.window:not(.chosen) input", "borderTopStyle"), "dotted");
    for (const cell of ["#inputs td.selected input", "#outputs td.selected button"])
        assert.notEqual(await style(cell, "backgroundColor"),
                        await style("#outputs td:not(.selected) button", "backgroundColor"));
    await page.close();
});

test("a phone has targets of 44 pixels, text of 16, and no help for keys", async () => {
    const phone = await start("phone", { viewport: { width: 320, height: 700 }, isMobile: true,
                                         hasTouch: true });
    const page = await open("", phone);
    await page.locator(".cm-lintRange-error").first().waitFor();
    await page.locator("#keys").waitFor({ state: "hidden" });
    for (const view of ["check", "examples", "tensor"]) {
        await page.goto(`${origin}#view=${view}`);
        if (view === "examples") await has(page, "#explanation", /\w/);
        const small = await page.evaluate(() => {
            const targets =
                "button, select, nav a, input:not([type=checkbox]), label:has([type=checkbox])";
            return [...document.querySelectorAll(targets)]
                .map((e) => [e, e.getBoundingClientRect()])
                .filter(([, { width, height }]) => width > 0 && (width < 44 || height < 44))
                .map(([e]) => e.outerHTML.slice(0, 100));
        });
        assert.deepEqual(small, []);
        const tiny = await page.evaluate(() =>
            [
                ...document.querySelectorAll(
                    "input:not([type=checkbox], [type=file]), select, textarea, .cm-content")]
                .filter((e) => parseFloat(getComputedStyle(e).fontSize) < 16)
                .map((e) => e.outerHTML.slice(0, 100)));
        assert.deepEqual(tiny, []);
        assert.ok(
            await page.evaluate(
                () => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
        );
    }
    await phone.close();
});

test("valid and wrong differ in color and sign", onPage(async (page) => {
    const look = () =>
        page
            .locator("#summary")
            .evaluate((e) => [getComputedStyle(e).color, getComputedStyle(e, "::before").content]);
    await summary(page, "3 errors");
    const wrong = await look();
    await page.getByLabel("Template").selectOption("GEMM");
    await summary(page, "Valid");
    const valid = await look();
    assert.notEqual(valid[0], wrong[0]);
    assert.match(valid[1], /\u2713/);
    assert.match(wrong[1], /\u2717/);
    await type(page, "");
    await summary(page, "Nothing");
    assert.equal((await look())[1], "none");
}));

test("without WebAssembly, or engine.js, or an old browser, the page says so", async () => {
    for (const [missing, said] of [
        ["delete self.WebAssembly;", "cannot be started in this browser"],
        ["WebAssembly.compile = () => Promise.reject(new Error('no SIMD'));",
         /no SIMD.*Chromium 109/],
        ["delete self.DecompressionStream;", "cannot be started in this browser"],
    ]) {
        const page = await browser.newPage();
        await page.addInitScript((source) => {
            const Real = Blob;
            window.Blob = class extends Real {
                constructor(parts, options) {
                    super(options?.type === "text/javascript" ? [source, ...parts] : parts,
                          options);
                }
            };
        }, missing);
        await page.goto(origin);
        await summary(page, "could not be checked");
        await has(page, "#findings", said);
        assert.doesNotMatch(await page.locator("#findings").textContent(), /report/);
        await page.close();
    }
    const page = await browser.newPage();
    await page.route("**/engine.js", (route) => route.abort());
    await page.goto(origin);
    await summary(page, "engine.js cannot be loaded");
    await page.close();
});

test("advice for a shell is a button, and references to the manual are links",
    onPage(async (page) => {
    await type(page, "DML_TOP_K1_OPERATOR_DESC desc = {};\ndesc.K = 2;\n");
    await has(page, "#findings", "begin with a template");
    assert.doesNotMatch(await page.locator("#findings").textContent(), /dmlop validate/);
    await page.getByRole("button", { name: "Template: TOPK1" }).click();
    await summary(page, "Valid");
    assert.equal(await page.getByLabel("Template").inputValue(), "TOP_K1");
    await type(page, '{ "type": "DML_OPERATOR_NONSENSE_QX", "desc": {} }');
    const [manual] = await Promise.all([
        browser.waitForEvent("page"),
        page.getByRole("link", { name: "dmlop-operators(7)" }).first().click()]);
    await manual.getByText("GEMM", { exact: true }).first().waitFor();
    assert.ok(manual.url().startsWith(`${origin}man/`));
    await manual.getByRole("link", { name: "dmlop-descriptor(5)" }).first().click();
    await manual.getByText("InputWindowOffsets").first().waitFor();
    await manual.close();
}));

test("a first line says what this is, and more of it when it is opened", onPage(async (page) => {
    await page.getByText("Paste a DirectML descriptor, a C++ struct or a DxDispatch model").click();
    await page
        .locator("#help", { hasText: "Feature level" })
        .getByText("What came later")
        .waitFor();
    for (const link of await page.locator("#help a, footer a").all()) {
        const url = new URL(await link.getAttribute("href"), origin);
        const answer = await page.request.get(url.href);
        assert.ok(answer.ok(), url.href);
    }
}));

test("the theme is the system's, light or dark, and is kept", onPage(async (page) => {
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await back();
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await back();
    assert.notEqual(dark, light);
    await page.getByLabel("Theme").selectOption("light");
    assert.equal(await back(), light);
    await page.reload();
    await ready(page);
    assert.equal(await back(), light);
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByLabel("Theme").selectOption("dark");
    assert.equal(await back(), dark);
    await page.getByLabel("Theme").selectOption("system");
    assert.equal(await back(), light);
}));

test("a reload works without a network, with the manual and the same policy", async () => {
    const context = await start("offline", { serviceWorkers: "allow" });
    const page = await open("", context);
    await page.evaluate(() => navigator.serviceWorker.ready);
    const before = problems.length;
    await context.setOffline(true);
    await page.reload();
    await ready(page);
    await type(page, "{");
    await summary(page, "error");
    await page.goto(`${origin}#example=slice1-ex2`);
    await page.reload();
    await has(page, "#example-said", "Computed");
    const refused = await page.evaluate(() => fetch("index.html").then(() => false, () => true));
    assert.ok(refused);
    await page.goto(`${origin}man/dmlop.1.html`);
    await page.getByText("dmlop-validate(1)").first().waitFor();
    await context.close();
    problems.length = before; // the console has what is refused, and that there is no network
});

test("the archive works from a folder, with themes and the manual", onPage(async (page) => {
    const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "This page for a folder" }).click()]);
    const folder = path.join(data, "unpacked"),
        unpack = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
    execFileSync("/usr/bin/python3", ["-c", unpack, await download.path(), folder]);
    const files = fs.readdirSync(path.join(folder, "dmlop"));
    for (const name of ["index.html", "dmlop.js", "LICENSES.txt", "man"])
        assert.ok(files.includes(name), name);
    await page.goto(pathToFileURL(path.join(folder, "dmlop/index.html")).href);
    await ready(page);
    await type(page, "{");
    await summary(page, "error");
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await back();
    await page.getByLabel("Theme").selectOption("dark");
    assert.notEqual(await back(), light);
    assert.ok(await page.locator("#archive").isHidden());
    await page.getByRole("link", { name: "Manual" }).click();
    await page.getByText("dmlop-validate(1)").first().waitFor();
}));

test("print has the text and the findings, nothing else", onPage(async (page) => {
    await page.getByLabel("Theme").selectOption("dark");
    const long = Array.from({ length: 300 }, (_, i) => `"Kay${i}": 1`).join(",\n");
    await type(page, `{ "type": "DML_OPERATOR_TOP_K1", "desc": {\n${long} } }`);
    await has(page, "#findings", "Kay0");
    await page.emulateMedia({ media: "print" });
    const pdf = await page.pdf({ pageRanges: "1" }); // all take half a minute
    assert.ok(pdf.length > 1000);
    const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(back, "rgb(255, 255, 255)");
    const seen = await page.evaluate(() =>
        [...document.querySelectorAll("body *")]
            .filter((e) => e.checkVisibility() && e.textContent.trim() !== "")
            .filter((e) => !e.closest("#editor, #findings, #summary, #findings-title, .skip"))
            .filter((e) => !e.querySelector("#editor, #findings"))
            .map((e) => e.outerHTML.slice(0, 80)));
    assert.deepEqual(seen, []);
    for (const hidden of ["header", "footer", "#template", "#fix-all", "#keys", "#findings .rule"])
        await page.locator(hidden).first().waitFor({ state: "hidden" });
    await has(page, "#editor .cm-line", "Kay299");
    await page.locator("#findings .place").first().waitFor();
}));

test("the tensor page has a sample", onPage(async (page) => {
    await page.getByRole("button", { name: "A sample" }).click();
    await has(page, "#tensor-text", "Sizes:{1,1,4,4}");
    await showIndex(page, "..., ::-1");
    await has(page, "#tensor-text", "4,  3,  2,  1");
}, "#view=tensor"));

test("no errors in the console", () => assert.deepEqual(problems, []));

await runTests();
await end();
