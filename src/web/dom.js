// Elements: el("button", { type: "button", onclick }, "text", child...).
export function el(name, attributes = {}, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith("on"))
            e.addEventListener(key.slice(2), value);
        else if (value !== false && value !== undefined && value !== null)
            e.setAttribute(key, value === true ? "" : value);
    }
    e.append(...children.filter((c) => c !== undefined && c !== null && c !== false));
    return e;
}

export const $ = (id) => document.getElementById(id);

export function button(text, onclick, attributes = {}) {
    return el("button", { type: "button", onclick, ...attributes }, text);
}

export function download(name, bytes, type = "application/octet-stream") {
    const url = URL.createObjectURL(new Blob([bytes], { type }));
    el("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// A text whose references to the manual, NAME(SECTION), are links.
export const linked = (text) => text.split(/(\bdmlop[\w-]*\(\d\))/).map((part, i) => i % 2 === 0 ? part :
    el("a", { href: `man/${part.replace(/\((\d)\)/, ".$1")}.html`, target: "_blank", rel: "noreferrer" }, part));

const MIB = 1 << 20;

export function sizeText(n) {
    return n >= MIB ? `${(n / MIB).toFixed(1)} MiB` : n >= 1024 ? `${(n / 1024).toFixed(1)} KiB` : `${n} bytes`;
}

// Shows an element in the dialog, with buttons: [[label, action]...] before "Close".
export function showDialog(title, body, actions = []) {
    const dialog = $("dialog");
    dialog.replaceChildren(
        el("h2", { id: "dialog-title" }, title), body,
        el("p", { class: "buttons" }, ...actions.map(([label, action]) => button(label, () => {
            dialog.close();
            action();
        }, { class: "main" })), button("Close", () => dialog.close())));
    dialog.open || dialog.showModal();
    dialog.querySelector(".buttons button").focus();
}

// The same with a text. A difference has its lines coloured.
export function showText(title, text, actions = [], difference = false) {
    const lines = !difference ? linked(text) : text.trimEnd().split("\n").map((line) =>
        el("span", { class: line[0] === "+" ? "good" : line[0] === "-" ? "error" : "" }, `${line}\n`));
    showDialog(title, el("pre", { tabindex: "0", "aria-label": title }, ...lines), actions);
}
