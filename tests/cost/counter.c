/*
 * A plugin of QEMU that counts the instructions a program executes between two of its functions.
 *
 *   qemu-system-... -plugin counter.so,begin=ADDRESS,end=ADDRESS,report=ADDRESS,counts=NAME[,blocks=NAME]
 *
 * Counting starts each time the program enters the function at `begin` and stops when it enters the one at `end`; on
 * entry to the one at `report` a line "intervals, instructions of all of them, instructions of the longest" goes to the
 * file and all three start again from 0. An instruction of a conditional block counts whether its condition holds or
 * not: it is fetched and issued either way. The counts are the same in every run.
 *
 * With `blocks`, a line "address, instructions executed" for every block of the program goes to that file at the end,
 * of the whole run.
 *
 * Debian's QEMU takes plugins but comes without their header: what is needed of version 1 of its interface is declared
 * here.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// QEMU's side ///

typedef uint64_t plugin_id;
typedef struct qemu_plugin_tb translated_block;
typedef void translation_act(plugin_id id, translated_block *block);
typedef void execution_act(unsigned processor, void *argument);
typedef void exit_act(plugin_id id, void *argument);
/* Each is the first of its enumeration in QEMU: add a number to one of 64 bits; needs no registers. */
enum { OPERATION_ADD = 0, READS_NO_REGISTERS = 0 };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translation_act *act);
void qemu_plugin_register_vcpu_tb_exec_cb(translated_block *block, execution_act *act, int registers, void *argument);
void qemu_plugin_register_vcpu_tb_exec_inline(translated_block *block, int operation, void *number, uint64_t added);
void qemu_plugin_register_atexit_cb(plugin_id id, exit_act *act, void *argument);
size_t qemu_plugin_tb_n_insns(const translated_block *block);
uint64_t qemu_plugin_tb_vaddr(const translated_block *block);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED extern int qemu_plugin_version;
EXPORTED int qemu_plugin_install(plugin_id id, const void *machine, int count, char **arguments);

int qemu_plugin_version = 1;

/// Counting ///

enum { BEGIN, END, REPORT, MARKS };

static uint64_t marks[MARKS];
static uint64_t executed;
static uint64_t start, sum, most, intervals;
static FILE *file, *block_file;

static void begin(unsigned processor, void *argument) {
  (void)processor;
  (void)argument;
  start = executed;
}

static void end(unsigned processor, void *argument) {
  (void)processor;
  (void)argument;
  uint64_t length = executed - start;
  intervals++;
  sum += length;
  most = length > most ? length : most;
}

static void report(unsigned processor, void *argument) {
  (void)processor;
  (void)argument;
  fprintf(file, "%llu %llu %llu\n", (unsigned long long)intervals, (unsigned long long)sum, (unsigned long long)most);
  intervals = 0;
  sum = 0;
  most = 0;
}

/* What a block of the program was translated to, once or several times, has executed. */
typedef struct block_count {
  struct block_count *next;
  uint64_t address, executed;
} block_count;

static block_count *block_counts;

static uint64_t *count_of_block(uint64_t address) {
  block_count *b = block_counts;
  while (b != NULL && b->address != address)
    b = b->next;
  if (b == NULL) {
    b = calloc(1, sizeof *b);
    if (b == NULL) abort();
    b->address = address;
    b->next = block_counts;
    block_counts = b;
  }
  return &b->executed;
}

/* A function is entered by a branch, so a block starts there; and a block is executed as a whole. */
static void translated(plugin_id id, translated_block *block) {
  static execution_act *const acts[MARKS] = {begin, end, report};
  (void)id;
  for (int mark = 0; mark < MARKS; mark++) {
    if (qemu_plugin_tb_vaddr(block) == marks[mark])
      qemu_plugin_register_vcpu_tb_exec_cb(block, acts[mark], READS_NO_REGISTERS, NULL);
  }
  uint64_t length = qemu_plugin_tb_n_insns(block);
  qemu_plugin_register_vcpu_tb_exec_inline(block, OPERATION_ADD, &executed, length);
  if (block_file != NULL) {
    uint64_t *count = count_of_block(qemu_plugin_tb_vaddr(block));
    qemu_plugin_register_vcpu_tb_exec_inline(block, OPERATION_ADD, count, length);
  }
}

static void leave(plugin_id id, void *argument) {
  (void)id;
  (void)argument;
  fclose(file);
  if (block_file == NULL) return;
  for (const block_count *b = block_counts; b != NULL; b = b->next)
    fprintf(block_file, "%llu %llu\n", (unsigned long long)b->address, (unsigned long long)b->executed);
  fclose(block_file);
}

/* Thumb code has addresses whose lowest bit is set in a symbol's value, and is clear here. */
static int take_argument(const char *argument) {
  static const char *const names[MARKS] = {"begin=", "end=", "report="};
  for (int mark = 0; mark < MARKS; mark++) {
    if (strncmp(argument, names[mark], strlen(names[mark])) == 0) {
      marks[mark] = strtoull(argument + strlen(names[mark]), NULL, 16) & ~UINT64_C(1);
      return 1;
    }
  }
  FILE **opened = strncmp(argument, "counts=", 7) == 0 ? &file : &block_file;
  if (strncmp(argument, "counts=", 7) != 0 && strncmp(argument, "blocks=", 7) != 0) return 0;
  *opened = fopen(argument + 7, "w");
  return *opened != NULL;
}

int qemu_plugin_install(plugin_id id, const void *machine, int count, char **arguments) {
  (void)machine;
  for (int i = 0; i < count; i++) {
    if (!take_argument(arguments[i])) return -1;
  }
  if (file == NULL) return -1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, leave, NULL);
  return 0;
}
