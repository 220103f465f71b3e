// How a text marks its beginning and ends its lines, which CodeMirror does not keep.
let mark = "", end = "\n";

// Has the editor's text written in the form of this one. Returns this one without its byte order mark, which no column counts, and
// whether its lines end in several ways: then all get the most frequent one.
export function adoptForm(text) {
    const counts = new Map();
    for (const [one] of text.matchAll(/\r\n?|\n/g))
        counts.set(one, (counts.get(one) ?? 0) + 1);
    [[end] = ["\n"]] = [...counts].sort((a, b) => b[1] - a[1]);
    mark = text.startsWith("\ufeff") ? "\ufeff" : "";
    return { text: text.slice(mark.length), several: counts.size > 1 };
}

// The text of CodeMirror's document as the program gets it, and as it is written to a file or a link.
export const textOf = (doc) => doc.sliceString(0, doc.length, end);
export const writtenOf = (doc) => mark + textOf(doc);
