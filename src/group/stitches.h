#pragma once
#include "../self/candidates.h"

/// Stitches ///

/* What the seams of a group are in a step: particles that are sewn, the stitches that join them, their unknowns and the
   springs that they gather. Particles sewn to each other are one unknown, the root among them; one that is sewn between
   two moves with both. A stitch that is open, or joins what is sewn between others already, is a spring
   (seam_springs.h). Out: a sewing, in the memory of the group. */

/* More iterations of cloths that are sewn together, whose levels end at the seam: with 4 in all a sheet in two panels
   gains four times the energy of the whole one in a swing, with 8 neither does (tests/seams.c, energy). */
#define SEWN_ITERATIONS 4

/* Springs that are gathered, bits of the particle where they start: to the next one of the row, of the column. */
#define GATHERED_WARP 1u
#define GATHERED_WEFT 2u
/* A side of a seam is gathered if it is longer than the other one at rest by more than this factor. */
#define GATHERED_RATIO 1.001f

/* A particle that is sewn. Its motion is that of its roots: (1 - share) of the first and share of the second. */
typedef struct sewn_particle {
  int32_t cloth, particle, place; /* place: in the rows of its cloth */
  int32_t first;                  /* of all that it is one with, the first */
  int32_t root[2];                /* sewn particles; itself for a root */
  float share;                    /* of the second root, 0 where there is one root */
  float mass;                     /* [kg] */
  float part[2];                  /* of the masses of its roots */
  float total;                    /* of a root: its mass and the shares of those that move with it [kg] */
  float open;                     /* of the first of a class: the longest gap of its stitches [m] */
  int32_t holder;                 /* of the first of a class: one that something holds; -1 without */
  int32_t is_held, followers;     /* followers: particles sewn between, of the first of a class */
  cloth_vector start, velocity;   /* as the part of a substep begins, relative to the origin of the step */
  cloth_vector offset;            /* what is left of its gap to its roots, or to what holds it, at the end [m] */
  cloth_vector sum, direction;    /* of a root: a sum over all that move with it; the direction of the solve */
} sewn_particle;

typedef struct stitch {
  int32_t particle[3]; /* s, p, q among the sewn particles; q = p where t = 0 */
  float share;         /* t */
  int32_t is_spring;
} stitch;

/* A particle of a spring of a seam, and its weight. */
typedef struct seam_end {
  int32_t cloth, particle, place;
  float weight;
} seam_end;

/* A term of the energy k / 2 |sum w x - rest|^2: a fold of a seam, or a stitch that is a spring. */
typedef struct seam_spring {
  seam_end end[4];
  int32_t count, is_plate; /* is_plate: a hinge, in the operator where the plate is */
  float stiffness;         /* [N/m] */
  float viscosity;         /* its time constant [s] */
  float open;              /* of a stitch: how long it may be, which falls [m] */
  cloth_vector rest;       /* [m] */
} seam_spring;

/* The seams of a group in a step. */
typedef struct sewing {
  cloth *const *cloths;
  sewn_particle *particles;
  stitch *stitches;
  seam_spring *springs; /* folds, then stitches */
  int32_t particle_count, stitch_count, spring_count, fold_count;
  float speed;                            /* at which gaps close [m/s] */
  float scale[CLOTH_GROUP_LIMIT];         /* of each cloth in a part of a substep: substep_terms.scale */
  uint8_t is_sewn[CLOTH_GROUP_LIMIT];     /* of each cloth: 1 if a seam has a particle of it */
  uint64_t hash[CLOTH_GROUP_LIMIT];       /* of the stitches of each cloth; 0 if it has none */
  uint8_t *part;                          /* of each cloth: the first of those that seams or bodies join it to */
  cloth_vector moment[CLOTH_GROUP_LIMIT]; /* of each part: what meeting has changed of its angular momentum [N m s] */
  sewn_labels labels;
  uint8_t *gathers; /* of each particle of the group, see seam_springs.h: cloth by cloth as labels.number */
  uint8_t is_gathered[CLOTH_GROUP_LIMIT]; /* of each cloth: 1 if a spring of it is gathered */
} sewing;

/// Lists ///

static int32_t larger_count(const cloth_seam *seam) {
  return larger_of(seam->a.count, seam->b.count);
}

static int32_t sewn_at(const cloth_seam_side *side, int32_t n) {
  return side->particles ? side->particles[n] : side->first + n * side->next;
}

/* 1 if a seam resists folding: its stitches are one to one, and its stiffness is not 0. */
static int resists_folding(const cloth_seam *seam) {
  return seam->a.count == seam->b.count && seam->a.count > 1 && seam->stiffening > -1.0f;
}

/* What there may be of the seams of a group: particles in their lists, stitches, springs. */
typedef struct seam_room {
  int32_t sewn, stitches, springs;
} seam_room;

static seam_room room_of_seams(const cloth_group *group) {
  seam_room room = {0, 0, 0};
  for (int32_t n = 0; n < group->seam_count; n++) {
    const cloth_seam *seam = &group->seams[n];
    room.sewn += seam->a.count + seam->b.count;
    room.stitches += larger_count(seam);
    room.springs += larger_count(seam) + (resists_folding(seam) ? 3 * seam->a.count : 0); /* a fold, two hinges */
  }
  return room;
}

/* Where a particle of the longer side of a seam is sewn to on the shorter one. */
typedef struct seam_place {
  int32_t before, after; /* in the list of the shorter side */
  float share;
} seam_place;

static seam_place place_on_shorter(int32_t n, int32_t longer, int32_t shorter) {
  seam_place place = {0, 0, 0.0f};
  if (longer > 1) {
    const int32_t all = n * (shorter - 1), rest = all % (longer - 1);
    place.before = place.after = all / (longer - 1);
    if (rest > 0) {
      place.after++;
      place.share = (float)rest / (float)(longer - 1);
    }
  }
  return place;
}

static void order_sides(const cloth_seam *seam, const cloth_seam_side **longer, const cloth_seam_side **shorter) {
  const int turned = seam->b.count > seam->a.count;
  *longer = turned ? &seam->b : &seam->a;
  *shorter = turned ? &seam->a : &seam->b;
}

/* A stitch of a seam, as places in the group and particles: the first is sewn between the others, in these shares. */
typedef struct stitch_ends {
  int32_t cloth[3], particle[3];
  float share;
} stitch_ends;

static stitch_ends ends_of_stitch(const cloth_seam *seam, int32_t n) {
  const cloth_seam_side *longer, *shorter;
  order_sides(seam, &longer, &shorter);
  const seam_place place = place_on_shorter(n, longer->count, shorter->count);
  return (stitch_ends){{longer->cloth, shorter->cloth, shorter->cloth},
                       {sewn_at(longer, n), sewn_at(shorter, place.before), sewn_at(shorter, place.after)},
                       place.share};
}

/* 1 if a stitch has all of its particles. That of an absent one is left out. */
static int is_stitched(const cloth_group *group, const cloth_seam *seam, int32_t n) {
  const stitch_ends ends = ends_of_stitch(seam, n);
  int is_whole = 1;
  for (int32_t k = 0; k < 3; k++) {
    is_whole &= !is_gap(group->cloths[ends.cloth[k]], ends.particle[k], GAP_PARTICLE);
  }
  return is_whole;
}

/// Gathers ///

/* Length at rest from a particle to another, along the grid [m]. */
static float rest_between(const cloth *c, int32_t a, int32_t b) {
  const int32_t columns = c->grid.columns, row = a / columns, other = b / columns;
  int32_t across = (b - other * columns) - (a - row * columns), down = other - row;
  across = across < 0 ? -across : across;
  down = down < 0 ? -down : down;
  across = is_wrapped(c) && 2 * across > columns ? columns - across : across;
  const float u = (float)across * c->grid.spacing_warp, v = (float)down * c->grid.spacing_weft;
  const float length = square_root(u * u + v * v);
  const int32_t is_along = row == other || down * columns == (a < b ? b - a : a - b);
  return has_rest_shape(c) && is_along ? length * mean_rest_ratio(c, a, b) : length;
}

static float rest_of_side(const cloth_group *group, const cloth_seam_side *side) {
  float sum = 0.0f;
  for (int32_t n = 0; n + 1 < side->count; n++) {
    sum += rest_between(group->cloths[side->cloth], sewn_at(side, n), sewn_at(side, n + 1));
  }
  return sum;
}

/* Marks the spring between two particles of a cloth, if there is one along warp or weft. */
static void mark_gathered(const cloth *c, uint8_t *gathers, int32_t a, int32_t b) {
  const int32_t columns = c->grid.columns, first = a < b ? a : b, way = a < b ? b - a : a - b;
  const int is_last = (first + 1) % columns == 0;
  if (way == 1 && !is_last) {
    gathers[first] |= GATHERED_WARP;
  } else if (way == columns - 1 && is_wrapped(c) && first % columns == 0) {
    gathers[first + way] |= GATHERED_WARP;
  } else if (way == columns) {
    gathers[first] |= GATHERED_WEFT;
  }
}

/* Marks the springs along the gathered side of a seam, between particles that are sewn. */
static void mark_gathers(sewing *s, const cloth_group *group, const cloth_seam *seam) {
  const float a_rest = rest_of_side(group, &seam->a), b_rest = rest_of_side(group, &seam->b);
  const cloth_seam_side *side = a_rest > b_rest ? &seam->a : &seam->b;
  if (a_rest > GATHERED_RATIO * b_rest || b_rest > GATHERED_RATIO * a_rest) {
    const cloth *c = group->cloths[side->cloth];
    const int32_t first = s->labels.first[side->cloth], *number = s->labels.number + first;
    for (int32_t n = 0; n + 1 < side->count; n++) {
      const int32_t a = sewn_at(side, n), b = sewn_at(side, n + 1);
      if (number[a] >= 0 && number[b] >= 0) { mark_gathered(c, s->gathers + first, a, b); }
    }
    s->is_gathered[side->cloth] = 1;
  }
}

/// The stitches of a step ///

/* The number among the sewn particles of a particle, which becomes one if it is none yet. */
static int32_t add_sewn(sewing *s, int32_t member, int32_t particle) {
  int32_t *number = &s->labels.number[s->labels.first[member] + particle];
  if (*number < 0) {
    sewn_particle *p = &s->particles[s->particle_count];
    fill_zero(p, sizeof *p);
    p->root[0] = p->root[1] = s->particle_count;
    p->cloth = member;
    p->particle = particle;
    p->place = place_in_rows(s->cloths[member], particle);
    s->labels.label[s->particle_count][0] = s->particle_count;
    s->labels.label[s->particle_count][1] = s->labels.label[s->particle_count][2] = -1;
    s->is_sewn[member] = 1;
    *number = s->particle_count++;
  }
  return *number;
}

/* The sewn particle that stands for all that one is one with. */
static int32_t sewn_root_of(const sewing *s, int32_t number) {
  while (s->labels.label[number][0] != number) {
    number = s->labels.label[number][0];
  }
  return number;
}

/* Adds to the hash of a cloth's seams that end `from` of a stitch is sewn to end `to`. Cloths are told apart by their
   configs, so that the order of the group does not matter. */
static void hash_link(sewing *s, const cloth_group *group, const stitch_ends *e, int32_t from, int32_t to) {
  hasher h;
  hash_start(&h);
  hash_words(&h, group->cloths[e->cloth[to]]->config_hash, 2);
  hash_word(&h, (uint32_t)e->particle[from]);
  hash_word(&h, (uint32_t)e->particle[to]);
  s->hash[e->cloth[from]] += hash_end(&h);
}

/* Adds a stitch to the hashes of its cloths, which do not depend on the order of seams, sides and stitches either. */
static void hash_stitch(sewing *s, const cloth_group *group, const stitch_ends *e) {
  for (int32_t k = 1; k < 3; k++) {
    if (k == 1 || e->particle[2] != e->particle[1]) {
      hash_link(s, group, e, 0, k);
      hash_link(s, group, e, k, 0);
    }
  }
}

static void add_stitch(sewing *s, const cloth_group *group, const cloth_seam *seam, int32_t n) {
  const stitch_ends ends = ends_of_stitch(seam, n);
  stitch *t = &s->stitches[s->stitch_count++];
  t->is_spring = 0;
  t->share = ends.share;
  for (int32_t k = 0; k < 3; k++) {
    t->particle[k] = add_sewn(s, ends.cloth[k], ends.particle[k]);
  }
  if (t->share == 0.0f) {
    const int32_t a = sewn_root_of(s, t->particle[0]), b = sewn_root_of(s, t->particle[1]);
    s->labels.label[a > b ? a : b][0] = a > b ? b : a;
  }
  hash_stitch(s, group, &ends);
}

static void add_stitches(sewing *s, const cloth_group *group, const cloth_seam *seam) {
  int joins = 0;
  for (int32_t n = 0; n < larger_count(seam); n++) {
    if (is_stitched(group, seam, n)) {
      add_stitch(s, group, seam, n);
      joins = 1;
    }
  }
  if (joins) { join_parts(s->part, group->count, seam->a.cloth, seam->b.cloth); }
}

/* Labels particles by what they are one with, and those of gathers by what they lie between. */
static void label_sewn(sewing *s) {
  for (int32_t n = 0; n < s->particle_count; n++) {
    s->labels.label[n][0] = sewn_root_of(s, n);
  }
  for (int32_t n = 0; n < s->stitch_count; n++) {
    const stitch *t = &s->stitches[n];
    for (int32_t k = 1; t->share > 0.0f && k < 3; k++) {
      s->labels.label[t->particle[0]][k] = s->labels.label[t->particle[k]][0];
    }
  }
}

CLOTH_SEPARATE void make_stitches(sewing *s, const cloth_group *group) {
  int32_t end = 0;
  for (int32_t n = 0; n < group->count; n++) {
    const cloth *c = group->cloths[n];
    s->labels.first[n] = end;
    end += c->count;
  }
  for (int32_t i = 0; i < end; i++) {
    s->labels.number[i] = -1;
    s->gathers[i] = 0;
  }
  for (int32_t n = 0; n < group->seam_count; n++) {
    add_stitches(s, group, &group->seams[n]);
    mark_gathers(s, group, &group->seams[n]);
  }
  label_sewn(s);
  s->speed = group->seam_speed;
}
