// JSON for CodeMirror, with the comments that descriptors may have.
import { foldService, matchBrackets, StreamLanguage } from "@codemirror/language";

const FOLDED_MOST = 100000; // characters

const language = StreamLanguage.define({
    name: "json",
    startState: () => ({ depth: 0, comment: false }),
    copyState: (state) => ({ ...state }),
    token(stream, state) {
        if (state.comment || stream.match("/*")) {
            state.comment = !stream.match(/^.*?\*\//);
            if (state.comment)
                stream.skipToEnd();
            return "comment";
        }
        if (stream.eatSpace())
            return null;
        if (stream.match(/^\/\/.*/))
            return "comment";
        if (stream.match(/^"(?:[^"\\]|\\.)*"?/))
            return stream.match(/^\s*:/, false) ? "propertyName" : "string";
        if (stream.match(/^-?\d[\w.+-]*/))
            return "number";
        if (stream.match(/^(?:true|false|null)\b/))
            return "atom";
        const c = stream.next();
        state.depth += "{[".includes(c) ? 1 : "}]".includes(c) ? -1 : 0;
        return "{[]}".includes(c) ? "bracket" : null;
    },
    indent: (state, after, { unit }) => Math.max(state.depth - (/^\s*[}\]]/.test(after) ? 1 : 0), 0) * unit,
    languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
                    closeBrackets: { brackets: ["[", "{", '"'] }, indentOnInput: /^\s*[}\]]$/ },
});

// From the bracket that a line ends with to the one that closes it.
const folding = foldService.of((state, start, end) => {
    const open = /[{[]\s*$/.exec(state.sliceDoc(start, end));
    const from = open && start + open.index, match = open && matchBrackets(state, from, 1, { maxScanDistance: FOLDED_MOST });
    return match?.matched && match.end.from > end ? { from: from + 1, to: match.end.from } : null;
});

export const json = [language, folding];
