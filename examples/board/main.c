/*
 * A flag in the wind on a board: sixty times a second an interrupt begins a frame, and the main loop steps the cloth
 * before the frame ends. Prints what that cost, how far the flag stretched, hashes, and pictures of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flag.h"
#include "machine.h"
#include "port/boards/board.h"
#include "print.h"

#ifndef FLAG_FRAMES
#define FLAG_FRAMES 240
#endif

/* A file with "[FRAME] = 1 + REFINEMENTS," for every step that a board cut short, to do all as that board did. */
static const int32_t efforts[FLAG_FRAMES + 1] = {
#ifdef FLAG_EFFORTS
#include FLAG_EFFORTS
#else
    0
#endif
};

enum { FRAMES_A_LINE = 20, FRAMES_A_PICTURE = 120 };

/* Of a Cortex-M7, see flag_config(). */
enum { CYCLES_A_FRAME = 480000000 / 60, CYCLES_AN_INSTRUCTION = 2 };

/* All memory that the library ever uses. Zeroed with the other data, so it may lie in any RAM. */
static unsigned char arena[FLAG_ARENA_BYTES] __attribute__((aligned(CLOTH_ALIGNMENT)));
static flag_picture picture;

/* What a run adds up. */
typedef struct tally {
  uint32_t worst;     /* ticks of the dearest step */
  uint32_t late;      /* frames that began before the one before was done */
  uint32_t cut_short; /* steps that the deadline kept from refining */
  uint32_t interrupted;
  int result; /* the first error */
} tally;

/* The last quarter of a frame is for what a step does even after its deadline, and for printing. */
static uint32_t deadline(void) {
  uint32_t left = machine_ticks_left(), kept = machine_ticks_per_frame() / 4u;
  if (left == UINT32_MAX) return left;
  return left > kept ? left - kept : 0;
}

/// Reports ///

static void print_share(uint32_t ticks) {
  print_hundredths((uint32_t)((uint64_t)ticks * 10000u / machine_ticks_per_frame()));
  print_text(" % of a frame");
}

static void report_settings(void) {
  cloth_config config = flag_config();
  cloth_memory memory = {0};
  uint64_t bound = 0;
  cloth_memory_needed(&config, &memory);
  cloth_config_work_bound(&config, FLAG_FRAME_SECONDS, &bound);
  print_labelled("arena: ", memory.total_bytes);
  print_labelled(" bytes needed of ", sizeof arena);
  print_end();
  print_labelled("bound: ", bound);
  print_labelled(" instructions a step; at 480 MHz and two cycles each ",
                 bound * CYCLES_AN_INSTRUCTION * 100u / CYCLES_A_FRAME);
  print_text(" % of a frame");
  print_end();
}

static void report_frame(const cloth *sheet, int frame, uint32_t ticks) {
  cloth_measures measures = {0};
  uint64_t hash = 0;
  cloth_measure(sheet, &measures);
  cloth_hash(sheet, &hash);
  print_labelled("frame ", (uint64_t)frame);
  print_labelled(": ", ticks);
  print_text(" ticks, ");
  print_share(ticks);
  print_text(", stretch ");
  print_hundredths((uint32_t)(int32_t)(measures.max_stretch * 10000.0f));
  print_text(" %, hash ");
  print_hexadecimal(hash);
  print_end();
}

/* The library's own times, of the last step: where they go. */
static void report_stages(const cloth *sheet) {
  static const char *const names[CLOTH_STAGE_COUNT] = {"prediction", "forces", "solve", "guards", "acceptance"};
  cloth_statistics statistics = {0};
  cloth_get_statistics(sheet, &statistics);
  print_text("stages:");
  for (int stage = 0; stage < CLOTH_STAGE_COUNT; stage++) {
    if (statistics.ticks[stage] * 100u < machine_ticks_per_frame() / 100u) continue;
    print_text(" ");
    print_text(names[stage]);
    print_labelled(" ", statistics.ticks[stage]);
  }
  print_text(" ticks");
  print_end();
}

static void show(const cloth *sheet) {
  flag_draw(sheet, &picture);
  for (int row = 0; row < FLAG_PICTURE_ROWS; row++)
    board_print(picture.lines[row]);
}

static void report_run(const cloth *sheet, const tally *sum) {
  report_stages(sheet);
  print_labelled("deadline: ", machine_ticks_per_frame());
  print_labelled(" ticks a frame, dearest step ", sum->worst);
  print_text(", ");
  print_share(sum->worst);
  print_labelled("; late ", sum->late);
  print_labelled(", cut short ", sum->cut_short);
  print_end();
  print_labelled("interrupts: ", machine_interrupts());
  print_labelled(" in frames: ", FLAG_FRAMES);
  print_labelled(", amid steps: ", sum->interrupted);
  print_end();
  print_labelled("stack: ", machine_stack_used());
  print_labelled(" bytes used of ", machine_stack_bytes());
  print_end();
}

static void report_cut(int frame, int32_t refinements) {
  print_labelled("cut short: frame ", (uint64_t)frame);
  print_labelled(", refinements ", (uint64_t)refinements);
  print_end();
}

/// Frames ///

static int advance(cloth *sheet, int frame, cloth_effort *effort) {
  if (efforts[frame] == 0) return cloth_step_until(sheet, FLAG_FRAME_SECONDS, deadline(), effort);
  *effort = (cloth_effort){.refinements = efforts[frame] - 1, .cut_short = 1};
  return cloth_step_again(sheet, FLAG_FRAME_SECONDS, effort);
}

/* Returns the ticks that it took. */
static uint32_t step(cloth *sheet, int frame, tally *sum) {
  cloth_effort effort = {0};
  flag_set_wind(sheet, frame);
  uint32_t interrupts = machine_interrupts(), start = machine_ticks();
  int result = advance(sheet, frame, &effort);
  uint32_t ticks = machine_ticks() - start;
  sum->interrupted += machine_interrupts() - interrupts;
  sum->worst = ticks > sum->worst ? ticks : sum->worst;
  sum->cut_short += (uint32_t)effort.cut_short;
  if (effort.cut_short) report_cut(frame, effort.refinements);
  if (result < CLOTH_OK && sum->result == CLOTH_OK) sum->result = result;
  return ticks;
}

static void play(cloth *sheet, tally *sum) {
  uint32_t last = machine_wait_for_frame();
  for (int frame = 1; frame <= FLAG_FRAMES; frame++) {
    uint32_t ticks = step(sheet, frame, sum);
    if (frame % FRAMES_A_LINE == 0) report_frame(sheet, frame, ticks);
    if (frame % FRAMES_A_PICTURE == 0) show(sheet);
    uint32_t next = machine_wait_for_frame();
    sum->late += next - last - 1u;
    last = next;
  }
}

static int fail(int result) {
  print_text("failed: ");
  print_text(cloth_result_name(result));
  print_end();
  return 1;
}

int board_main(void) {
  cloth *sheet = NULL;
  tally sum = {0};
  machine_start();
  int result = cloth_self_test();
  if (result >= CLOTH_OK) result = flag_build(arena, sizeof arena, &sheet);
  if (result < CLOTH_OK) return fail(result);
  report_settings();
  play(sheet, &sum);
  report_run(sheet, &sum);
  return sum.result < CLOTH_OK ? fail(sum.result) : 0;
}
