#!/usr/bin/env python3
"""Whether the kernel that `auto` takes is the fastest of its table: every case of the operators' benchmarks with `-k auto`
and with each other row of the table by turns. Prints each case where auto is slower than another row by more than 3 %,
and ends with status 1 where there is one. Machines are shared: such a case is measured again with more rounds, twice,
before it is printed.

    DMLOP=build/dmlop BENCH=build/tests/bench tests/bench/kernels.py [--rounds N] [--seconds S] [--threads N]
        [--policies] [--all] [--verbose] [--text TEXT] [OPERATOR ...]

A round runs the benchmark of a case once for each row, S seconds each. --policies: every row under every policy of
prefetching (kernel/prefetch.h), against auto. --all: the reference as well. --text: cases whose line holds TEXT.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

MOST = 1.03  # a row's rate to auto's, before it counts as faster
AGAIN = (3, 7)  # times the rounds, to be measured again with
POLICIES = ('none', 'lines', 'pages')


class Bench:
    def __init__(self, operator, options):
        self.program = os.path.join(os.environ.get('BENCH', 'build/tests/bench'), 'bench_' + operator)
        self.options = options

    def run(self, variant, text, *more):
        """Objects of the cases whose line holds the text."""
        command = [self.program, '-j', '-t', str(self.options.threads), *more, *variant, text]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        cases = [json.loads(line) for line in lines[1:]]
        return [c for c in cases if c['threads'] == self.options.threads]

    def cases(self):
        """Every case as the line that names it."""
        return [f'{c["type"]:8} {c["shape"]:20} {c.get("what", c.get("case", "")):21} {c["threads"]:2d}'
                for c in self.run((), self.options.text, '-r', '1')]

    def ratios(self, case, variants, rounds):
        """For each variant but the first, the median of its rates to those of the first in the same round."""
        found = {v: [] for v in variants[1:]}
        for i in range(rounds):
            turn = i % len(variants)
            rate = {v: self.run(v, case, '-s', str(self.options.seconds))[0]['rate']
                    for v in variants[turn:] + variants[:turn]}
            for v, r in found.items():
                r.append(rate[v] / rate[variants[0]])
        return {v: statistics.median(r) for v, r in found.items()}

    def faster(self, case, variants):
        """The variants that are faster than the first however often the case is measured, with their ratios."""
        rounds = self.options.rounds
        for times in (1, *AGAIN):
            ratios = self.ratios(case, variants, times * rounds)
            if self.options.verbose:
                print(f'{case}  {times * rounds:2d} rounds:', *(f'{name_of(v)} {r:.2f}' for v, r in ratios.items()),
                      flush=True)
            found = {v: r for v, r in ratios.items() if r > MOST}
            if not found:
                break
            variants = [variants[0], *found]
        return found


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
    slow = 0
    cases = bench.cases() if len(variants) > 1 else []
    for case in cases:
        faster = bench.faster(case, variants)
        slow += bool(faster)
        for v, r in faster.items():
            print(f'{operator:8} {case}  {name_of(v)} is {r:.2f} times as fast as auto', flush=True)
    print(f'{operator}: in {slow} of {len(cases)} cases auto is slower than another row by more than 3 %', flush=True)
    return slow


def main():
    parser = argparse.ArgumentParser(description='auto against the other kernels')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=0.2)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--policies', action='store_true')
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--verbose', action='store_true')
    parser.add_argument('--text', default='')
    parser.add_argument('operators', nargs='*', metavar='OPERATOR')
    options = parser.parse_args()
    version = json.loads(subprocess.run([os.environ.get('DMLOP', 'build/dmlop'), '--version', '--format', 'json'],
                                        check=True, capture_output=True).stdout)
    print(f'prefetch: {version["prefetch"]["policy"]} ({version["prefetch"]["why"]}); load: {os.getloadavg()[0]:.1f}')
    kernels = version['kernels']
    return 1 if sum(compare(o, kernels[o], options) for o in options.operators or kernels) else 0


if __name__ == '__main__':
    sys.exit(main())
