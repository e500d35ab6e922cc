/*
 * Workers that share out a range of numbers, as the job system of an engine does. The first worker is the caller.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CROWD_JOBS_H
#define CROWD_JOBS_H

enum { JOBS_WORKERS_MOST = 64 };

/* Does the numbers first..last - 1 of a job, as one of the workers, 0..count - 1. */
typedef void job_range(void *context, int first, int last, int worker);

typedef struct jobs jobs;

/* Starts workers, 1..JOBS_WORKERS_MOST. Returns NULL without memory or threads. */
jobs *jobs_open(int workers);
void jobs_close(jobs *j);

/* Does the numbers 0..count - 1, `grain` at a time, each once, in any order on any worker, and returns when all are
   done. */
void jobs_run(jobs *j, job_range *range, void *context, int count, int grain);

#endif /* CROWD_JOBS_H */
