/* The start of a DLL that is linked without a C library. See port/boards/start_windows.c on _fltused. */
extern int _fltused;
int _fltused = 1;

int _DllMainCRTStartup(void *dll, unsigned long reason, void *reserved);
int _DllMainCRTStartup(void *dll, unsigned long reason, void *reserved) {
  (void)dll;
  (void)reason;
  (void)reserved;
  return 1;
}
