"""A client of `dmlop lsp` for the tests: frames, sends and waits, and holds all that the server
writes to the form that the protocol prescribes.

    with Server() as s:    # initialize, initialized; at the end shutdown, exit, status 0
        s.open('file:///d.desc.json', text)
        s.change('file:///d.desc.json', [edit(...)])
        print(s.diagnostics('file:///d.desc.json'))     # of the newest version
        print(s.call('textDocument/hover', {...}))
"""
import functools
import glob
import json
import os
import queue
import re
import subprocess
import threading
from program import DMLOP, dmlop, printed

SECONDS = 120  # until an answer is there; long, for valgrind and sanitizers on a busy machine
START = {'line': 0, 'character': 0}
WHOLE = {'start': START, 'end': {'line': 10**6, 'character': 0}}  # of any text


def frame(message):
    """A message's bytes; `message` is text, bytes or what becomes JSON."""
    if isinstance(message, str):
        message = message.encode()
    elif not isinstance(message, bytes):
        message = json.dumps(message).encode()
    return b'Content-Length: %d\r\n\r\n' % len(message) + message


def strict(pairs):
    keys = [k for k, _ in pairs]
    assert len(keys) == len(set(keys)), f'a key twice: {keys}'
    return dict(pairs)


def unframe(stream):
    """The next message of a stream, or None at its end. Anything but frames is an error."""
    header = stream.readline()
    if header == b'':
        return None
    length = re.fullmatch(rb'Content-Length: (0|[1-9][0-9]*)\r\n', header)
    assert length, f'not a header: {header!r}'
    assert stream.readline() == b'\r\n'
    body = stream.read(int(length[1]))
    assert len(body) == int(length[1]), 'a message that is cut short'

    def refuse(word):
        raise ValueError(word)

    message = json.loads(body.decode('utf-8', 'strict'), object_pairs_hook=strict,
                         parse_constant=refuse)
    assert message['jsonrpc'] == '2.0', message
    if 'method' in message:
        assert 'id' not in message, f'a request to the client: {message}'
    else:
        assert set(message) in ({'jsonrpc', 'id', 'result'}, {'jsonrpc', 'id', 'error'}), message
        if 'error' in message:
            assert (isinstance(message['error']['code'], int)
                    and message['error']['message']), message
    return message


class Server:
    """A server that runs. Unless `start` is false it is initialized, and `with` ends it."""

    def __init__(self, capabilities=None, options=None, start=True, encoding=None, may_warn=False,
                 **more):
        self.process = subprocess.Popen([DMLOP, 'lsp'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                                        **more)
        self.messages, self.waiting, self.said = queue.Queue(), [], []
        self.last, self.versions, self.encoding, self.may_warn = 0, {}, 'utf-16', may_warn
        self.threads = [threading.Thread(target=self._read, daemon=True),
                        threading.Thread(target=self._listen, daemon=True)]
        for t in self.threads:
            t.start()
        if start:
            self.capabilities = self.initialize(capabilities, options, encoding)['capabilities']
            self.encoding = self.capabilities.get('positionEncoding', 'utf-16')
            self.notify('initialized', {})

    def _read(self):
        try:
            with os.fdopen(os.dup(self.process.stdout.fileno()), 'rb') as stream:
                while True:
                    message = unframe(stream)
                    self.messages.put(message)
                    if message is None:
                        break
        except BaseException as e:  # for whoever waits
            self.messages.put(e)

    def _listen(self):
        for line in self.process.stderr:
            self.said.append(line.decode('utf-8', 'replace'))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
            print('\n'.join(self.said))
            return
        assert self.end() == 0
        assert [line for line in self.said
                if not (self.may_warn and ': warning: ' in line)] == [], self.said

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) :]

    def send(self, message):
        self.write(frame(message))

    def notify(self, method, params=None):
        self.send({'jsonrpc': '2.0', 'method': method,
                   **({} if params is None else {'params': params})})

    def request(self, method, params=None):
        """Sends; returns the id."""
        self.last += 1
        self.send({'jsonrpc': '2.0', 'id': self.last, 'method': method,
                   **({} if params is None else {'params': params})})
        return self.last

    def read(self):
        """The next message in the order of the server; None at the end."""
        return self.waiting.pop(0) if self.waiting else self._next()

    def _next(self):
        message = self.messages.get(timeout=SECONDS)
        if isinstance(message, BaseException):
            raise message
        return message

    def _find(self, wanted):
        """Takes the first message for which `wanted` is true; others stay."""
        for i, m in enumerate(self.waiting):
            if wanted(m):
                return self.waiting.pop(i)
        while True:
            m = self._next()
            assert m is not None, f'the server has ended: {self.said}'
            if wanted(m):
                return m
            self.waiting.append(m)

    def answer(self, number):
        return self._find(lambda m: 'method' not in m and m['id'] == number)

    def call(self, method, params=None):
        answer = self.answer(self.request(method, params))
        assert 'result' in answer, (method, answer)
        return answer['result']

    def ask(self, method, uri, text=None, at=None, **more):
        """What textDocument/METHOD answers, at a character of the text where one is named."""
        if at is not None:
            more['position'] = position(text, at, self.encoding)
        return self.call('textDocument/' + method, {'textDocument': {'uri': uri}, **more})

    def complete(self, uri, text, at):
        """The items that are offered."""
        got = self.ask('completion', uri, text, at)
        return got['items'] if isinstance(got, dict) else got or []

    def error(self, method, params=None):
        """The code of the error that a request leads to."""
        answer = self.answer(self.request(method, params))
        assert 'error' in answer, (method, answer)
        return answer['error']['code']

    def initialize(self, capabilities=None, options=None, encoding=None):
        capabilities = dict(capabilities or {})
        if encoding:
            capabilities['general'] = {'positionEncodings': [encoding] if isinstance(encoding, str)
                                       else encoding}
        params = {'processId': None, 'rootUri': None, 'capabilities': capabilities}
        if options is not None:
            params['initializationOptions'] = options
        return self.call('initialize', params)

    def open(self, uri, text, language='json', version=1):
        self.versions[uri] = version
        about = {'uri': uri, 'languageId': language, 'version': version, 'text': text}
        self.notify('textDocument/didOpen', {'textDocument': about})

    def change(self, uri, changes):
        self.versions[uri] += 1
        about = {'uri': uri, 'version': self.versions[uri]}
        self.notify('textDocument/didChange', {'textDocument': about, 'contentChanges': changes})

    def type(self, uri, new):
        """Writes before all of the text."""
        self.change(uri, [{'range': {'start': START, 'end': START}, 'text': new}])

    def close(self, uri):
        self.notify('textDocument/didClose', {'textDocument': {'uri': uri}})

    def diagnostics(self, uri):
        """Those of the text's newest version, all that came before dropped."""
        while True:
            params = self._find(lambda m: m.get('method') == 'textDocument/publishDiagnostics'
                                and m['params']['uri'] == uri)['params']
            assert params.get('version', 0) <= self.versions[uri], params
            if params.get('version') == self.versions[uri]:
                return params['diagnostics']

    def check(self, text, *options):
        """Opens a text under a name of its own, holds its diagnostics against validate's findings,
        and closes it."""
        self.last += 1
        uri = f'file:///nowhere/{self.last}.desc.json'
        self.open(uri, text)
        found = same(self, uri, text, *options)
        self.close(uri)
        return found

    def wait(self):
        """The exit status, once the server has ended and all it wrote is read."""
        status = self.process.wait(SECONDS)
        for t in self.threads:
            t.join(SECONDS)
        return status

    def end(self):
        assert self.call('shutdown') is None
        self.notify('exit')
        self.process.stdin.close()
        return self.wait()


def lines(text):
    """The lines of a text, without what ends them: \\n, \\r\\n or \\r."""
    return re.split('\r\n|\n|\r', text)


def units(text, encoding):
    return len(text.encode('utf-8') if encoding == 'utf-8'
               else text.encode('utf-16-le')) // (1 if encoding == 'utf-8' else 2)


def position(text, at, encoding):
    """Line and character of the character at `at`."""
    if at > 0 and text[at - 1 : at + 1] == '\r\n':  # between the two: the line's end
        at -= 1
    before = lines(text[:at])
    return {'line': len(before) - 1, 'character': units(before[-1], encoding)}


def span(text, start, end, encoding):
    return {'start': position(text, start, encoding), 'end': position(text, end, encoding)}


def offset(text, place, encoding):
    """The character that a place means."""
    at = 0
    for n, m in enumerate(re.finditer('[^\r\n]*(\r\n|\n|\r|$)', text)):
        if n == place['line']:
            line, at = m[0].rstrip('\r\n'), m.start()
            break
    else:
        return len(text)
    for i in range(len(line) + 1):
        if units(line[:i], encoding) >= place['character']:
            return at + i
    return at + len(line)


def edit(text, start, end, new, encoding):
    """A content change, and the text after it."""
    return {'range': span(text, start, end, encoding), 'text': new}, text[:start] + new + text[end:]


def apply(text, edits, encoding):
    """A text after a list of TextEdits."""
    places = sorted(((offset(text, e['range']['start'], encoding),
                      offset(text, e['range']['end'], encoding), e['newText']) for e in edits),
                    reverse=True)
    for (start, end, _), (_, before, _) in zip(places, places[1:]):
        assert before <= start <= end, 'edits overlap'
    for start, end, new in places:
        text = text[:start] + new + text[end:]
    return text


def samples(*paths):
    """The texts of samples, by names or patterns of names."""
    folder = os.environ['SAMPLES']
    found = [sorted(glob.glob(os.path.join(folder, path))) for path in paths]
    return [open(path).read() for paths in found for path in paths]


def large_model(rows):
    """A model of 10 KB for each row."""
    values = ','.join(['1.25'] * 2000)
    row = '{ "initialValuesDataType": "FLOAT32", "initialValues": [%s] }' % values
    named = ','.join('"r%d": %s' % (i, row) for i in range(rows))
    return '{ "resources": {' + named + '}, "dispatchables": {}, "commands": [] }'


def rule_examples():
    """What --explain says of every rule."""

    def told(*args):
        return json.loads(printed('validate', *args, '--format', 'json'))

    return [told('--explain', r['rule']) for r in told('--rules')['rules']]


@functools.lru_cache(None)
def validate(text, *options):
    """The findings of `dmlop validate` for a text."""
    data = text if isinstance(text, bytes) else text.encode('utf-8', 'surrogatepass')
    options = ('--format', 'json', '--max-findings', '0', *options, '-')
    p = dmlop('validate', *options, input=data, text=False)
    assert p.returncode in (0, 1, 3), p
    return json.loads(p.stdout)['files'][0]['findings']


def shown(text):
    """A text with what the server escapes: control characters, separators, marks of direction."""
    names = {'\n': '\\n', '\t': '\\t', '\r': '\\r'}
    return re.sub('[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]',
                  lambda m: names.get(m[0])
                  or ('\\x%02x' if m[0] < '\x80' else '\\u%04x') % ord(m[0]), text)


def expected(text, findings, encoding):
    """Findings of validate as diagnostics have them: rule, severity, message, hint, start, end,
    related places. What has no extent, as something that is missing, is marked by the character
    before it."""
    starts = [0] + [m.end() for m in re.finditer('\r\n|\n|\r', text)]
    every = lines(text)

    def place(f):
        line = f['line'] - 1
        more = int(line == 0 and text.startswith('\ufeff'))
        first, end = f['column'] - 1 + more, f['end_column'] - 1 + more
        at = starts[line] + first
        if first < end and at < len(text):
            return (line, units(every[line][:first], encoding), units(every[line][:end], encoding))
        if at >= len(text):
            at = len(text.rstrip(' \t\n\v\f\r'))
        at = max(at - 1, 0)
        start, stop = position(text, at, encoding), position(text, min(at + 1, len(text)), encoding)
        return (start['line'], start['character'],
                stop['character'] if stop['line'] == start['line'] else start['character'])

    return [(f['rule'], 1 if f['severity'] == 'error' else 2, shown(f['message']), shown(f['hint']),
             place(f), [(shown(r['message']), place(r)) for r in f['related']]) for f in findings]


def given(text, diagnostics, encoding):
    """Diagnostics in the same form; their ends as validate has them, on the line that they begin
    on."""
    every = lines(text)

    def place(r):
        start, end = r['start'], r['end']
        width = units(every[start['line']], encoding)
        stop = min(end['character'], width) if end['line'] == start['line'] else width
        assert (start['line'], start['character']) <= (end['line'], end['character'])
        return (start['line'], start['character'], stop)

    shown = []
    for d in diagnostics:
        assert d['source'] == 'dmlop' and d['codeDescription']['href'].startswith('https://'), d
        message, _, hint = d['message'].partition('\n')
        shown.append((d['code'], d['severity'], message, hint, place(d['range']),
                      [(r['message'], place(r['location']['range']))
                       for r in d.get('relatedInformation', [])]))
    return shown


def same(server, uri, text, *options):
    """Holds the newest diagnostics of a text against validate's findings."""
    got = given(text, server.diagnostics(uri), server.encoding)
    if not text:  # an empty file is no descriptor, but an empty text is one that begins
        assert [d[0] for d in got] == ['json.syntax'], got
        return got
    want = expected(text, validate(text, *options), server.encoding)
    assert got == want, f'{text!r}\nserver:   {got}\nvalidate: {want}'
    return got
