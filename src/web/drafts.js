// Texts are kept on this device: the one of this tab in sessionStorage, for a reload, and the last ones of all tabs that were
// edited in localStorage. Both may be forbidden or full.
const LONGEST = 4 << 20; // characters: browsers keep some 5 million of a page
const MOST = 10, TAB = "dmlop-tab", OPEN = "dmlop-open", TEXT = "dmlop-text-";

const fresh = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
let id = fresh(); // of the text in the list

// What an action does with a storage; undefined if that cannot be.
function using(kind, action) {
    try {
        return action(globalThis[kind]);
    } catch {
        return undefined;
    }
}

const inTab = (action) => using("sessionStorage", action);
const here = (action) => using("localStorage", action);

// The text of this tab before it was loaded again. A tab that was copied while it is open has another place in the list.
export function begin() {
    const draft = inTab((s) => JSON.parse(s.getItem(TAB)));
    if (draft?.id && !inTab((s) => s.getItem(OPEN)))
        ({ id } = draft);
    const open = () => inTab((s) => s.setItem(OPEN, "1"));
    addEventListener("pagehide", () => inTab((s) => s.removeItem(OPEN)));
    addEventListener("pageshow", open);
    open();
    return draft ?? undefined;
}

// The kept texts, { key, time, text, ... }, the newest first.
export function list() {
    const all = here((s) => Object.keys(s).filter((key) => key.startsWith(TEXT)).map((key) => ({ key, ...JSON.parse(s.getItem(key)) })));
    return (all ?? []).sort((a, b) => b.time - a.time);
}

const remove = ({ key }) => here((s) => s.removeItem(key));

// Has what is kept from now on be another text, or the one of an earlier call.
export function next(earlier = fresh()) {
    id = earlier;
    return id;
}

// Keeps the text of this tab, { text, ... }, and if it was edited also in the list, where the oldest make room for it. False if
// it is nowhere.
export function keep(draft, edited) {
    const own = TEXT + id, fits = draft.text.length <= LONGEST;
    const put = () => here((s) => {
        s.setItem(own, JSON.stringify({ ...draft, time: Date.now() }));
        return true;
    });
    const kept = inTab((s) => {
        s.removeItem(TAB); // an older text is worse than none
        s.setItem(TAB, fits ? JSON.stringify({ ...draft, id }) : "null");
        return fits;
    });
    if (!edited || !fits)
        return Boolean(kept || !edited);
    const others = list().filter(({ key }) => key !== own);
    others.splice(MOST - 1).forEach(remove);
    let listed = put();
    for (; !listed && others.length > 0; listed = put())
        remove(others.pop());
    return Boolean(kept || listed);
}

// A setting of all tabs; given a value, it is kept.
export function setting(name, value) {
    return here((s) => value === undefined ? s.getItem(`dmlop-${name}`) : s.setItem(`dmlop-${name}`, value)) ?? value;
}

export function deleteAll() {
    list().forEach(remove);
    inTab((s) => s.removeItem(TAB));
}
