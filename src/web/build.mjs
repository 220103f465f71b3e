// node build.mjs FOLDER VERSION: bundles the page into FOLDER, where dmlop.wasm is: index.html, style.css and dmlop.js, which
// has the worker, dmlop.wasm and the files of samples/ in it, so that the page needs no connection.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const esbuild = createRequire(import.meta.url)("esbuild");
const [folder, version] = process.argv.slice(2);
const here = path.dirname(fileURLToPath(import.meta.url));
const samples = path.join(here, "../../samples");
const operators = path.join(here, "../desc/operators");
const options = { bundle: true, minify: true, write: false, format: "iife", target: ["chrome109", "firefox115", "safari16.4"],
                  charset: "ascii", nodePaths: [process.env.NODE_PATH], legalComments: "none", logLevel: "warning" };

const built = async (entry, more = {}) =>
    (await esbuild.build({ ...options, entryPoints: [path.join(here, entry)], ...more })).outputFiles[0].text;

// "built:NAME": what the build makes of other files.
function parts(worker) {
    const read = (name) => fs.readFileSync(path.join(samples, name));
    const names = fs.readdirSync(samples).filter((name) => /\.json$/.test(name));
    const modules = {
        worker: JSON.stringify(worker),
        version: JSON.stringify(version),
        wasm: JSON.stringify(zlib.gzipSync(fs.readFileSync(path.join(folder, "dmlop.wasm")), { level: 9 }).toString("base64")),
        samples: JSON.stringify(Object.fromEntries(names.map((name) => [name, read(name).toString()]))),
        operators: JSON.stringify(fs.readdirSync(operators).map((name) => name.replace(".json", "")).sort()),
    };
    return {
        name: "built",
        setup(build) {
            build.onResolve({ filter: /^built:/ }, (a) => ({ path: a.path.slice("built:".length), namespace: "built" }));
            build.onLoad({ filter: /.*/, namespace: "built" }, (a) => ({ contents: modules[a.path], loader: "json" }));
        },
    };
}

const worker = await built("worker.js", { plugins: [parts()] });
const script = await built("page.js", { plugins: [parts(worker)] });
const style = (await esbuild.transform(fs.readFileSync(path.join(here, "style.css"), "utf8"), { loader: "css", minify: true })).code;
fs.writeFileSync(path.join(folder, "dmlop.js"), script);
fs.writeFileSync(path.join(folder, "style.css"), style);
fs.writeFileSync(path.join(folder, "index.html"), fs.readFileSync(path.join(here, "index.html")));
