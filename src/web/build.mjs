// node build.mjs FOLDER VERSION NOTICE...: bundles the page into FOLDER, where dmlop.wasm is: index.html, style.css and three scripts, so
// that the page needs no connection. engine.js starts the worker, which is in it; program.js gives it dmlop.wasm; dmlop.js is
// the page, with the files of samples/. offline.js keeps all that for a reload without a network, and dmlop-page.zip has it for a
// folder of a disk, with the manual. LICENSES.txt has the notices of all that is in these scripts: of what esbuild took from npm,
// and NOTICES, files of libraries in dmlop.wasm, NAME/LICENSE or NAME/copyright.
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const esbuild = createRequire(import.meta.url)("esbuild");
const { zipSync } = createRequire(import.meta.url)("fflate");
const [folder, version, ...notices] = process.argv.slice(2);
const here = path.dirname(fileURLToPath(import.meta.url));
const samples = path.join(here, "../../samples");
const operators = path.join(here, "../desc/operators");
const options = { bundle: true, minify: true, write: false, format: "iife", target: ["chrome109", "firefox115", "safari16.4"],
                  charset: "ascii", nodePaths: [process.env.NODE_PATH], legalComments: "none", logLevel: "warning" };

const bundled = new Set(); // folders of npm packages

async function built(entry, more = {}) {
    const { metafile, outputFiles } = await esbuild.build({ ...options, metafile: true, entryPoints: [path.join(here, entry)], ...more });
    for (const input of Object.keys(metafile.inputs))
        if (input.includes("node_modules/"))
            bundled.add(path.resolve(/^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(input)[0]));
    return outputFiles[0].text;
}

function licenses() {
    const packages = [...bundled].sort().map((dir) => {
        const { name, version: v } = JSON.parse(fs.readFileSync(path.join(dir, "package.json"), "utf8"));
        return [`${name} ${v}`, path.join(dir, fs.readdirSync(dir).find((file) => /^(licen[cs]e|copying)/i.test(file)))];
    });
    const all = [["dmlop", path.join(here, "../../LICENSE")], ...packages, ...notices.map((file) => [path.basename(path.dirname(file)), file])];
    return all.map(([name, file]) => `${name}\n${"=".repeat(name.length)}\n\n${fs.readFileSync(file, "utf8")}`).join("\n\n");
}

// "built:NAME": what the build makes of other files.
function parts(modules) {
    return {
        name: "built",
        setup(build) {
            build.onResolve({ filter: /^built:/ }, (a) => ({ path: a.path.slice("built:".length), namespace: "built" }));
            build.onLoad({ filter: /.*/, namespace: "built" }, (a) => ({ contents: JSON.stringify(modules[a.path]), loader: "json" }));
        },
    };
}

// engine.js is a script of its own, which leaves what it exports in `dmlop`.
const engine = {
    name: "engine",
    setup(build) {
        build.onResolve({ filter: /^\.\/engine\.js$/ }, () => ({ path: "engine", namespace: "engine" }));
        build.onLoad({ filter: /.*/, namespace: "engine" }, () => ({ contents: "module.exports = globalThis.dmlop ?? {};" }));
    },
};

// Of light-dark(LIGHT, DARK), which older browsers do not know, the dark colors are there by the system or by choice, not on paper.
function themes(css) {
    const pair = /light-dark\((.*?), (.*?)\)/g, dark = css.match(/--[\w-]+: light-dark.*;/g).join(" ").replace(pair, "$2");
    return `${css.replace(pair, "$1")}
        @media screen and (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${dark} } }
        @media screen { :root[data-theme="dark"] { ${dark} } }`;
}

const names = fs.readdirSync(samples).filter((name) => /\.json$/.test(name));
const tables = fs.readdirSync(operators).sort().map((file) => JSON.parse(fs.readFileSync(path.join(operators, file), "utf8")));
const runnable = JSON.parse(fs.readFileSync(path.join(operators, "../runnable.json"), "utf8")).filter(([, name]) => name !== "");
const inputsOf = (operator) => tables.find((t) => t.operator === operator).fields.filter((f) => /^tensor$/.test(f.kind) && f.role !== "output")
    .map((f) => ({ name: f.name, option: /^--/.test(f.use.option) ? f.use.option : "", role: f.use.role }));
const page = {
    version,
    samples: Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(samples, name), "utf8")])),
    operators: tables.map((t) => t.operator),
    outputs: Object.fromEntries(tables.map((t) => [t.operator, t.fields.filter((f) => f.role === "output").map((f) => f.name)])),
    runs: Object.fromEntries(runnable.map(([, name, , command]) => [name, { command, inputs: inputsOf(name) }])),
};
const packed = zlib.gzipSync(fs.readFileSync(path.join(folder, "dmlop.wasm")), { level: 9 }).toString("base64");
const worker = await built("worker.js");
const made = {
    "engine.js": await built("engine.js", { plugins: [parts({ worker })], globalName: "dmlop" }),
    "program.js": `dmlop.give("${packed}");\n`,
    "dmlop.js": await built("page.js", { plugins: [engine, parts(page)] }),
    "style.css": (await esbuild.transform(themes(fs.readFileSync(path.join(here, "style.css"), "utf8")), { loader: "css", minify: true })).code,
    "index.html": fs.readFileSync(path.join(here, "index.html")),
};
made["LICENSES.txt"] = licenses();
const manual = fs.readdirSync(path.join(folder, "man")).filter((name) => name.endsWith(".html")).map((name) => `man/${name}`);
const all = { ...made, ...Object.fromEntries(manual.map((name) => [name, fs.readFileSync(path.join(folder, name))])) };
made["dmlop-page.zip"] = zipSync(Object.fromEntries(Object.entries(all).map(([name, contents]) => [`dmlop/${name}`, new Uint8Array(Buffer.from(contents))])),
    { level: 9, mtime: "1980-01-01T12:00:00" });
const kept = { files: Object.keys(all).map((name) => name === "index.html" ? "./" : name),
               version: crypto.createHash("sha256").update(made["dmlop-page.zip"]).digest("hex").slice(0, 16) };
made["offline.js"] = await built("offline.js", { plugins: [parts({ kept })] });
for (const [name, contents] of Object.entries(made))
    fs.writeFileSync(path.join(folder, name), contents);
