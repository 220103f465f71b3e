// WASI (preview 1) for one run of dmlop: arguments, standard streams and files that are in memory. A file is a Uint8Array in
// `files`, by its path below the only folder, or { head, size } for one of which only the first bytes are there.

const OK = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOSYS = 52, NOTDIR = 54, SPIPE = 70;
const TYPE_STREAM = 0, TYPE_FOLDER = 3, TYPE_FILE = 4;
const CREATE = 1, DIRECTORY = 2, EXCLUSIVE = 4, TRUNCATE = 8; // oflags
const APPEND = 1;                                             // fdflags
const ALL_RIGHTS = (1n << 30n) - 1n;
const FOLDER = 3; // its descriptor

const EXIT = new Error("exit");

// A path without empty parts, "." and "..".
export function plainPath(path) {
    const parts = [];
    for (const part of path.split("/"))
        part === ".." ? parts.pop() : part !== "" && part !== "." && parts.push(part);
    return parts.join("/");
}

let number = 0; // of the newest file, by which files are told apart

// A file while it is open: bytes with room to grow.
class Bytes {
    constructor(file = new Uint8Array(0)) {
        this.number = ++number;
        this.bytes = file.head ?? file;
        this.size = file.size ?? file.length;
    }

    write(at, from) {
        const end = at + from.length;
        if (end > this.bytes.length) {
            const more = new Uint8Array(Math.max(end, 2 * this.bytes.length, 4096));
            more.set(this.bytes.subarray(0, this.size));
            this.bytes = more;
        }
        this.bytes.set(from, at);
        this.size = Math.max(this.size, end);
    }

    get whole() {
        return this.bytes.subarray(0, this.size);
    }
}

export class Wasi {
    constructor({ args = [], files = {} } = {}) {
        this.args = args;
        this.status = 0;
        this.files = new Map(Object.entries(files).map(([name, bytes]) => [name, new Bytes(bytes)]));
        this.out = new Bytes();
        this.err = new Bytes();
        this.open = new Map([
            [0, { device: true, file: new Bytes(), at: 0 }],
            [1, { device: true, file: this.out, at: 0 }],
            [2, { device: true, file: this.err, at: 0 }],
            [FOLDER, { folder: "" }],
        ]);
        this.folders = new Set([""]);
        for (const name of this.files.keys()) // the folders that a file is in
            for (const { index } of name.matchAll(/\//g))
                this.folders.add(name.slice(0, index));
        this.encoder = new TextEncoder();
        this.decoder = new TextDecoder();
    }

    // Runs main; returns its exit status.
    start(instance) {
        this.memory = instance.exports.memory;
        try {
            instance.exports._start();
        } catch (e) {
            if (e !== EXIT)
                throw e;
        }
        return this.status;
    }

    result() {
        return Object.fromEntries([...this.files].map(([name, file]) => [name, file.whole]));
    }

    get view() {
        return new DataView(this.memory.buffer);
    }

    text(at, n) {
        return this.decoder.decode(new Uint8Array(this.memory.buffer, at, n));
    }

    // The path of a file below the first folder, which is "", from one in another folder that is open.
    name(fd, at, n) {
        return plainPath(`${this.open.get(fd)?.folder ?? ""}/${this.text(at, n)}`);
    }

    buffers(list, n) {
        const view = this.view;
        return Array.from({ length: n }, (_, i) => new Uint8Array(
            this.memory.buffer, view.getUint32(list + 8 * i, true), view.getUint32(list + 8 * i + 4, true)));
    }

    strings(list, pointers, bytes) {
        for (const s of list) {
            this.view.setUint32(pointers, bytes, true);
            bytes += this.encoder.encodeInto(s, new Uint8Array(this.memory.buffer, bytes)).written;
            this.view.setUint8(bytes++, 0);
            pointers += 4;
        }
    }

    sizes(list, count, bytes) {
        this.view.setUint32(count, list.length, true);
        this.view.setUint32(bytes, list.reduce((n, s) => n + this.encoder.encode(s).length + 1, 0), true);
    }

    // Writes the filestat of what is open.
    stat(at, { file, device }) {
        const view = this.view;
        new Uint8Array(this.memory.buffer, at, 64).fill(0);
        view.setBigUint64(at, 1n, true);
        view.setBigUint64(at + 8, BigInt(file?.number ?? 0), true);
        view.setUint8(at + 16, this.typeOf({ file, device }));
        view.setBigUint64(at + 24, 1n, true);
        view.setBigUint64(at + 32, BigInt(file?.size ?? 0), true);
    }

    typeOf({ file, device }) {
        return !file ? TYPE_FOLDER : device ? TYPE_STREAM : TYPE_FILE;
    }

    read(file, at, list, n, got) {
        let done = 0;
        for (const to of this.buffers(list, n)) {
            const some = file.bytes.subarray(at + done, Math.min(at + done + to.length, file.size));
            to.set(some);
            done += some.length;
        }
        this.view.setUint32(got, done, true);
        return done;
    }

    // A function that returns nothing returns OK.
    get imports() {
        const w = this;
        const file = (fd) => w.open.get(fd)?.file;
        const calls = {
            args_get: (pointers, bytes) => w.strings(w.args, pointers, bytes),
            args_sizes_get: (count, bytes) => w.sizes(w.args, count, bytes),
            environ_sizes_get: (count, bytes) => w.sizes([], count, bytes),
            clock_time_get(id, precision, to) {
                const ms = id === 0 ? Date.now() : performance.now();
                w.view.setBigUint64(to, BigInt(Math.round(ms * 1e6)), true);
            },
            proc_exit(status) {
                w.status = status;
                throw EXIT;
            },
            fd_prestat_get(fd, to) {
                if (fd !== FOLDER)
                    return BADF;
                w.view.setUint32(to, 0, true);
                w.view.setUint32(to + 4, 1, true);
            },
            fd_prestat_dir_name(fd, to) {
                w.view.setUint8(to, ".".charCodeAt(0));
                return fd === FOLDER ? OK : BADF;
            },
            fd_fdstat_get(fd, to) {
                const f = w.open.get(fd);
                if (!f)
                    return BADF;
                new Uint8Array(w.memory.buffer, to, 24).fill(0);
                w.view.setUint8(to, w.typeOf(f));
                w.view.setUint16(to + 2, f.append ? APPEND : 0, true);
                w.view.setBigUint64(to + 8, ALL_RIGHTS, true);
                w.view.setBigUint64(to + 16, ALL_RIGHTS, true);
            },
            fd_fdstat_set_flags: (fd) => w.open.has(fd) ? OK : BADF,
            fd_filestat_get(fd, to) {
                const f = w.open.get(fd);
                return f ? w.stat(to, f) : BADF;
            },
            fd_read(fd, list, n, got) {
                const f = w.open.get(fd);
                if (!f?.file)
                    return f ? ISDIR : BADF;
                f.at += w.read(f.file, f.at, list, n, got);
            },
            fd_pread(fd, list, n, at, got) {
                if (!file(fd))
                    return BADF;
                w.read(file(fd), Number(at), list, n, got);
            },
            fd_write(fd, list, n, got) {
                const f = w.open.get(fd);
                let done = 0;
                if (!f?.file)
                    return BADF;
                for (const from of w.buffers(list, n)) {
                    if (f.device || f.append)
                        f.at = f.file.size;
                    f.file.write(f.at, from);
                    f.at += from.length;
                    done += from.length;
                }
                w.view.setUint32(got, done, true);
            },
            fd_seek(fd, offset, whence, to) {
                const f = w.open.get(fd);
                if (!f || f.device)
                    return f ? SPIPE : BADF;
                f.at = Number(offset) + [0, f.at, f.file.size][whence];
                w.view.setBigUint64(to, BigInt(f.at), true);
            },
            fd_tell(fd, to) {
                w.view.setBigUint64(to, BigInt(w.open.get(fd)?.at ?? 0), true);
                return w.open.has(fd) ? OK : BADF;
            },
            fd_close: (fd) => w.open.delete(fd) ? OK : BADF,
            fd_readdir(fd, to, room, cookie, got) {
                w.view.setUint32(got, 0, true);
                return w.open.get(fd)?.file ? NOTDIR : OK;
            },
            path_open(fd, follow, path, n, flags, base, inheriting, fdflags, to) {
                const name = w.name(fd, path, n), folder = w.folders.has(name);
                let f = w.files.get(name);
                if (!folder && !f && !(flags & CREATE))
                    return NOENT;
                if (f && flags & EXCLUSIVE && flags & CREATE)
                    return EXIST;
                if (!folder && flags & DIRECTORY)
                    return NOTDIR;
                if (!folder && (!f || flags & TRUNCATE))
                    w.files.set(name, f = new Bytes());
                let free = FOLDER + 1;
                while (w.open.has(free))
                    free++;
                w.open.set(free, folder ? { folder: name } : { file: f, at: 0, append: (fdflags & APPEND) !== 0 });
                w.view.setUint32(to, free, true);
            },
            path_filestat_get(fd, follow, path, n, to) {
                const name = w.name(fd, path, n), there = w.files.get(name);
                return there || w.folders.has(name) ? w.stat(to, { file: there }) : NOENT;
            },
            path_rename(fd, from, fromLength, toFd, to, toLength) {
                const name = w.name(fd, from, fromLength), f = w.files.get(name);
                if (!f)
                    return NOENT;
                w.files.delete(name);
                w.files.set(w.name(toFd, to, toLength), f);
            },
            path_unlink_file: (fd, path, n) => w.files.delete(w.name(fd, path, n)) ? OK : NOENT,
            path_create_directory(fd, path, n) {
                const name = w.name(fd, path, n), there = w.folders.has(name) || w.files.has(name);
                w.folders.add(name);
                return there ? EXIST : OK;
            },
            path_readlink: (fd, path, n) => w.files.has(w.name(fd, path, n)) || w.folders.has(w.name(fd, path, n)) ? INVAL : NOENT,
        };
        // what dmlop has no use for here
        const rest = {
            get: (known, name) => known[name] ?? (() => NOSYS),
            has: () => true,
        };
        return { wasi_snapshot_preview1: new Proxy(calls, rest) };
    }
}
