// dmlop in workers: `run` for commands, `Server` for the language server. This is a script of its own, the first of the page:
// a worker starts while the page is read.
import worker from "built:worker";

let give; // of program.js: dmlop.wasm, packed, in base64
let program = new Promise((resolve) => { // or the module, once a worker has compiled it
    give = resolve;
});

export { give };

addEventListener("error", async ({ target }) => {
    if (!(target instanceof HTMLScriptElement))
        return;
    if (document.readyState === "loading")
        await new Promise((resolve) => addEventListener("DOMContentLoaded", resolve));
    document.getElementById("summary").textContent = `${target.src} cannot be loaded, and the page does nothing without it.`;
}, true);

// A worker made of a blob has the page's security policy; one made of a file would have none.
const source = URL.createObjectURL(new Blob([worker], { type: "text/javascript" }));

export const MEMORY = "There is not enough memory in this browser for that: WebAssembly has 4 GiB at most, and less if the " +
    "machine has less. The program itself does it on Linux, from the shell.";

export class Failure extends Error {}

// The bytes of a file. What browsers say of memory that is not there differs: it is the reason if one byte can be read.
export async function bytesOf(file) {
    try {
        return new Uint8Array(await file.arrayBuffer());
    } catch {
        await file.slice(0, 1).arrayBuffer().catch(() => {
            throw new Failure(`${file.name} cannot be read: it is a folder, or it has changed since.`);
        });
        throw new Failure(MEMORY);
    }
}

export class Stopped extends Error {}

function sentence(error) {
    if (error === "memory")
        return MEMORY;
    return `dmlop ended in the middle of its work (${error}). Please report the input as a bug.`;
}

// A worker that answers one request after the other.
export class Engine {
    constructor() {
        this.waiting = new Map();
        this.last = 0;
        this.start();
    }

    start() {
        const worker = this.worker = new Worker(source);
        worker.onmessage = ({ data }) => {
            if (data.module) {
                program = Promise.resolve(data.module);
                return;
            }
            const { resolve, reject } = this.waiting.get(data.id);
            this.waiting.delete(data.id);
            data.error ? reject(new Failure(sentence(data.error))) : resolve(data);
        };
        worker.onerror = (event) => {
            event.preventDefault();
            this.stop(new Failure(sentence(event.message)));
        };
        program.then((p) => worker.postMessage({ program: p }));
    }

    // The answer to a request (worker.js).
    ask(request, transfer = []) {
        return new Promise((resolve, reject) => {
            const id = ++this.last;
            this.waiting.set(id, { resolve, reject });
            this.worker.postMessage({ id, ...request }, transfer);
        });
    }

    // Ends what the worker does now, and starts another one.
    stop(why = new Stopped()) {
        this.worker.terminate();
        for (const { reject } of this.waiting.values())
            reject(why);
        this.waiting.clear();
        this.start();
    }
}

// The first worker compiles the program while the editor is made.
export const first = new Engine();

let commands;

export function engine() {
    return commands ??= new Engine();
}

const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// Runs dmlop with args on files, whose contents are texts or bytes. Returns { status, out, err, files, bytes }.
export async function run(args, files = {}, environment = {}) {
    const bytes = Object.fromEntries(Object.entries(files).map(
        ([name, data]) => [name, typeof data === "string" ? encoder.encode(data) : data]));
    const answer = await engine().ask({ run: { args, files: bytes, environment } });
    return { ...answer, bytes: answer.out, out: decoder.decode(answer.out) };
}

// The output of a command; its messages as a Failure if it does not succeed.
export async function output(args, files, environment) {
    const { status, out, err } = await run(args, files, environment);
    if (status !== 0)
        throw new Failure(err || `dmlop ended with status ${status}`);
    return out;
}
