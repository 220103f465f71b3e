#!/usr/bin/env python3
"""Whether the kernel that `auto` takes is the fastest of its table: every case of the operators'
benchmarks with `-k auto` and with each other row of the table by turns. Prints each case where auto
is slower than another row by more than 3 %, and ends with status 1 where there is one. Machines are
shared: such a case is measured again by itself with more rounds, twice, before it is printed; after
so many MINUTES those that are left are only named.

    DMLOP=build/dmlop BENCH=build/tests/bench tests/bench/kernels.py [--rounds N] [--seconds S]
    [--minutes M]
        [--threads N] [--policies] [--all] [--verbose] [--text TEXT] [OPERATOR ...]

A round runs the benchmark once for each row, S seconds a case. --policies: every row under every
policy of prefetching (kernel/prefetch.h), against auto. --all: the reference as well. --text: cases
whose line holds TEXT. """
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

MOST = 1.03  # a row's rate to auto's, before it counts as faster
AGAIN = (2, 4)  # times the rounds, to be measured again with
POLICIES = ('none', 'lines', 'ahead', 'pages')


class Bench:
    def __init__(self, operator, options):
        self.program = os.path.join(os.environ.get('BENCH', 'build/tests/bench'),
                                    'bench_' + operator)
        self.options = options

    def run(self, variant, text):
        """The rate of each case whose line holds the text, by this line."""
        command = [self.program, '-j', '-s', str(self.options.seconds), '-t',
                   str(self.options.threads), *variant, text]
        lines = subprocess.run(command, check=True, capture_output=True,
                               text=True).stdout.splitlines()
        return {f'{c["type"]:8} {c["shape"]:20} {c["what"]:21} {c["threads"]:2d}': c['rate']
                for c in map(json.loads, lines[1:]) if c['threads'] == self.options.threads}

    def ratios(self, text, variants, rounds):
        """By case, for each variant but the first, the median of its rates to those of the first in
        the same round."""
        found = {}
        for i in range(rounds):
            turn = i % len(variants)
            rates = {v: self.run(v, text) for v in variants[turn:] + variants[:turn]}
            for case, rate in rates[variants[0]].items():
                for v in variants[1:]:
                    found.setdefault(case, {}).setdefault(v, []).append(rates[v][case] / rate)
        ratios = {case: {v: statistics.median(r) for v, r in of.items()}
                  for case, of in found.items()}
        if self.options.verbose:
            for case, of in ratios.items():
                print(f'{case}  {rounds:2d} rounds:',
                      *(f'{name_of(v)} {r:.2f}' for v, r in of.items()), flush=True)
        return ratios

    def faster(self, case, first, auto):
        """What of the variants in `first` is faster than auto however often the case is measured,
        with their ratios, and whether it was measured so often."""
        found = faster_of(first)
        for times in AGAIN:
            if not found:
                break
            if time.monotonic() > self.options.end:
                return found, False
            found = faster_of(self.ratios(case, [auto, *found], times * self.options.rounds)[case])
        return found, True


def faster_of(ratios):
    return {v: r for v, r in ratios.items() if r > MOST}


def name_of(variant):
    return '/'.join(variant[1::2])


def variants_of(rows, operator, options):
    """Options of the benchmark: first those of auto."""
    names = [r['name'] for r in rows if r['usable']]
    taken = names[-1]
    names = [n for n in names if options.all or n != 'reference']
    if options.policies and operator != 'qmatmul':
        return [('-k', 'auto'), *(('-k', n, '-p', p) for n in names for p in POLICIES)]
    return [('-k', 'auto'), *(('-k', n) for n in names if n != taken)]


def compare(operator, rows, options):
    variants = variants_of(rows, operator, options)
    bench = Bench(operator, options)
    slow = left = 0
    cases = bench.ratios(options.text, variants, options.rounds) if len(variants) > 1 else {}
    for case, first in cases.items():
        faster, sure = bench.faster(case, first, variants[0])
        slow += bool(faster) and sure
        left += bool(faster) and not sure
        for v, r in faster.items():
            print(f'{operator:8} {case}  {name_of(v)} is {r:.2f} times as fast as '
                  f'auto{"" if sure else ", perhaps"}', flush=True)
    print(f'{operator}: in {slow} of {len(cases)} cases auto is slower than another row by more '
          'than 3 %'
          + (f'; {left} more were not measured again: the time was over' if left else ''),
          flush=True)
    return slow


def main():
    parser = argparse.ArgumentParser(description='auto against the other kernels')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=0.1)
    parser.add_argument('--minutes', type=float, default=8)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--policies', action='store_true')
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--verbose', action='store_true')
    parser.add_argument('--text', default='')
    parser.add_argument('operators', nargs='*', metavar='OPERATOR')
    options = parser.parse_args()
    options.end = time.monotonic() + 60 * options.minutes
    version = json.loads(subprocess.run([os.environ.get('DMLOP', 'build/dmlop'), '--version',
                                         '--format', 'json'], check=True,
                                        capture_output=True).stdout)
    print(f'prefetch: {version["prefetch"]["policy"]} ({version["prefetch"]["why"]}); load: '
          f'{os.getloadavg()[0]:.1f}')
    kernels = version['kernels']
    return 1 if sum(compare(o, kernels[o], options) for o in options.operators or kernels) else 0


if __name__ == '__main__':
    sys.exit(main())
