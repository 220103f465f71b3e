#!/usr/bin/env python3
"""The report of the benchmarks: measures against yardsticks and peers, and shows what came out.

    tests/bench/report.py measure    runs all, some minutes, and writes tests/bench/report.json
    tests/bench/report.py show       from that, man/bench-yardsticks.svg and man/bench-peers.svg,
                                     and the parts of README.md and man/BENCHMARKS.md between
                                     their two marks
    tests/bench/report.py check      status 1 where one of these is not what the report says

`make bench-report` does the first two; B is the build folder.
"""
import json
import math
import os
import subprocess
import sys
import textwrap
import time

import plot

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
REPORT = os.path.join(HERE, 'report.json')
README = os.path.join(ROOT, 'README.md')
PAGE = os.path.join(ROOT, 'man', 'BENCHMARKS.md')
MARKS = '<!-- bench-report: begin -->\n', '<!-- bench-report: end -->\n'

YARDSTICKS = ['slice', 'topk', 'qmatmul', 'json']
YARDSTICK_OPTIONS = ['-s', '0.25']
WORST_OPTIONS = ['-t', '1']
PEERS = ['slice', 'topk', 'qmatmul']
PEER_OPTIONS = ['--few', '--seconds', '1']

# Rows of the plots: what cases are shown, as pairs of title and test; the order is that of the
# report. With integers of 8 bits topk ends as soon as K of the extreme value are found: a rate of
# reading says nothing of that.
PLOTTED = [('slice',
            lambda c: c['bench'] == 'slice' and c['shape'] == '{8192,8192}'
            and c['type'] in ('FLOAT32', 'UINT8')),
           ('topk',
            lambda c: c['bench'] == 'topk' and c['what'].endswith('uniform')
            and c['type'] != 'INT8'),
           ('qmatmul',
            lambda c: c['bench'] == 'qmatmul'
            and (c['type'] == 'u8*s8' or '1024x1024x1024' in c['shape']))]
NAMES = {'numpy': 'NumPy', 'onnxruntime': 'ONNX Runtime', 'onednn': 'oneDNN',
         'cp': "cp of the output's bytes"}
LOOKS = {'NumPy': ('circle', 'green'), 'torch': ('triangle', 'purple'),
         'ONNX Runtime': ('square', 'orange'), 'oneDNN': ('diamond', 'blue')}
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
    ('worst', 'topk', '', 'K up to 1000, worst data'),
    ('worst', 'topk', '', 'K above 1000, worst data'),
    ('qmatmul', 'u8*s8', '1 x 512x512x512', ''),
    ('qmatmul', 'u8*s8', '1 x 1024x1024x1024', ''),
    ('qmatmul', 's8*s8', '1 x 1024x1024x1024', ''),
    ('qmatmul', 'u8*s8', '1 x 64x768x3072', ''),
    ('qmatmul', 'u8*s8', '1 x 1x4096x4096', ''),
    ('json', 'FLOAT32', '{2000,1000}', 'write'),
    ('json', 'FLOAT32', '{2000,1000}', 'read')]
# The README's rows: of each operator what is usual, and where dmlop is behind.
SHORT = [
    ('slice', 'FLOAT32', '{8192,8192}', 'last axis ::2'),
    ('slice', 'FLOAT32', '{64,64,128,128}', 'block'),
    ('topk', 'FLOAT32', '{1,10000000}', 'k=100 uniform'),
    ('qmatmul', 'u8*s8', '1 x 2048x2048x2048', ''),
    ('qmatmul', 'u8*s8', '1 x 1x4096x4096', '')]


def run(command):
    """The machine and the cases that a program prints."""
    start = time.time()
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = [json.loads(line) for line in out.splitlines()]
    print(f'{os.path.basename(command[0] if command[0] != sys.executable else command[1])}: '
          f'{len(lines) - 1} cases, '
          f'{time.time() - start:.0f} s', flush=True)
    return lines[0]['machine'], lines[1:]


def shown(case):
    """Whether a plot or a table has the case."""
    key = tuple(case[k] for k in ('bench', 'type', 'shape', 'what'))
    return key in TABLE + SHORT or any(wanted(case) for _, wanted in PLOTTED)


def measure():
    build = os.path.abspath(os.environ.get('B', os.path.join(ROOT, 'build')))
    start, machine, own, others = time.time(), None, [], []
    programs = {name: YARDSTICK_OPTIONS for name in YARDSTICKS} | {'worst': WORST_OPTIONS}
    for name, arguments in programs.items():
        told, cases = run([os.path.join(build, f'tests/bench/bench_{name}'), '-j', *arguments])
        machine = machine or told
        own += cases
    for name in PEERS:
        told, cases = run([sys.executable, os.path.join(HERE, f'peers_{name}.py'), '--json',
                           *PEER_OPTIONS])
        machine['peers'] = told['peers']
        others += cases
    machine['load_after'] = ' '.join(f'{x:.2f}' for x in os.getloadavg())
    report = {
        'schema': 'dmlop.bench-report/2',
        'machine': machine,
        'seconds': round(time.time() - start),
        'cases': len(own + others),
        'disturbed': sum(c['disturbed'] for c in own + others)}
    text = json.dumps(report, indent=2)[:-2]
    for key, cases in (('yardsticks', list(filter(shown, own))), ('peers', others)):
        text += f',\n  "{key}": [\n    ' + ',\n    '.join(map(json.dumps, cases)) + '\n  ]'
    with open(REPORT, 'w', encoding='utf-8') as f:
        f.write(text + '\n}\n')
    print(f'{report["cases"]} cases in {report["seconds"]} s: {os.path.relpath(REPORT)}')


def title(case):
    parts = case['type'], case['shape'], case['what'].replace(' uniform', '')
    return ' '.join(p for p in parts if p).replace('1 x ', '')


def share(case):
    """Of the yardstick's rate; of slice by the bytes that are read and written."""
    return case.get('ratio_moved', case.get('ratio'))


def program(peer):
    """What a peer is called, and whether B is a constant there."""
    name = peer.removesuffix('-constant-b')
    return NAMES.get(name, name), name != peer


def words(peer):
    name, constant = program(peer)
    return name + ', constant B' * constant


def fastest(ratios):
    """The peer of the least time, and that of the least where B is given anew, as dmlop has it."""
    anew = {name: r for name, r in ratios.items() if not program(name)[1]}
    return min(ratios, key=ratios.get), min(anew, key=anew.get)


def plotted(cases):
    """Rows from above: of each group its name, alone, then pairs of a title and its cases."""
    rows = []
    for group, wanted in PLOTTED:
        found = {}
        for case in filter(wanted, cases):
            found.setdefault(title(case), []).append(case)
        rows += [(group, None), *found.items()]
    return rows


def plot_yardsticks(report):
    cases = [c for c in report['yardsticks'] if c.get('ratio')]
    threads = sorted({c['threads'] for c in cases})
    rows = [(f'{name}, of {yardsticks_of(name, cases)}' if data is None else name, data)
            for name, data in plotted(cases)]
    most = max(share(c) for _, data in rows for c in data or ())
    colours = ['blue', 'orange', 'green', 'purple']

    def sign(n):
        return lambda x, y: (f'<rect x="{x - 6}" y="{y - 5}" width="12" height="10" '
                             f'class="{colours[n % 4]}"/>\n')

    drawn = plot.Plot(rows, "Rates as a part of a yardstick's, which is measured in the same run",
                      ['A yardstick is no limit: over 1, dmlop was faster than it.'],
                      [[(sign(n), f'{t} thread{"s" * (t > 1)}') for n, t in enumerate(threads)]],
                      [i / 5 for i in range(math.ceil(most * 5) + 1)], False)
    for i, (_, data) in enumerate(rows):
        for c in data or ():
            n = threads.index(c['threads'])
            drawn.bar(i, share(c), n, len(threads), colours[n % 4])
    return drawn.svg()


def yardsticks_of(bench, cases):
    return ' or '.join(dict.fromkeys(c['yardstick'] for c in cases if c['bench'] == bench))


def plot_peers(report):
    rows = plotted(report['peers'])
    own = {title(c): share(c) for c in report['yardsticks'] if c.get('ratio') and c['threads'] == 1}
    points = [(i, name, r) for i, (_, cases) in enumerate(rows) for c in cases or ()
              for name, r in c['ratios'].items()]
    yardsticks = [(i, own[name]) for i, (name, cases) in enumerate(rows) if cases and name in own]
    names = sorted({name for _, name, _ in points}, key=lambda name: program(name)[::-1])
    values = [r for *_, r in points + yardsticks]

    def sign(name):
        return lambda x, y: plot.mark(x, y, *look(name))

    legend = [[(sign(n), words(n)) for n in names if program(n)[1] == constant]
              for constant in (False, True)]
    legend[1].append((lambda x, y: plot.mark(x, y, 'cross', 'faint'),
                      'yardstick: memcpy, reading, multiply-add'))
    drawn = plot.Plot(
        rows, "Time of the same work on one thread, as a multiple of dmlop's",
        ['Left of 1 they are faster than dmlop. Constant B: the peer gets B once, before '
         'time is taken.'], legend, plot.decades(min(values), max(values)), True)
    for i, value in yardsticks:
        drawn.point(i, value, 'cross', 'faint')
    for i, name, value in points:
        drawn.point(i, value, *look(name))
    return drawn.svg()


def look(peer):
    """Shape, colour and whether it is hollow."""
    return *LOOKS[program(peer)[0]], program(peer)[1]


def find(cases, key, threads):
    for c in cases:
        if (c['bench'], c['type'], c['shape'], c['what'], c['threads']) == (*key, threads):
            return c
    return None


def marked(case):
    return ' ~' if case['disturbed'] else ''


def of_yardstick(case):
    return f'{share(case):.2f}{marked(case)}' if case and case.get('ratio') else ''


def told(peer, case):
    return f'{words(peer)}, {times(case["ratios"][peer])}{marked(case)}'


def told_in_bold(peer, case):
    """Where the peer is faster than dmlop."""
    bold = '**' * (case['ratios'][peer] < 1)
    return bold + told(peer, case) + bold


def times(ratio):
    """With three digits, which show on which side of 1 it is."""
    return f'{ratio:#.3g}'.rstrip('.') + 'x'


def table(report):
    most = max(c['threads'] for c in report['yardsticks'])
    text = (f'| | | one thread | yardstick | part of it | {most} threads: part | fastest peer, its '
            f'time | '
            f'fastest with B given anew |\n|{" --- |" * 8}\n')
    for key in TABLE:
        one, all_, peer = (find(report['yardsticks'], key, 1),
                           find(report['yardsticks'], key, most), find(report['peers'], key, 1))
        if not one:
            continue
        case = ' '.join(part for part in key[1:] if part).replace('1 x ', '')
        case += f', on {one["machine"]}' if 'machine' in one else ''  # measured apart
        first, anew = ((told_in_bold(name, peer) for name in fastest(peer['ratios'])) if peer
                       else ('', ''))
        cells = (key[0], case, f'{one["rate"]:.3g} {one["unit"]}', one.get('yardstick', ''),
                 of_yardstick(one), of_yardstick(all_), first, anew if key[0] == 'qmatmul' else '')
        text += f'| {" | ".join(cells)} |\n'
    return text


def lost(report):
    """How many cases there are where a peer is faster than dmlop, and a table of them with all such
    peers."""
    cases = [c for c in report['peers'] if min(c['ratios'].values(), default=1) < 1]
    text = '| | | faster than dmlop |\n| --- | --- | --- |\n'
    for c in cases:
        peers = sorted((name for name, r in c['ratios'].items() if r < 1), key=c['ratios'].get)
        text += f'| {c["bench"]} | {title(c)} | {"; ".join(told(name, c) for name in peers)} |\n'
    return len(cases), text


def machine(report):
    m = report['machine']
    return (f'Measured {m["date"]} on {m["processor"]}, {m["processors_allowed"]} processors, '
            f'{m["system"]}, {m["compiler"]}')


def filled(paragraphs):
    text = '\n\n'.join(p.rstrip() if p[0] in '|!' else textwrap.fill(p, 120, break_on_hyphens=False)
                       for p in paragraphs)
    return MARKS[0] + text + '\n' + MARKS[1]


def readme_part(report):
    """Few rows, of one thread."""
    worst = [c for c in report['yardsticks'] if c['bench'] == 'worst']
    text = "| | | dmlop | fastest other program, its time |\n| --- | --- | --- | --- |\n"
    for key in SHORT:
        own, peer = find(report['yardsticks'], key, 1), find(report['peers'], key, 1)
        text += (f'| {key[0]} | {title(peer)} | {own["rate"]:.3g} {own["unit"]} | '
                 f'{told_in_bold(fastest(peer["ratios"])[0], peer)} |\n')
    return filled(
        [text,
         f"{machine(report)}; one thread, and Debian 12's versions of the peers, except ONNX "
         f'Runtime. Times are multiples of dmlop\'s: below 1 the other program is faster '
         f'(bold), as at least one is in {lost(report)[0]} of {len(report["peers"])} cases. '
         'All of them, and how they were measured: [Benchmarks](man/BENCHMARKS.md). The worst '
         f'data that a search finds for topk take {worst[0]["rate"]:.3g} times as long as '
         f'uniform data, for K above 1000 {worst[1]["rate"]:.3g} ({worst[0]["machine"]}).'])


def page_part(report):
    m = report['machine']
    kernels = ', '.join(f'{op} {kernel}' for op, kernel in m['kernels'].items())
    others = ', '.join(f'{NAMES.get(n, n)} {v}' for n, v in m['peers'].items())
    count, faster = lost(report)
    return filled(
        [f'{machine(report)}; kernels {kernels}; load {m["load"].split()[0]} before and '
         f'{m["load_after"].split()[0]} after; {report["disturbed"]} of {report["cases"]} cases '
         f'were disturbed (~). Peers: {others}.', table(report),
         "Times of peers are on one thread, as multiples of dmlop's: below 1 the peer is faster "
         '(bold). Constant B: the peer gets B once, before time is taken, and arranges it for '
         'its kernels. Without these words it is given B anew in each run, as dmlop is, and the '
         'time to arrange it counts. A yardstick is not a limit: where the part of it is over '
         '1, dmlop was faster.',
         f'In {count} of the {len(report["peers"])} cases with peers, one at least was faster '
         'than dmlop' + (':' if count else '.'), *([faster] if count else []),
         "![Time of other programs and of the yardstick, as a multiple of dmlop's]"
         '(bench-peers.svg)',
         'All rates as a part of their yardsticks: [a second plot](bench-yardsticks.svg).'])


def read_report():
    with open(REPORT, encoding='utf-8') as f:
        return json.load(f)


def made(report):
    """What is made of the report: texts by path."""
    texts = {os.path.join(ROOT, 'man/bench-yardsticks.svg'): plot_yardsticks(report),
             os.path.join(ROOT, 'man/bench-peers.svg'): plot_peers(report)}
    for path, part in ((README, readme_part), (PAGE, page_part)):
        with open(path, encoding='utf-8') as f:
            text = f.read()
        begin, end = text.index(MARKS[0]), text.index(MARKS[1]) + len(MARKS[1])
        texts[path] = text[:begin] + part(report) + text[end:]
    return texts


def show():
    for path, text in made(read_report()).items():
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)


def check():
    bad = 0
    for path, text in made(read_report()).items():
        with open(path, encoding='utf-8') as f:
            if f.read() != text:
                bad = 1
                print(f"{os.path.relpath(path, ROOT)}: it does not show what is in "
                      f"tests/bench/report.json; run "
                      "'tests/bench/report.py show'", file=sys.stderr)
    sys.exit(bad)


if __name__ == '__main__':
    actions = {'measure': measure, 'show': show, 'check': check}
    if len(sys.argv) != 2 or sys.argv[1] not in actions:
        sys.exit(f'usage: {sys.argv[0]} measure|show|check')
    actions[sys.argv[1]]()
