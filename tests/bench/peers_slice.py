#!/usr/bin/env python3
"""slice against its peers on the same data: NumPy's copyto into a prepared array, torch's copy_ into one, ONNX
Runtime's Slice. Medians of rounds that alternate between all of them, in milliseconds of one run on data in memory, and GB/s
of output. Then whole processes: dmlop against cp of the output's bytes and against python3 with NumPy, on a 4x4 file,
64 MB and 1 GB (half of it is taken).

    DMLOP=build/dmlop tests/bench/peers_slice.py [--threads N] [--rounds N] [--no-files] [TEXT]

runs the cases whose name holds TEXT.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

RUNS = 3  # of one peer in a round

SHAPES = [(64, 64, 128, 128), (8192, 8192)]


def window(shape):
    return tuple(slice(n // 8, n - n // 8) for n in shape)


# Name, index, Fortran order.
SLICINGS = [
    ('block', None, False),
    ('last axis ::2', '..., ::2', False),
    ('last axis ::-1', '..., ::-1', False),
    ('axis 0 ::2', '::2', False),
    ('all ::-1', 'all', False),
    ('last axis 1::3', '..., 1::3', False),
    ('Fortran order', '...', True),
]


def index_of(text, shape):
    """The index as dmlop takes it, of one slice an axis."""
    slices = [slice(0, n, 1) for n in shape]
    if text is None:
        slices = list(window(shape))
    elif text == 'all':
        slices = [slice(None, None, -1)] * len(shape)
    elif text.startswith('..., '):
        slices[-1] = eval('np.s_[%s]' % text[5:])  # pylint: disable=eval-used
    elif text != '...':
        slices[0] = eval('np.s_[%s]' % text)  # pylint: disable=eval-used
    return tuple(slices)


def spec_of(slices):
    part = lambda x: '' if x is None else str(x)
    return ', '.join(f'{part(s.start)}:{part(s.stop)}:{part(s.step)}' for s in slices)


def timed(f):
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        f()
        times.append((time.perf_counter() - start) * 1e3)
    return times


class Dmlop:
    name = 'dmlop'

    def __init__(self, x, slices, threads, folder):
        npy, self.timings = os.path.join(folder, 'x.npy'), os.path.join(folder, 't.json')
        np.save(npy, x)
        self.command = [os.environ.get('DMLOP', 'build/dmlop'), 'slice', '--index', spec_of(slices), '--threads',
                        str(threads), '--warmup', '1', '--repeat', str(RUNS), f'--timings={self.timings}', '--no-sync',
                        '-o', '/dev/null', '--format', 'npy', npy]

    def run(self):
        subprocess.run(self.command, check=True)
        with open(self.timings, encoding='ascii') as f:
            return [t / 1e6 for t in json.load(f)['compute_ns']['samples']]


class Numpy:
    name = 'numpy'

    def __init__(self, x, slices, threads, folder):
        self.view = x[slices]
        self.out = np.ones(self.view.shape, x.dtype)

    def run(self):
        return timed(lambda: np.copyto(self.out, self.view))


class Torch:
    name = 'torch'

    def __init__(self, x, slices, threads, folder):
        import torch
        torch.set_num_threads(threads)
        backwards = [i for i, s in enumerate(slices) if s.step is not None and s.step < 0]
        if backwards:  # there are no negative strides: flip is the way, and makes its output itself
            view = torch.from_numpy(x)
            self.once = lambda: view.flip(backwards)
        else:
            view = torch.from_numpy(x)[slices]
            out = torch.ones(view.shape, dtype=view.dtype)
            self.once = lambda: out.copy_(view)

    def run(self):
        return timed(self.once)


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


def onnx_model(x, slices, shape):
    """A model of one Slice, made without the onnx package."""
    kind = {'float32': 1, 'uint8': 2}[x.dtype.name]

    def tensor(name, sizes):
        dims = b''.join(field(1, field(1, int(d))) for d in sizes)
        return field(1, name) + field(2, field(1, field(1, kind) + field(2, dims)))

    def constant(name, values):
        return field(5, field(1, len(values)) + field(2, 7) + field(8, name) + field(9, np.int64(values).tobytes()))
    steps = [s.step or 1 for s in slices]
    starts = [s.start if s.start is not None else 0 if t > 0 else 2**31 - 1 for s, t in zip(slices, steps)]
    ends = [s.stop if s.stop is not None else 2**31 - 1 if t > 0 else -2**31 + 1 for s, t in zip(slices, steps)]
    inputs = b''.join(field(1, name) for name in 'XSEAT')
    graph = field(1, inputs + field(2, 'Y') + field(4, 'Slice')) + field(2, 'g')
    graph += constant('S', starts) + constant('E', ends) + constant('A', list(range(x.ndim))) + constant('T', steps)
    graph += field(11, tensor('X', x.shape)) + field(12, tensor('Y', shape))
    return field(1, 7) + field(7, graph) + field(8, field(2, 13))


class OnnxRuntime:
    name = 'onnxruntime'

    def __init__(self, x, slices, threads, folder):
        import onnxruntime as ort
        if not x.flags.c_contiguous:
            raise ImportError('takes C order only')
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = ort.InferenceSession(onnx_model(x, slices, x[slices].shape), options, ['CPUExecutionProvider'])
        self.x = x

    def run(self):
        return timed(lambda: self.session.run(None, {'X': self.x}))


def peers_of(*args):
    found = []
    for peer in (Dmlop, Numpy, Torch, OnnxRuntime):
        try:
            found.append(peer(*args))
        except ImportError:
            pass
    return found


def measure(x, slices, options):
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        peers = peers_of(x, slices, options.threads, folder)
        times = {peer.name: [] for peer in peers}
        for _ in range(options.rounds):
            for peer in peers:
                times[peer.name] += peer.run()
    return {name: float(np.median(t)) for name, t in times.items()}


def compare_kernels(options):
    for dtype in (np.float32, np.uint8):
        for shape in SHAPES:
            c_order = np.ones(shape, dtype)
            for label, text, fortran in SLICINGS:
                name = f'{np.dtype(dtype).name} {shape} {label}'
                if options.text not in name:
                    continue
                x = np.asfortranarray(c_order) if fortran else c_order
                slices = index_of(text, shape)
                times = measure(x, slices, options)
                own = times.pop('dmlop')
                size = x[slices].nbytes
                print(f'{name:44} dmlop {own:8.2f} ms {size / own / 1e6:6.2f} GB/s ',
                      *(f'{n} {t:.2f}' for n, t in times.items()),
                      f' {min(times.values()) / own:.2f}x the fastest peer', flush=True)


PYTHON = """
import sys, numpy as np
x = np.load(sys.argv[1], mmap_mode='r')
np.save(sys.argv[2], x[{index}])
"""


def compare_files(options):
    dmlop = os.environ.get('DMLOP', 'build/dmlop')
    cases = [('4x4', (4, 4), '::2', 31), ('64 MB', (4096, 4096), ':2048', 9), ('64 MB', (4096, 4096), ':, ::2', 9),
             ('1 GB', (16384, 16384), ':8192', 5), ('1 GB', (16384, 16384), ':, ::-1', 3)]
    for label, shape, index, rounds in cases:
        name = f'process: {label} [{index}]'
        if options.text not in name:
            continue
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            x, kept, y = (os.path.join(folder, n) for n in ('x.npy', 'kept.npy', 'y.npy'))
            np.save(x, np.ones(shape, np.float32))
            own = [dmlop, 'slice', '--no-sync', '--threads', str(options.threads), '--index', index, x, '-o']
            subprocess.run([*own, kept], check=True)
            commands = {'dmlop': [*own, y], 'cp': ['cp', kept, y],
                        'numpy': [sys.executable, '-c', PYTHON.format(index=index), x, y]}
            times = {n: [] for n in commands}
            for _ in range(rounds):
                for n, command in commands.items():
                    # Nobody pays for what another wrote, nor for memory that a virtual machine's host has taken back.
                    subprocess.run(['cp', kept, y], check=True)
                    os.remove(y)
                    os.sync()
                    start = time.perf_counter()
                    subprocess.run(command, check=True)
                    times[n].append((time.perf_counter() - start) * 1e3)
                    os.remove(y)
        t = {n: float(np.median(v)) for n, v in times.items()}
        print(f'{name:44} dmlop {t["dmlop"]:8.2f} ms  cp {t["cp"]:.2f}  numpy {t["numpy"]:.2f} ',
              f' {t["dmlop"] / t["cp"]:.2f} of cp, {t["numpy"] / t["dmlop"]:.1f}x numpy', flush=True)


def main():
    parser = argparse.ArgumentParser(description='slice against its peers')
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--folder', help='for files, several GB of them')
    parser.add_argument('--no-files', action='store_true')
    parser.add_argument('text', nargs='?', default='')
    options = parser.parse_args()
    compare_kernels(options)
    if not options.no_files:
        compare_files(options)


if __name__ == '__main__':
    main()
