# MPI launchers, whose tasks need not be MPI programs; read by run.

# Words that run 4 tasks. What a launcher says of its surroundings is its own.
openmpi=(mpirun.openmpi --oversubscribe --bind-to none -n 4)
[ "$(id -u)" != 0 ] || openmpi+=(--allow-run-as-root)
mpich=(mpiexec.hydra -n 4)

# launched VARIABLES COMMAND...: all jobs by COMMAND, which runs 4 tasks whose ranks are in
# VARIABLES.
launched() {
    local name i
    for name in slice topk qmatmul; do
        local -n words=$name split=split_$name
        timeout 120 "${@:2}" "${words[@]}" "${split[@]}" --part auto -v 2>"messages-$name"
        for i in 0 1 2 3; do
            grep -F "dmlop: $name: part $i of 4, by $1" "messages-$name"
        done
    done
    same
}

openmpi_ranks() {
    launched "OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE" "${openmpi[@]}"
}

mpich_ranks() {
    launched "PMI_RANK and PMI_SIZE" "${mpich[@]}"
}

# A launcher whose tasks are not as many as auto/N says: no task writes anything. Tasks write their
# messages to the file: a launcher may lose some when the first task fails.
other_n() {
    local status=0
    rm -f messages
    # shellcheck disable=SC2016 # the inner shell expands
    timeout 120 "$@" bash -c '"$@" 2>>messages' _ "${slice[@]}" --part auto/5 || status=$?
    equal "$((status != 0))" 1
    grep -F 'but auto/5 is given' messages
    [ ! -e slice.npy.parts ]
}

openmpi_other_n() {
    other_n "${openmpi[@]}"
}

mpich_other_n() {
    other_n "${mpich[@]}"
}

if engine openmpi mpirun.openmpi; then
    check openmpi "mpirun with --part auto" openmpi_ranks
    check openmpi "mpirun with another number of tasks" openmpi_other_n
fi
if engine mpich mpiexec.hydra; then
    check mpich "mpiexec with --part auto" mpich_ranks
    check mpich "mpiexec with another number of tasks" mpich_other_n
fi
