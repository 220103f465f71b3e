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

// The bytes of a file, `most` at most. What browsers say of memory that is not there differs: it is the reason if one byte can be read.
export async function bytesOf(file, most = Infinity) {
    try {
        return new Uint8Array(await (file.size > most ? file.slice(0, most) : file).arrayBuffer());
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
    if (error.startsWith("start: "))
        return `The program cannot be started in this browser (${error.slice("start: ".length)}). It needs WebAssembly, which may ` +
            "be switched off, as in Lockdown Mode, or too old here: Chromium 109, Firefox 115 and Safari 16.4 have what it needs.";
    return `dmlop ended in the middle of its work (${error}). Please report the input as a bug.`;
}

// A worker that answers one request after the other. After any failure the next request gets a new one, with the same files.
export class Engine {
    // head: how many bytes of a file are kept
    constructor(head = Infinity) {
        Object.assign(this, { head, waiting: new Map(), last: 0, files: {}, running: undefined });
    }

    get worker() {
        return this.running ?? this.start();
    }

    start() {
        const worker = this.running = new Worker(source);
        worker.onmessage = ({ data }) => {
            if (data.module)
                program = Promise.resolve(data.module);
            else if (data.error)
                worker === this.running && this.stop(new Failure(sentence(data.error)));
            else {
                this.waiting.get(data.id)?.resolve(data);
                this.waiting.delete(data.id);
            }
        };
        worker.onerror = (event) => {
            event.preventDefault();
            if (worker === this.running)
                this.stop(new Failure(sentence(event.message)));
        };
        program.then((p) => worker.postMessage({ program: p }));
        this.ready = this.give(worker).catch(() => {}); // a command says that a file is not there
        return worker;
    }

    // Has all later commands find files, path -> File.
    async keep(files) {
        const { worker } = this;
        this.files = files;
        await this.give(worker);
    }

    async give(worker) {
        const kept = {};
        for (const [path, file] of Object.entries(this.files)) {
            const head = await bytesOf(file, this.head);
            kept[path] = head.length < file.size ? { head, size: file.size } : head;
        }
        worker.postMessage({ keep: kept }, Object.values(kept).map((bytes) => (bytes.head ?? bytes).buffer));
    }

    // The answer to a request (worker.js).
    async ask(request) {
        const { worker } = this;
        await this.ready;
        return new Promise((resolve, reject) => {
            if (worker !== this.running)
                throw new Stopped();
            const id = ++this.last;
            this.waiting.set(id, { resolve, reject });
            worker.postMessage({ id, ...request });
        });
    }

    // Ends what the worker does now.
    stop(why = new Stopped()) {
        this.running?.terminate();
        this.running = undefined;
        for (const { reject } of this.waiting.values())
            reject(why);
        this.waiting.clear();
    }
}

// The first worker compiles the program while the editor is made. To check a model it needs no more of a file than the head.
export const first = new Engine(1 << 16);
first.start();

let commands;

export const engine = () => commands ??= new Engine();

const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// Runs dmlop with args on files, whose contents are texts or bytes. Returns { status, out, err, files }.
export async function run(args, files = {}) {
    const bytes = Object.fromEntries(Object.entries(files).map(
        ([name, data]) => [name, typeof data === "string" ? encoder.encode(data) : data]));
    const answer = await engine().ask({ run: { args, files: bytes } });
    return { ...answer, out: decoder.decode(answer.out) };
}

// The same of a command that succeeds; else its messages as a Failure.
export async function done(args, files) {
    const made = await run(args, files);
    if (made.status !== 0)
        throw new Failure(made.err.trimEnd() || `dmlop ended with status ${made.status}`);
    return made;
}

export const output = async (args, files) => (await done(args, files)).out;
