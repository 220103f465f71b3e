"""Runs a dmlop whose calls can be made to fail (faults.c) again and again, with one more call
failing each time, and checks what is promised:

    allocation fails              status 4 and one message; of lsp, as well, each request has its
                                  answer, if only an error
    an input's call fails         status 3 (4 where memory or descriptors ran out), one message
                                  that names the file and the reason
    an output's call fails        status 4, likewise
    a thread cannot be started    status 4 and one message; or the same result as without the fault
    a call that may be repeated   the same result as without the fault
    always                        no crash, no leak (see `leaks`), no temporary file; each file that
                                  stood there holds what it held before or, complete, the new
                                  contents; inputs are as they were

    LEAKS=ENVIRONMENT faults.py PROGRAM [CASE...]

ENVIRONMENT is what LeakSanitizer works in (tests/lsan), or nothing where it does not.
"""
import concurrent.futures
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

PROGRAM = os.path.abspath(sys.argv[1])
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'samples')
OLD = b'what stood here before'
# Unless it is set, each call fails for one of its reasons, by turns, and of the allocations after
# the thirtieth every seventh does.
EXPENSIVE = os.environ.get('EXPENSIVE')

# name: arguments < standard input; quiet where a build without OpenMP would warn
CASES = '''
slice: slice --index ::2,1: a.npy -o out/c.npy
slice-parts: slice --index :,1: big.npy -o out/c.npy
slice-copied: slice --index 1: big.npy -o out/c.npy
slice-pipe: slice --index 1:,::2 - -o out/c.npy < big.npy
slice-json: slice --index 1: a.json -o out/c.json
slice-json-refused: slice --index 1: ragged.json -o out/c.json
slice-stdout: slice --index 1: a.npy
slice-descriptor: slice -d slice1-ex1.desc.json slice1-ex1.input.json -o out/c.npy
slice-npz: slice --index 1: z.npz:a -o out/c.npy
slice-lzma: slice --index 1: lzma.npz:a -o out/c.npy
slice-number: slice --index 1: two.npy:1 -o out/c.npy
slice-number-pipe: slice --index 1: -:1 -o out/c.npy < two.npy
show-raw: show --raw --dtype bfloat16 --sizes -1,2 - < a.npy.raw
slice-many: slice --index 1: a.npy f.npy --output-dir out
topk: topk -q -k 3 --threads 3 a.npy -o out/c.npy --indices out/i.npy
topk-npz: topk -q -k 3 --threads 1 a.npy -o out/c.npz
topk-many: topk -q -k 1 --threads 1 a.npy f.npy --output-dir out --indices out
topk-sort: topk -q -k 60000 --axis 0 --threads 3 long.npy -o out/c.npy
qmatmul: qmatmul -d qmatmul-per-row.desc.json --a-scale qmatmul-per-row.a-scale.json --a-zero-point
    qmatmul-per-row.a-zero-point.npy --b-scale qmatmul-per-row.b-scale.npy --b-zero-point
    qmatmul-per-row.b-zero-point.json --output-scale qmatmul-per-row.output-scale.npy
    --output-zero-point qmatmul-per-row.output-zero-point.npy qmatmul-per-row.a.npy
    qmatmul-per-row.b.json -o out/c.json
qmatmul-threads: qmatmul -q --a-scale 0.5 --b-scale 0.25 --output-scale 3 --threads 3 q.npy q.npy -o
    out/c.npy --timings=out/t.json
qmatmul-transposed: qmatmul -q --a-scale 1 --b-scale 1 --output-scale 9 --transpose-b --threads 1
    qb.npy qf.npy -o out/c.npy
part: topk -q -k 3 --axis 0 --part 1/3 a.npy -o out/c.npy --threads 1
part-copied: slice --index 1: big.npy -o out/c.npy --part 2/3
part-resume: topk -q -k 3 --axis 0 --part 1/3 --resume a.npy -o p.npy
part-resume-checksums: topk -q -k 3 --axis 0 --part 1/3 --resume --checksums a.npy -o p.npy
join: join p.npy.parts -o out/c.npy --indices out/i.npy --timings=out/t.json
join-incomplete: join lack.npy.parts -o out/c.npy
join-missing: join --missing 3 p.npy.parts
join-missing-checksums: join --missing 3 --checksums p.npy.parts
info-parts: info s.npy.parts lack.npy.parts
show-parts: show s.npy.parts
explain-slice: slice --index ::-1 a.npy --explain 0,0
explain-topk: topk -k 2 a.npy --explain 0,0
explain: qmatmul --a-scale 0.5 --b-scale 0.25 --output-scale 3 --explain 1,1 q.npy q.npy
emit: topk -k 2 a.npy --emit-descriptor=out/d.json --emit-model=out/m.json -o out/c.npy
validate: validate broken.json
validate-json: validate --format json slice1-ex1.desc.json broken.json
validate-sarif: validate --format sarif broken.json
validate-model: validate slice.model.json qmatmul.model.json
validate-notation: validate notation.json
validate-csv: validate csv.model.json
validate-bind: validate slice1-ex1.desc.json --bind InputTensor=slice1-ex1.input.npy
fix: validate --fix -o out/d.json broken.json
fix-bind: validate --fix -o out/d.json slice1-ex1.desc.json --bind InputTensor=slice1-ex1.input.npy
explain-rule: validate --explain tensor.total-size
explain-json: validate --explain tensor.total-size --format json
completion-bash: completion bash
completion-zsh: completion zsh
completion-fish: completion fish
rules-json: validate --rules --format json
fix-stdout: validate --fix broken.json
info-json: info --format json --stats --histogram a.npy z.npz a.json
compare-json: compare --format json a.npy f.npy
schema: validate --schema=rnn
run: run write.model.json -o out
show: show --index :,::-1 --precision 3 a.npy
show-pipe: show --edge 1 - < big.npy
show-json: show a.json z.npz
info: info --nan --histogram a.npy z.npz
convert: convert a.npy -o out/c.json --dtype float64
convert-scale: convert a.npy -o out/q.npy --dtype int8 --scale f.npy
convert-csv: convert c.csv -o out/c.csv
show-csv: show text.csv
show-titled: show - < shown.txt
convert-npz: convert f.npy z.npz:a -o out/c.npz
convert-many: convert a.npy f.npy --format json --output-dir out
convert-shape: convert f.npy -o out/c.bin --sizes 2,-1 --permute 1,0
make-random: make --sizes 3,4 --random 1 --between 0,9 -o out/m.json
make-range: make --sizes 3,4 --range -o out/m.npy
make-fill: make --sizes 3,4 --fill nan -o out/m.npy
compare: compare a.npy f.npy
lsp: lsp < session.lsp
'''
CASES = dict(line.split(': ', 1) for line in CASES.replace('\n    ', ' ').split('\n') if line)
CASES = {name: (case + ' < ').split(' < ')[:2] for name, case in CASES.items()}

MODEL = '''{
  "resources": {
    "in": { "initialValuesDataType": "FLOAT32", "initialValues": { "sourcePath": "a.npy" } },
    "out": { "initialValuesDataType": "FLOAT32", "initialValues": { "valueCount": 12, "value": 0 } }
  },
  "dispatchables": {
    "cut": {
      "type": "DML_OPERATOR_SLICE1",
      "desc": {
        "InputTensor": { "DataType": "FLOAT32", "Sizes": [4, 5] },
        "OutputTensor": { "DataType": "FLOAT32", "Sizes": [4, 3] },
        "DimensionCount": 2,
        "InputWindowOffsets": [0, 1],
        "InputWindowSizes": [4, 3],
        "InputWindowStrides": [1, 1]
      }
    }
  },
  "commands": [
    { "type": "dispatch", "dispatchable": "cut",
      "bindings": { "InputTensor": "in", "OutputTensor": "out" } },
    { "type": "print", "resource": "out" },
    { "type": "writeFile", "resource": "out", "targetPath": "c.npy", "dimensions": [4, 3] }
  ]
}
'''

PLACE = {'textDocument': {'uri': 'file:///d.json'}, 'position': {'line': 4, 'character': 45},
         'range': {'start': {'line': 0, 'character': 0}, 'end': {'line': 99, 'character': 0}},
         'context': {'diagnostics': []}}
ASKED = ['hover', 'completion', 'documentSymbol', 'definition', 'codeAction']

# Lines beside the one that tells of the fault.
MORE = 'was written before this error|failed; nothing was written|nothing was run'

# Calls and the reasons for which each fails, besides EINTR and short counts.
CALLS = {
    'open': [errno.EACCES, errno.EMFILE, errno.EIO],
    'read': [errno.EIO, errno.EISDIR],
    'mmap': [errno.ENOMEM, errno.EACCES],
    'mremap': [errno.ENOMEM],
    'write': [errno.ENOSPC, errno.EDQUOT, errno.EIO],
    'fsync': [errno.EIO, errno.ENOSPC],
    'close': [errno.EIO, errno.ENOSPC],
    'rename': [errno.EACCES, errno.EIO],
    'fallocate': [errno.ENOSPC, errno.EDQUOT, errno.EOPNOTSUPP],
    'copy_file_range': [errno.EIO, errno.ENOSPC, errno.EXDEV],
    'fstat': [errno.EIO],
    'lseek': [errno.ESPIPE],
    'fchmod': [errno.EPERM],
    'dup': [errno.EMFILE],
    'mprotect': [errno.ENOMEM],
    'thread': [errno.EAGAIN]}
REPEATED = 'open read write fallocate copy_file_range close fsync'.split()  # after EINTR
OUTPUT_CALLS = 'write fsync close rename fallocate copy_file_range fchmod dup'.split()
SHORT = ['read', 'write', 'copy_file_range']


def prepare(folder):
    """Inputs, and out/, empty."""
    os.makedirs(os.path.join(folder, 'out'))
    for name in os.listdir(SAMPLES):
        if name != 'demo':
            shutil.copy(os.path.join(SAMPLES, name), folder)
    os.chdir(folder)
    a = (np.arange(20, dtype='f4').reshape(4, 5) * 7) % 11
    np.save('a.npy', a)
    np.save('f.npy', np.asfortranarray(a + 1))
    np.save('big.npy', np.arange(3 << 19, dtype='i4').reshape(1024, -1))
    np.save('long.npy', (np.arange(65536, dtype='u4') * 2654435761) % 65521)
    np.save('q.npy', np.arange(400, dtype='u1').reshape(20, 20))
    np.save('qb.npy', np.ones((2, 4, 20), 'u1'))
    np.save('qf.npy', np.ones((5, 20), 'u1', 'F'))
    for parts, command in (((0, 1, 2), 'topk -q -k 3 --axis 0 --part %d/3 a.npy -o p.npy'),
                           ((0, 2), 'slice --index ::-1 --part %d/3 a.npy -o lack.npy'),
                           ((0, 1, 2, 3),
                            'slice --index :3 --part %d/4 --part-axis 1:2,0:2 a.npy -o s.npy')):
        for part in parts:
            subprocess.run([PROGRAM, *(command % part).split()], check=True)
    with open('slice1-ex1.desc.json', encoding='utf-8') as f:
        notation = re.sub(r'"(\w+)": *', r"'\1' = ", f.read())
    for name, text in {
        'a.json': '{ "DataType": "FLOAT32", "Sizes": [2, 2], "Values": [1, 2, 3, 4] }',
        'ragged.json': '[[1, 2], [3]]',
        'c.csv': 'a,b\n1,-2\n3,0.5\n',
        'text.csv': '1,2\nx,4\n',
        'shown.txt': 'x: (Sizes:{1,2}, DataType:UINT8 (bool))\n{{1, 0}}\n',
        'notation.json': notation,
        'table.npy': '1,2\n3,4\n',
        'csv.model.json': MODEL.replace('a.npy', 'table.npy'),
        'write.model.json': MODEL}.items():
        with open(name, 'w', encoding='utf-8') as f:
            f.write(text)
    with open('session.lsp', 'wb') as f:
        for message in session():
            text = json.dumps({'jsonrpc': '2.0', **message}).encode()
            f.write(b'Content-Length: %d\r\n\r\n' % len(text) + text)
    for name, how in (('z.npz', zipfile.ZIP_DEFLATED), ('lzma.npz', zipfile.ZIP_LZMA)):
        with zipfile.ZipFile(name, 'w', how) as z:
            z.write('a.npy')
    with open('two.npy', 'wb') as f:
        np.save(f, np.arange(5))
        np.save(f, np.arange(7))
    np.arange(8, dtype='<u2').tofile('a.npy.raw')


def session():
    """What an editor says; requests have the ids 1, 2, ..."""
    with open('broken.json', encoding='utf-8') as f:
        text = f.read()
    yield {'id': 1, 'method': 'initialize',
           'params': {'capabilities': {},
                      'initializationOptions': {'featureLevel': '5_0', 'portabel': True}}}
    yield {'method': 'textDocument/didOpen',
           'params': {'textDocument': {'uri': 'file:///d.json', 'version': 1, 'text': text}}}
    yield from ({'id': 2 + i, 'method': 'textDocument/' + m, 'params': PLACE}
                for i, m in enumerate(ASKED))
    yield {'method': 'textDocument/didChange',
           'params': {'textDocument': {'uri': 'file:///d.json', 'version': 2},
                      'contentChanges': [{'range': PLACE['range'], 'text': text + '\n'}]}}
    yield {'method': 'textDocument/didClose', 'params': PLACE}
    yield {'id': 2 + len(ASKED), 'method': 'shutdown'}
    yield {'method': 'exit'}


def answered(stdout):
    """The requests of a session that have answers; an error is one."""
    return sorted(re.findall(r'\{"jsonrpc": "2.0", "id": (\d+), "(?:result|error)"', stdout))


def contents(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, 'rb') as f:
                found[os.path.relpath(path, folder)] = f.read()
    return found


def leaks(fault):
    """Whether leaks are looked for after this fault: half of the allocations, but not by turns, as
    many come in pairs; of the other calls, their first reason. It takes as long as the run itself.
    What follows other reasons is the same, and the C library's own allocator notices what is freed
    twice, which LeakSanitizer's does not."""
    call, n, what = fault.split(':')
    return n.isdigit() and (bin(int(n)).count('1') % 2 == 1 if call == 'alloc'
                            else what == str(CALLS[call][0]))


def run(case, fault, before):
    """Status, standard output and error, the log, files afterwards; `before` are the names that
    stand there already."""
    arguments, stdin = CASES[case]
    out = 'out-' + tempfile.mktemp(dir='')
    os.mkdir(out)
    for name in before:
        os.makedirs(os.path.dirname(os.path.join(out, name)), exist_ok=True)
        with open(os.path.join(out, name), 'wb') as f:
            f.write(OLD)
    arguments = [re.sub('(^|=)out(/|$)', rf'\1{out}\2', a) for a in arguments.split()]
    environment = dict(os.environ, DMLOP_FAULT=fault, DMLOP_FAULT_LOG=out + '.log')
    if os.environ.get('LEAKS') and fault and leaks(fault):
        environment.update(a.split('=', 1) for a in os.environ['LEAKS'].split())
    if stdin:  # a pipe
        with subprocess.Popen(['cat', stdin], stdout=subprocess.PIPE) as cat:
            done = subprocess.run([PROGRAM, *arguments], stdin=cat.stdout, env=environment,
                                  capture_output=True, check=False)
            cat.stdout.close()
    else:
        done = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, env=environment,
                              capture_output=True, check=False)
    log, path = {}, None
    if os.path.exists(out + '.log'):
        with open(out + '.log', encoding='utf-8') as f:
            for line in f:
                key, value = line.rstrip('\n').split(' ', 1)
                if key == 'hit':
                    path = value
                else:
                    log[key] = int(value)
        os.remove(out + '.log')
    files = contents(out)
    shutil.rmtree(out)
    replace = lambda text: text.decode('utf-8', 'replace').replace(out, 'out')  # noqa: E731
    if path and path.startswith('/') and not path.startswith('/dev/'):
        path = os.path.relpath(path, os.path.realpath('.'))
    return (done.returncode, replace(done.stdout), replace(done.stderr), log,
            path and path.replace(out, 'out'), files)


def without_times(text):
    return re.sub(r'[0-9.]+ ms|"[a-z_]*(_ns|time)": *[^,}]*|"samples": *\[[^]]*\]', '', text)


def is_record(name):
    return 'part-' in name and name.endswith('.json')


def same_file(name, a, b):
    if is_record(name) and a:
        return without_times(a.decode()) == without_times(b.decode())
    return a == b or (name == 't.json' and len(a) > 0)


def check(case, call, n, what, plain):
    """What is wrong after the n-th call failed so, as text, and whether the fault was survived."""
    status, stdout, stderr, log, path, files = run(case, f'{call}:{n}:{what}', plain['files'])
    number = int(str(n).rstrip('+'))
    problems = []
    if 'LeakSanitizer' in stderr:
        problems.append('leak: ' + ', '.join(re.findall(r'#[1-4] \S+ in (\S+)', stderr)[:4]))
    elif status < 0 or 'Sanitizer' in stderr or 'runtime error' in stderr:
        problems.append(f'died: status {status}')
    for name, data in files.items():
        if name not in plain['files']:
            problems.append(f'{name} is left')
        elif data != OLD and not same_file(name, data, plain['files'][name]):
            problems.append(f'{name} is neither old nor new')
    for name in plain['files']:
        if name not in files and not is_record(name):  # which goes before the part is computed anew
            problems.append(f'{name} is gone')
    lines = [line for line in stderr.splitlines()
             if line.startswith('dmlop: ') and ': warning: ' not in line]
    if status == plain['status'] and without_times(stdout) == plain['stdout']:
        if any(not same_file(n, files.get(n), d) for n, d in plain['files'].items()):
            problems.append('a file is missing though all went well')
        # fewer where a thread found nothing left to do; a hover may do without a name
        if call == 'alloc' and case != 'lsp' and log.get('alloc', number) >= number:
            problems.append('memory was short, and nobody noticed')
        return problems, True
    if (case == 'lsp' and status == plain['status']
        and answered(stdout) == answered(plain['stdout'])):
        return problems, True
    lines = [line for line in lines if not re.search(MORE, line) and line not in plain['stderr']]
    text = (stderr + stdout if '[run.source-file]' in stderr + stdout else lines[0] if lines
            else '')  # a finding
    if len(lines) != ('[run.source-file]' not in text) and not (
            case.endswith('-many') and '+' in str(n)
            or case == 'lsp' and lines):  # one a file, or a process
        problems.append(f'{len(lines)} messages')
    if call == 'alloc':
        if status != 4 or 'out of memory' not in text:
            problems.append(f'status {status}')
        return problems, False
    if call == 'thread':
        if status != 4 or 'cannot start' not in text:
            problems.append(f'status {status}')
        return problems, False
    if what == 'short' or int(what) == errno.EINTR:
        return problems + ['not tried again'], False
    is_output = path is not None and (call in OUTPUT_CALLS
                                      or (path.startswith('pipe:')
                                          and (not CASES[case][1] or 'standard output' in text))
                                      or re.match('out(/|$)', path) is not None)
    is_file = path not in (None, '-') and not path.startswith(('pipe:', '/dev/'))
    reason = int(what)
    ran_out = reason in (errno.ENOMEM, errno.EMFILE)
    wanted = 4 if is_output or not path or path == '-' or ran_out else 3
    if status != wanted:
        problems.append(f'status {status}, not {wanted}')
    if (is_file
        and re.sub(r'^\.(.*)\.dmlop-\d+-\d+\.tmp$', r'\1', os.path.basename(path)) not in text):
        problems.append(f'the message does not name {path}')
    if os.strerror(reason) not in text and not (path == '-' and 'out of memory' in text):
        problems.append(f'the message does not say: {os.strerror(reason)}')
    return problems, False


def faults_of(case, log):
    """All (call, number, how it fails) that there are for a run; with a sanitizer in the program,
    which makes it slow, those after which leaks are looked for, and short counts."""
    with open(PROGRAM, 'rb') as f:
        slow = b'__asan_init' in f.read()
    return [f for f in all_faults_of(case, log)
            if not slow or f[2] == 'short' or leaks(':'.join(map(str, f)))]


def all_faults_of(case, log):
    for n in range(1, log['alloc'] + 1):
        if EXPENSIVE or n <= 30 or n % 7 == 0:
            yield 'alloc', n, '12'
    for n in range(1, log['alloc'] + 1, 7):
        yield 'alloc', f'{n}+', '12'
    if case == 'validate-csv':  # read twice: for its kind it is just no .npy file, if not
        return
    for call, reasons in CALLS.items():
        numbers = range(1, min(log[call], 40) + 1)
        for n in numbers:
            for reason in reasons if EXPENSIVE else [reasons[n % len(reasons)]]:
                yield call, n, str(reason)
            if call in REPEATED:
                yield call, n, str(errno.EINTR)
            if call in SHORT:
                yield call, n, 'short'


def main():
    cases = sys.argv[2:] or CASES
    bad = total = 0
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        inputs = {name: data
                  for name, data in ((n, open(n, 'rb').read()) for n in os.listdir('.')
                                     if os.path.isfile(n))}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case in cases:
                status, stdout, stderr, _, _, files = run(case, '', [])
                log = run(case, '', files)[3]  # with files that stand there, as under faults
                plain = {'status': status, 'stdout': without_times(stdout), 'files': files,
                         'stderr': [line for line in stderr.splitlines()]}
                faults = faults_of(case, log)
                # runs that share a folder of parts, and may write there, go one after the other
                each = map if case.startswith('part-resume') else pool.map
                results = each(lambda f: check(case, *f, plain), faults)
                survived = 0
                for fault, (problems, went_well) in zip(faults, results):
                    survived += went_well
                    if problems:
                        bad += 1
                        print(f'{case}: {":".join(map(str, fault))}: {"; ".join(problems)}')
                total += len(faults)
                print(f'{case}: {len(faults)} faults, {survived} of them of no consequence')
        for name, data in inputs.items():
            if open(name, 'rb').read() != data:
                bad += 1
                print(f'the input {name} was changed')
        os.chdir('/')
    print(f'{total} faults, {bad} not handled')
    sys.exit(bad > 0 or total == 0)


main()
