/*
 * What another program of Windows does with a file: hold.exe HOW FILE.
 *   alone   has it open so that nobody else may open it
 *   mapped  has it mapped
 * Says "ready", then waits until standard input ends.
 */

#include <stdio.h>

#include <windows.h>

static int fail(const char *what)
{
    fprintf(stderr, "hold: cannot %s: error %lu\n", what, GetLastError());
    return 2;
}

int wmain(int argc, wchar_t **argv);

int wmain(int argc, wchar_t **argv)
{
    int alone = argc == 3 && wcscmp(argv[1], L"alone") == 0;
    DWORD share = alone ? 0 : FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE h, map;

    if (argc != 3)
        return 1;
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
