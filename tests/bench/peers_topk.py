#!/usr/bin/env python3
"""topk against its peers on the same data: NumPy (argpartition, then a stable order of the K), ONNX Runtime's
TopK and torch.topk where they are installed. Medians of rounds that alternate between all of them, in
milliseconds of one run on data in memory.

    DMLOP=build/dmlop tests/bench/peers_topk.py [--threads N] [--rounds N] [TEXT]

runs the cases whose name holds TEXT. ONNX Runtime is found as Python's module or as Node.js's onnxruntime-node.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

RUNS = 3  # of one peer in a round
announced = set()  # peers that are missing

CASES = [((1, 10**7), 1, np.float32, k) for k in (1, 10, 100, 1000, 100000, 10**7)]
CASES += [((1000, 10000), 1, np.float32, 10), ((1000, 10000), 1, np.float32, 100)]
CASES += [((10000, 1000), 0, np.float32, 10), ((512, 128000), 1, np.float32, 50)]
CASES += [((1, 10**7), 1, t, 100) for t in (np.int8, np.float16, np.float64)]


def make(kind, shape, dtype):
    n = int(np.prod(shape))
    if kind == 'equal':
        return np.ones(shape, dtype)
    if kind == 'uniform':
        x = np.random.default_rng(1).random(n)
    else:
        x = np.arange(n) / n
    x = x * 240 - 120 if dtype == np.int8 else x * 60000 - 30000
    x = x.astype(dtype)
    return (x[::-1] if kind == 'descending' else x).reshape(shape).copy()


def timed(f):
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        f()
        times.append((time.perf_counter() - start) * 1e3)
    return times


class Dmlop:
    name = 'dmlop'

    def __init__(self, x, axis, k, threads, folder):
        npy, self.timings = os.path.join(folder, 'x.npy'), os.path.join(folder, 't.json')
        np.save(npy, x)
        self.command = [os.environ.get('DMLOP', 'build/dmlop'), 'topk', '-k', str(k), '--axis', str(axis),
                        '--threads', str(threads), '--warmup', '1', '--repeat', str(RUNS),
                        f'--timings={self.timings}', '--no-sync', '-o', os.path.join(folder, 'v.npy'), npy]

    def run(self):
        subprocess.run(self.command, check=True)
        with open(self.timings, encoding='ascii') as f:
            return [t / 1e6 for t in json.load(f)['compute_ns']['samples']]


class Numpy:
    name = 'numpy'

    def __init__(self, x, axis, k, threads, folder):
        # The largest are the first of the negated: true but for the least integer, which no case holds.
        self.x, self.axis, self.k = x, axis, k

    def run(self):
        return timed(self.once)

    def once(self):
        negated = -self.x
        if self.k < self.x.shape[self.axis]:
            index = np.argpartition(negated, self.k - 1, axis=self.axis).take(range(self.k), axis=self.axis)
            order = np.argsort(np.take_along_axis(negated, index, self.axis), axis=self.axis, kind='stable')
            index = np.take_along_axis(index, order, self.axis)
        else:
            index = np.argsort(negated, axis=self.axis, kind='stable')
        return np.take_along_axis(self.x, index, self.axis), index


class Torch:
    name = 'torch'

    def __init__(self, x, axis, k, threads, folder):
        import torch
        torch.set_num_threads(threads)
        self.torch, self.x, self.axis, self.k = torch, torch.from_numpy(x), axis, k

    def run(self):
        return timed(lambda: self.torch.topk(self.x, self.k, dim=self.axis))


def field(number, value):
    """A field of a protocol buffer: an integer, a string, or bytes."""
    def varint(v):
        out = b''
        while v > 127:
            out += bytes([v & 127 | 128])
            v >>= 7
        return out + bytes([v])
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


ONNX_TYPE = {'float32': 1, 'int8': 3, 'float16': 10, 'float64': 11, 'int64': 7}


def onnx_model(x, axis, k):
    """A model of one TopK, made without the onnx package."""
    def tensor(name, dtype, shape):
        dims = b''.join(field(1, field(1, int(d))) for d in shape)
        return field(1, name) + field(2, field(1, field(1, ONNX_TYPE[dtype]) + field(2, dims)))
    shape = list(x.shape)
    shape[axis] = k
    attribute = field(1, 'axis') + field(3, axis) + field(20, 2)
    node = field(1, 'X') + field(1, 'K') + field(2, 'V') + field(2, 'I') + field(4, 'TopK') + field(5, attribute)
    initial = field(1, 1) + field(2, 7) + field(8, 'K') + field(9, np.int64(k).tobytes())
    graph = field(1, node) + field(2, 'g') + field(5, initial) + field(11, tensor('X', x.dtype.name, x.shape))
    graph += field(12, tensor('V', x.dtype.name, shape)) + field(12, tensor('I', 'int64', shape))
    return field(1, 7) + field(7, graph) + field(8, field(2, 11))


class OnnxRuntime:
    name = 'onnxruntime'

    def __init__(self, x, axis, k, threads, folder):
        import onnxruntime as ort
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = ort.InferenceSession(onnx_model(x, axis, k), options, ['CPUExecutionProvider'])
        self.x = x

    def run(self):
        return timed(lambda: self.session.run(None, {'X': self.x}))


class OnnxRuntimeNode:
    name = 'onnxruntime'

    SCRIPT = """
const ort = require('onnxruntime-node'), fs = require('fs');
const [model, data, type, dims, threads] = process.argv.slice(1);
const kinds = { float32: Float32Array, float64: Float64Array, int8: Int8Array, float16: Uint16Array };
(async () => {
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: +threads });
  const bytes = fs.readFileSync(data);
  const array = new kinds[type](bytes.buffer, bytes.byteOffset, bytes.length / kinds[type].BYTES_PER_ELEMENT);
  const x = new ort.Tensor(type, array, JSON.parse(dims));
  for await (const line of require('readline').createInterface({ input: process.stdin })) {
    const times = [];
    for (let i = 0; i < +line; i++) {
      const start = process.hrtime.bigint();
      const out = await session.run({ X: x });
      times.push(Number(process.hrtime.bigint() - start) / 1e6);
      out.V.dispose(); out.I.dispose();
    }
    console.log(JSON.stringify(times));
  }
})();
"""

    def __init__(self, x, axis, k, threads, folder):
        node = shutil.which('node')
        if not node or subprocess.run([node, '-e', "require('onnxruntime-node')"], capture_output=True).returncode:
            raise ImportError('onnxruntime')
        model, data = os.path.join(folder, 'm.onnx'), os.path.join(folder, 'x.raw')
        with open(model, 'wb') as f:
            f.write(onnx_model(x, axis, k))
        x.tofile(data)
        self.process = subprocess.Popen(
            [node, '-e', self.SCRIPT, model, data, x.dtype.name, json.dumps(x.shape), str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def run(self):
        self.process.stdin.write(f'{RUNS}\n')
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError('it has no TopK of this type')
        return json.loads(line)

    def __del__(self):
        if hasattr(self, 'process'):
            self.process.stdin.close()
            self.process.wait()


def peers_of(*args):
    found, names = [], set()
    for peer in (Dmlop, Numpy, OnnxRuntime, OnnxRuntimeNode, Torch):
        if peer.name in names:
            continue
        try:
            found.append(peer(*args))
            names.add(peer.name)
        except ImportError:
            pass
    for name in {peer.name for peer in (Numpy, OnnxRuntime, Torch)} - names - announced:
        announced.add(name)
        print(f'{name}: not installed (make deps-bench)', file=sys.stderr)
    return found


def measure(shape, axis, dtype, k, kind, options):
    with tempfile.TemporaryDirectory() as folder:
        peers = peers_of(make(kind, shape, dtype), axis, k, options.threads, folder)
        times = {peer.name: [] for peer in peers}
        for _ in range(options.rounds):
            for peer in list(peers):
                try:
                    times[peer.name] += peer.run()
                except RuntimeError as error:
                    print(f'{peer.name}: {error}', file=sys.stderr)
                    peers.remove(peer)
    return {name: float(np.median(t)) for name, t in times.items() if t}


def main():
    parser = argparse.ArgumentParser(description='topk against its peers')
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('text', nargs='?', default='')
    options = parser.parse_args()
    for shape, axis, dtype, k in CASES:
        for kind in ('uniform', 'ascending', 'descending', 'equal'):
            name = f'{np.dtype(dtype).name} {shape} axis {axis} k={k} {kind}'
            if options.text not in name:
                continue
            times = measure(shape, axis, dtype, k, kind, options)
            own = times.pop('dmlop')
            best = min(times.values())
            print(f'{name:52} dmlop {own:9.2f} ms ', *(f'{n} {t:.2f}' for n, t in times.items()),
                  f' {best / own:.2f}x the fastest peer', flush=True)


if __name__ == '__main__':
    main()
