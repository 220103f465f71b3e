"""Compares the values of `make --random` with the documented generator, for the types that are
named: make_random.py TYPE... DMLOP is the program."""
import sys

import numpy as np
from program import printed

LOW = 0xFFFFFFFF
BITS = {'float16': 11, 'float32': 24, 'float64': 53}


def philox(counter, key):
    """Philox 4x32 with 10 rounds."""
    c, k = counter, key
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & LOW, a >> 32 ^ c[3] ^ k[1], a & LOW]
        k = [k[0] + 0x9E3779B9 & LOW, k[1] + 0xBB67AE85 & LOW]
    return c


def draw(seed, i):
    """The 64 bits for element i."""
    x = philox([i // 2 & LOW, i // 2 >> 32, 0, 0], [seed & LOW, seed >> 32])
    return x[i % 2 * 2] | x[i % 2 * 2 + 1] << 32


def wanted(dtype, bits, between):
    if dtype in BITS:
        low, high = between or (0, 1)
        part = np.float64(bits >> 64 - BITS[dtype]) / 2.0 ** BITS[dtype]
        return np.dtype(dtype).type(np.float64(low) + part * np.float64(high - low))
    low, high = between or (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return int(low) + (bits * (int(high) - int(low) + 1) >> 64)


def check(dtype, seed, between):
    options = ['--between', '%s,%s' % between] if between else []
    printed('make', '--dtype', dtype, '--sizes', '3,5', '--random', seed, *options, '-o', 'x.npy')
    x = np.load('x.npy')
    assert x.shape == (3, 5) and x.dtype == dtype
    for i, v in enumerate(x.ravel().tolist()):
        want = wanted(dtype, draw(seed, i), between)
        assert v == want, (dtype, seed, between, i, v, want)


for dtype in sys.argv[1:]:
    ranges = [None, (3, 9)]
    if dtype.startswith('float'):
        ranges += [(-0.5, 2.25)]
    if not dtype.startswith('u'):
        ranges += [(-7, 5), (-9, -9)]
    for seed in 0, 7, 2**64 - 1:
        for between in ranges:
            check(dtype, seed, between)
