"""Every command's peak memory against the table MEMORY of dmlop(1), for shapes, layouts and
texts that chance chooses: limits_random.py SEED ROUNDS [COMMAND...]. DMLOP is the program; files
are made in the current folder. Prints the commands that need more than the table says, and those
of topk that need much less, and, with -v before the seed, what each needs."""
import math
import os
import random
import sys
import zipfile

from program import peak, printed

MB = 1 << 20
BASE = 32 * MB
THREADED = "threads: OpenMP" in printed("--version")
DTYPES = ["uint8", "int16", "float16", "float32", "int64", "float64"]


def feed(path):
    """A pipe that the file is written to."""
    r, w = os.pipe()
    if os.fork() == 0:
        os.close(r)
        try:
            with os.fdopen(w, "wb") as to, open(path, "rb") as f:
                while block := f.read(MB):
                    to.write(block)
        except BrokenPipeError:
            pass
        os._exit(0)
    os.close(w)
    return r


def bits(dtype):
    return int("".join(c for c in dtype if c.isdigit()))


def header(dtype, sizes, fortran):
    kind = {"u": "<u", "i": "<i", "f": "<f"}[dtype[0]]
    text = repr({"descr": f"{kind}{bits(dtype) // 8}", "fortran_order": fortran,
                 "shape": tuple(sizes)})
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode()


class Tensor:
    """A file of a tensor: name.npy, name.json, a member of name.npz, or parts of it. bytes: of its
    elements."""

    def __init__(self, chance, name, sizes=None, dtype=None, kinds="cccfjz", data=None):
        self.dtype = dtype or chance.choice(DTYPES)
        self.sizes = sizes or shape(chance, chance.choice([2, 16, 48]) * MB * 8 // bits(self.dtype))
        self.kind = chance.choice(kinds)
        if self.kind == "j" and math.prod(self.sizes) > 2 * MB:
            self.kind = "c"
        self.bytes = math.prod(self.sizes) * bits(self.dtype) // 8
        self.text = 0
        self.path = name + ".npy"
        self.data = data or chance.choice(["noise", "zeros"])
        small = self.dtype[0] == "f" or self.data == "zeros" or self.kind == "j"
        some = bytes(MB) if small else chance.randbytes(MB)
        head = header(self.dtype, self.sizes, self.kind == "f")
        with open(self.path, "wb") as f:
            f.write(head)
            for _ in range(self.bytes // MB):
                f.write(some)
            f.write(some[: self.bytes % MB])
        if self.dtype[0] == "f" and self.data == "noise" and self.kind != "f":
            text = ",".join(map(str, self.sizes))
            make = f"make -q --dtype {self.dtype} --sizes {text} --random 1 -o {self.path}"
            assert peak(make.split())[1] == 0
        if self.kind == "j":
            assert peak(["convert", "-q", self.path, "-o", name + ".json"])[1] == 0
            self.path = name + ".json"
            self.text = os.path.getsize(self.path)
        if self.kind == "z":
            with zipfile.ZipFile(name + ".npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z:
                z.write(self.path, "a.npy")
            self.path = name + ".npz:a"

    def memory(self, threads):
        """What the table says of a file of its kind."""
        return self.bytes + self.text + threads * MB * (self.kind == "j")

    def __repr__(self):
        return f"{self.kind} {self.dtype} {self.sizes} {self.data}"


def shape(chance, count):
    sizes = []
    for _ in range(chance.randrange(4)):
        n = int(2 ** chance.uniform(0, math.log2(count) if count > 1 else 0))
        sizes.append(max(1, n))
        count = max(1, count // sizes[-1])
    sizes.append(count)
    chance.shuffle(sizes)
    return sizes


def some_threads(chance):
    return chance.choice([1, 2, 4, 16])


def window(chance, sizes):
    """An --index, and how many elements it selects."""
    words, count = [], 1
    for n in sizes:
        a, b = sorted((chance.randrange(n + 1), chance.randrange(n + 1)))
        a, b = (0, n) if a == b or chance.random() < 0.4 else (a, b)
        step = int(2 ** chance.uniform(0, math.log2(b - a + 1)))
        step = chance.choice([1, 1, step])
        count *= -(-(b - a) // step)
        words.append(f"{a}:{b}:{step}")
        if chance.random() < 0.25:  # the same, backwards
            last = a + (b - a - 1) // step * step
            words[-1] = f"{last}:{a - 1 if a > 0 else ''}:{-step}"
    return ",".join(words), count


def slice_case(chance):
    t, threads = Tensor(chance, "a"), some_threads(chance)
    index, count = window(chance, t.sizes)
    out = count * bits(t.dtype) // 8
    args = ["slice", "-q", "--threads", str(threads), f"--index={index}"]
    stdin = "/dev/null"
    if t.kind == "c" and chance.random() < 0.4:
        return args + ["-", "-o", "o.npy"], (20 + threads) * MB, f"/dev/fd/{feed(t.path)}", t
    json = count < 2 * MB and chance.random() < 0.3
    args += [t.path, "-o", "o.json" if json else "o.npy"]
    bound = t.memory(threads) + threads * MB
    if json or t.kind in "fj" or chance.random() < 0.3:
        args += ["--repeat", "1"]
        bound += out + 3 * MB * threads
    return args, bound + json * threads * MB, stdin, t


def topk_case(chance):
    t, threads = Tensor(chance, "a"), chance.choice([1, 2, 4, 16, 64])
    axis = chance.randrange(len(t.sizes))
    n = t.sizes[axis]
    k = int(n ** chance.uniform(0, 1))
    return topk_command(t, axis, k, threads)


def topk_command(t, axis, k, threads):
    args = f"topk -q -k {k} --axis {axis} --threads {threads} {t.path} -o o.npy"
    threads = threads if THREADED else 1
    bound = t.memory(threads) + topk_bound(t, axis, k, threads)
    tight = threads <= 4 and t.sizes[axis] >= 100 and t.kind in "cf" and t.data == "noise"
    return args.split(), bound, "/dev/null", t, tight


def topk_bound(t, axis, k, threads, limited=True):
    """All but the input."""
    n, size, count = t.sizes[axis], bits(t.dtype) // 8, math.prod(t.sizes)
    total = count // n
    r = min(max(2 * k, k + 64), n)
    order = t.sizes[::-1] if t.kind != "f" else t.sizes
    at = len(t.sizes) - 1 - axis if t.kind != "f" else axis
    beside = next((m for m in order[:at] if m > 1), 1)
    most = n // 4 // (k + int(4 * math.sqrt(k)) + 2)  # parts in which a limit pays
    small = limited and most > 0 and (beside == 1 or beside >= 64)
    wide = small and beside * size > 513
    least = max(64, 256 // size) if wide else beside if small else 256 // size
    rows = total // beside
    few = beside > 1 and rows * -(-beside // least) < (threads / 4 if wide else threads)
    c = max(4096, 64 * threads) // size if wide and few else least
    if wide and not few:
        cut = -(-beside * size // 4096)
        while cut < beside // least and rows * cut % threads and rows * cut < 4 * threads:
            cut += 1
        c = max(c, -(-beside // cut) + 64 // size)
    c = min(beside, c, max(1, 64 * MB // ((size + 4) * r)))
    workers = min(threads, rows * -(-beside // c)) if wide and not few else threads
    share = k >= 16384 or (few and n * c >= 1 << 17)
    part = -(-n // threads) if share else n
    if small and beside > 1 and share and min(threads, (n * c) >> 16) > most:
        return topk_bound(t, axis, k, threads, False)
    each = 2 * size + 4 if 4 * k < part else size if r >= part and not small else size + 4
    select = c * each * (min(threads * r, n) if share else workers * r)
    if small and beside > 1 and k <= (12 if size > 2 or part < 3072 else size * size):
        return total * k * (size + 4) + workers * (c * (k * (size + 8) + 200) + 3 * MB)
    if small and beside > 1 and k > part // 4:  # limits are wrong; those of noise are right else
        select *= 2
    sort = threads * r if k < 16384 else min(threads * r, n)
    bound = total * k * (size + 4) + sort * (32 if size == 8 else 16)
    if beside > 1:
        bound += threads * min((3 * MB if size == 8 else 2 * MB) // 2, 300 * n)
    return bound + select + workers * c * (1600 + 2048 // size)


# Sizes, axis, K, threads, data type: the table was once wrong for these.
TOPK_FOUND = [
    ([20000, 1000], 0, 1900, 1, "float32"), ([40000, 500], 0, 3900, 4, "float32"),
    ([40000, 500], 0, 3900, 64, "float32"), ([1024, 16384], 1, 8000, 2, "float32"),
    ([1024, 16384], 0, 10, 2, "float32"), ([1024, 16384], 0, 300, 2, "float32"),
    ([1000, 20000], 0, 100, 4, "uint8"), ([1000, 20000], 0, 100, 64, "uint8"),
    ([10000, 1000], 0, 2000, 4, "float64"), ([100000, 100], 0, 20000, 4, "float32"),
    ([2000000, 5], 0, 1000000, 4, "float32"), ([64, 1000, 200], 1, 600, 4, "float32"),
    ([24110, 2525], 0, 250, 64, "uint8"), ([4000000], 0, 600, 64, "float32")]


def found_case(chance):
    """One of TOPK_FOUND after the other."""
    sizes, axis, k, threads, dtype = TOPK_FOUND[chance.round % len(TOPK_FOUND)]
    return topk_command(Tensor(chance, "a", sizes, dtype, "c", "noise"), axis, k, threads)


def qmatmul_case(chance):
    m, k, n = [int(2 ** chance.uniform(4, 12)) for _ in range(3)]
    if chance.random() < 0.5:  # one thin, one wide
        m, k, n = chance.sample([chance.randrange(1, 9), 3000, 9000], 3)
    batch = [chance.choice([1, 1, 3])] if chance.random() < 0.3 else []
    types = [chance.choice(["uint8", "int8"]) for _ in range(2)]
    a = Tensor(chance, "a", [*batch, m, k], types[0], "ccfjz")
    b = Tensor(chance, "b", [*batch, k, n], types[1], "ccfjz")
    threads = some_threads(chance)
    args = f"qmatmul -q --threads {threads} --a-scale 1 --b-scale 1 --output-scale 99"
    args += f" {a.path} {b.path} -o o.npy"
    out = math.prod(batch) * m * n
    bound = a.memory(threads) + b.memory(threads) + 2 * b.bytes + out + 4 * MB * threads
    return args.split(), bound, "/dev/null", (a, b)


def convert_case(chance):
    t, threads = Tensor(chance, "a"), some_threads(chance)
    args = ["convert", "-q", "--threads", str(threads), t.path]
    dtype, out = t.dtype, 0
    count = math.prod(t.sizes)
    if chance.random() < 0.4:
        dtype = chance.choice(DTYPES)
        args += ["--dtype", dtype, "--clamp", "--round"]
    if dtype != t.dtype:
        out = count * bits(dtype) // 8
    if chance.random() < 0.3:
        args += ["--sizes", chance.choice(["-1", "1,-1", "-1,1"])]
        out = max(out, t.bytes) + (out > 0) * t.bytes if t.kind == "f" else out
    elif chance.random() < 0.4:
        axes = list(range(len(t.sizes)))
        chance.shuffle(axes)
        args += ["--permute", ",".join(map(str, axes))]
    name = "o.json" if count <= 2 * MB and chance.random() < 0.4 else "o.npy"
    return args + ["-o", name], t.memory(threads) + out + threads * 4 * MB, "/dev/null", t


def compare_case(chance):
    a = Tensor(chance, "a")
    b = Tensor(chance, "b", a.sizes, chance.choice([a.dtype, chance.choice(DTYPES)]))
    threads = some_threads(chance)
    args = f"compare --rtol 0.5 --threads {threads} {a.path} {b.path}"
    return args.split(), a.memory(threads) + b.memory(threads), "/dev/null", (a, b)


def info_case(chance):
    t = Tensor(chance, "a")
    how = chance.choice([[], ["--stats"], ["--histogram"]])
    threads = some_threads(chance)
    bound = t.memory(threads) if how or t.kind == "j" else 0
    return ["info", "--threads", str(threads), *how, t.path], bound, "/dev/null", t


def show_case(chance):
    t = Tensor(chance, "a")
    args = ["show", "--edge", str(chance.choice([1, 3, 100]))]
    if chance.random() < 0.3 and t.bytes < 4 * MB:
        args = ["show", "--all"]
    elif chance.random() < 0.5:
        args += [f"--index={window(chance, t.sizes)[0]}"]
    if t.kind == "c" and "--all" not in args and len(args) == 3:
        return [*args, "-"], 0, f"/dev/fd/{feed(t.path)}", t
    return [*args, t.path], t.memory(os.cpu_count()), "/dev/null", t


def make_case(chance):
    dtype, threads = chance.choice(DTYPES), some_threads(chance)
    sizes = shape(chance, chance.choice([2, 4, 48]) * MB)
    json = math.prod(sizes) <= 4 * MB and chance.random() < 0.5
    how = chance.choice(["--random 1", "--fill 1", "--range=0,0"])
    text = ",".join(map(str, sizes))
    args = f"make -q --dtype {dtype} --sizes {text} {how} --threads {threads} -o o"
    bound = threads * MB * (2 if json else 1)
    if json and "fill" not in how:
        bound += math.prod(sizes) * bits(dtype) // 8
    return (args + (".json" if json else ".npy")).split(), bound, "/dev/null", sizes


def parts_of(chance, operator, t, parts, options):
    os.system("rm -rf p.npy.parts")
    for i in range(parts):
        args = [operator, "-q", "--no-sync", t.path, "-o", "p.npy", "--part", f"{i}/{parts}"]
        if peak(args + options)[1] != 0:
            return False
    return True


def parts_case(chance):
    """join, and info of parts."""
    t = Tensor(chance, "a", kinds="c")
    size, count = bits(t.dtype) // 8, t.bytes
    axis = chance.randrange(len(t.sizes))
    outer = 1
    if chance.random() < 0.4:
        k = int(t.sizes[axis] ** chance.random())
        options = ["-k", str(k), "--axis", str(axis)]
        count = t.bytes // t.sizes[axis] * k
        outer = 1 if axis == 0 else t.sizes[0]
        operator = "topk"
    else:
        options, operator = [], "slice"
    options += ["--part-axis", str(axis)]
    parts = min(t.sizes[axis], chance.choice([1, 3, 8]))
    if not parts_of(chance, operator, t, parts, options):
        return None
    both = count + count // size * 4
    one = both // outer
    pages = min(t.bytes // size * (size + 4), both * parts)
    p = "p.npy.parts"
    args, bound = chance.choice([(["join", p, "-o", "o.npy"], pages + one + parts * 64),
                                 (["info", p], 64 * parts)])
    return args, bound, "/dev/null", (t, operator, axis, parts)


SLICE = (
    '{"type":"DML_OPERATOR_SLICE1","desc":{"InputTensor":{"DataType":"INT8","Sizes":[2]},'
    '"OutputTensor":{"DataType":"INT8","Sizes":[1]},"DimensionCount":1,"InputWindowOffsets":[0],'
    '"InputWindowSizes":[1],"InputWindowStrides":[1]}}')
PIECES = [
    "0", "-1e9", "null", '""', '"INT8"', "{}", "[]", "[[]]", "[0,[0]]", '{"a":0}', '{"type":0}',
    '{"type":"print"}', '{"type":"dispatch"}', '{"type":"dispatch","dispatchable":"x"}',
    '{"type":"print","resource":"r"}', '{"type":"writeFile","resource":"r","targetPath":"x"}',
    '{"sizeInBytes":4}', '{"initialValues":[1]}',
    '{"initialValuesDataType":"INT8","initialValues":[1]}',
    '{"initialValues":{"sourcePath":"a.npy"}}', '"\\u0000"', '"' + "x" * 60 + '"', SLICE,
    SLICE.replace('"DataType"', '"datatype"'), SLICE.replace("[1]", "[9]"),
    '{"type":"DML_OPERATOR_GEMM","desc":{}}', '{"type":"NONE"}', '{"type":"SLICE","Sizes":[1]}']


def text_of(chance, length):
    """A list and an object of about `length` bytes of one or some pieces."""
    pieces = chance.choices(PIECES, k=chance.choice([1, 1, 1, 3]))
    n = length // (sum(map(len, pieces)) // len(pieces) + 1)
    items = [chance.choice(pieces) for _ in range(min(n, 2 * MB))]
    key = chance.choice(["%x", "k%d", "InputTensor%d", "", "x" * 40])
    n = length // (sum(map(len, pieces)) // len(pieces) + len(key) + 6)
    names = [key % i if "%" in key else key for i in range(min(n, MB))]
    fields = (f'"{k}":{chance.choice(pieces)}' for k in names)
    return "[" + ",".join(items) + "]", "{" + ",".join(fields) + "}"


def validate_case(chance):
    array, items = text_of(chance, chance.choice([1, 2, 4]) * MB)
    some = chance.choice([array, items])
    model = {"resources": '{"r":{"sizeInBytes":4}}', "dispatchables": '{"x":' + SLICE + "}",
             "commands": "[]"}
    kind, where = chance.choice([("model", k) for k in model]
                                + [("values", ""), ("descriptor", ""), ("field", "")])
    if kind == "model":
        model[where] = chance.choice([array, items, array if where == "commands" else items])
    elif kind == "values":
        model["resources"] = '{"r":{"initialValuesDataType":"INT32","initialValues":' + some + "}}"
    text = "{" + ",".join(f'"{k}":{v}' for k, v in model.items()) + "}"
    if kind == "descriptor":
        text = some if some[0] == "{" else '{"type":"DML_OPERATOR_SLICE1","desc":' + some + "}"
        text = text.replace("{", '{"type":"DML_OPERATOR_SLICE1",', 1) if text == items else text
    if kind == "field":
        field = chance.choice(["InputTensor", "InputWindowSizes", "DimensionCount", "desc", "none"])
        text = SLICE.replace(f'"{field}":', f'"{field}":{some},"more":')
    factor = 20 if kind in ("model", "values") else 60
    if chance.random() < 0.3:
        text = text.replace('"', "'").replace("}", ",}")
        factor = max(40, factor)
    args = ["validate"]
    bound = 0
    if chance.random() < 0.3:
        args += ["--max-findings", "0"]
        bound = 64 * MB
    if chance.random() < 0.3:
        args += ["--fix", "-o", "o.json"]
        bound, factor = 64 * MB, factor * 2
    elif chance.random() < 0.3:
        args += ["--format", chance.choice(["json", "sarif"])]
    if chance.random() < 0.2:
        args += ["--portable"]
    with open("v.json", "w") as f:
        f.write(text)
    what = (kind, where, text[:50], text[len(text) // 2 :][:50], len(text))
    return args + ["v.json"], factor * len(text) + bound, "/dev/null", what


def run_case(chance):
    """A model of slices and top-k of one resource, with values in the text or a file."""
    n = chance.choice([1, 2]) * MB
    inline = chance.random() < 0.5
    if inline:
        n //= 4
        values = "[" + ",".join(chance.choices(["0", "1.5", "-7e3"], k=n)) + "]"
    else:
        with open("r.npy", "wb") as f:
            f.write(header("float32", [n], False) + bytes(4 * n))
        values = '{"sourcePath":"r.npy"}'
    k = chance.choice([1, n // 2, n])
    text = (
        '{"resources":{"a":{"initialValuesDataType":"FLOAT32","initialValues":%s},'
        '"b":{"initialValuesDataType":"FLOAT32","initialValues":{"valueCount":%d,"value":0}},'
        '"i":{"initialValuesDataType":"UINT32","initialValues":{"valueCount":%d,"value":0}}},'
        '"dispatchables":{"t":{"type":"DML_OPERATOR_TOP_K1","desc":{"InputTensor":{"DataType":'
        '"FLOAT32","Sizes":[1,1,1,%d]},"OutputValueTensor":{"DataType":"FLOAT32","Sizes":'
        '[1,1,1,%d]},"OutputIndexTensor":{"DataType":"UINT32","Sizes":[1,1,1,%d]},"Axis":3,'
        '"K":%d,"AxisDirection":"DML_AXIS_DIRECTION_DECREASING"}}},"commands":[{"type":"dispatch",'
        '"dispatchable":"t","bindings":{"InputTensor":"a","OutputValueTensor":"b",'
        '"OutputIndexTensor":"i"}},{"type":"print","resource":"b"},{"type":"writeFile",'
        '"resource":"b","targetPath":"w.%s"}]}') % (
            values, k, k, n, k, k, k, chance.choice(["npy", "json", "bin"]))
    with open("m.json", "w") as f:
        f.write(text)
    threads = some_threads(chance)
    bound = 3 * 4 * (n + 2 * k) + 20 * len(text)
    args = ["run", "--no-sync", "--threads", str(threads), "m.json"]
    return args, bound, "/dev/null", (n, k, inline)


def main(words):
    verbose = words[0] == "-v"
    seed, rounds, *only = words[verbose:]
    cases = {k[:-5]: f for k, f in globals().items() if k.endswith("_case")}
    bad = 0
    for name in only or cases:
        for i in range(int(rounds)):
            chance = random.Random(f"{seed} {name} {i}")
            chance.round = i
            case = cases[name](chance)
            if not case:
                continue
            args, bound, stdin, what, *tight = case
            have, status = peak(args, stdin)
            if stdin != "/dev/null":
                os.close(int(stdin.rsplit("/", 1)[1]))
            over = have > BASE + bound
            for _ in range(2):  # pages of a file may have been taken away from it meanwhile
                under = any(tight) and bound + BASE > 1.35 * have + 16 * MB > 80 * MB
                have = max(have, peak(args)[0]) if under else have
            wrong = status not in (0, 1) and name not in ("validate",)
            bad += over or under or wrong
            if over or under or wrong or verbose:
                verdict = f"STATUS {status}" if wrong else "fine"
                print("TOO MUCH" if over else "MUCH LESS" if under else verdict,
                      f"{have // MB} MB, bound {(bound + BASE) // MB}:", *args, what,
                      open("stderr", errors="replace").read(200) if wrong else "", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
