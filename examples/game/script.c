/* SPDX-License-Identifier: MIT */
#include "script.h"

typedef struct passage {
  int from, to; /* steps; without the last */
  controls asked;
} passage;

static const spot far_away = {{19, 0, 6}, 0.3f}, back_home = {{0.5f, 0, 0.4f}, 0.05f};

/* Passages that overlap add up. */
static const passage passages[] = {
    {60, 430, {.forward = 1}}, /* through the curtain */
    {430, 700, {.forward = 1}},
    {430, 580, {.turn = 0.5f}}, /* and around */
    {640, 645, {.jump = 1}},
    {760, 765, {.jump = 1}},
    {830, 905, {.turn = -1}}, /* on the spot */
    {SCRIPT_LEAP, SCRIPT_LEAP + 1, {.leap = &far_away}},
    {970, 1080, {.forward = 1}},
    {SCRIPT_RETURN, SCRIPT_RETURN + 1, {.leap = &back_home}},
    {1080, 1200, {.forward = 1}}, /* amid a stride */
};

controls script_controls(int step) {
  controls sum = {0};
  for (unsigned i = 0; i < sizeof passages / sizeof *passages; i++) {
    const passage *p = &passages[i];
    if (step < p->from || step >= p->to) continue;
    sum.forward += p->asked.forward;
    sum.turn += p->asked.turn;
    sum.jump |= p->asked.jump;
    sum.leap = p->asked.leap ? p->asked.leap : sum.leap;
  }
  return sum;
}
