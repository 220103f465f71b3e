#!/usr/bin/env python3
"""topk against its peers on the same data: NumPy (argpartition, then a stable order of the K), ONNX
Runtime's TopK and torch.topk where they are installed. Medians of rounds that alternate between all
of them, in milliseconds of one run on data in memory.

    DMLOP=build/dmlop tests/bench/peers_topk.py [--threads N] [--rounds N] [--seconds S] [--few]
    [--json] [TEXT]

runs the cases whose name holds TEXT. """
import os
import tempfile

import numpy as np

import peers
from peers import field

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


class Dmlop(peers.Dmlop):
    def __init__(self, x, axis, k, threads, folder):
        npy = os.path.join(folder, 'x.npy')
        np.save(npy, x)
        super().__init__(folder, 'topk', '-k', str(k), '--axis', str(axis), '--threads',
                         str(threads), '-o', os.path.join(folder, 'v.npy'), npy)


class Numpy(peers.Here):
    name = 'numpy'

    def __init__(self, x, axis, k, threads, folder):
        # The largest are the first of the negated: true but for the least integer, which no case
        # holds.
        self.x, self.axis, self.k = x, axis, k

    def once(self):
        negated = -self.x
        if self.k < self.x.shape[self.axis]:
            index = np.argpartition(negated, self.k - 1,
                                    axis=self.axis).take(range(self.k), axis=self.axis)
            order = np.argsort(np.take_along_axis(negated, index, self.axis), axis=self.axis,
                               kind='stable')
            index = np.take_along_axis(index, order, self.axis)
        else:
            index = np.argsort(negated, axis=self.axis, kind='stable')
        return np.take_along_axis(self.x, index, self.axis), index


class Torch(peers.Here):
    name = 'torch'

    def __init__(self, x, axis, k, threads, folder):
        import torch

        torch.set_num_threads(threads)
        self.torch, self.x, self.axis, self.k = torch, torch.from_numpy(x), axis, k
        if x.dtype == np.float16:
            raise NotImplementedError('not on a processor')

    def once(self):
        self.torch.topk(self.x, self.k, dim=self.axis)


def onnx_model(x, axis, k):
    """A model of one TopK, made without the onnx package."""
    shape = list(x.shape)
    shape[axis] = k
    attribute = field(1, 'axis') + field(3, axis) + field(20, 2)
    node = (field(1, 'X') + field(1, 'K') + field(2, 'V') + field(2, 'I') + field(4, 'TopK')
            + field(5, attribute))
    graph = field(1, node) + field(2, 'g') + peers.onnx_constant('K', np.array([k], np.int64))
    graph += field(11, peers.onnx_described('X', x.dtype, x.shape))
    graph += field(12, peers.onnx_described('V', x.dtype, shape))
    graph += field(12, peers.onnx_described('I', np.int64, shape))
    return field(1, 7) + field(7, graph) + field(8, field(2, 11))


class OnnxRuntime(peers.OnnxRuntime):
    def __init__(self, x, axis, k, threads, folder):
        super().__init__(folder, onnx_model(x, axis, k), {'X': x}, threads)


def main():
    options = peers.parse('topk against its peers')
    for shape, axis, dtype, k in CASES:
        for kind in ('uniform', 'ascending', 'descending', 'equal'):
            case = {'bench': 'topk', 'type': np.dtype(dtype).name.upper(),
                    'shape': peers.shape_name(shape) + (' axis 0' if axis == 0 else ''),
                    'what': f'k={k} {kind}'}
            if options.text not in ' '.join(case.values()) or options.few and kind != 'uniform':
                continue
            x = make(kind, shape, dtype)
            with tempfile.TemporaryDirectory() as folder:
                found = peers.make_all((Dmlop, Numpy, OnnxRuntime, Torch), x, axis, k,
                                       options.threads, folder)
                peers.show(options, case, x.nbytes, 'GB/s', peers.measure(found, options))


if __name__ == '__main__':
    main()
