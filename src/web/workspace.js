// Files that were opened together, each with a tab: texts, which the editor shows, tensors, and other data. A model finds them
// by their paths.
import { unzipSync } from "fflate";
import * as check from "./check.js";
import { $, button, el, sizeText } from "./dom.js";
import { bytesOf, engine, Failure, first, run } from "./engine.js";
import { reading, showTensor, tensorFailed } from "./tensor.js";
import { plainPath } from "./wasi.js";

const MOST_FILES = 1000, MOST_UNPACKED = 1 << 30; // bytes of an archive
const TENSOR = /\.(npy|npz|csv|tsv)$/i;

let show, say;        // shows a view; says what is wrong
let tabs = new Map(); // path -> { file, tensor, text, sign }: text is what the editor had, undefined of what is none
let active, current;  // paths of the text in the editor, and of what is shown

const nameOf = (path) => path.replace(/.*\//, "");

// The files of a drop, [path, File] each: those of a folder by their paths in it.
export async function filesOf({ items, files }) {
    const entries = [...items ?? []].map((item) => item.webkitGetAsEntry?.()).filter(Boolean), found = [];
    if (!entries.some((entry) => entry.isDirectory))
        return [...files].map((file) => [file.name, file]);
    const wait = (object, method) => new Promise((resolve, reject) => object[method](resolve, reject));
    async function walk(entry, path) {
        if (found.length >= MOST_FILES)
            throw new Failure(`There are more than ${MOST_FILES} files in the folder.`);
        if (!entry.isDirectory) {
            found.push([path, await wait(entry, "file")]);
            return;
        }
        const reader = entry.createReader();
        for (let some; (some = await wait(reader, "readEntries")).length > 0;)
            for (const e of some.filter(({ name }) => !name.startsWith(".")))
                await walk(e, path ? `${path}/${e.name}` : e.name);
    }
    for (const entry of entries)
        await walk(entry, entries.length > 1 || !entry.isDirectory ? entry.name : "");
    return found;
}

// The members of an archive, as files in a folder of its name.
async function unpack(path, file) {
    let size = 0;
    try {
        const members = unzipSync(await bytesOf(file), { filter: ({ name, originalSize }) => {
            if ((size += originalSize) > MOST_UNPACKED)
                throw new Error(`its members have more than ${sizeText(MOST_UNPACKED)}`);
            return !name.endsWith("/");
        } });
        return Object.entries(members).map(([name, bytes]) => [`${path.replace(/\.npz$/i, "")}/${name}`, new File([bytes], name)]);
    } catch (error) {
        throw error instanceof Failure ? error : new Failure(`${path} cannot be read as a .npz archive: ${error.message}.`);
    }
}

// Whether the program takes a file for a tensor; what is named like one must be one.
async function isTensor(path, alone) {
    if (/\.npy$/i.test(path))
        return true;
    const { status, err } = await run(["info", "--", path]);
    if (status !== 0 && alone && TENSOR.test(path))
        throw new Failure(err.replace(/^dmlop: info: /, ""));
    return status === 0;
}

// Has both workers find what is no text.
async function give() {
    const files = Object.fromEntries([...tabs].filter(([, tab]) => tab.text === undefined).map(([path, { file }]) => [path, file]));
    await engine().keep(files);
    first.files = files; // which its next worker gets
}

// What a model in the editor lacks is added to it.
async function join(files, lacked) {
    const path = check.currentName(), folder = path.slice(0, path.length - nameOf(path).length);
    if (active === undefined)
        tabs = new Map([[path, {}]]);
    active = current = path;
    tabs.get(path).text = check.currentText();
    for (const [name, file] of files)
        tabs.set(plainPath(folder + lacked.find((one) => nameOf(one) === nameOf(name))), { file, tensor: /\.npy$/i.test(name) });
    await give();
    draw();
    check.again();
}

async function replace(files) {
    const opened = [], found = new Map();
    for (const [path, file] of files)
        opened.push(...(/\.npz$/i.test(path) ? await unpack(path, file) : [[path, file]]));
    if (opened.length === 0)
        throw new Failure(`There are no files in ${files[0][0]}.`);
    const others = opened.filter(([path]) => !/\.npy$/i.test(path));
    if (others.length > 0)
        await engine().keep(Object.fromEntries(others));
    for (const [path, file] of opened) {
        const tensor = await isTensor(path, opened.length === 1);
        found.set(path, { file, tensor, ...(!tensor && await check.decode(path, file, opened.length > 1)) });
    }
    leave();
    tabs = found;
    await give();
    const texts = [...tabs].filter(([, tab]) => tab.text !== undefined), models = texts.filter(([, tab]) => check.isModel(tab.text));
    await activate([...models, ...texts, ...tabs][0][0]);
    await judge();
}

// Opens files, [path, File] each.
export async function open(files) {
    const lacked = check.lacking(), lacks = ([path]) => lacked.some((one) => nameOf(one) === nameOf(path));
    const tensor = files.length === 1 && TENSOR.test(files[0][0]);
    say(files.length === 0 ? "There are no files in the folder." : "");
    if (files.length === 0)
        return;
    if (files.every(lacks)) {
        await join(files, lacked);
        return;
    }
    show(tensor ? "tensor" : "check");
    tensor ? reading(...files[0]) : check.reading(files);
    try {
        await replace(files);
    } catch (error) {
        if (tensor)
            tensorFailed(error);
        else {
            say(error.message);
            check.again();
        }
    }
}

export const tensors = () => [...tabs].filter(([, tab]) => tab.tensor).map(([path, { file }]) => [path, file]);

// Keeps what the editor has, before it gets another text.
export function leave() {
    const tab = tabs.get(active);
    if (tab?.text !== undefined)
        Object.assign(tab, { text: check.currentText(), broken: undefined });
    active = current = undefined;
    draw();
}

async function activate(path) {
    const tab = tabs.get(path);
    current = path;
    show(tab.tensor ? "tensor" : "check");
    if (tab.tensor)
        await showTensor(path, tab.file);
    else if (path !== active) {
        leave();
        active = current = path;
        check.openTab(path, tab);
    }
    draw();
}

// Checks all texts, for the signs on their tabs.
async function judge() {
    const texts = Object.fromEntries([...tabs].filter(([, tab]) => tab.text !== undefined).map(([path, tab]) => [path, tab.text]));
    if (tabs.size > 1)
        for (const [path, sign] of await check.judge(texts))
            tabs.get(path).sign = sign;
    draw();
}

// The newest findings of the editor's text.
export function found(sign) {
    if (tabs.has(active) && tabs.get(active).sign !== sign) {
        tabs.get(active).sign = sign;
        draw();
    }
}

function draw() {
    const shown = tabs.size > 1;
    $("files").hidden = !shown;
    $("files").replaceChildren(...(shown ? [...tabs].map(([path, tab]) => tab.tensor || tab.text !== undefined
        ? button(`${path}${tab.sign ? ` ${tab.sign}` : ""}`, () => activate(path), { "aria-current": path === current && "true" })
        : el("span", { class: "soft" }, path)) : []));
}

export function startWorkspace(views, said) {
    [show, say] = [views, said];
}
