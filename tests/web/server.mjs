// A static server of the page, in a folder of it: the page must not need to be at the top of its
// server.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css",
                ".wasm": "application/wasm" };
const FOLDER = "/some/folder/";

// Serves the folder `web`: { origin, asked, close }; asked is a list of the files that were asked
// for.
export async function serve(web) {
    const asked = [];
    const server = http.createServer((request, response) => {
        const name = new URL(request.url, "http://x").pathname.replace(FOLDER, "");
        asked.push(name);
        fs.readFile(path.join(web, name || "index.html"), (error, data) => {
            response.writeHead(error ? 404 : 200, {
                "content-type": TYPES[path.extname(name || "index.html")] ?? "text/plain" });
            response.end(data);
        });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { origin: `http://127.0.0.1:${server.address().port}${FOLDER}`, asked,
             close: () => server.close() };
}
