#!/usr/bin/env python3
"""The report of the benchmarks: measures against limits and peers, and shows what came out.

    tests/bench/report.py measure    runs all, some minutes, and writes tests/bench/report.json
    tests/bench/report.py show       from that, man/bench-limits.svg and man/bench-peers.svg by gnuplot, and the
                                     part of README.md between its two marks
    tests/bench/report.py check      status 1 where that part is not what the report says

`make bench-report` does the first two; B is the build folder.
"""
import json
import os
import shutil
import subprocess
import sys
import textwrap
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
REPORT = os.path.join(HERE, 'report.json')
README = os.path.join(ROOT, 'README.md')
MARKS = '<!-- bench-report: begin -->\n', '<!-- bench-report: end -->\n'

LIMITS = ['slice', 'topk', 'qmatmul', 'json']
LIMIT_OPTIONS = ['-s', '0.25']
PEERS = ['slice', 'topk', 'qmatmul']
PEER_OPTIONS = ['--few', '--seconds', '1']

# Rows of the plots: what cases are shown, as pairs of title and test; the order is that of the report. With integers of
# 8 bits topk ends as soon as K of the extreme value are found: a rate of reading says nothing of that.
PLOTTED = [
    ('slice', lambda c: c['bench'] == 'slice' and c['shape'] == '{8192,8192}' and c['type'] in ('FLOAT32', 'UINT8')),
    ('topk', lambda c: c['bench'] == 'topk' and c['what'].endswith('uniform') and c['type'] != 'INT8'),
    ('qmatmul', lambda c: c['bench'] == 'qmatmul' and (c['type'] == 'u8*s8' or '1024x1024x1024' in c['shape'])),
]
TABLE = [
    ('slice', 'FLOAT32', '{8192,8192}', 'block'),
    ('slice', 'FLOAT32', '{8192,8192}', 'last axis ::2'),
    ('slice', 'FLOAT32', '{8192,8192}', 'last axis 1::3'),
    ('slice', 'FLOAT32', '{8192,8192}', 'last axis ::-1'),
    ('slice', 'FLOAT32', '{8192,8192}', 'Fortran order'),
    ('topk', 'FLOAT32', '{1,10000000}', 'k=100 uniform'),
    ('topk', 'FLOAT32', '{1,10000000}', 'k=100000 uniform'),
    ('topk', 'FLOAT32', '{1000,10000}', 'k=100 uniform'),
    ('topk', 'FLOAT32', '{10000,1000} axis 0', 'k=10 uniform'),
    ('qmatmul', 'u8*s8', '1 x 512x512x512', ''),
    ('qmatmul', 'u8*s8', '1 x 1024x1024x1024', ''),
    ('qmatmul', 's8*s8', '1 x 1024x1024x1024', ''),
    ('qmatmul', 'u8*s8', '1 x 1x4096x4096', ''),
    ('json', 'FLOAT32', '{2000,1000}', 'write'),
    ('json', 'FLOAT32', '{2000,1000}', 'read'),
]


def run(command):
    """The machine and the cases that a program prints."""
    start = time.time()
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = [json.loads(line) for line in out.splitlines()]
    print(f'{os.path.basename(command[0] if command[0] != sys.executable else command[1])}: {len(lines) - 1} cases, '
          f'{time.time() - start:.0f} s', flush=True)
    return lines[0]['machine'], lines[1:]


def measure():
    build = os.path.abspath(os.environ.get('B', os.path.join(ROOT, 'build')))
    start, machine, limits, peers = time.time(), None, [], []
    for name in LIMITS:
        told, cases = run([os.path.join(build, f'tests/bench/bench_{name}'), '-j', *LIMIT_OPTIONS])
        machine = machine or told
        limits += cases
    for name in PEERS:
        told, cases = run([sys.executable, os.path.join(HERE, f'peers_{name}.py'), '--json', *PEER_OPTIONS])
        machine['peers'] = told['peers']
        peers += cases
    machine['load_after'] = ' '.join(f'{x:.2f}' for x in os.getloadavg())
    report = {'schema': 'dmlop.bench-report/1', 'machine': machine, 'seconds': round(time.time() - start)}
    text = json.dumps(report, indent=2)[:-2]
    for key, cases in (('limits', limits), ('peers', peers)):
        text += f',\n  "{key}": [\n    ' + ',\n    '.join(map(json.dumps, cases)) + '\n  ]'
    with open(REPORT, 'w', encoding='utf-8') as f:
        f.write(text + '\n}\n')
    print(f'{len(limits) + len(peers)} cases in {report["seconds"]} s: {os.path.relpath(REPORT)}')


def title(case):
    parts = (case['type'], '' if case['bench'] == 'slice' else case['shape'], case['what'].replace(' uniform', ''))
    return ' '.join(p for p in parts if p).replace('1 x 1x', '1x').replace('1 x ', '')


def share_of_limit(case):
    """Of slice by the bytes that are read and written."""
    return case.get('ratio_moved', case.get('ratio'))


def plotted(cases):
    """Rows from above: of each group its name, alone, then pairs of a title and its cases; and their number."""
    rows = []
    for group, wanted in PLOTTED:
        found = {}
        for case in filter(wanted, cases):
            found.setdefault(title(case), []).append(case)
        rows += [(group, None), *found.items()]
    return rows


TERMINAL = """set encoding utf8
set terminal svg size 900,{height} dynamic enhanced font 'sans-serif,13' linewidth 1
set output '{path}'
set border 0 linecolor rgb '#808890'
set tics scale 0 textcolor rgb '#808890'
set key outside top center horizontal samplen 1 width -1 maxrows 2 textcolor rgb '#808890'
set title "{title}" textcolor rgb '#808890' font 'sans-serif,15'
set grid xtics linecolor rgb '#808890' linewidth 0.4 dashtype 3
set xlabel "{xlabel}" textcolor rgb '#808890'
set yrange [{last}:-0.6]
set lmargin 32
set rmargin 4
set arrow 1 from 1,graph 0 to 1,graph 1 nohead front linecolor rgb '#c0504d' linewidth 1.5
"""


def ytics(rows):
    """Names of groups in bold; the signs of gnuplot's markup are escaped."""
    def mark(text):
        return ''.join('\\\\' + c if c in '{}^_@&~' else c for c in text)
    names = [f'"{{/:Bold {name}}}" {i}' if cases is None else f'"{mark(name)}" {i}'
             for i, (name, cases) in enumerate(rows)]
    return 'set ytics (' + ', '.join(names) + ')\n'


def gnuplot(script):
    subprocess.run(['gnuplot'], input=script, text=True, check=True)


def block(name, lines):
    return f'${name} << EOD\n' + ''.join(line + '\n' for line in lines) + 'EOD\n'


COLOURS = ['#4a8fd0', '#d98a2b', '#3aa374', '#a56cc1', '#c05a7a', '#6b6f3a']
POINTS = [7, 5, 9, 13, 11, 4]


FARTHEST = 1.6  # of a limit in the plot; what is over it says so


def plot_limits(report, path):
    rows = plotted([c for c in report['limits'] if c.get('ratio')])
    threads = sorted({c['threads'] for c in report['limits'] if c.get('ratio')})
    script = TERMINAL.format(height=120 + 22 * len(rows), path=path, last=len(rows) - 0.4, xlabel='of the limit',
                             title='Rates as a part of what the machine gives in the same run')
    script += f'set xrange [0:{FARTHEST + 0.15}]\nset xtics 0.2\nset style fill solid 1 noborder\n' + ytics(rows)
    for t in threads:
        half = 0.38 / len(threads)
        middle = (threads.index(t) - (len(threads) - 1) / 2) * 2 * half
        bars = [(share_of_limit(c), i + middle) for i, (_, cases) in enumerate(rows) for c in cases or ()
                if c['threads'] == t]
        script += block(f'threads{t}', (f'0 {min(share, FARTHEST)} {y - half} {y + half}' for share, y in bars))
        for share, y in bars:
            if share > FARTHEST:
                script += (f'set label "{share:.1f}" at {FARTHEST + 0.02},{y} left textcolor rgb "#808890" '
                           f'font "sans-serif,{10 if len(threads) > 1 else 12}"\n')
    script += 'plot ' + ', '.join(
        f"$threads{t} using (0):3:1:2:3:4 with boxxyerror linecolor rgb '{COLOURS[n]}' "
        f"title '{t} thread{'s' * (t > 1)}'" for n, t in enumerate(threads)) + '\n'
    gnuplot(script)


def plot_peers(report, path):
    rows = plotted(report['peers'])
    names = sorted({n for c in report['peers'] for n in c['ratios'] if n != 'cp'})
    limits = {title(c): share_of_limit(c) for c in report['limits'] if c.get('ratio') and c['threads'] == 1}
    script = TERMINAL.format(height=120 + 22 * len(rows), path=path, last=len(rows) - 0.4,
                             xlabel='times as long as dmlop',
                             title="Time of other programs, and of the machine's limit, for the same work on one thread")
    script += 'set logscale x\nset xtics (0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)\n' + ytics(rows)
    for n, name in enumerate(names):
        script += block(f'peer{n}', (f'{c["ratios"][name]} {i}' for i, (_, cases) in enumerate(rows)
                                     for c in cases or () if name in c['ratios']))
    script += block('limit', (f'{limits[name]} {i}' for i, (name, cases) in enumerate(rows)
                              if cases and name in limits))
    script += ("plot $limit using 1:2 with points pointtype 1 pointsize 0.9 linecolor rgb '#808890' "
               "title 'the limit', ") + ', '.join(
        f"$peer{n} using 1:2 with points pointtype {POINTS[n]} pointsize 0.9 linecolor rgb '{COLOURS[n]}' "
        f"title '{name}'" for n, name in enumerate(names)) + '\n'
    gnuplot(script)


def find(cases, key, threads):
    for c in cases:
        if (c['bench'], c['type'], c['shape'], c['what'], c['threads']) == (*key, threads):
            return c
    return None


def marked(case):
    return ' ~' if case['disturbed'] else ''


def of_limit(case):
    return f'{share_of_limit(case):.2f}{marked(case)}' if case and case.get('ratio') else ''


def table(report):
    most = max(c['threads'] for c in report['limits'])
    text = ('| | | one thread | limit | part of it | '
            f'{most} threads: part | fastest peer, its time |\n| --- | --- | --- | --- | --- | --- | --- |\n')
    for key in TABLE:
        one, all_, peer = (find(report['limits'], key, 1), find(report['limits'], key, most),
                           find(report['peers'], key, 1))
        if one:
            case = ' '.join(part for part in key[1:] if part).replace('1 x ', '')
            told = f'{peer["fastest"]}, {peer["ratio"]:.2f}x{marked(peer)}' if peer else ''
            text += (f'| {key[0]} | {case} | {one["rate"]:.3g} {one["unit"]} | {one.get("limit", "")} | '
                     f'{of_limit(one)} | {of_limit(all_)} | {told} |\n')
    return text


def readme_part(report):
    m, cases = report['machine'], report['limits'] + report['peers']
    disturbed = sum(c['disturbed'] for c in cases)
    kernels = ', '.join(f'{op} {kernel}' for op, kernel in m['kernels'].items())
    others = ', '.join(f'{n} {v}' for n, v in m['peers'].items())
    told = textwrap.fill(f'Measured {m["date"]} on {m["processor"]}, {m["processors_allowed"]} processors, '
                         f'{m["system"]}, {m["compiler"]}; kernels {kernels}; load {m["load"].split()[0]} before and '
                         f'{m["load_after"].split()[0]} after; {disturbed} of {len(cases)} cases were disturbed (~). '
                         f'Peers: {others}.', 120)
    return (f'{MARKS[0]}{told}\n\n{table(report)}\n'
            '![Time of other programs and of the limit, as a multiple of dmlop\'s](man/bench-peers.svg)\n\n'
            f'All rates as a part of their limits: [a second plot](man/bench-limits.svg).\n{MARKS[1]}')


def read_report():
    with open(REPORT, encoding='utf-8') as f:
        return json.load(f)


def readme():
    """The text, and where the report's part begins and ends."""
    with open(README, encoding='utf-8') as f:
        text = f.read()
    return text, text.index(MARKS[0]), text.index(MARKS[1]) + len(MARKS[1])


def show():
    report = read_report()
    text, begin, end = readme()
    with open(README, 'w', encoding='utf-8') as f:
        f.write(text[:begin] + readme_part(report) + text[end:])
    if not shutil.which('gnuplot'):
        sys.exit('report.py: gnuplot is not installed (make deps-bench): man/bench-*.svg stay as they were')
    plot_limits(report, os.path.join(ROOT, 'man/bench-limits.svg'))
    plot_peers(report, os.path.join(ROOT, 'man/bench-peers.svg'))


def check():
    text, begin, end = readme()
    if text[begin:end] != readme_part(read_report()):
        sys.exit("README.md: what it says of the benchmarks is not in tests/bench/report.json; "
                 "run 'tests/bench/report.py show'")


if __name__ == '__main__':
    actions = {'measure': measure, 'show': show, 'check': check}
    if len(sys.argv) != 2 or sys.argv[1] not in actions:
        sys.exit(f'usage: {sys.argv[0]} measure|show|check')
    actions[sys.argv[1]]()
