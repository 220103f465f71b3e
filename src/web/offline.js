// The service worker: where there is no network, the page is the one that was here before.
import { files, version } from "built:kept";

const HERE = `dmlop ${registration.scope} `, NAME = HERE + version;

async function keep() {
    const cache = await caches.open(NAME);
    await cache.addAll(files.map((file) => new Request(file, { cache: "reload" })));
    await skipWaiting();
}

async function forget() {
    const old = (await caches.keys()).filter((name) => name.startsWith(HERE) && name !== NAME);
    await Promise.all(old.map((name) => caches.delete(name)));
    await clients.claim();
}

async function answer(request) {
    try {
        return await fetch(request);
    } catch (error) {
        const cache = await caches.open(NAME);
        const kept = await cache.match(request, { ignoreSearch: true }) ?? (request.mode === "navigate" && await cache.match("./"));
        if (kept)
            return kept;
        throw error;
    }
}

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(forget()));
addEventListener("fetch", (event) => {
    if (event.request.method === "GET" && event.request.url.startsWith(registration.scope))
        event.respondWith(answer(event.request));
});
