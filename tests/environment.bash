# What a user has set for a terminal, for OpenMP, for make, or for a job that runs the tests must
# not matter to them.
export LC_ALL=C.UTF-8 TERM=xterm
unset COLUMNS LINES NO_COLOR CDPATH GREP_OPTIONS POSIXLY_CORRECT MAKEFLAGS MFLAGS MAKELEVEL \
    JOB_COMPLETION_INDEX \
    "${!OMP_@}" "${!GOMP_@}" "${!KMP_@}" "${!OMPI_@}" "${!PMI_@}" "${!SLURM_@}" "${!AWS_BATCH_@}" \
    "${!PBS_@}" "${!SGE_@}" "${!LSB_@}"
