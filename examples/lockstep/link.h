/*
 * A UDP link on the loopback that behaves like a bad network: what is sent is delayed, lost, reordered and damaged by a
 * seeded generator. Its time is counted in ticks of the caller, a frame each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOCKSTEP_LINK_H
#define LOCKSTEP_LINK_H

#include "packet.h"
#include "random.h"

#include <stddef.h>
#include <stdint.h>

enum { LINK_HELD_LIMIT = 64 };

typedef struct link_options {
  int local_port, remote_port;
  int loss;    /* packets lost [%] */
  int delay;   /* ticks that every packet is held */
  int reorder; /* packets held longer than those behind them [%] */
  int flip;    /* packets of which one bit is changed [%] */
  uint64_t seed;
} link_options;

typedef struct link_statistics {
  int sent, lost, reordered, flipped;
} link_statistics;

/* A packet on its way. */
typedef struct link_held {
  int64_t due; /* tick; below 0 for a free place */
  size_t count;
  uint8_t bytes[PACKET_BYTES];
} link_held;

typedef struct udp_link {
  int socket;
  link_options options;
  random_source noise;
  int64_t tick;
  link_held held[LINK_HELD_LIMIT];
  link_statistics statistics;
} udp_link;

/* Return 0, or -1 with errno set. */
int link_open(udp_link *link, const link_options *options);
void link_close(udp_link *link);

/* Sends a packet of at most PACKET_BYTES, or loses it. */
void link_send(udp_link *link, const uint8_t *bytes, size_t count);

/* Lets a tick pass: what is due goes out. */
void link_tick(udp_link *link);

/* Fetches a packet into PACKET_BYTES bytes. Returns its size, 0 if there is none. */
size_t link_receive(udp_link *link, uint8_t *bytes);

/* Waits for a packet. Returns 1 if there is one, 0 if the time has passed. */
int link_wait(udp_link *link, int milliseconds);

#endif /* LOCKSTEP_LINK_H */
