#!/usr/bin/env python3
"""qmatmul against its peers on the same data in memory: ONNX Runtime's QLinearMatMul and oneDNN's
matmul, through onednn_qmatmul.c, both with B given anew for each run, as dmlop has it, and as a
constant that they prepare once; NumPy's product of doubles, which is exact. Medians of rounds that
alternate between all of them, and how many outputs of each are not those of exact arithmetic.

    DMLOP=build/dmlop tests/bench/peers_qmatmul.py [--threads N] [--rounds N] [--seconds S] [--few]
    [--json]
                                                   [--kernel NAME] [--bits 7] [TEXT]

runs the cases whose name holds TEXT; --bits 7: with a B of -64..63 or 0..127, whose products with
uint8 do not exceed 16 bits in pairs. """
import os
import sys
import tempfile

# Before NumPy starts its own threads; the options of the same names are read below.
THREADS = sys.argv[sys.argv.index('--threads') + 1] if '--threads' in sys.argv else '1'
os.environ['OMP_NUM_THREADS'] = os.environ['OPENBLAS_NUM_THREADS'] = THREADS

import numpy as np  # noqa: E402

import peers  # noqa: E402
from peers import field  # noqa: E402

SHAPES = [
    (1, 128, 128, 128),
    (1, 512, 512, 512),
    (1, 1024, 1024, 1024),
    (1, 2048, 2048, 2048),
    (1, 1, 4096, 4096),
    (1, 64, 768, 3072),
    (1, 4096, 64, 4096),
    (12, 128, 64, 128)]  # batch, M, K, N
PAIRS = [('u8', 's8'), ('u8', 'u8'), ('s8', 's8'), ('s8', 'u8')]
DTYPE = {'u8': np.uint8, 's8': np.int8}
A_SCALE, B_SCALE = np.float32(0.02), np.float32(0.01)


class Case:
    """A product: a, b, scales that spread the outputs over their type's range, and what exact
    arithmetic gives."""

    def __init__(self, shape, pair, folder, bits):
        batch, m, k, n = shape
        random, full = np.random.default_rng(1), {'u8': (0, 256), 's8': (-128, 128)}
        of_b = {'u8': (0, 2**bits), 's8': (-(2 ** (bits - 1)), 2 ** (bits - 1))}
        self.a = random.integers(*full[pair[0]], (batch, m, k), DTYPE[pair[0]])
        self.b = random.integers(*of_b[pair[1]], (batch, k, n), DTYPE[pair[1]])
        sums = self.a.astype(np.float64) @ self.b.astype(np.float64)  # exact: they are below 2^53
        self.scale = np.float32(np.abs(sums).max() * float(A_SCALE) * float(B_SCALE) / 150)
        self.folder, self.repeat = folder, max(
            1, int(1e8 / self.a.size / n))  # of products that take little
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


class Dmlop(peers.Dmlop):
    def __init__(self, case, options):
        self.out, self.repeat = case.path('c.npy'), case.repeat
        super().__init__(case.folder, 'qmatmul', '--a-scale', repr(float(A_SCALE)), '--b-scale',
                         repr(float(B_SCALE)), '--output-scale', repr(float(case.scale)),
                         '--threads', str(options.threads), '--kernel', options.kernel, '-o',
                         self.out, case.path('a.npy'), case.path('b.npy'))

    def output(self):
        return np.load(self.out)


class Numpy(peers.Here):
    name = 'numpy'

    def __init__(self, case, options):
        self.case, self.repeat = case, case.repeat

    def once(self):
        product = self.case.a.astype(np.float64) @ self.case.b.astype(np.float64)
        self.out = self.case.quantize(product, np.float64)

    def output(self):
        return self.out


def onnx_model(case, b_is_constant):
    """A model of one QLinearMatMul, made without the onnx package."""
    a, b = case.a, case.b
    names = ('A', 'a_scale', 'a_zero', 'B', 'b_scale', 'b_zero', 'c_scale', 'c_zero')
    graph = field(
        1, b''.join(field(1, name) for name in names) + field(2, 'C') + field(4, 'QLinearMatMul'))
    graph += field(2, 'g')
    for name, x in (('a_scale', A_SCALE), ('b_scale', B_SCALE), ('c_scale', case.scale),
                    ('a_zero', a.dtype.type(0)), ('b_zero', b.dtype.type(0)),
                    ('c_zero', a.dtype.type(0))):
        graph += peers.onnx_constant(name, np.asarray(x))
    if b_is_constant:
        graph += peers.onnx_constant('B', b)
    graph += field(11, peers.onnx_described('A', a.dtype, a.shape))
    if not b_is_constant:
        graph += field(11, peers.onnx_described('B', b.dtype, b.shape))
    graph += field(12, peers.onnx_described('C', a.dtype, a.shape[:-1] + b.shape[-1:]))
    return field(1, 7) + field(7, graph) + field(8, field(2, 21))


class Elsewhere:
    """What leaves its output in a file of raw bytes; names that end so get B as a constant."""

    def __init__(self, case, options):
        self.case, self.repeat = case, case.repeat
        self.start_on(case, options, self.name.endswith('-constant-b'))
        self.run(1)

    def output(self):
        return np.fromfile(self.out, self.case.a.dtype).reshape(self.case.want.shape)


class OnnxRuntime(Elsewhere, peers.OnnxRuntime):
    def start_on(self, case, options, constant):
        arrays = {'A': case.a} | ({} if constant else {'B': case.b})
        peers.OnnxRuntime.__init__(self, case.folder, onnx_model(case, constant), arrays,
                                   options.threads, case.path(self.name + '.raw'))


class OnnxRuntimeConstant(OnnxRuntime):
    name = 'onnxruntime-constant-b'


class OneDnn(Elsewhere, peers.Process):
    name = 'onednn'

    def start_on(self, case, options, constant):
        (batch, m, k), n, self.out = case.a.shape, case.b.shape[-1], case.path(self.name + '.raw')
        signs = [x.dtype.kind for x in (case.a, case.b)]
        scale = float(A_SCALE) * float(B_SCALE) / float(case.scale)
        self.start([peers.onednn_program(), *map(str, (batch, m, k, n)), *signs, repr(scale),
                    case.path('a.raw'), case.path('b.raw'), self.out, *['packed'] * constant])


class OneDnnConstant(OneDnn):
    name = 'onednn-constant-b'


KINDS = Dmlop, OnnxRuntime, OnnxRuntimeConstant, OneDnn, OneDnnConstant, Numpy


def main():
    options = peers.parse('qmatmul against its peers', (['--kernel'], {'default': 'auto'}),
                          (['--bits'], {'type': int, 'choices': (7, 8), 'default': 8}))
    for shape in SHAPES:
        for pair in PAIRS:
            product = f'{shape[0]} x {"x".join(map(str, shape[1:]))}'
            case = {'bench': 'qmatmul', 'type': '*'.join(pair), 'shape': product, 'what': ''}
            few = pair == ('u8', 's8') or shape[1:] == (1024, 1024, 1024)
            if options.text not in ' '.join(case.values()) or options.few and not few:
                continue
            with tempfile.TemporaryDirectory() as folder:
                product = Case(shape, pair, folder, options.bits)
                found = peers.make_all(KINDS, product, options)
                measured = peers.measure(found, options)
                wrong = {peer.name: int((peer.output() != product.want).sum()) for peer in found}
                peers.show(options, case, float(np.prod([float(n) for n in shape])), 'GMAC/s',
                           measured, wrong)


if __name__ == '__main__':
    main()
