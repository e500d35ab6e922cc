/* SPDX-License-Identifier: MIT */
#include "jobs.h"

#include <pthread.h>
#include <stdlib.h>

/* How often a thread looks for what it waits for before it sleeps: some 50 microseconds, less than it takes to wake it.
   A step of a large cloth comes back with another job sooner. */
#ifndef JOBS_LOOKS
#define JOBS_LOOKS 2000
#endif

struct jobs {
  pthread_mutex_t lock; /* of all below; what is waited for may be looked at without it */
  pthread_cond_t begins, ends;
  pthread_t threads[JOBS_WORKERS_MOST];
  int workers, named; /* threads take their numbers as they start */
  int round, is_over;
  job_range *range;
  void *context;
  int count, grain, next, busy; /* numbers, and threads that have not ended this round */
};

static void pause_processor(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Lets go of the lock, but not for long, until a number is not what it was. */
static void look_for_change(jobs *j, const int *number, int was) {
  pthread_mutex_unlock(&j->lock);
  for (int n = 0; n < JOBS_LOOKS && __atomic_load_n(number, __ATOMIC_ACQUIRE) == was; n++)
    pause_processor();
  pthread_mutex_lock(&j->lock);
}

static void set(int *number, int value) {
  __atomic_store_n(number, value, __ATOMIC_RELEASE);
}

/* Takes the next numbers until there are none. Holds the lock but for the work itself. */
static void take_part(jobs *j, int worker) {
  while (j->next < j->count) {
    const int first = j->next, last = first + j->grain < j->count ? first + j->grain : j->count;
    j->next = last;
    pthread_mutex_unlock(&j->lock);
    j->range(j->context, first, last, worker);
    pthread_mutex_lock(&j->lock);
  }
}

static void *work(void *context) {
  jobs *j = (jobs *)context;
  int round = 0;
  pthread_mutex_lock(&j->lock);
  const int worker = ++j->named;
  for (;;) {
    look_for_change(j, &j->round, round);
    while (j->round == round && !j->is_over)
      pthread_cond_wait(&j->begins, &j->lock);
    if (j->is_over) break;
    round = j->round;
    take_part(j, worker);
    set(&j->busy, j->busy - 1);
    if (j->busy == 0) pthread_cond_signal(&j->ends);
  }
  pthread_mutex_unlock(&j->lock);
  return NULL;
}

jobs *jobs_open(int workers) {
  jobs *j = (jobs *)calloc(1, sizeof *j);
  if (!j) return NULL;
  pthread_mutex_init(&j->lock, NULL);
  pthread_cond_init(&j->begins, NULL);
  pthread_cond_init(&j->ends, NULL);
  for (j->workers = 1; j->workers < workers; j->workers++)
    if (pthread_create(&j->threads[j->workers], NULL, work, j) != 0) {
      jobs_close(j);
      return NULL;
    }
  return j;
}

void jobs_close(jobs *j) {
  pthread_mutex_lock(&j->lock);
  j->is_over = 1;
  set(&j->round, j->round + 1); /* which is what they look at */
  pthread_cond_broadcast(&j->begins);
  pthread_mutex_unlock(&j->lock);
  for (int i = 1; i < j->workers; i++)
    pthread_join(j->threads[i], NULL);
  pthread_cond_destroy(&j->ends);
  pthread_cond_destroy(&j->begins);
  pthread_mutex_destroy(&j->lock);
  free(j);
}

void jobs_run(jobs *j, job_range *range, void *context, int count, int grain) {
  pthread_mutex_lock(&j->lock);
  j->range = range;
  j->context = context;
  j->count = count;
  j->grain = grain;
  j->next = 0;
  set(&j->busy, j->workers - 1);
  set(&j->round, j->round + 1);
  pthread_cond_broadcast(&j->begins);
  take_part(j, 0);
  for (int busy = 0; j->busy > 0 && j->busy != busy;) {
    busy = j->busy;
    look_for_change(j, &j->busy, busy);
  }
  while (j->busy > 0)
    pthread_cond_wait(&j->ends, &j->lock);
  pthread_mutex_unlock(&j->lock);
}
