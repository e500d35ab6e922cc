/* The functions that compilers put in by themselves, for programs linked without a C library. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

/* Compilers know the loops below for what they are, and would replace each with a call of itself. */
#if defined(__clang__)
#define AS_WRITTEN __attribute__((no_builtin))
#else
#define AS_WRITTEN __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

/* A word of memory of any type. */
#if defined(__GNUC__)
typedef unsigned int __attribute__((may_alias)) word;
#else
typedef unsigned int word;
#endif

AS_WRITTEN void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  unsigned char *target = to;
  const unsigned char *source = from;
  if ((((uintptr_t)to | (uintptr_t)from) & (sizeof(word) - 1)) == 0)
    for (; bytes >= sizeof(word); bytes -= sizeof(word), target += sizeof(word), source += sizeof(word))
      *(word *)(void *)target = *(const word *)(const void *)source;
  for (size_t i = 0; i < bytes; i++)
    target[i] = source[i];
  return to;
}

AS_WRITTEN void *memmove(void *to, const void *from, size_t bytes) {
  unsigned char *target = to;
  const unsigned char *source = from;
  if ((uintptr_t)to < (uintptr_t)from) {
    for (size_t i = 0; i < bytes; i++)
      target[i] = source[i];
  } else {
    for (size_t i = bytes; i > 0; i--)
      target[i - 1] = source[i - 1];
  }
  return to;
}

AS_WRITTEN void *memset(void *to, int value, size_t bytes) {
  unsigned char *target = to;
  if (((uintptr_t)to & (sizeof(word) - 1)) == 0)
    for (; bytes >= sizeof(word); bytes -= sizeof(word), target += sizeof(word))
      *(word *)(void *)target = (unsigned char)value * 0x01010101u;
  for (size_t i = 0; i < bytes; i++)
    target[i] = (unsigned char)value;
  return to;
}

/// Names of the Arm ABI ///

/* Clang calls these in place of the above; 4 and 8 promise an alignment. */
#if defined(__ARM_EABI__)

#define COPY_NAMED(name)                                                                                               \
  void name(void *to, const void *from, size_t bytes);                                                                 \
  void name(void *to, const void *from, size_t bytes) {                                                                \
    memmove(to, from, bytes);                                                                                          \
  }
/* The value comes last. */
#define SET_NAMED(name)                                                                                                \
  void name(void *to, size_t bytes, int value);                                                                        \
  void name(void *to, size_t bytes, int value) {                                                                       \
    memset(to, value, bytes);                                                                                          \
  }
#define CLEAR_NAMED(name)                                                                                              \
  void name(void *to, size_t bytes);                                                                                   \
  void name(void *to, size_t bytes) {                                                                                  \
    memset(to, 0, bytes);                                                                                              \
  }

COPY_NAMED(__aeabi_memcpy)
COPY_NAMED(__aeabi_memcpy4)
COPY_NAMED(__aeabi_memcpy8)
COPY_NAMED(__aeabi_memmove)
COPY_NAMED(__aeabi_memmove4)
COPY_NAMED(__aeabi_memmove8)
SET_NAMED(__aeabi_memset)
SET_NAMED(__aeabi_memset4)
SET_NAMED(__aeabi_memset8)
CLEAR_NAMED(__aeabi_memclr)
CLEAR_NAMED(__aeabi_memclr4)
CLEAR_NAMED(__aeabi_memclr8)

#endif
