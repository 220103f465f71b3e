"""What the comparisons of dmlop with other programs share: options, the machine and the peers'
versions, medians of rounds by turns, cases that others disturbed done again, a line a case or JSON,
and ONNX models made by hand.

A peer is an object with a name and run(n), the milliseconds of n runs; pid is that of its process,
where it has one. """
import argparse
import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from importlib import metadata

import numpy as np

RUNS = 3  # of one peer in a round, fewer of those that take long
ROUNDS_LEAST = 2
PASSES = 2  # over a case that others disturb
AGAIN = 30  # seconds that all such passes may take
OTHERS = 0.1  # of the processors' time: so much may others use during a case
TICK = os.sysconf('SC_CLK_TCK')


def processors_used():
    """Seconds that anything used the processors, a virtual machine's host included."""
    with open('/proc/stat', encoding='ascii') as f:
        user, nice, system, _, _, irq, softirq, steal = map(int, f.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICK


def process_used(pid):
    with open(f'/proc/{pid}/stat', encoding='ascii') as f:
        user, system = f.read().rsplit(')', 1)[1].split()[11:13]
    return (int(user) + int(system)) / TICK


def others_used(pids):
    """Seconds, less those of this process, of its children that ended and of those children that
    run."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return (processors_used() - sum(u.ru_utime + u.ru_stime for u in usages)
            - sum(map(process_used, pids)))


again = {'s': 0}  # seconds that cases which were disturbed have taken again


class Others:
    """The share of the processors' time that others use from now on."""

    def __init__(self, pids=()):
        self.pids = list(pids)
        self.used, self.start = others_used(self.pids), time.perf_counter()

    def share(self):
        used, wall = others_used(self.pids) - self.used, time.perf_counter() - self.start
        return used / wall / os.cpu_count() if used > 3 / TICK else 0


def timed(f, n):
    times = []
    for _ in range(n):
        start = time.perf_counter()
        f()
        times.append((time.perf_counter() - start) * 1e3)
    return times


def dmlop():
    return os.environ.get('DMLOP', 'build/dmlop')


class Dmlop:
    """An operator's command, which is timed on data in memory; `repeat` times as often as asked."""
    name, repeat = 'dmlop', 1

    def __init__(self, folder, *command):
        self.timings = os.path.join(folder, 't.json')
        self.command = [dmlop(), *command, '--warmup', '1', '--no-sync']

    def run(self, n):
        more = ['--repeat', str(n * self.repeat), f'--timings={self.timings}']
        subprocess.run([*self.command, *more], check=True)
        with open(self.timings, encoding='ascii') as f:
            return [t / 1e6 for t in json.load(f)['compute_ns']['samples']]


class Here:
    """A peer in this process, with once()."""
    repeat = 1

    def run(self, n):
        return timed(self.once, n * self.repeat)


class Process:
    """A peer that answers each line, a number of runs, with their times in milliseconds as JSON."""

    repeat = 1

    def start(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.pid = self.process.pid

    def run(self, n):
        line = ''
        if self.process.poll() is None:
            self.process.stdin.write(f'{n * self.repeat}\n')
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        if not line:
            raise NotImplementedError('these types')
        return json.loads(line)

    def __del__(self):
        if hasattr(self, 'process'):
            self.process.stdin.close()
            self.process.wait()


def onednn_program():
    program = os.environ.get('ONEDNN', 'build/tests/bench/onednn_qmatmul')
    if not os.access(program, os.X_OK):
        raise ImportError('onednn')
    return program


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


ONNX_TYPE = {'float32': 1, 'uint8': 2, 'int8': 3, 'int64': 7, 'float16': 10, 'float64': 11}


def onnx_described(name, dtype, shape):
    """An input or output of a graph."""
    dims = b''.join(field(1, field(1, int(d))) for d in shape)
    return field(1, name) + field(
        2, field(1, field(1, ONNX_TYPE[np.dtype(dtype).name]) + field(2, dims)))


def onnx_constant(name, x):
    dims = b''.join(field(1, d) for d in x.shape)
    return field(5,
                 dims + field(2, ONNX_TYPE[x.dtype.name]) + field(8, name) + field(9, x.tobytes()))


def node_with_onnxruntime():
    """Node.js where it has onnxruntime-node."""
    node = shutil.which('node')
    if (not node
        or subprocess.run([node, '-e', "require('onnxruntime-node')"],
                          capture_output=True).returncode):
        raise ImportError('onnxruntime')
    return node


class OnnxRuntime(Process):
    """ONNX Runtime in Node.js, on a model of one operator and arrays by name."""
    name = 'onnxruntime'

    SCRIPT = """
const ort = require('onnxruntime-node'), fs = require('fs');
const [model, threads, out, ...inputs] = process.argv.slice(1);
const kinds = {
  float32: Float32Array, float64: Float64Array, float16: Uint16Array, int8: Int8Array,
  uint8: Uint8Array
};
const feed = {};
for (const input of inputs) {
  const [name, path, type, dims] = input.split(' '), bytes = fs.readFileSync(path);
  const count = bytes.length / kinds[type].BYTES_PER_ELEMENT;
  const array = new kinds[type](bytes.buffer, bytes.byteOffset, count);
  feed[name] = new ort.Tensor(type, array, dims.split(',').map(Number));
}
(async () => {
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: +threads });
  for await (const line of require('readline').createInterface({ input: process.stdin })) {
    const times = [];
    for (let i = 0; i < +line; i++) {
      const start = process.hrtime.bigint();
      const outputs = await session.run(feed);
      times.push(Number(process.hrtime.bigint() - start) / 1e6);
      if (out && i + 1 === +line) {
        const { buffer, byteOffset, byteLength } = Object.values(outputs)[0].data;
        fs.writeFileSync(out, new Uint8Array(buffer, byteOffset, byteLength));
      }
      for (const tensor of Object.values(outputs)) tensor.dispose();
    }
    console.log(JSON.stringify(times));
  }
})();
"""

    def __init__(self, folder, model, arrays, threads, out=''):
        """The last output is in the file `out`, where that is given."""
        self.out, node = out, node_with_onnxruntime()
        file, inputs = os.path.join(folder, self.name + '.onnx'), []
        with open(file, 'wb') as f:
            f.write(model)
        for name, x in arrays.items():
            raw = os.path.join(folder, f'{name}.onnx.raw')
            x.tofile(raw)
            inputs.append(f'{name} {raw} {x.dtype.name} {",".join(map(str, x.shape))}')
        self.start([node, '-e', self.SCRIPT, file, str(threads), out, *inputs])


def versions():
    """Those of the peers that are installed, by name."""

    def printed(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    script = "console.log(require('onnxruntime-node/package.json').version + ' (Node.js)')"
    found = {}
    for name, f in (('numpy', lambda: np.__version__),
                    ('torch', lambda: metadata.version('torch').split('+')[0]),
                    ('onnxruntime', lambda: printed(node_with_onnxruntime(), '-e', script)),
                    ('onednn', lambda: printed(onednn_program()))):
        try:
            found[name] = f()
        except (ImportError, subprocess.SubprocessError):
            pass
    return found


def machine():
    """The machine as the benchmarks in C tell it, and the peers."""
    program = os.environ.get('BENCH', 'build/tests/bench/bench_slice')
    env = {k: v for k, v in os.environ.items() if k != 'OMP_NUM_THREADS'}
    told = subprocess.run([program, '-m', '-j'], env=env, stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    return {**json.loads(told)['machine'], 'peers': versions()}


def print_machine(m):
    print(f"{m['processor']}, {m['processors_allowed']} of {m['processors']} processors")
    print(f"{m['system']}; {m['compiler']}")
    print('kernels:', *(f'{op} {kernel},' for op, kernel in m['kernels'].items()), 'load',
          m['load'])
    print('peers:', ', '.join(f'{name} {version}' for name, version in m['peers'].items()),
          flush=True)
    for name in {'torch', 'onnxruntime', 'onednn'} - set(m['peers']):
        print(f'{name}: not installed (make deps-bench)', file=sys.stderr)


def parse(description, *more):
    """Options that all have, and more, each the arguments of add_argument; tells the machine."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seconds', type=float, default=2.5,
                        help='that a case may take, from the second round on')
    parser.add_argument('--few', action='store_true', help='only the cases of the report')
    parser.add_argument('--json', action='store_true',
                        help='an object a line, the first for the machine')
    for names, settings in more:
        parser.add_argument(*names, **settings)
    parser.add_argument('text', nargs='?', default='', help='only cases whose name holds it')
    options = parser.parse_args()
    m = machine()
    if options.json:
        print(json.dumps({'machine': m}), flush=True)
    else:
        print_machine(m)
    return options


def shape_name(shape):
    """As the benchmarks in C have it."""
    return '{' + ','.join(map(str, shape)) + '}'


def make_all(kinds, *args):
    """A peer of each class that is installed and takes the case."""
    found = []
    for kind in kinds:
        with contextlib.suppress(ImportError, NotImplementedError):
            found.append(kind(*args))
    return found


def first_runs(peers):
    """How many runs of each a round has, by a first one that is not counted; drops who cannot run
    the case."""
    runs = {}
    for peer in list(peers):
        try:
            runs[peer.name] = max(1, min(RUNS, int(300 / (max(peer.run(1)) + 1))))
        except NotImplementedError:
            peers.remove(peer)
    return runs


def go_through(peers, runs, options):
    times, start = {peer.name: [] for peer in peers}, time.perf_counter()
    rounds = 0
    while rounds < options.rounds and (rounds < ROUNDS_LEAST
                                       or time.perf_counter() - start < options.seconds):
        rounds += 1
        for peer in peers:
            times[peer.name] += peer.run(runs[peer.name])
    return {name: float(np.median(t)) for name, t in times.items()}, rounds


def measure(peers, options):
    """Medians by name, the number of rounds, and whether others disturbed all passes."""
    runs, best = first_runs(peers), None
    for i in range(PASSES):
        start = time.perf_counter()
        others = Others(peer.pid for peer in peers if hasattr(peer, 'pid'))
        times, rounds = go_through(peers, runs, options)
        share = others.share()
        if best is None or share < best[0]:
            best = share, times, rounds
        again['s'] += (time.perf_counter() - start) * (i > 0)
        if best[0] <= OTHERS or again['s'] > AGAIN:
            break
    return best[1], best[2], best[0] > OTHERS


def show(options, case, work, unit, measured, wrong=None):
    """A line for a case: type, shape, what; work is bytes or multiply-adds of a run. Ratios are of
    peers' times to dmlop's; the fastest is that of the least, also where it is faster than dmlop or
    has a constant B."""
    times, rounds, disturbed = measured
    own = times['dmlop']
    ratios = {name: t / own for name, t in times.items() if name != 'dmlop'}
    if options.json:
        print(json.dumps({**case, 'threads': options.threads, 'ms': round(own, 5),
                          'rate': round(work / own / 1e6, 3), 'unit': unit,
                          'ratios': {n: round(r, 4) for n, r in ratios.items()},
                          **({'wrong': wrong} if wrong else {}), 'rounds': rounds,
                          'disturbed': disturbed}), flush=True)
        return
    name = ' '.join(str(case[key]) for key in ('type', 'shape', 'what') if case[key])
    print(f'{name:50} dmlop {own:9.3f} ms {work / own / 1e6:8.4g} {unit}', end='')
    for peer, ratio in ratios.items():
        print(f'  {peer} {ratio:.2f}x', end='')
    if ratios:
        print(f'  {min(ratios.values()):.2f}x the fastest', end='')
    if wrong:
        print('; wrong:', ', '.join(f'{peer} {n}' for peer, n in wrong.items()), end='')
    print(' ~' if disturbed else '', flush=True)
