/*
 * What another program of Windows does with a file: hold.exe HOW FILE [MILLISECONDS].
 *   alone   has it open so that nobody else may open it
 *   kept    has it open so that others may read and write, but not replace or remove it
 *   mapped  has it mapped
 * Says "ready", then waits that long, or until standard input ends.
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
    int alone = argc > 2 && wcscmp(argv[1], L"alone") == 0;
    int mapped = argc > 2 && wcscmp(argv[1], L"mapped") == 0;
    DWORD share = alone ? 0 : FILE_SHARE_READ | FILE_SHARE_WRITE;
    HANDLE h, map;

    if (argc < 3)
        return 1;
    share |= mapped ? FILE_SHARE_DELETE : 0;
    h = CreateFileW(argv[2], GENERIC_READ, share, NULL, OPEN_EXISTING, 0, NULL);
    if (h == INVALID_HANDLE_VALUE)
        return fail("open");
    map = mapped ? CreateFileMappingW(h, NULL, PAGE_READONLY, 0, 0, NULL) : NULL;
    if (mapped && (!map || !MapViewOfFile(map, FILE_MAP_READ, 0, 0, 0)))
        return fail("map");
    printf("ready\n");
    fflush(stdout);
    if (argc > 3)
        Sleep((DWORD)wcstoul(argv[3], NULL, 10));
    else
        while (getchar() != EOF)
            ;
    return 0;
}
