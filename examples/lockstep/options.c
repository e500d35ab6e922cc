/* SPDX-License-Identifier: MIT */
#include "options.h"

#include "examine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct option {
  const char *name;
  int *value;
  int least, most;
} option;

static int parse_number(const char *text, int least, int most, int *value) {
  char *end;
  long number = strtol(text, &end, 10);
  if (end == text || *end != '\0' || number < least || number > most)
    return 0;
  *value = (int)number;
  return 1;
}

static int parse_grid(const char *text, options *o) {
  char rest;
  return sscanf(text, "%dx%d%c", &o->columns, &o->rows, &rest) == 2;
}

static int parse_option(const char *name, const char *value, options *o) {
  const option known[] = {{"--players", &o->players, PLAYERS_LEAST, PLAYERS_MOST},
                          {"--frames", &o->frames, 1, 1 << 24},
                          {"--loss", &o->loss, 0, 90},
                          {"--delay", &o->delay, 0, 8},
                          {"--reorder", &o->reorder, 0, 100},
                          {"--seed", &o->seed, 0, 1 << 30},
                          {"--fps", &o->fps, 0, 1000},
                          {"--timeout", &o->timeout, 1, 1 << 20},
                          {"--corrupt", &o->corrupt, 0, 1 << 24},
                          {"--flip", &o->flip, 0, 100}};
  if (!strcmp(name, "--dump")) {
    o->dump = value;
    return 1;
  }
  if (!strcmp(name, "--grid"))
    return parse_grid(value, o);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(name, known[i].name))
      return parse_number(value, known[i].least, known[i].most, known[i].value);
  return 0;
}

static options default_options(void) {
  options o = {.players = PLAYERS_LEAST, .frames = 3600, .loss = 20, .delay = 3, .reorder = 10, .seed = 1};
  o.columns = 16;
  o.rows = 16;
  o.timeout = 10;
  o.corrupt = -1;
  return o;
}

/* Those from an argument on. */
static int parse_options(int count, char **arguments, int first, options *o) {
  for (int i = first; i + 1 < count; i += 2)
    if (!parse_option(arguments[i], arguments[i + 1], o))
      return 0;
  return (count - first) % 2 == 0;
}

/* One's own port comes first, then those of the others in their order. */
static int place_of_port(const options *o, int player) {
  return player == o->player ? 0 : player < o->player ? player + 1 : player;
}

static int are_different(const int *ports, int count) {
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++)
      if (ports[i] == ports[j])
        return 0;
  return 1;
}

/* As many as there are arguments before the first option. Returns how many, or 0 if one is not a port. */
static int parse_ports(int count, char **arguments, int first, int *ports) {
  int found = 0;
  for (; first + found < count && strncmp(arguments[first + found], "--", 2) != 0; found++)
    if (found == PLAYERS_MOST || !parse_number(arguments[first + found], 1, 65535, &ports[found]))
      return 0;
  return found;
}

static command parse_play(int count, char **arguments, options *o) {
  int ports[PLAYERS_MOST];
  const int found = parse_ports(count, arguments, 2, ports);
  o->players = found;
  if (found < PLAYERS_LEAST || !are_different(ports, found) || !parse_number(arguments[1], 0, found - 1, &o->player) ||
      !parse_options(count, arguments, 2 + found, o) || o->players != found)
    return COMMAND_NONE;
  for (int player = 0; player < found; player++)
    o->ports[player] = ports[place_of_port(o, player)];
  return COMMAND_PLAY;
}

static command parse_compare(int count, char **arguments, options *o) {
  o->images[0] = arguments[2];
  o->images[1] = arguments[3];
  return parse_options(count, arguments, 4, o) ? COMMAND_COMPARE : COMMAND_NONE;
}

static command parse_sync(int count, char **arguments, options *o) {
  const int is_right =
      parse_number(arguments[2], 1, SYNC_FRAMES_LIMIT, &o->back) && parse_options(count, arguments, 3, o);
  return is_right ? COMMAND_SYNC : COMMAND_NONE;
}

command options_read(options *o, int count, char **arguments) {
  *o = default_options();
  if (count == 2 && !strcmp(arguments[1], "costs"))
    return COMMAND_COSTS;
  if (count >= 3 && !strcmp(arguments[1], "sync"))
    return parse_sync(count, arguments, o);
  if (count >= 4 && !strcmp(arguments[1], "compare"))
    return parse_compare(count, arguments, o);
  return count >= 4 ? parse_play(count, arguments, o) : COMMAND_NONE;
}
