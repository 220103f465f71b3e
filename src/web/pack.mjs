// node pack.mjs IN.wasm OUT.wasm: packs the data of the program, most of which are texts, for unpack() in web.c: one segment
// at __heap_base, tokens, literals and distances with their sizes and the address of the data before them, instead of all others.
import fs from "node:fs";

const LITERALS_MOST = 128, COPY = 128, LEAST = 4, MOST = 131, WINDOW = 65535, TRIES = 400;
const MEMORY = 5, DATA = 11; // sections
const PAGE = 65536;

// The longest earlier occurrence of what is at `at`: [length, distance].
function find(bytes, at, places) {
    let best = [0, 0];
    const list = at + LEAST <= bytes.length ? places.get(bytes.readUInt32LE(at)) ?? [] : [];
    for (let i = list.length - 1; i >= 0 && i >= list.length - TRIES && at - list[i] <= WINDOW; i--) {
        let n = LEAST;
        while (n < MOST && at + n < bytes.length && bytes[list[i] + n] === bytes[at + n])
            n++;
        if (n > best[0])
            best = [n, at - list[i]];
    }
    return best;
}

// [tokens, literals, distances], lists of bytes.
function pack(bytes) {
    const places = new Map(), tokens = [], literals = [], distances = [];
    let flushed = 0;
    const note = (at) => {
        if (at + LEAST > bytes.length)
            return;
        const key = bytes.readUInt32LE(at);
        places.get(key)?.push(at) ?? places.set(key, [at]);
    };
    const flush = () => {
        for (; flushed < literals.length; flushed = Math.min(flushed + LITERALS_MOST, literals.length))
            tokens.push(Math.min(literals.length - flushed, LITERALS_MOST) - 1);
    };
    for (let at = 0; at < bytes.length;) {
        const [n, distance] = find(bytes, at, places);
        note(at);
        if (n < LEAST || find(bytes, at + 1, places)[0] > n) {
            literals.push(bytes[at++]);
            continue;
        }
        flush();
        tokens.push(COPY + n - LEAST);
        distances.push(distance & 255, distance >> 8);
        for (let i = 1; i < n; i++)
            note(at + i);
        at += n;
    }
    flush();
    return [tokens, literals, distances];
}

// Unsigned LEB128, and the signed one of a positive number, whose last byte is less than 64.
const leb = (n, most = 128) => n < most ? [n] : [n & 127 | 128, ...leb(n >>> 7, most)];

class Reader {
    constructor(bytes) {
        Object.assign(this, { bytes, at: 0 });
    }

    number() {
        const byte = this.bytes[this.at++];
        return byte < 128 ? byte : byte - 128 + 128 * this.number();
    }

    take(n) {
        this.at += n;
        return this.bytes.subarray(this.at - n, this.at);
    }
}

// The data of active segments, each with its address.
function segments(section) {
    const r = new Reader(section), list = [];
    for (let n = r.number(); n > 0; n--) {
        const [flags, constant] = r.take(2), address = r.number(), [end] = r.take(1);
        if (flags !== 0 || constant !== 0x41 || end !== 0x0b)
            throw new Error("a data segment is not an active one with a constant address");
        list.push([address, r.take(r.number())]);
    }
    return list;
}

function packed(section, base) {
    const list = segments(section);
    const from = Math.min(...list.map(([address]) => address));
    const image = Buffer.alloc(Math.max(...list.map(([address, bytes]) => address + bytes.length)) - from);
    for (const [address, bytes] of list)
        image.set(bytes, address - from);
    const parts = pack(image), head = Buffer.alloc(16);
    [from, ...parts.map((part) => part.length)].forEach((n, i) => head.writeUInt32LE(n, 4 * i));
    const blob = Buffer.concat([head, ...parts.map((part) => Buffer.from(part))]);
    return { section: Buffer.concat([Buffer.from([1, 0, 0x41, ...leb(base, 64), 0x0b, ...leb(blob.length)]), blob]), end: base + blob.length };
}

const [from, to] = process.argv.slice(2);
const wasm = fs.readFileSync(from);
const imports = new Proxy({}, { get: () => new Proxy({}, { get: () => () => 0 }) });
const base = new WebAssembly.Instance(new WebAssembly.Module(wasm), imports).exports.__heap_base.value;
const r = new Reader(wasm), out = [r.take(8)], sections = [];
while (r.at < wasm.length)
    sections.push([r.take(1)[0], Buffer.from(r.take(r.number()))]);
const data = packed(sections.find(([id]) => id === DATA)[1], base);
for (let [id, bytes] of sections) {
    if (id === DATA)
        bytes = data.section;
    if (id === MEMORY) {
        const m = new Reader(bytes);
        m.take(2); // one memory, without a maximum
        bytes = Buffer.from([1, 0, ...leb(Math.max(m.number(), Math.ceil(data.end / PAGE)))]);
    }
    out.push(Buffer.from([id, ...leb(bytes.length)]), bytes);
}
fs.writeFileSync(to, Buffer.concat(out));
