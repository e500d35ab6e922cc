/* Pieces of a step in several orders and on threads, and a hash of the motion they come to. SPDX-License-Identifier:
 * MIT
 */
#ifndef PIECE_ORDERS_H
#define PIECE_ORDERS_H

/* Pieces here are short and suites run side by side: threads look for 5 microseconds before they sleep. */
#define JOBS_LOOKS 200
#include "piece_threads.h"
#include "support.h"

/* How pieces are run. */
enum { IN_ORDER, REVERSED, SHUFFLED, BY_THREADS, ORDERS };

typedef struct runner {
  int order;
  random_source random;
  jobs *threads;
  int calls, pieces, most, nested;
} runner;

static inline void run(void *context, cloth_piece piece, void *job, int32_t count) {
  runner *r = (runner *)context;
  int places[CLOTH_WORKER_LIMIT];
  CHECK(r->nested == 0, "pieces within pieces");
  CHECK(count >= 2 && count <= CLOTH_WORKER_LIMIT, "%d pieces", (int)count);
  r->nested = 1;
  r->calls++;
  r->pieces += count;
  r->most = count > r->most ? count : r->most;
  for (int n = 0; n < count; n++)
    places[n] = r->order == REVERSED ? count - 1 - n : n;
  for (int n = count - 1; n > 0 && r->order == SHUFFLED; n--) {
    const int other = random_int(&r->random, 0, n), place = places[n];
    places[n] = places[other];
    places[other] = place;
  }
  if (r->order == BY_THREADS)
    run_by_threads(r->threads, piece, job, count);
  else
    for (int n = 0; n < count; n++)
      piece(job, places[n]);
  piece(job, -1); /* numbers that there are none of do nothing */
  piece(job, count);
  r->nested = 0;
}

static inline uint64_t hash_of_view(uint64_t hash, const cloth_vector_view *v) {
  const float *const arrays[3] = {v->x, v->y, v->z};
  for (int n = 0; n < 3; n++)
    for (int i = 0; i < v->count; i++) {
      uint32_t bits;
      memcpy(&bits, &arrays[n][i], sizeof bits);
      hash = (hash ^ bits) * 1099511628211u;
    }
  return hash;
}

static inline uint64_t hash_of_motion(const cloth *c) {
  cloth_vector_view view;
  cloth_get_positions(c, &view);
  const uint64_t hash = hash_of_view(14695981039346656037u, &view);
  cloth_get_velocities(c, &view);
  return hash_of_view(hash, &view);
}

#endif /* PIECE_ORDERS_H */
