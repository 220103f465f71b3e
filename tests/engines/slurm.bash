# Slurm on this machine alone, with daemons and a configuration of the test's own; read by run.

cluster=$out/cluster
host=$(hostname -s)

configure() {
    local ctld_port slurmd_port
    read -r ctld_port slurmd_port < <(ports 2)
    mkdir -p "$cluster/state" "$cluster/spool"
    # munged wants everybody to reach its socket; the key is not for everybody
    chmod 711 "$out" "$cluster"
    head -c 128 /dev/urandom >"$cluster/munge.key"
    chmod 600 "$cluster/munge.key"
    cat >"$cluster/slurm.conf" <<F
ClusterName=engines
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
CredType=cred/munge
SlurmctldPort=$ctld_port
SlurmdPort=$slurmd_port
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
MailProg=/bin/true
SlurmdParameters=config_overrides
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP
F
    export SLURM_CONF=$cluster/slurm.conf
}

start() {
    daemon munged.log munged --foreground --key-file "$cluster/munge.key" \
        --socket "$cluster/munge.socket" \
        --pid-file "$cluster/munged.pid" --log-file "$cluster/munged.log" \
        --seed-file "$cluster/munged.seed"
    until_true 60 test -S "$cluster/munge.socket" || return
    daemon slurmctld.log slurmctld -D
    daemon slurmd.log slurmd -D -N "$host"
}

idle() {
    [ "$(sinfo -h -o %T)" = idle ]
}

cluster_runs() {
    until_true 60 idle || {
        tail -n 20 "$out"/{munged,slurmctld,slurmd}.log
        return 1
    }
    equal "$(timeout 60 srun -n 2 printenv SLURM_STEP_NUM_TASKS)" $'2\n2'
}

# ended JOB: waits until no task of the job waits or runs.
ended() {
    gone() {
        local jobs
        jobs=$(squeue -h -r -o %i) && ! grep -qE "^$1(_|\$)" <<<"$jobs"
    }
    until_true 120 gone "$1"
}

# submit ARGS...: to sbatch; prints the job's number.
submit() {
    sbatch --parsable "$@"
}

# script LINE...: job.sh with these lines.
script() {
    printf '%s\n' '#!/bin/bash' "$@" >job.sh
}

# printed: what the tasks of the jobs in this folder printed.
printed() {
    cat slurm-*.out
}

srun_ranks() {
    launched "SLURM_PROCID and SLURM_STEP_NUM_TASKS" srun -n 4
}

# Tasks of an array with srun in them see both an index and a step of size 1.
array_runs() {
    local job
    script "${slice[*]@Q} --part auto/4 -v" \
        "srun -n 1 ${topk[*]@Q} ${split_topk[*]@Q} --part auto/4 -v" \
        "${qmatmul[*]@Q} ${split_qmatmul[*]@Q} --part auto/4 -v"
    job=$(submit --array=0-3 job.sh)
    ended "$job"
    printed
    equal "$(printed | grep -c 'by SLURM_ARRAY_TASK_ID=')" 12
    same
}

# Of 8 tasks 2, 5 and 6 fail the first time; these alone are submitted again.
subset_runs() {
    local job missing status=0
    # shellcheck disable=SC2016 # the job expands
    script 'case $SLURM_ARRAY_TASK_ID in 2 | 5 | 6) [ -e again ] || exit 9 ;; esac' \
        "${slice[*]@Q} --part auto/8 -v"
    missing=$(dmlop join --missing 8 slice.npy.parts) || status=$?
    equal "$missing, status $status" "0-7, status 3"
    job=$(submit --array="$missing" job.sh)
    ended "$job"
    equal "$(printed | grep -c 'of 8, by SLURM_ARRAY_TASK_ID=')" 5
    status=0
    missing=$(dmlop join --missing 8 slice.npy.parts) || status=$?
    equal "$missing, status $status" "2,5-6, status 3"
    : >again
    rm slurm-*.out
    job=$(submit --array="$missing" job.sh)
    ended "$job"
    printed
    equal "$(printed | grep -c 'of 8, by SLURM_ARRAY_TASK_ID=')" 3
    equal "$(dmlop join --missing 8 slice.npy.parts)" ""
    same slice
}

# soon TASK: has a task that was requeued begin, where Slurm would let two minutes pass. It refuses
# to start one within the second in which it was ended.
soon() {
    [ "$(squeue -h -j "$1" -o %T)" = PENDING ] && grep -q REQUEUE "slurm-$1.out" &&
        scontrol update JobId="$1" StartTime=now+4
}

# Task 1 is put back to the queue before its part is there, task 2 after that. Slurm may end the
# sleep before the script, which must not go on then.
requeue_runs() {
    local job i
    # shellcheck disable=SC2016
    script 'first=$SLURM_ARRAY_TASK_ID-${SLURM_RESTART_COUNT:-0}' \
        '[ $first != 1-0 ] || { : >before; sleep 600; exit 1; }' \
        "${slice[*]@Q} --part auto/4 --resume" \
        '[ $first != 2-0 ] || { : >after; sleep 600; exit 1; }' \
        'echo "done $first"'
    job=$(submit --requeue --open-mode=append --array=0-3 job.sh)
    until_true 60 test -e before
    until_true 60 test -e after
    for i in 1 2; do
        scontrol requeue "${job}_$i"
        until_true 60 soon "${job}_$i"
    done
    ended "$job"
    printed
    equal "$(printed | grep '^done' | sort)" $'done 0-0\ndone 1-1\ndone 2-1\ndone 3-0'
    equal "$(printed | grep 'already')" "dmlop: slice: part 2 of 4: there already"
    same slice
}

# Every task of a launcher under sbatch sees SLURM_PROCID=0 and SLURM_NTASKS=4 beside the launcher's
# own.
openmpi_in_job() {
    local job
    script "${openmpi[*]@Q} ${slice[*]@Q} --part auto -v"
    job=$(submit -n 4 job.sh)
    ended "$job"
    printed
    equal "$(printed | grep -c 'by OMPI_COMM_WORLD_RANK')" 4
    same slice
}

mpich_in_job() {
    local job
    script "${mpich[*]@Q} ${slice[*]@Q} --part auto -v"
    job=$(submit -n 4 job.sh)
    ended "$job"
    printed
    equal "$(printed | grep -c 'by PMI_RANK')" 4
    same slice
}

if engine slurm munged slurmctld slurmd srun sbatch squeue scontrol sinfo mpirun.openmpi \
    mpiexec.hydra; then
    configure
    start
    check slurm "munged, slurmctld and slurmd run" cluster_runs
    if [ "$status" = 0 ]; then
        check slurm "srun with --part auto" srun_ranks
        check slurm "an array with --part auto/N" array_runs
        check slurm "a subset from join --missing is submitted again" subset_runs
        check slurm "tasks that are requeued" requeue_runs
        check slurm "Open MPI in a job" openmpi_in_job
        check slurm "MPICH in a job" mpich_in_job
        scancel -u "$(id -un)"
        until_true 60 idle
    fi
fi
