/* What other programs of Windows do to a file, or to dmlop: hold.exe HOW ARGUMENT.
 *   alone FILE   has FILE open so that nobody else may open it
 *   mapped FILE  has it mapped
 *   break ID     sends Ctrl-Break, as Ctrl-C, to the group of processes ID and ends
 *   run COMMAND  starts COMMAND in a group of its own, prints its ID, waits, ends with its status
 * The first two say "ready", then wait until standard input ends. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include <windows.h>

static int fail(const char *what)
{
    fprintf(stderr, "hold: cannot %s: error %lu\n", what, GetLastError());
    return 2;
}

static int run(wchar_t *command)
{
    STARTUPINFOW start = { .cb = sizeof start };
    PROCESS_INFORMATION p;
    DWORD status;

    if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, CREATE_NEW_PROCESS_GROUP, NULL, NULL,
                        &start, &p))
        return fail("start the command");
    printf("%lu\n", p.dwProcessId);
    fflush(stdout);
    WaitForSingleObject(p.hProcess, INFINITE);
    GetExitCodeProcess(p.hProcess, &status);
    printf("%lx\n", status);
    return 0;
}

int wmain(int argc, wchar_t **argv)
{
    bool alone = argc == 3 && wcscmp(argv[1], L"alone") == 0;
    DWORD share = alone ? 0 : FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE h, map;

    if (argc != 3)
        return 1;
    if (wcscmp(argv[1], L"run") == 0)
        return run(argv[2]);
    if (wcscmp(argv[1], L"break") == 0)
        return GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, wcstoul(argv[2], NULL, 10))
                   ? 0
                   : fail("break");
    h = CreateFileW(argv[2], GENERIC_READ, share, NULL, OPEN_EXISTING, 0, NULL);
    if (h == INVALID_HANDLE_VALUE)
        return fail("open");
    map = alone ? NULL : CreateFileMappingW(h, NULL, PAGE_READONLY, 0, 0, NULL);
    if (!alone && (!map || !MapViewOfFile(map, FILE_MAP_READ, 0, 0, 0)))
        return fail("map");
    printf("ready\n");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
