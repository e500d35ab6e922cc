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

/* Keeps what is wrong with an argument. Returns 0. */
static int refuse(options *o, const char *name, const char *value, const char *wrong) {
  snprintf(o->fault, sizeof o->fault, "%.40s%s%.40s: %.40s", name, *value ? " " : "", value, wrong);
  return 0;
}

static int parse_number(const char *name, const char *text, int least, int most, int *value, options *o) {
  char *end, range[40];
  long number = strtol(text, &end, 10);
  if (end == text || *end != '\0' || number < least || number > most) {
    snprintf(range, sizeof range, "not %d..%d", least, most);
    return refuse(o, name, text, range);
  }
  *value = (int)number;
  return 1;
}

static int parse_grid(const char *name, const char *text, options *o) {
  char rest;
  return sscanf(text, "%dx%d%c", &o->columns, &o->rows, &rest) == 2 || refuse(o, name, text, "not as 16x16");
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
  if (!strcmp(name, "--grid")) return parse_grid(name, value, o);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(name, known[i].name))
      return parse_number(name, value, known[i].least, known[i].most, known[i].value, o);
  return refuse(o, name, "", "no such option");
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
    if (!parse_option(arguments[i], arguments[i + 1], o)) return 0;
  return (count - first) % 2 == 0 || refuse(o, arguments[count - 1], "", "without a value");
}

/* One's own port comes first, then those of the others in their order. */
static int place_of_port(const options *o, int player) {
  return player == o->player ? 0 : player < o->player ? player + 1 : player;
}

static int are_different(char **texts, const int *ports, int count, options *o) {
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++)
      if (ports[i] == ports[j]) return refuse(o, "port", texts[i], "twice");
  return 1;
}

/* As many as there are arguments before the first option. Returns how many, or 0 if they are wrong. */
static int parse_ports(int count, char **arguments, int first, int *ports, options *o) {
  int found = 0;
  for (; first + found < count && strncmp(arguments[first + found], "--", 2) != 0; found++) {
    if (found == PLAYERS_MOST) return refuse(o, "port", arguments[first + found], "there are too many");
    if (!parse_number("port", arguments[first + found], 1, 65535, &ports[found], o)) return 0;
  }
  if (found < PLAYERS_LEAST) return refuse(o, "ports", "", "there are too few");
  return are_different(arguments + first, ports, found, o) ? found : 0;
}

static command parse_play(int count, char **arguments, options *o) {
  int ports[PLAYERS_MOST];
  if (!parse_number("player", arguments[1], 0, PLAYERS_MOST - 1, &o->player, o)) return COMMAND_NONE;
  const int found = parse_ports(count, arguments, 2, ports, o);
  o->players = found;
  if (!found || !parse_number("player", arguments[1], 0, found - 1, &o->player, o) ||
      !parse_options(count, arguments, 2 + found, o))
    return COMMAND_NONE;
  if (o->players != found) {
    refuse(o, "--players", "", "not as many as ports");
    return COMMAND_NONE;
  }
  for (int player = 0; player < found; player++)
    o->ports[player] = ports[place_of_port(o, player)];
  return COMMAND_PLAY;
}

static command parse_compare(int count, char **arguments, options *o) {
  if (count < 4) {
    refuse(o, arguments[1], "", "needs two images");
    return COMMAND_NONE;
  }
  o->images[0] = arguments[2];
  o->images[1] = arguments[3];
  return parse_options(count, arguments, 4, o) ? COMMAND_COMPARE : COMMAND_NONE;
}

static command parse_sync(int count, char **arguments, options *o) {
  const char *back = count > 2 ? arguments[2] : "";
  const int is_right =
      parse_number(arguments[1], back, 1, SYNC_FRAMES_LIMIT, &o->back, o) && parse_options(count, arguments, 3, o);
  return is_right ? COMMAND_SYNC : COMMAND_NONE;
}

static command parse_costs(int count, char **arguments, options *o) {
  if (count > 2) refuse(o, arguments[2], "", "costs takes no argument");
  return count > 2 ? COMMAND_NONE : COMMAND_COSTS;
}

command options_read(options *o, int count, char **arguments) {
  *o = default_options();
  if (count < 2) return COMMAND_NONE;
  if (!strcmp(arguments[1], "costs")) return parse_costs(count, arguments, o);
  if (!strcmp(arguments[1], "sync")) return parse_sync(count, arguments, o);
  if (!strcmp(arguments[1], "compare")) return parse_compare(count, arguments, o);
  return parse_play(count, arguments, o);
}
