/* Plays frames of a scene of cloth that meets itself, with self-contact or without, for tests/contact_cost.sh, which
   counts the instructions of counted_frames(): self_cost SCENE N FIRST FRAMES THICKNESS [spheres], the thickness over
   the spacing. SPDX-License-Identifier: MIT */
#include "self_scenes.h"

__attribute__((noinline)) void counted_frames(self_stage *p, int first, int frames);

void counted_frames(self_stage *p, int first, int frames) {
  for (int frame = first; frame < first + frames; frame++) {
    drive_self(p, frame);
    cloth_step(p->sheets[0], FRAME);
  }
}

int main(int argc, char **argv) {
  if (argc < 6 || self_kind_named(argv[1]) == SELF_KINDS) {
    printf("usage: self_cost SCENE N FIRST FRAMES THICKNESS [spheres]\n");
    return 2;
  }
  const self_scene scene = {self_kind_named(argv[1]), atoi(argv[2]), 10, 0};
  const int first = atoi(argv[3]), frames = atoi(argv[4]);
  const play_options options = {
      .thickness = atof(argv[5]), .friction = 0.3, .pairs = 8, .spheres = argc > 6 && strcmp(argv[6], "spheres") == 0};
  self_stage p;
  describe_self(&p, &scene);
  build_self(&p, &options, options.thickness > 0);
  for (int frame = 0; frame < first; frame++) {
    drive_self(&p, frame);
    step_self(&p);
  }
  counted_frames(&p, first, frames);
  fixture_free(&p.f[0]);
  free(p.start[0]);
  return 0;
}
