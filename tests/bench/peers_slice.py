#!/usr/bin/env python3
"""slice against its peers on the same data: NumPy's copyto into a prepared array, torch's copy_
into one, ONNX Runtime's Slice. Medians of rounds that alternate between all of them, in
milliseconds of one run on data in memory, and GB/s of output. Then whole processes: dmlop against
cp of the output's bytes and against python3 with NumPy, on a 4x4 file, 64 MB and 1 GB (half of it
is taken).

    DMLOP=build/dmlop tests/bench/peers_slice.py [--threads N] [--rounds N] [--seconds S] [--few]
    [--json]
                                                 [--folder DIR] [--no-files] [TEXT]

runs the cases whose name holds TEXT.
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import peers
from peers import field

SHAPES = [(64, 64, 128, 128), (8192, 8192)]


def window(shape):
    return tuple(slice(n // 8, n - n // 8) for n in shape)


# Name, index, Fortran order.
SLICINGS = [('block', None, False), ('last axis ::2', '..., ::2', False),
            ('last axis ::-1', '..., ::-1', False), ('axis 0 ::2', '::2', False),
            ('all ::-1', 'all', False), ('last axis 1::3', '..., 1::3', False),
            ('Fortran order', '...', True)]


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


class Dmlop(peers.Dmlop):
    def __init__(self, x, slices, threads, folder):
        npy = os.path.join(folder, 'x.npy')
        np.save(npy, x)
        super().__init__(folder, 'slice', '--index', spec_of(slices), '--threads', str(threads),
                         '-o', '/dev/null', '--format', 'npy', npy)


class Numpy(peers.Here):
    name = 'numpy'

    def __init__(self, x, slices, threads, folder):
        self.view = x[slices]
        self.out = np.ones(self.view.shape, x.dtype)

    def once(self):
        np.copyto(self.out, self.view)


class Torch(peers.Here):
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


def onnx_model(x, slices, shape):
    """A model of one Slice, made without the onnx package."""
    steps = [s.step or 1 for s in slices]
    starts = [s.start if s.start is not None else 0 if t > 0 else 2**31 - 1
              for s, t in zip(slices, steps)]
    ends = [s.stop if s.stop is not None else 2**31 - 1 if t > 0 else -(2**31) + 1
            for s, t in zip(slices, steps)]
    inputs = b''.join(field(1, name) for name in 'XSEAT')
    graph = field(1, inputs + field(2, 'Y') + field(4, 'Slice')) + field(2, 'g')
    for name, values in (('S', starts), ('E', ends), ('A', range(x.ndim)), ('T', steps)):
        graph += peers.onnx_constant(name, np.array(values, np.int64))
    graph += field(11, peers.onnx_described('X', x.dtype, x.shape))
    graph += field(12, peers.onnx_described('Y', x.dtype, shape))
    return field(1, 7) + field(7, graph) + field(8, field(2, 13))


class OnnxRuntime(peers.OnnxRuntime):
    def __init__(self, x, slices, threads, folder):
        if not x.flags.c_contiguous:
            raise NotImplementedError('C order only')
        model = onnx_model(x, slices, x[slices].shape)
        super().__init__(folder, model, {'X': x}, threads)


def compare_kernels(options):
    for dtype in (np.float32, np.uint8):
        for shape in SHAPES:
            c_order = np.ones(shape, dtype)
            for what, text, fortran in SLICINGS:
                case = {'bench': 'slice', 'type': np.dtype(dtype).name.upper(),
                        'shape': peers.shape_name(shape), 'what': what}
                if options.text not in ' '.join(case.values()):
                    continue
                x = np.asfortranarray(c_order) if fortran else c_order
                slices = index_of(text, shape)
                with tempfile.TemporaryDirectory(dir=options.folder) as folder:
                    found = peers.make_all((Dmlop, Numpy, Torch, OnnxRuntime), x, slices,
                                           options.threads, folder)
                    peers.show(options, case, x[slices].nbytes, 'GB/s',
                               peers.measure(found, options))


PYTHON = """
import sys, numpy as np
x = np.load(sys.argv[1], mmap_mode='r')
np.save(sys.argv[2], x[{index}])
"""


class Command:
    """A process from its start to its end. Nobody pays for what another wrote, nor for memory that
    a virtual machine's host has taken back."""

    def __init__(self, name, command, kept, out):
        self.name, self.command, self.kept, self.out = name, command, kept, out

    def run(self, n):
        times = []
        for _ in range(n):
            subprocess.run(['cp', self.kept, self.out], check=True)
            os.remove(self.out)
            os.sync()
            start = time.perf_counter()
            subprocess.run(self.command, check=True)
            times.append((time.perf_counter() - start) * 1e3)
            os.remove(self.out)
        return times


def compare_files(options):
    cases = [('4x4', (4, 4), '::2'), ('64 MB', (4096, 4096), ':2048'),
             ('64 MB', (4096, 4096), ':, ::2')]
    if not options.few:
        cases += [('1 GB', (16384, 16384), ':8192'), ('1 GB', (16384, 16384), ':, ::-1')]
    for size, shape, index in cases:
        case = {'bench': 'slice process', 'type': 'process:', 'shape': size, 'what': f'[{index}]'}
        if options.text not in ' '.join(case.values()):
            continue
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            x, kept, y = (os.path.join(folder, n) for n in ('x.npy', 'kept.npy', 'y.npy'))
            np.save(x, np.ones(shape, np.float32))
            own = [peers.dmlop(), 'slice', '--no-sync', '--threads', str(options.threads),
                   '--index', index, x, '-o']
            subprocess.run([*own, kept], check=True)
            commands = [
                Command('dmlop', [*own, y], kept, y), Command('cp', ['cp', kept, y], kept, y),
                Command('numpy', [sys.executable, '-c', PYTHON.format(index=index), x, y], kept, y)]
            peers.show(options, case, os.path.getsize(kept), 'GB/s',
                       peers.measure(commands, options))


def main():
    options = peers.parse('slice against its peers',
                          (['--folder'], {'help': 'for files, several GB of them'}),
                          (['--no-files'], {'action': 'store_true'}))
    compare_kernels(options)
    if not options.no_files:
        compare_files(options)


if __name__ == '__main__':
    main()
