// Runs dmlop beside the page. The program comes first or later, { program }: dmlop.wasm, packed, in base64, or the module that
// another worker has compiled and told of, { module }. Requests: { id, run: { args, files } } for a command, in an instance of its
// own, or { id, messages } for the language server. Answers: { id, ... } or { id, error }. The files of { id, keep } are there for
// all later commands, and for a server that begins later.
import { Wasi } from "./wasi.js";

let give, module, server, kept = {};
const program = new Promise((resolve) => {
    give = resolve;
});

const decoder = new TextDecoder(), encoder = new TextEncoder();

async function compile(base64) {
    const text = atob(base64), packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) // a callback for each would take 10 times as long
        packed[i] = text.charCodeAt(i);
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const compiled = await WebAssembly.compile(await new Response(unpacked).arrayBuffer());
    postMessage({ module: compiled });
    return compiled;
}

function run({ args, files }) {
    const inputs = { ...kept, ...files };
    const wasi = new Wasi({ args: ["dmlop", ...args], files: inputs });
    const instance = new WebAssembly.Instance(module, wasi.imports);
    const status = wasi.start(instance);
    const made = Object.entries(wasi.result()).filter(([name]) => !(name in inputs));
    return { status, out: wasi.out.whole.slice(), err: decoder.decode(wasi.err.whole),
             files: Object.fromEntries(made.map(([name, bytes]) => [name, bytes.slice()])) };
}

function startServer() {
    const wasi = new Wasi({ files: kept });
    const { exports } = new WebAssembly.Instance(module, wasi.imports);
    wasi.memory = exports.memory;
    exports.web_begin();
    return exports;
}

// The messages in a text with headers.
function* unframe(bytes) {
    for (let at = 0; at < bytes.length;) {
        const end = bytes.indexOf(13, at); // the header has one line, and an empty line follows
        const n = Number(decoder.decode(bytes.subarray(at, end)).split(":")[1]);
        yield JSON.parse(decoder.decode(bytes.subarray(end + 4, end + 4 + n)));
        at = end + 4 + n;
    }
}

function serve(messages) {
    const answers = [];
    server ??= startServer();
    for (const m of messages) {
        const text = encoder.encode(JSON.stringify({ jsonrpc: "2.0", ...m }));
        const at = server.web_text(text.length);
        if (at === 0)
            throw new Error("memory");
        new Uint8Array(server.memory.buffer, at, text.length).set(text);
        const n = server.web_message(at, text.length);
        if (n < 0)
            throw new Error("memory");
        answers.push(...unframe(new Uint8Array(server.memory.buffer, server.web_answers(), n)));
    }
    return { answers };
}

async function handle(data) {
    try {
        module = await program.catch((error) => {
            throw new Error(`start: ${error.message}`);
        });
        postMessage({ id: data.id, ...(data.run ? run(data.run) : serve(data.messages)) });
    } catch ({ message }) { // the page has a sentence for it
        const memory = /memory|allocation|array buffer/i.test(message) && !/^start: Web/.test(message);
        postMessage({ id: data.id, error: memory ? "memory" : String(message) });
    }
}

let last = Promise.resolve();

onmessage = ({ data }) => {
    if (data.program)
        give(typeof data.program === "string" ? compile(data.program) : data.program);
    else if (data.keep)
        kept = data.keep;
    else
        last = last.then(() => handle(data));
};
