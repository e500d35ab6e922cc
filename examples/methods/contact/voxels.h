#pragma once
#include "../methods.h"

/// Voxels ///

/*
 * Pairs of particles that are close (thesis section 3.4.2): space is divided into cubes as wide as the distance, and a
 * particle is compared with those in its own cube and the 26 around it. Cubes are kept as a table of hashes with a
 * counting sort that keeps the order of the particles, so that the list of pairs is the same on every machine: by the
 * first particle, then by the 27 cubes, then by the second particle. Cubes of one hash are told apart by their numbers.
 *
 * Balls of a radius of half the distance around the particles of a square grid cover it if the distance is at least
 * the diagonal of a cell, h / sqrt 2 to each side: .7072 h, times the stretch. With the document's .6 h a twentieth of
 * a cell stays uncovered, through which another particle passes.
 */

/* Most pairs of one particle with later ones. */
#define VOXEL_CANDIDATES 32
/* Cubes have numbers of 20 bits on each axis. */
#define VOXEL_RANGE 524288.0f

/* The voxels of `count` particles, in voxel_words() words of the caller. */
typedef struct voxel_grid {
  int32_t count, buckets; /* buckets: a power of 2 */
  int32_t *start;         /* of each bucket, in `order`; one more at the end */
  int32_t *order;         /* particles by bucket */
  int32_t *cube;          /* of each particle, three numbers */
} voxel_grid;

/* A pair of particles, i < j. */
typedef struct close_pair {
  int32_t i, j;
  cloth_vector root; /* of the tangent, see repulsion.h */
  float multiplier;  /* of sweeps */
} close_pair;

static int32_t voxel_buckets(int32_t count) {
  int32_t buckets = 16;
  while (buckets < count) {
    buckets *= 2;
  }
  return buckets;
}

static int32_t voxel_words(int32_t count) {
  return voxel_buckets(count) + 1 + 4 * count;
}

static voxel_grid open_voxels(int32_t *words, int32_t count) {
  voxel_grid g = {.count = count, .buckets = voxel_buckets(count)};
  g.start = words;
  g.order = g.start + g.buckets + 1;
  g.cube = g.order + count;
  return g;
}

/* The number of the cube at a coordinate, over the cubes' width: rounded down. */
static int32_t cube_number(float place) {
  const float bounded = minimum(maximum(place, -VOXEL_RANGE), VOXEL_RANGE);
  const int32_t cut = (int32_t)bounded;
  return cut - ((float)cut > bounded);
}

static int32_t bucket_of(const voxel_grid *g, const int32_t *cube) {
  uint32_t hash = (uint32_t)cube[0] * 0x9e3779b1u ^ (uint32_t)cube[1] * 0x85ebca6bu ^ (uint32_t)cube[2] * 0xc2b2ae35u;
  hash ^= hash >> 15;
  return (int32_t)(hash & (uint32_t)(g->buckets - 1));
}

/* Sorts the particles into cubes of `width`. */
static void sort_into_voxels(const voxel_grid *g, vector_array x, float width) {
  const float inverse = 1.0f / width;
  for (int32_t n = 0; n <= g->buckets; n++) {
    g->start[n] = 0;
  }
  for (int32_t i = 0; i < g->count; i++) {
    int32_t *cube = g->cube + 3 * i;
    cube[0] = cube_number(x.x[i] * inverse);
    cube[1] = cube_number(x.y[i] * inverse);
    cube[2] = cube_number(x.z[i] * inverse);
    g->start[bucket_of(g, cube)]++;
  }
  for (int32_t n = 0, sum = 0; n <= g->buckets; n++) {
    sum += g->start[n];
    g->start[n] = sum;
  }
  for (int32_t i = g->count - 1; i >= 0; i--) {
    g->order[--g->start[bucket_of(g, g->cube + 3 * i)]] = i;
  }
}

/* A list of pairs with room for so many. */
typedef struct pair_list {
  close_pair *pairs;
  int32_t count, room, dropped;
  float distance;  /* below which particles are a pair [m] */
  int32_t columns; /* of the grid of a cloth, whose neighbours are no pairs; 0: none */
  int32_t reach;   /* neighbours are up to so many cells away */
} pair_list;

static int32_t absolute_whole(int32_t a) {
  return a < 0 ? -a : a;
}

static int are_neighbours(const pair_list *list, int32_t i, int32_t j) {
  return list->columns > 0 && absolute_whole(i % list->columns - j % list->columns) <= list->reach &&
         absolute_whole(i / list->columns - j / list->columns) <= list->reach;
}

/* Adds the pair if it is one. Returns whether it is. */
static int add_if_close(pair_list *list, vector_array x, int32_t i, int32_t j) {
  const cloth_vector d = vector_subtract(vector_load(x, j), vector_load(x, i));
  if (j <= i || !(vector_dot(d, d) < list->distance * list->distance) || are_neighbours(list, i, j)) { return 0; }
  if (list->count == list->room) {
    list->dropped++;
    return 1;
  }
  close_pair *p = &list->pairs[list->count++];
  fill_zero(p, sizeof *p);
  p->i = i;
  p->j = j;
  return 1;
}

/* Lists the pairs of a particle with the later ones in a cube. Returns how many. */
static int32_t list_in_cube(const voxel_grid *g, vector_array x, pair_list *list, int32_t i, const int32_t *cube) {
  const int32_t bucket = bucket_of(g, cube);
  int32_t found = 0;
  for (int32_t n = g->start[bucket]; n < g->start[bucket + 1]; n++) {
    const int32_t *other = g->cube + 3 * g->order[n];
    if (other[0] == cube[0] && other[1] == cube[1] && other[2] == cube[2]) {
      found += add_if_close(list, x, i, g->order[n]);
    }
  }
  return found;
}

/* Lists all pairs that are closer than the list's distance. */
static void list_close_pairs(const voxel_grid *g, vector_array x, pair_list *list) {
  list->count = list->dropped = 0;
  sort_into_voxels(g, x, list->distance);
  for (int32_t i = 0; i < g->count; i++) {
    const int32_t *own = g->cube + 3 * i;
    int32_t found = 0;
    for (int32_t n = 0; n < 27 && found < VOXEL_CANDIDATES; n++) {
      const int32_t cube[3] = {own[0] + n % 3 - 1, own[1] + n / 3 % 3 - 1, own[2] + n / 9 - 1};
      found += list_in_cube(g, x, list, i, cube);
    }
  }
}
