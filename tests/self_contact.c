/* Contact of a cloth with itself and with other cloths. SPDX-License-Identifier: MIT */
#include "self_scenes.h"

int main(int argc, char **argv) {
  play_options o = {0};
  self_scene s;
  memset(&s, 0, sizeof s);
  o.thickness = 0.3;
  s.n = 32;
  s.substeps = 10;
  s.kind = SELF_TOWEL;
  o.friction = 0.3;
  for (int i = 1; i + 1 < argc; i += 2) {
    const char *k = argv[i];
    double v = atof(argv[i + 1]);
    if (!strcmp(k, "scene"))
      s.kind = self_kind_named(argv[i + 1]);
    else if (!strcmp(k, "n"))
      s.n = (int)v;
    else if (!strcmp(k, "sub"))
      s.substeps = (int)v;
    else if (!strcmp(k, "th"))
      o.thickness = v;
    else if (!strcmp(k, "mu"))
      o.friction = v;
    else if (!strcmp(k, "start"))
      o.start = (int)v;
    else if (!strcmp(k, "pairs"))
      o.pairs = (int)v;
    else if (!strcmp(k, "gathers"))
      o.gathers = (int)v;
    else if (!strcmp(k, "speed"))
      s.speed = v;
    else if (!strcmp(k, "untangle"))
      o.untangle = (int)v + 1;
    else if (!strcmp(k, "frames"))
      o.frames = (int)v;
    else if (!strcmp(k, "trace"))
      o.trace = (int)v;
    else if (!strcmp(k, "quiet"))
      o.quiet = (int)v;
  }
  self_result r = play_self_scene(&s, &o);
  printf("%-8s n %d sub %d | mean %.3f peak %d rest %.3f | gap %.3f h | acc %.3f stretch %.3f | pairs %.2f visits %.1f "
         "gathers %.2f dropped %ld moved %.4f | %016llx\n",
         self_kind_names[s.kind], s.n, s.substeps, r.mean, r.peak, r.rest, r.gap, r.acceleration, r.stretch,
         r.most_pairs, r.visits, r.gathers, r.dropped, r.moved, (unsigned long long)r.hash);
  return 0;
}
