/* SPDX-License-Identifier: MIT */
#include "pictures.h"
void draw_curves(const char *directory, const trial_list *const *lists, int count) {
  (void)directory;
  (void)lists;
  (void)count;
}
void draw_sheets(const char *directory, const trial_list *list) {
  (void)directory;
  (void)list;
}
