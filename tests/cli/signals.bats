# Signals at random moments of a long write.
load helper

@test "INT, TERM, HUP, PIPE, XFSZ at 500 moments: no temporary or partial file, death by signal" {
    "$PYTHON" "$ROOT/tests/cli/signals.py"
}
