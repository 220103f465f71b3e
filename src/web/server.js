// The language server of dmlop, for one document. The newest text is checked; a check of an older text that takes long is
// ended. What fails is tried once more, by another worker.
import { first, Stopped } from "./engine.js";

const NAME = "page.desc.json"; // by this name the server answers for any text
const PATIENCE_MS = 300; // that a check of an older text may still take
const AT_ONCE = 100000;  // characters: fixes of a shorter text are asked for together with its check

const resultOf = ({ id }, answers) => answers.find((a) => a.id === id)?.result;

// What a request for all fixes asks about.
function wholeOf(text) {
    const lines = text.split(/\r\n?|\n/), end = { line: lines.length - 1, character: lines.at(-1).length };
    return { range: { start: { line: 0, character: 0 }, end }, context: { diagnostics: [] } };
}

export class Server {
    // options: () => { level, portable }; found(diagnostics, actions, text, failure, symbols): after each check, with what failed
    // before it, and the symbols or a promise of them; failed(error)
    constructor(options, found, failed) {
        Object.assign(this, { options, found, failed });
        this.engine = first;
        this.folder = "";         // of the document among the engine's files, "" or "NAME/"
        this.opened = undefined;  // the worker in which a server has the document
        this.text = undefined;    // the newest
        this.checked = undefined; // the one that the server has
        this.failure = undefined; // since the last findings
        this.requests = 0;
        this.running = false;
    }

    // Has another server with the options of now check the text.
    restart() {
        this.engine.stop();
        this.checked = undefined;
        if (this.text !== undefined)
            this.change(this.text);
    }

    // Leaves a text unchecked until it or an option changes.
    skip(text) {
        this.opened = undefined;
        this.text = this.checked = text;
    }

    change(text) {
        this.text = text;
        if (!this.running) {
            this.loop();
            return;
        }
        this.timer ??= setTimeout(() => {
            this.timer = undefined;
            if (this.running && this.checked !== this.text)
                this.engine.stop();
        }, PATIENCE_MS);
    }

    async loop() {
        let failed; // the text whose check has failed once
        this.running = true;
        while (this.checked !== this.text) {
            const text = this.text;
            try {
                const messages = this.update(text);
                const more = text.length < AT_ONCE ? [this.about("codeAction", wholeOf(text)), this.about("documentSymbol")] : [];
                const { answers } = await this.engine.ask({ messages: [...messages, ...more] });
                await this.publish(answers, text, ...more.map((message) => resultOf(message, answers)));
            } catch (error) {
                this.forget(error);
                if (error instanceof Stopped)
                    continue;
                if (failed === text) {
                    this.checked = text;
                    this.failure = undefined;
                    this.failed(error);
                }
                failed = text;
            }
        }
        this.running = false;
        clearTimeout(this.timer);
        this.timer = undefined;
    }

    // After an error a text is checked again.
    forget(error) {
        this.checked = undefined;
        if (!(error instanceof Stopped))
            this.failure = error;
    }

    // Reports the findings that came with answers, if they are still those of the newest text.
    async publish(answers, text, actions, symbols) {
        const published = answers.findLast((a) => a.method === "textDocument/publishDiagnostics");
        const said = answers.find((a) => a.method === "window/showMessage");
        if (text !== this.text || !(published || said))
            return;
        const diagnostics = published?.params.diagnostics ?? [];
        if (!published)
            this.failed(new Error(said.params.message));
        else
            this.found(diagnostics, actions ?? (diagnostics.length > 0 && await this.request("codeAction", wholeOf(text), text) || []),
                text, this.failure, symbols ?? this.request("documentSymbol", {}, text));
        this.failure = undefined;
    }

    // The messages that give the server a text.
    update(text) {
        const messages = [], version = ++this.requests, { worker } = this.engine;
        const sent = text.replaceAll("\0", "\ufffd"); // no value of JSON may have a NUL in the program
        if (this.opened !== worker) {
            const { level, portable } = this.options();
            messages.push({ id: ++this.requests, method: "initialize", params: {
                capabilities: { general: { positionEncodings: ["utf-16"] },
                                textDocument: { completion: { completionItem: { snippetSupport: true } } } },
                initializationOptions: { featureLevel: level, portable } } });
            this.uri = `file:///${encodeURI(this.folder)}${NAME}`;
            messages.push({ method: "textDocument/didOpen", params: {
                textDocument: { uri: this.uri, languageId: "json", version, text: sent } } });
        } else if (this.checked !== text)
            messages.push({ method: "textDocument/didChange", params: {
                textDocument: { uri: this.uri, version }, contentChanges: [{ text: sent }] } });
        this.opened = worker;
        this.checked = text;
        return messages;
    }

    // The answer to a request about a text. If it fails, the text is checked again.
    async request(method, params, text) {
        const messages = this.update(text), message = this.about(method, params);
        try {
            const { answers } = await this.engine.ask({ messages: [...messages, message] });
            await this.publish(answers, text);
            return resultOf(message, answers) ?? null;
        } catch (error) {
            this.forget(error);
            this.change(this.text);
            throw error;
        }
    }

    // A request about the document.
    about(method, params) {
        return { id: ++this.requests, method: `textDocument/${method}`, params: { textDocument: { uri: this.uri }, ...params } };
    }

    hover(position, text) {
        return this.request("hover", { position }, text);
    }

    async completion(position, text) {
        return (await this.request("completion", { position }, text))?.items ?? [];
    }
}
