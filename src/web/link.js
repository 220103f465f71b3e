// The page's state in the link's fragment: a text, packed if the browser can, and the switches; or a view.

function toBase64(bytes) {
    let s = "";
    for (let i = 0; i < bytes.length; i += 1 << 15)
        s += String.fromCharCode(...bytes.subarray(i, i + (1 << 15)));
    return btoa(s).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64(s) {
    return Uint8Array.from(atob(s.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}

// FNV-1a, by which a link that was damaged on its way is told from a whole one.
function sumOf(bytes) {
    return bytes.reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193) >>> 0, 0x811c9dc5).toString(36);
}

// An entry of the tab's history that was shown: the user goes back to it.
export const SEEN = { seen: true };

export const push = (fragment) => history.pushState(SEEN, "", `#${fragment}`);

export const MOST = 16 << 20; // bytes of a text in a link

export class TooLong extends Error {}

// What a stream makes of bytes, which is not read beyond MOST.
async function through(bytes, stream) {
    const parts = [];
    let size = 0;
    for (const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();;) {
        const { done, value } = await reader.read();
        if (done)
            return new Uint8Array(await new Blob(parts).arrayBuffer());
        parts.push(value);
        if ((size += value.length) > MOST) {
            reader.cancel();
            throw new TooLong();
        }
    }
}

export const hasText = (fragment) => /[#&](packed|text)=/.test(fragment);

// { text, level, portable } -> fragment without '#'
export async function write({ text, level, portable }) {
    const bytes = new TextEncoder().encode(text), query = new URLSearchParams();
    if (bytes.length > MOST)
        throw new TooLong();
    if ("CompressionStream" in globalThis)
        query.set("packed", toBase64(await through(bytes, new CompressionStream("deflate-raw"))));
    else
        query.set("text", toBase64(bytes));
    query.set("sum", sumOf(bytes));
    if (level)
        query.set("level", level);
    if (portable)
        query.set("portable", "1");
    return query.toString();
}

const NAMES = ["packed", "text", "sum", "level", "portable", "view", "example"];

// The fragment -> { text, level, portable, view, example, nothing }; text is undefined if there is none, view and example are null;
// nothing is a part of it that has no meaning. Throws if it is damaged, or TooLong.
export async function read(fragment) {
    const query = new URLSearchParams(fragment.replace(/^#/, ""));
    const packed = query.get("packed"), plain = query.get("text");
    let text;
    if (packed !== null)
        text = await through(fromBase64(packed), new DecompressionStream("deflate-raw"));
    else if (plain !== null)
        text = fromBase64(plain);
    if (text && query.has("sum") && query.get("sum") !== sumOf(text))
        throw new Error("the sum differs");
    return { text: text && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text), level: query.get("level"),
             portable: query.get("portable") === "1", view: query.get("view"), example: query.get("example"),
             nothing: [...query.keys()].find((name) => !NAMES.includes(name)) };
}
