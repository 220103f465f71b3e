"""What a shell offers: complete.py SHELL SCRIPT COMMAND, command lines on standard input. For each
line, which is typed into that shell up to a TAB, prints the candidates, sorted, between blanks.
bash and zsh run on a terminal of their own, with the script sourced; COMMAND is what takes the
place of dmlop when the line is run (lines that end in '!')."""
import os, pty, select, subprocess, sys, tempfile, termios, time

BASH = r'''
source "$SCRIPT"
probe() { _dmlop; printf '%s\n' "${COMPREPLY[@]}" >"$OUT"; }
complete -F probe dmlop
dmlop() { printf '%s\n' "$@" >"$OUT"; }
PS1=
bind 'set bell-style none'; bind 'set completion-query-items 0'; bind 'set page-completions off'
'''
# Every call of compadd that adds matches writes them down.
ZSH = r'''
PS1=; unsetopt beep; setopt no_list_beep
autoload -Uz compinit; compinit -u -D
source "$SCRIPT"
compadd() {
    local -a found
    local end=${@[(i)(-|--)]}
    if (( ${@[1,end-1][(I)-[a-zA-Z]#[OAD]*]} == 0 )); then
        builtin compadd -O found "$@"
        (( $#found )) && print -rl -- $found >>$OUT
    fi
    builtin compadd "$@"
}
dmlop() { print -rl -- "$@" >$OUT }
setopt extended_glob
'''


class Terminal:
    def __init__(self, argv, setup, env):
        pid, self.fd = pty.fork()
        if pid == 0:
            attributes = termios.tcgetattr(0)
            attributes[3] &= ~termios.ECHO
            attributes[6][termios.VKILL] = b'\0'  # what is typed before the shell reads keys stays
            termios.tcsetattr(0, termios.TCSANOW, attributes)
            os.execvpe(argv[0], argv, env)
        self.serial = 0
        with open(env['OUT'] + '.setup', 'w') as f:
            f.write(setup)
        self.run('source "$OUT.setup"')

    def send(self, text):
        os.write(self.fd, text.encode())

    def wait(self, what, seconds=20):
        seen, end = b'', time.monotonic() + seconds
        while what.encode() not in seen:
            ready = select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]
            if not ready:
                sys.exit(f'complete.py: waited for {what}, got {seen!r}')
            seen += os.read(self.fd, 65536)

    def run(self, command):
        self.serial += 1
        self.send(f'{command}; echo "do""ne {self.serial}."\n')
        self.wait(f'done {self.serial}.')

    def complete(self, line, out):
        open(out, 'w').close()
        if line.endswith('!'):
            self.send(line[:-1] + '\t')
            time.sleep(0.1)
            self.send('\n')
            self.run('true')
            return read(out)
        self.send(line + '\t')
        time.sleep(0.02)
        self.send('\x15')
        self.run('true')
        return sorted(set(read(out)))


def read(out):
    with open(out) as f:
        return [line for line in f.read().split('\n') if line]


def fish(script, line):
    """fish answers without a terminal, with descriptions after a tab."""
    text = subprocess.run(['fish', '--no-config', '-c', 'source $argv[1]; complete -C $argv[2]',
                           script, line], capture_output=True, text=True, check=True).stdout
    return sorted({c.split('\t')[0] for c in text.split('\n') if c})


def main():
    shell, script = sys.argv[1:3]
    lines = sys.stdin.read().splitlines()
    if shell == 'fish':
        for line in lines:
            print(' '.join(fish(script, line)))
        return
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'out')
        env = dict(os.environ, SCRIPT=script, OUT=out, TERM='dumb', INPUTRC='/dev/null',
                   HISTFILE='')
        argv, setup = {'bash': (['bash', '--norc', '--noprofile', '-i'], BASH),
                       'zsh': (['zsh', '-f', '-i'], ZSH)}[shell]
        terminal = Terminal(argv, setup, env)
        for line in lines:
            print(' '.join(terminal.complete(line, out)))


main()
