/* What another program of Windows does with a file: hold.exe HOW FILE [MILLISECONDS].
 *   alone   has it open so that nobody else may open it
 *   kept    has it open so that others may read and write, but not replace or remove it
 *   mapped  has it mapped
 * Says "ready", then waits that long, or until standard input ends.
 *
 * hold.exe console FILE COMMAND runs a command in this console, and says in the file which code
 * pages the console had before, meanwhile and after that, and the command's status. */

#include <stdio.h>

#include <windows.h>

static int fail(const char *what)
{
    fprintf(stderr, "hold: cannot %s: error %lu\n", what, GetLastError());
    return 2;
}

static int console(const wchar_t *result, wchar_t *command)
{
    STARTUPINFOW start = { .cb = sizeof start };
    UINT before = GetConsoleOutputCP(), meanwhile = before;
    PROCESS_INFORMATION p;
    DWORD status;
    FILE *f = _wfopen(result, L"w");

    if (!f || !CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &start, &p))
        return fail("run the command");
    while (WaitForSingleObject(p.hProcess, 1) == WAIT_TIMEOUT)
        meanwhile = GetConsoleOutputCP() != before ? GetConsoleOutputCP() : meanwhile;
    GetExitCodeProcess(p.hProcess, &status);
    fprintf(f, "%u %u %u %lu\n", before, meanwhile, GetConsoleOutputCP(), status);
    return fclose(f);
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
    if (wcscmp(argv[1], L"console") == 0)
        return console(argv[2], argv[3]);
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
