/*
 * Start-up of a Linux process without a C library: two system calls and the first instructions. For cross compilers
 * whose library is missing, or was built for a later processor than the one meant.
 */
#include "board.h"

/// System calls ///

/* system_call(NUMBER, three arguments) and the numbers of write and exit. */
#if defined(__x86_64__)
#define SYSTEM_WRITE 1
#define SYSTEM_EXIT 60
static void system_call(long number, long a, long b, long c) {
  __asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
}
#elif defined(__i386__)
#define SYSTEM_WRITE 4
#define SYSTEM_EXIT 1
static void system_call(long number, long a, long b, long c) {
  __asm__ volatile("int $0x80" : "+a"(number) : "b"(a), "c"(b), "d"(c) : "memory");
}
#elif defined(__aarch64__)
#define SYSTEM_WRITE 64
#define SYSTEM_EXIT 93
static void system_call(long number, long a, long b, long c) {
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
}
#elif defined(__arm__)
#define SYSTEM_WRITE 4
#define SYSTEM_EXIT 1
static void system_call(long number, long a, long b, long c) {
  register long r7 __asm__("r7") = number, r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c;
  __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
}
#elif defined(__riscv)
#define SYSTEM_WRITE 64
#define SYSTEM_EXIT 93
static void system_call(long number, long a, long b, long c) {
  register long a7 __asm__("a7") = number, a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
}
#elif defined(__s390x__)
#define SYSTEM_WRITE 4
#define SYSTEM_EXIT 1
static void system_call(long number, long a, long b, long c) {
  register long r1 __asm__("1") = number, r2 __asm__("2") = a, r3 __asm__("3") = b, r4 __asm__("4") = c;
  __asm__ volatile("svc 0" : "+d"(r2) : "d"(r1), "d"(r3), "d"(r4) : "memory");
}
#elif defined(__powerpc__)
#define SYSTEM_WRITE 4
#define SYSTEM_EXIT 1
static void system_call(long number, long a, long b, long c) {
  register long r0 __asm__("r0") = number, r3 __asm__("r3") = a, r4 __asm__("r4") = b, r5 __asm__("r5") = c;
  __asm__ volatile("sc"
                   : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5)
                   :
                   : "memory", "cr0", "ctr", "r6", "r7", "r8", "r9", "r10", "r11", "r12");
}
#elif defined(__mips__)
#define SYSTEM_WRITE 4004
#define SYSTEM_EXIT 4001
static void system_call(long number, long a, long b, long c) {
  register long v0 __asm__("$2") = number, a0 __asm__("$4") = a, a1 __asm__("$5") = b, a2 __asm__("$6") = c;
  register long a3 __asm__("$7");
  __asm__ volatile("syscall"
                   : "+r"(v0), "=r"(a3)
                   : "r"(a0), "r"(a1), "r"(a2)
                   : "memory", "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24", "$25", "hi",
                     "lo");
}
#elif defined(__sh__)
#define SYSTEM_WRITE 4
#define SYSTEM_EXIT 1
static void system_call(long number, long a, long b, long c) {
  register long r3 __asm__("r3") = number, r4 __asm__("r4") = a, r5 __asm__("r5") = b, r6 __asm__("r6") = c;
  register long r0 __asm__("r0");
  __asm__ volatile("trapa #0x13" : "=r"(r0) : "r"(r3), "r"(r4), "r"(r5), "r"(r6) : "memory");
}
#else
#error "no system calls known for this processor"
#endif

void board_print(const char *text) {
  long length = 0;
  while (text[length] != '\0')
    length++;
  system_call(SYSTEM_WRITE, 1, (long)text, length);
}

/// Start ///

/*
 * Where the kernel jumps to. Most processors could begin in C; these need their stack aligned as a call would leave it,
 * room for what a callee stores in its caller's frame, or the register from which position-independent code finds its
 * data.
 */
#if defined(__x86_64__)
__asm__(".globl _start\n"
        "_start:\n"
        "  xor %ebp, %ebp\n"
        "  and $-16, %rsp\n"
        "  call start\n");
#elif defined(__i386__) && defined(_WIN32)
#define start mainCRTStartup
#elif defined(__i386__)
__asm__(".globl _start\n"
        "_start:\n"
        "  xor %ebp, %ebp\n"
        "  and $-16, %esp\n"
        "  call start\n");
#elif defined(__riscv)
__asm__(".globl _start\n"
        "_start:\n"
        ".option push\n"
        ".option norelax\n"
        "  la gp, __global_pointer$\n"
        ".option pop\n"
        "  tail start\n");
#elif defined(__s390x__)
__asm__(".globl _start\n"
        "_start:\n"
        "  aghi %r15, -160\n"
        "  brasl %r14, start\n");
#elif defined(__mips__)
__asm__(".globl __start\n"
        "__start:\n"
        "  .set push\n"
        "  .set noreorder\n"
        "  lui $25, %hi(start)\n"
        "  addiu $25, $25, %lo(start)\n"
        "  addiu $29, $29, -32\n"
        "  jr $25\n"
        "  nop\n"
        "  .set pop\n");
#else
#define start _start
#endif

__attribute__((noreturn)) static void leave(int status) {
  for (;;)
    system_call(SYSTEM_EXIT, status, 0, 0);
}

__attribute__((noreturn, used)) void start(void);
void start(void) {
  leave(board_main());
}

/* The compiler's integer division calls this for a division by zero, where the processor has no division. */
#if defined(__arm__)
int raise(int signal);
int raise(int signal) {
  leave(128 + signal);
}
#endif
