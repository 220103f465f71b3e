# Functions of every test of commands, in BATS (helper.bash) and in golden files (golden.py).
# DMLOP names the binary.

source "${BASH_SOURCE[0]%/*}/../environment.bash"
export PYTHONPATH=${BASH_SOURCE[0]%/*} PYTHONDONTWRITEBYTECODE=1

# dmlop ARGS: the binary under test.
dmlop() {
    "$DMLOP" "$@"
}

# py CODE: runs Python, with numpy as np if the code uses it, which takes four times as long to
# start; fails where the code fails. Arrays are the oracle.
py() {
    local numpy=
    [[ $1 != *np.* ]] || numpy=", numpy as np"
    "$PYTHON" -c "import sys, json$numpy
$1"
}

# changes COMMAND: the lines of what it prints that differ from what the last such command printed;
# "- " is before lines that are gone.
changes() {
    local status
    touch was
    "$@" >now
    status=$?
    diff --unchanged-group-format= --changed-group-format='%>' --old-group-format='- %<' was now
    mv now was
    return "$status"
}

# fix FILE: the lines that --fix changes, as they become, and what it says of the rest; `fixed` is
# what it writes.
fix() {
    local status
    dmlop validate --fix -o fixed "$1" 2>rest | sed -n '/^+++ /d; /^[^-@ ]/p'
    status=${PIPESTATUS[0]}
    cat rest
    return "$status"
}

# on_terminal COLUMNS COMMAND: what a shell's command writes to a terminal of that width.
on_terminal() {
    "$PYTHON" - "$@" <<'P'
import fcntl, os, pty, struct, sys, termios
child, fd = pty.fork()
if child == 0:
    os.read(0, 1)
    os.execvp("bash", ["bash", "-c", sys.argv[2]])
mode = termios.tcgetattr(fd)
mode[3] &= ~(termios.ECHO | termios.ICANON)
termios.tcsetattr(fd, termios.TCSANOW, mode)
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
os.write(fd, b"x")
out = b""
while True:
    try:
        part = os.read(fd, 65536)
    except OSError:
        break
    if not part:
        break
    out += part
print(out.decode().replace("\r\n", "\n"), end="")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
P
}
