/*
 * Start-up of a Windows program without a C library: three functions of the system's kernel32. For compilers in
 * Microsoft's mode, whose C library does not come with them, and for MinGW, whose C library ends lines in its own way.
 */
#include "board.h"

/// System calls ///

#if defined(__i386__)
#define SYSTEM_CALL __attribute__((stdcall))
#else
#define SYSTEM_CALL
#endif
#define STANDARD_OUTPUT 0xfffffff5u /* -11 */

__declspec(dllimport) SYSTEM_CALL void *GetStdHandle(unsigned long which);
__declspec(dllimport) SYSTEM_CALL
    int WriteFile(void *file, const void *bytes, unsigned long count, unsigned long *written, void *overlapped);
__declspec(dllimport) SYSTEM_CALL void ExitProcess(unsigned status);

void board_print(const char *text) {
  unsigned long length = 0, written;
  while (text[length] != '\0')
    length++;
  WriteFile(GetStdHandle(STANDARD_OUTPUT), text, length, &written, 0);
}

/// Start ///

/* Microsoft's linker takes the parts of its C library that print floating point from this name. Every object with
   floating point refers to it. */
extern int _fltused;
int _fltused = 1;

/* The name at which linkers begin a program for the console. */
void mainCRTStartup(void);
void mainCRTStartup(void) {
  ExitProcess((unsigned)board_main());
}
