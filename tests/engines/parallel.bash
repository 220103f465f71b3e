# GNU parallel, on this machine and over ssh; read by run.

# The job NAME, part I: the task of tests that need more than a command line.
cat >"$out/bin/task" <<E2
#!/bin/sh
# task NAME I
case \$1 in
$(for name in slice topk qmatmul; do
    declare -n words=$name split=split_$name
    echo "$name) set -- \"\$2\" ${words[*]@Q} ${split[*]@Q} ;;"
done)
esac
part=\$1
shift
exec "\$@" --part "\$part/4" --resume
E2
chmod +x "$out/bin/task"

# Of the first time, part 1 of topk fails before it begins, and part 2 of slice after it has
# committed.
joblog_resumes() {
    local status=0
    cat >flaky <<'F'
#!/bin/sh
[ "$1 $2" != "topk 1" ] || [ -e again ] || exit 7
task "$1" "$2" || exit
[ "$1 $2" != "slice 2" ] || [ -e again ] || exit 8
F
    chmod +x flaky
    timeout 120 parallel -j 2 --joblog joblog ./flaky ::: slice topk qmatmul ::: 0 1 2 3 ||
        status=$?
    equal "$status" 2
    equal "$(awk 'NR > 1 && $7 { print $7, $NF }' joblog | sort)" $'7 1\n8 2'
    equal "$(dmlop join --missing 4 slice.npy.parts)" ""
    equal "$(dmlop join --missing 4 topk.npy.parts || echo "status $?")" $'1\nstatus 3'
    status=0
    dmlop join topk.npy.parts || status=$?
    equal "$status" 3
    : >again
    timeout 120 parallel -j 2 --joblog joblog --resume-failed ./flaky ::: slice topk qmatmul ::: 0 \
        1 2 3 2>messages
    cat messages
    equal "$(wc -l <joblog)" 15 # a heading, 12 tasks, and 2 of them once more
    equal "$(grep -c 'there already' messages)" 1
    grep 'part 2 of 4: there already' messages
    same
}

# Two names of one machine, so that tasks go to "two".
ssh_runs_tasks() {
    local port
    port=$(ports 1)
    ssh-keygen -q -t ed25519 -N '' -f host_key
    ssh-keygen -q -t ed25519 -N '' -f key
    cp key.pub authorized_keys
    cat >sshd_config <<F
Port $port
ListenAddress 127.0.0.1
HostKey $PWD/host_key
AuthorizedKeysFile $PWD/authorized_keys
PidFile none
AllowUsers $(id -un)
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PermitUserRC no
StrictModes no
SetEnv HOME=$HOME TMPDIR=$TMPDIR PATH=$PATH
F
    cat >ssh_config <<F
Host one two
    HostName 127.0.0.1
    HostKeyAlias here
    Port $port
    User $(id -un)
    IdentityFile $PWD/key
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile $PWD/known_hosts
    GlobalKnownHostsFile none
    StrictHostKeyChecking yes
    BatchMode yes
    LogLevel ERROR
F
    echo "here $(cut -d ' ' -f 1,2 host_key.pub)" >known_hosts
    # As root, sshd asks for /run/sshd, which the system makes only where it starts sshd itself: one
    # that only sshd sees.
    local sshd=("$(command -v sshd)" -D -e -f "$PWD/sshd_config")
    if [ "$(id -u)" = 0 ] && [ ! -d /run/sshd ]; then
        sshd=(unshare --mount sh -c \
            'mount -t tmpfs tmpfs /run && mkdir -m 755 /run/sshd && exec "$@"' sh "${sshd[@]}")
    fi
    daemon sshd.log "${sshd[@]}"
    until_true 60 ssh -F "$PWD/ssh_config" one true || {
        cat "$out/sshd.log"
        return 1
    }
    timeout 120 parallel --ssh "ssh -F $PWD/ssh_config" --sshlogin 1/one,1/two --workdir "$PWD" \
        --joblog joblog task ::: slice topk qmatmul ::: 0 1 2 3
    equal "$(awk 'NR > 1 { print $2 }' joblog | grep -o 'one\|two' | sort -u)" $'one\ntwo'
    same
}

if engine parallel parallel; then
    check parallel "--joblog and --resume-failed" joblog_resumes
fi

if engine ssh parallel sshd ssh ssh-keygen; then
    check ssh "GNU parallel with --sshlogin to loopback" ssh_runs_tasks
fi
