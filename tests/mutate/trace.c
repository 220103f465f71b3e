/* Linked into programs that gcc's -fsanitize-coverage=trace-pc instruments (lines.py): notes which
 * blocks ran, a byte each, in a file that is mapped shared, so that processes count that fork or
 * are killed. The folder is $MUTATE_TRACE; the file is named by the program's inode. Where a test
 * takes descriptors or sizes of files away nothing is noted. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char __executable_start, etext;
void __sanitizer_cov_trace_pc(void);

static unsigned char *ran;

void __sanitizer_cov_trace_pc(void)
{
    size_t at = (size_t)((char *)__builtin_return_address(0) - &__executable_start);

    if (ran && !ran[at]) /* written once: threads share the cache line */
        ran[at] = 1;
}

__attribute__((constructor)) static void start(void)
{
    size_t size = (size_t)(&etext - &__executable_start);
    const char *folder = getenv("MUTATE_TRACE");
    struct rlimit limit;
    struct stat self;
    char path[4096];
    void *p;
    int fd;

    if (!folder || stat("/proc/self/exe", &self) != 0 || getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        limit.rlim_cur < size)
        return;
    snprintf(path, sizeof path, "%s/%llu", folder, (unsigned long long)self.st_ino);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    fchmod(fd, 0666); /* tests run the program as other users, too */
    if (ftruncate(fd, (off_t)size) == 0) {
        p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ran = p == MAP_FAILED ? NULL : p;
    }
    close(fd);
}
