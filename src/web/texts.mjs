// node texts.mjs OUT.c TABLE=FOLDER...: packs the texts of tables (base/embedded.h) for src/web/texts.c.
import fs from "node:fs";
import path from "node:path";

const LITERALS_MOST = 128, COPY = 128, LEAST = 4, MOST = 131, WINDOW = 65535, TRIES = 400;

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

function pack(bytes) {
    const places = new Map(), out = [];
    let literals = [];
    const note = (at) => {
        if (at + LEAST > bytes.length)
            return;
        const key = bytes.readUInt32LE(at);
        places.get(key)?.push(at) ?? places.set(key, [at]);
    };
    const flush = () => {
        for (let i = 0; i < literals.length; i += LITERALS_MOST) {
            const some = literals.slice(i, i + LITERALS_MOST);
            out.push(some.length - 1, ...some);
        }
        literals = [];
    };
    for (let at = 0; at < bytes.length;) {
        const [n, distance] = find(bytes, at, places);
        note(at);
        if (n < LEAST || find(bytes, at + 1, places)[0] > n) {
            literals.push(bytes[at++]);
            continue;
        }
        flush();
        out.push(COPY + n - LEAST, distance & 255, distance >> 8);
        for (let i = 1; i < n; i++)
            note(at + i);
        at += n;
    }
    flush();
    return out;
}

const [to, ...tables] = process.argv.slice(2);
const parts = [];
let size = 0, c = '#include "base/embedded.h"\n#include "web/texts.h"\n\n';

for (const table of tables) {
    const [name, folder] = table.split("=");
    c += `const struct embedded ${name}[] = {\n`;
    for (const file of fs.readdirSync(folder).sort()) {
        let text = fs.readFileSync(path.join(folder, file), "utf8").replace(/\n$/, "");
        if (name === "desc_operators") // only read, never printed
            text = JSON.stringify(JSON.parse(text));
        const bytes = Buffer.from(text + "\0");
        c += `    { ${JSON.stringify(file)}, web_texts + ${size} },\n`;
        parts.push(bytes);
        size += bytes.length;
    }
    c += "    { 0, 0 },\n};\n\n";
}
const packed = pack(Buffer.concat(parts));
c += `char web_texts[${size}];\nconst size_t web_packed_size = ${packed.length};\n`;
c += `const unsigned char web_packed[${packed.length}] = { ${packed.join(", ")} };\n`;
fs.writeFileSync(to, c);
