// The editor: CodeMirror with what the language server says.
import { autocompletion, completionKeymap, closeBrackets, closeBracketsKeymap, snippet } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, foldGutter, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { nextDiagnostic, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap,
         lineNumbers, tooltips } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { el } from "./dom.js";
import { textOf } from "./form.js";
import { json } from "./json.js";

// The colours are those of style.css, which has light and dark ones.
const colours = HighlightStyle.define([
    { tag: tags.propertyName, color: "var(--key)" },
    { tag: tags.string, color: "var(--string)" },
    { tag: [tags.number, tags.atom], color: "var(--number)" },
    { tag: tags.comment, color: "var(--soft)" },
]);

const MOST_SHOWN = 1000; // squiggles

export function offsetOf(doc, { line, character }) {
    const l = doc.line(Math.min(line + 1, doc.lines));
    return Math.min(l.from + character, l.to);
}

function positionOf(doc, at) {
    const line = doc.lineAt(at);
    return { line: line.number - 1, character: at - line.from };
}

// Markdown of hovers: paragraphs, code and links.
function markdown(text) {
    const inline = (s) => s.split(/(`[^`]*`|\[[^\]]*\]\([^)]*\)|\*\*[^*]*\*\*)/).map((part) => {
        const link = /^\[([^\]]*)\]\(([^)]*)\)$/.exec(part);
        if (link)
            return el("a", { href: link[2], rel: "noreferrer" }, link[1]);
        if (part.startsWith("**"))
            return el("strong", {}, part.slice(2, -2));
        return part.startsWith("`") ? el("code", {}, part.slice(1, -1)) : part.replace(/\\(.)/g, "$1");
    });
    return text.split(/\n{2,}/).map((block) => {
        if (block === "---")
            return el("hr");
        const fence = /^```\w*\n([\s\S]*?)\n?```$/.exec(block);
        return fence ? el("pre", {}, fence[1]) : el("p", {}, ...inline(block));
    });
}

export function hoverText(hover) {
    return markdown(hover?.contents?.value ?? "");
}

function hovering(server) {
    return hoverTooltip(async (view, at) => {
        const doc = view.state.doc;
        const hover = await server.hover(positionOf(doc, at), textOf(doc)).catch(() => null);
        if (!hover || view.state.doc !== doc)
            return null;
        return { pos: hover.range ? offsetOf(doc, hover.range.start) : at,
                 end: hover.range ? offsetOf(doc, hover.range.end) : at,
                 create: () => ({ dom: el("div", { class: "hover" }, ...hoverText(hover)) }) };
    }, { hideOnChange: true });
}

// The template of the protocol, "$1" and "${2:text}", as CodeMirror writes it.
function templateOf(text) {
    return text.replace(/\$(\d)/g, "${$1}").replace(/\$\{0\}/g, "${}").replace(/\\([$}\\])/g, "$1");
}

function completing(server) {
    return async (context) => {
        const doc = context.state.doc, at = context.pos;
        const before = doc.sliceString(Math.max(0, at - 1), at);
        if (!context.explicit && !/["\w]/.test(before))
            return null;
        const items = await server.completion(positionOf(doc, at), textOf(doc)).catch(() => []);
        if (items.length === 0)
            return null;
        const { start, end } = items[0].textEdit.range;
        return {
            from: offsetOf(doc, start),
            to: offsetOf(doc, end),
            options: items.map((item, i) => ({
                label: item.filterText ?? item.label,
                displayLabel: item.label,
                detail: item.detail,
                boost: -Math.min(i, 90),
                info: item.documentation?.value || item.documentation || undefined,
                apply(view, completion, from) {
                    const to = Math.max(offsetOf(view.state.doc, end), view.state.selection.main.head);
                    if (item.insertTextFormat === 2)
                        snippet(templateOf(item.textEdit.newText))(view, completion, from, to);
                    else
                        view.dispatch({ changes: { from, to, insert: item.textEdit.newText },
                                        selection: { anchor: from + item.textEdit.newText.length } });
                },
            })),
        };
    };
}

let fresh; // the editor's state with a text

// changed(text): after each edit; describe(hover): for the key that shows what a hover shows.
export function makeEditor(parent, doc, { server, changed, describe }) {
    const help = { key: "F1", run(view) {
        const { doc, selection } = view.state;
        server.hover(positionOf(doc, selection.main.head), textOf(doc)).then(describe, () => {});
        return true;
    } };
    const next = { key: "F8", run: nextDiagnostic };
    fresh = (text) => EditorState.create({
        doc: text,
        extensions: [
            EditorView.cspNonce.of("dmlop"),
            lineNumbers(), foldGutter(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history(),
            indentOnInput(), bracketMatching(), closeBrackets(), highlightSelectionMatches(),
            json, syntaxHighlighting(colours),
            autocompletion({ override: [completing(server)], activateOnTyping: true, icons: false }),
            Prec.lowest(hovering(server)), // below a finding of the same place
            tooltips({ tooltipSpace: (editor) => ({ // not over what is above the editor
                left: 0, top: Math.max(editor.dom.getBoundingClientRect().top, 0),
                right: document.documentElement.clientWidth, bottom: document.documentElement.clientHeight }) }),
            keymap.of([help, next, ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap,
                       ...defaultKeymap]),
            EditorState.tabSize.of(2),
            EditorView.contentAttributes.of({ tabindex: "0", "aria-label": "Descriptor or model, JSON", "aria-describedby": "keys" }),
            EditorView.updateListener.of((update) => update.docChanged && changed(textOf(update.state.doc))),
        ],
    });
    return new EditorView({ parent, state: fresh(doc) });
}

// Shows a text that has nothing to do with what was there.
export function resetText(view, text) {
    view.setState(fresh(text));
}

export function setText(view, text) {
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
}

export function applyEdits(view, edits) {
    const doc = view.state.doc;
    view.dispatch({ changes: edits.map(({ range, newText }) => ({
        from: offsetOf(doc, range.start), to: offsetOf(doc, range.end), insert: newText })) });
}

export function goTo(view, range) {
    const doc = view.state.doc, from = offsetOf(doc, range.start), to = offsetOf(doc, range.end);
    view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    view.focus();
}

// fixes: diagnostic -> function that applies its fix, or undefined
export function showSquiggles(view, diagnostics, fixes) {
    const doc = view.state.doc;
    view.dispatch(setDiagnostics(view.state, diagnostics.slice(0, MOST_SHOWN).map((d) => {
        const fix = fixes.get(d);
        return { from: offsetOf(doc, d.range.start), to: offsetOf(doc, d.range.end),
                 severity: d.severity === 1 ? "error" : d.severity === 2 ? "warning" : "info",
                 source: d.code, message: d.message,
                 actions: fix ? [{ name: "Fix", apply: fix }] : [] };
    })));
}
