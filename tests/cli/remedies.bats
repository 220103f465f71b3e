# The remedies that messages print.
load helper

@test "a command or option that a message prints, as it stands, does what the message promises" {
    "$PYTHON" "$BATS_TEST_DIRNAME/remedies.py"
}
