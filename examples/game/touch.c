/* SPDX-License-Identifier: MIT */
#include "touch.h"

static int has_limb(const touch *t, int which) {
  return !(t->left_out >> which & 1);
}

int touch_begin(touch *t, cloth *sheet, const walker *w) {
  int result = CLOTH_OK;
  for (int i = 0; i < FIGURE_LIMBS && result >= 0 && !t->is_on; i++) {
    cloth_collider body = w->bodies[i];
    body.pose = w->bodies_before[i];
    if (has_limb(t, i)) result = t->indices[i] = cloth_add_collider(sheet, &body);
  }
  t->is_on = 1;
  return result < 0 ? result : CLOTH_OK;
}

int touch_end(touch *t, cloth *sheet) {
  int result = CLOTH_OK;
  for (int i = 0; i < FIGURE_LIMBS && result >= 0 && t->is_on; i++)
    if (has_limb(t, i)) result = cloth_remove_collider(sheet, t->indices[i]);
  t->is_on = 0;
  return result;
}

int touch_move(const touch *t, cloth *sheet, const walker *w) {
  int result = CLOTH_OK;
  for (int i = 0; i < FIGURE_LIMBS && result >= 0 && t->is_on; i++)
    if (has_limb(t, i)) result = cloth_move_collider(sheet, t->indices[i], NULL, &w->bodies[i].pose);
  return result;
}

uint64_t touch_mask(const touch *t) {
  uint64_t mask = 0;
  for (int i = 0; i < FIGURE_LIMBS && t->is_on; i++)
    if (has_limb(t, i)) mask |= UINT64_C(1) << t->indices[i];
  return mask;
}
