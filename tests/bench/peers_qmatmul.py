#!/usr/bin/env python3
"""qmatmul against its peers on the same data in memory: ONNX Runtime's QLinearMatMul (Python's module or Node.js's
onnxruntime-node), with B given anew for each run, as dmlop has it, and as a constant that it prepares once; oneDNN's
matmul, through onednn_qmatmul.c; NumPy's product of doubles, which is exact. Medians of rounds that alternate between
all of them, and how many outputs of each are not those of exact arithmetic.

    DMLOP=build/dmlop tests/bench/peers_qmatmul.py [--threads N] [--rounds N] [--kernel NAME] [--bits 7] [TEXT]

runs the cases whose name holds TEXT; --bits 7: with a B of -64..63 or 0..127, whose products with uint8 do not exceed
16 bits in pairs.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

# Before NumPy starts its own threads; the options of the same names are read below.
THREADS = sys.argv[sys.argv.index('--threads') + 1] if '--threads' in sys.argv else '1'
os.environ['OMP_NUM_THREADS'] = os.environ['OPENBLAS_NUM_THREADS'] = THREADS

import numpy as np  # noqa: E402

from peers_topk import field  # noqa: E402

SHAPES = [(1, 128, 128, 128), (1, 512, 512, 512), (1, 1024, 1024, 1024), (1, 2048, 2048, 2048), (1, 1, 4096, 4096),
          (1, 64, 768, 3072), (1, 4096, 64, 4096), (12, 128, 64, 128)]  # batch, M, K, N
PAIRS = [('u8', 's8'), ('u8', 'u8'), ('s8', 's8'), ('s8', 'u8')]
DTYPE = {'u8': np.uint8, 's8': np.int8}
ONNX_TYPE = {np.dtype(np.uint8): 2, np.dtype(np.int8): 3, np.dtype(np.float32): 1}
A_SCALE, B_SCALE = np.float32(0.02), np.float32(0.01)


class Case:
    """A product: a, b, scales that spread the outputs over their type's range, and what exact arithmetic gives."""

    def __init__(self, shape, pair, folder, bits):
        batch, m, k, n = shape
        random, full = np.random.default_rng(1), {'u8': (0, 256), 's8': (-128, 128)}
        of_b = {'u8': (0, 2**bits), 's8': (-2**(bits - 1), 2**(bits - 1))}
        self.a = random.integers(*full[pair[0]], (batch, m, k), DTYPE[pair[0]])
        self.b = random.integers(*of_b[pair[1]], (batch, k, n), DTYPE[pair[1]])
        sums = self.a.astype(np.float64) @ self.b.astype(np.float64)  # exact: they are below 2^53
        self.scale = np.float32(np.abs(sums).max() * float(A_SCALE) * float(B_SCALE) / 150)
        self.folder, self.runs = folder, max(3, int(2e8 / self.a.size / n))
        self.want = self.quantize(sums.astype(np.longdouble), np.longdouble)
        for name, x in (('a', self.a), ('b', self.b)):
            np.save(self.path(name + '.npy'), x)
            x.tofile(self.path(name + '.raw'))

    def path(self, name):
        return os.path.join(self.folder, name)

    def quantize(self, sums, real):
        limits = np.iinfo(self.a.dtype)
        scaled = sums * (real(A_SCALE) * real(B_SCALE)) / real(self.scale)
        return np.clip(np.rint(scaled), limits.min, limits.max).astype(self.a.dtype)

    def timed(self, f):
        times = []
        for _ in range(self.runs):
            start = time.perf_counter()
            f()
            times.append((time.perf_counter() - start) * 1e3)
        return times


class Dmlop:
    name = 'dmlop'

    def __init__(self, case, options):
        self.timings, self.out = case.path('t.json'), case.path('c.npy')
        self.command = [os.environ.get('DMLOP', 'build/dmlop'), 'qmatmul', '--a-scale', repr(float(A_SCALE)),
                        '--b-scale', repr(float(B_SCALE)), '--output-scale', repr(float(case.scale)),
                        '--threads', str(options.threads), '--kernel', options.kernel, '--warmup', '1',
                        '--repeat', str(case.runs), f'--timings={self.timings}', '--no-sync', '-o', self.out,
                        case.path('a.npy'), case.path('b.npy')]

    def run(self):
        subprocess.run(self.command, check=True)
        with open(self.timings, encoding='ascii') as f:
            return [t / 1e6 for t in json.load(f)['compute_ns']['samples']]

    def output(self):
        return np.load(self.out)


class Numpy:
    name = 'numpy'

    def __init__(self, case, options):
        self.case = case

    def run(self):
        return self.case.timed(self.once)

    def once(self):
        self.out = self.case.quantize(self.case.a.astype(np.float64) @ self.case.b.astype(np.float64), np.float64)

    def output(self):
        return self.out


def onnx_tensor(name, x):
    """An initializer."""
    dims = b''.join(field(1, d) for d in x.shape)
    return field(5, dims + field(2, ONNX_TYPE[x.dtype]) + field(8, name) + field(9, x.tobytes()))


def onnx_model(case, b_is_constant):
    """A model of one QLinearMatMul, made without the onnx package."""
    def described(name, x, shape):
        dims = b''.join(field(1, field(1, d)) for d in shape)
        return field(1, name) + field(2, field(1, field(1, ONNX_TYPE[x.dtype]) + field(2, dims)))
    a, b = case.a, case.b
    names = ('A', 'a_scale', 'a_zero', 'B', 'b_scale', 'b_zero', 'c_scale', 'c_zero')
    graph = field(1, b''.join(field(1, name) for name in names) + field(2, 'C') + field(4, 'QLinearMatMul'))
    graph += field(2, 'g')
    for name, x in (('a_scale', A_SCALE), ('b_scale', B_SCALE), ('c_scale', case.scale), ('a_zero', a.dtype.type(0)),
                    ('b_zero', b.dtype.type(0)), ('c_zero', a.dtype.type(0))):
        graph += onnx_tensor(name, np.asarray(x))
    if b_is_constant:
        graph += onnx_tensor('B', b)
    graph += field(11, described('A', a, a.shape))
    if not b_is_constant:
        graph += field(11, described('B', b, b.shape))
    graph += field(12, described('C', a, a.shape[:-1] + b.shape[-1:]))
    return field(1, 7) + field(7, graph) + field(8, field(2, 21))


class OnnxRuntime:
    name = 'onnxruntime'
    b_is_constant = False

    def __init__(self, case, options):
        import onnxruntime as ort
        settings = ort.SessionOptions()
        settings.intra_op_num_threads = options.threads
        settings.log_severity_level = 4
        try:
            self.session = ort.InferenceSession(onnx_model(case, self.b_is_constant), settings,
                                                ['CPUExecutionProvider'])
        except Exception as error:
            raise NotImplementedError(error) from error
        self.case, self.feed = case, {'A': case.a}
        if not self.b_is_constant:
            self.feed['B'] = case.b
        self.once()

    def once(self):
        self.out = self.session.run(None, self.feed)[0]

    def run(self):
        return self.case.timed(self.once)

    def output(self):
        return self.out


class OnnxRuntimeConstant(OnnxRuntime):
    name = 'onnxruntime-constant-b'
    b_is_constant = True


class Process:
    """A peer that answers each line, a number of runs, with their times in milliseconds as JSON."""

    def start(self, command, case, out):
        self.case, self.out = case, out
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.ask(1)

    def ask(self, runs):
        line = ''
        if self.process.poll() is None:
            self.process.stdin.write(f'{runs}\n')
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        if not line:
            raise NotImplementedError('these types')
        return json.loads(line)

    def run(self):
        return self.ask(self.case.runs)

    def output(self):
        return np.fromfile(self.out, self.case.a.dtype).reshape(self.case.want.shape)

    def __del__(self):
        if hasattr(self, 'process'):
            self.process.stdin.close()
            self.process.wait()


class OnnxRuntimeNode(Process):
    name = 'onnxruntime'
    b_is_constant = False

    SCRIPT = """
const ort = require('onnxruntime-node'), fs = require('fs');
const [model, threads, out, ...inputs] = process.argv.slice(1);
const kinds = { uint8: Uint8Array, int8: Int8Array };
const feed = {};
for (const input of inputs) {
  const [name, path, type, dims] = input.split(' '), bytes = fs.readFileSync(path);
  feed[name] = new ort.Tensor(type, new kinds[type](bytes), dims.split(',').map(Number));
}
(async () => {
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: +threads });
  for await (const line of require('readline').createInterface({ input: process.stdin })) {
    const times = [];
    for (let i = 0; i < +line; i++) {
      const start = process.hrtime.bigint();
      const { C } = await session.run(feed);
      times.push(Number(process.hrtime.bigint() - start) / 1e6);
      if (i + 1 === +line) fs.writeFileSync(out, new Uint8Array(C.data.buffer, C.data.byteOffset, C.data.length));
      C.dispose();
    }
    console.log(JSON.stringify(times));
  }
})();
"""

    def __init__(self, case, options):
        node = shutil.which('node')
        if not node or subprocess.run([node, '-e', "require('onnxruntime-node')"], capture_output=True).returncode:
            raise ImportError('onnxruntime')
        model = case.path(self.name + '.onnx')
        with open(model, 'wb') as f:
            f.write(onnx_model(case, self.b_is_constant))
        inputs = [f'{name} {case.path(name.lower() + ".raw")} {x.dtype.name} {",".join(map(str, x.shape))}'
                  for name, x in (('A', case.a), ('B', case.b))]
        out = case.path(self.name + '.raw')
        self.start([node, '-e', self.SCRIPT, model, str(options.threads), out,
                    *inputs[:1 if self.b_is_constant else 2]], case, out)


class OnnxRuntimeNodeConstant(OnnxRuntimeNode):
    name = 'onnxruntime-constant-b'
    b_is_constant = True


class OneDnn(Process):
    name = 'onednn'

    def __init__(self, case, options):
        program = os.environ.get('ONEDNN', 'build/tests/bench/onednn_qmatmul')
        if not os.access(program, os.X_OK):
            raise ImportError('onednn')
        (batch, m, k), n, out = case.a.shape, case.b.shape[-1], case.path('onednn.raw')
        signs = [x.dtype.kind for x in (case.a, case.b)]
        scale = float(A_SCALE) * float(B_SCALE) / float(case.scale)
        self.start([program, *map(str, (batch, m, k, n)), *signs, repr(scale), case.path('a.raw'),
                    case.path('b.raw'), out], case, out)


def peers_of(case, options):
    found, names = [], set()
    for peer in (Dmlop, OnnxRuntime, OnnxRuntimeNode, OnnxRuntimeConstant, OnnxRuntimeNodeConstant, OneDnn, Numpy):
        if peer.name in names:
            continue
        try:
            found.append(peer(case, options))
            names.add(peer.name)
        except ImportError:
            pass
        except NotImplementedError:
            names.add(peer.name)  # it does not take these types
    return found


def measure(shape, pair, options):
    """Milliseconds and wrong outputs of each peer."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case(shape, pair, folder, options.bits)
        peers = peers_of(case, options)
        times = {peer.name: [] for peer in peers}
        for _ in range(options.rounds):
            for peer in peers:
                times[peer.name] += peer.run()
        wrong = {peer.name: int((peer.output() != case.want).sum()) for peer in peers}
        return {name: float(np.median(t)) for name, t in times.items()}, wrong


def main():
    parser = argparse.ArgumentParser(description='qmatmul against its peers')
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--kernel', default='auto')
    parser.add_argument('--bits', type=int, choices=(7, 8), default=8)
    parser.add_argument('text', nargs='?', default='')
    options = parser.parse_args()
    for shape in SHAPES:
        for pair in PAIRS:
            name = f'{"*".join(pair)} {shape[0]} x {"x".join(map(str, shape[1:]))}'
            if options.text not in name:
                continue
            times, wrong = measure(shape, pair, options)
            own, macs = times['dmlop'], float(np.prod([float(s) for s in shape]))
            print(f'{name:26} dmlop {own:9.3f} ms {macs / own / 1e6:8.2f} GMAC/s, {wrong["dmlop"]} wrong',
                  *(f'  {n} {t / own:.2f}x, {wrong[n]} wrong' for n, t in times.items() if n != 'dmlop'), flush=True)


if __name__ == '__main__':
    main()
