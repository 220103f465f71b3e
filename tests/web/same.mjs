// dmlop as WebAssembly, by the page's own WASI, must print what the native program prints, byte for
// byte: the findings of all descriptors and models of the tests, templates, explanations of rules,
// fixes.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Wasi } from "../../src/web/wasi.js";
import { runTests, test } from "./suite.mjs";

const { DMLOP, WEB } = process.env;
const module = new WebAssembly.Module(fs.readFileSync(path.join(WEB, "dmlop.wasm")));

// files: name -> bytes, which the native program gets in a folder of its own
function here(args, files = {}) {
    const wasi = new Wasi({ args: ["dmlop", ...args], files });
    const status = wasi.start(new WebAssembly.Instance(module, wasi.imports));
    return { status, out: Buffer.from(wasi.out.whole).toString("latin1"),
             err: Buffer.from(wasi.err.whole).toString("latin1"), files: wasi.result() };
}

function native(args, folder) {
    const { status, stdout, stderr } = spawnSync(DMLOP, args, {
        cwd: folder,
        encoding: "latin1",
        maxBuffer: 1 << 30,
    });
    return { status, out: stdout, err: stderr };
}

function same(args, folder, files) {
    const { status, out, err } = here(args, files);
    assert.deepEqual({ status, out, err }, native(args, folder), args.join(" "));
}

const EXAMPLES = path.join(WEB, "../web-parts/examples"); // of all operators
execFileSync("tests/fuzz/seeds", ["descriptor", EXAMPLES]);

const FOLDERS = [EXAMPLES, "samples", "src/check/examples", "tests/cli/golden",
                 "tests/fuzz/corpus/descriptor", "tests/fuzz/corpus/model",
                 "tests/fuzz/regress/descriptor", "tests/fuzz/regress/model"];
const AT_ONCE = 32;

for (const folder of FOLDERS.filter((f) => fs.existsSync(f))) {
    const all = fs.readdirSync(folder).filter((n) => fs.statSync(path.join(folder, n)).isFile());
    const files = Object.fromEntries(
        all.map((n) => [n, new Uint8Array(fs.readFileSync(path.join(folder, n)))]));
    const names = all.filter((n) => !/\.(npy|txt)$|^demo$/.test(n)); // models name tensors
    for (const options of [["--format", "text"], ["--format", "json", "--portable"],
                           ["--format", "sarif", "--feature-level", "2_1"]])
        test(`${names.length} files of ${folder}, ${options.join(" ")}`, () => {
            for (let i = 0; i < names.length; i += AT_ONCE)
                same(["validate", ...options, ...names.slice(i, i + AT_ONCE)], folder, files);
        });
    test(`fixes of ${folder}`, () => {
        for (const name of names.filter((_, i) => i % 3 === 0))
            same(["validate", "--fix", name], folder, files);
    });
}

test("every template, and what is found in it", () => {
    for (const file of fs.readdirSync("src/desc/operators")) {
        const name = file.replace(".json", "");
        same(["validate", `--template=${name}`], ".", {});
    }
});

test("every rule explained", () => {
    const rules = execFileSync(DMLOP, ["validate", "--rules"], { encoding: "utf8" }).match(
        /^[\w.-]+(?= )/gm);
    for (const rule of rules) same(["validate", "--explain", rule], ".", {});
});

test("tensors: show, slice, topk, convert", () => {
    const name = "slice1-ex1.input.npy",
        files = { [name]: new Uint8Array(fs.readFileSync(`samples/${name}`)) };
    for (const args of [["show", name], ["show", "--index", "..., ::-1", name], ["info", name],
                        ["topk", "-k", "2", name], ["slice", "--index", "..., 1:3, :", name],
                        ["slice", "--index", "9", name], ["show", "missing.npy"],
                        ["convert", "--dtype", "int8", name], ["convert", "--format", "csv", name]])
        same(args, "samples", files);
});

test("a slice is written to a file in memory", () => {
    const name = "slice1-ex1.input.npy",
        args = ["slice", "--index", "..., :2", "-o", "y.npy", name];
    const made = here(args, { [name]: new Uint8Array(fs.readFileSync(`samples/${name}`)) });
    const folder = fs.mkdtempSync(path.join(WEB, "../same-"));
    fs.copyFileSync(`samples/${name}`, path.join(folder, name));
    native(args, folder);
    const expected = fs.readFileSync(path.join(folder, "y.npy"));
    fs.rmSync(folder, { recursive: true });
    assert.equal(made.status, 0);
    assert.ok(expected.equals(Buffer.from(made.files["y.npy"])));
});

test("a tensor of 3 GB, more than the memory can have, is a message", () => {
    const text = "{'descr': '<f4', 'fortran_order': False, 'shape': (75000, 10000), }";
    const bytes = new Uint8Array(128 + 3e9); // no memory is used for zeros that nobody reads
    bytes.set(Buffer.from(`\x93NUMPY\x01\x00\x76\x00${text.padEnd(117)}\n`, "latin1"));
    for (const args of [
        ["show", "x.npy"],
        ["slice", "--index", "::-1", "-o", "y.npy", "x.npy"],
        ["topk", "-k", "1", "-o", "y.npy", "x.npy"],
    ]) {
        const { status, err } = here(args, { "x.npy": bytes });
        assert.equal(status, 4);
        assert.match(err, /^dmlop: \w+: x\.npy: cannot map the file: Out of memory\n$/);
    }
});

await runTests();
