"""The completion script for PowerShell, which Debian does not have: reads the script as text. Each
command's rows have the options of its help, quotes are closed, and brackets match; what other
scopes need is global."""
import re
from program import printed

script = printed("completion", "powershell")
assert script.isascii(), "Windows PowerShell reads a file without a mark as the system's code page"
text = re.sub(r"(?m)#.*$", "", re.sub(r"""'(?:[^'\n]|'')*'|"[^"\n]*\"""", "", script))
assert not set(text) & set("'\""), "a quote is not closed"
stack = []
for c in text:
    if c in "([{":
        stack.append(c)
    elif c in ")]}":
        assert stack and stack.pop() + c in ("()", "[]", "{}"), "brackets do not match"
assert not stack
for start in ("$global:dmlopOptions = ", "$global:dmlopCommands = ",
              "function global:Get-DmlopValues("):
    assert f"\n{start}" in script, "the completer runs where only global names are seen"
commands = re.findall(r"(?m)^  ([a-z]+) {2,}", printed("--help"))
offered = re.search(r"\$global:dmlopCommands = \[ordered\]@\{\n(.*?)\n\}", script, re.S).group(1)
assert re.findall(r"(?m)^    '([a-z]+)' = ", offered) == commands, offered
for command in commands:
    rows = re.search(rf"\$dmlopOptions\['{command}'\] = @\(\n(.*?)\n\)\n", script, re.S).group(1)
    names = re.findall(r"(?m)^    , @\('--([a-zA-Z-]+)=?[^']*', '\w*', '[^']*', '(?:[^']|'')*'\)$",
                       rows)
    assert len(names) + 1 == len(rows.split("\n")), f"{command}: a row is spelled otherwise"
    if command == "help":
        continue
    help_ = printed(command, "--help=all")
    wanted = re.findall(r"(?m)^ {2,6}(?:-[a-zA-Z], )?--([a-zA-Z-]+)", help_)
    assert sorted(names) == sorted(wanted), f"{command}: {set(names) ^ set(wanted)}"
