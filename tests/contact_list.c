/* The list of contacts of a step beside the statistics, the reactions and the colliders, and that statistics count
   particles. SPDX-License-Identifier: MIT */
#include "shapes.h"

enum { MOST = 2048, BODIES = 4 };

static cloth_contact list[MOST];

static cloth_config listed_config(int n) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = n;
  config.origin = vector_at(-0.5, 0.3, -0.5);
  config.capacity.max_contacts = MOST;
  return config;
}

/* A ball, a box beside it and a valley of two planes, into which a sheet falls. */
static void add_bodies(cloth *sheet, cloth_collider bodies[BODIES]) {
  for (int i = 0; i < BODIES; i++)
    bodies[i] = cloth_collider_default();
  bodies[0].radius = 0.1f;
  bodies[0].pose.position = vector_at(-0.3, 0.1, 0.2);
  bodies[1].shape = CLOTH_SHAPE_BOX;
  bodies[1].pose.position = vector_at(0.3, -0.05, 0.0);
  bodies[1].half_extents = vector_at(0.2, 0.2, 0.4);
  bodies[1].pose.rotation = rotation_about((point){0.0, 0.0, 1.0}, 0.3);
  bodies[2].shape = CLOTH_SHAPE_PLANE;
  bodies[2].pose.position = vector_at(0.0, 0.0, 0.0);
  bodies[3] = bodies[2];
  bodies[2].pose.rotation = rotation_about((point){0.0, 0.0, 1.0}, 0.5);
  bodies[3].pose.rotation = rotation_about((point){0.0, 0.0, 1.0}, -0.5);
  for (int i = 0; i < BODIES; i++)
    CHECK(cloth_add_collider(sheet, &bodies[i]) == i, "collider %d", i);
}

/* Ascending particles, each pair once. Returns the number of different particles that touch. */
static int expect_order(int count) {
  int particles = 0, last = -1;
  for (int i = 0; i < count; i++) {
    CHECK(i == 0 || list[i].particle >= list[i - 1].particle, "entry %d is of particle %d", i, list[i].particle);
    for (int k = i - 1; k >= 0 && list[k].particle == list[i].particle; k--)
      CHECK(list[k].collider != list[i].collider, "particle %d and collider %d twice", list[i].particle,
            list[i].collider);
    CHECK(list[i].is_touching == 0 || list[i].is_touching == 1, "touching %d", list[i].is_touching);
    particles += list[i].is_touching && list[i].particle != last;
    last = list[i].is_touching ? list[i].particle : last;
  }
  return particles;
}

/* The impulses that particles got from a collider are minus what it got. */
static void expect_reaction(const fixture *s, int count, int collider) {
  cloth_reaction reaction;
  CHECK(cloth_get_collider_reaction(s->sheet, collider, &reaction) == CLOTH_OK, "a reaction");
  point sum = point_of(reaction.impulse);
  double sizes = 1e-9;
  for (int i = 0; i < count; i++) {
    if (list[i].collider == collider) {
      sum = point_sum(sum, point_of(list[i].impulse));
      sizes += point_length(point_of(list[i].impulse));
    }
  }
  CHECK(point_length(sum) < 1e-5 * sizes, "collider %d: impulses of %g N s and the reaction differ by %g", collider,
        sizes, point_length(sum));
}

/* Normals are of unit length and lead away from the collider; positions are at the thickness. With contact in the
   solver particles lie a little deeper. */
static void expect_places(const cloth_collider *bodies, int count) {
  for (int i = 0; i < count; i++) {
    if (!list[i].is_touching) continue;
    const cloth_collider *body = &bodies[list[i].collider];
    point at = point_of(list[i].position), normal = point_of(list[i].normal);
    double distance = distance_to(body, at), ahead = distance_to(body, point_sum(at, point_scaled(normal, 1e-3)));
    CHECK(fabs(point_length(normal) - 1.0) < 1e-5, "a normal of length %g", point_length(normal));
    CHECK(ahead - distance > 0.9e-3, "the normal of particle %d leads %g m away", list[i].particle, ahead - distance);
    CHECK(distance > -0.02 && distance < 0.0105, "particle %d is at %g m", list[i].particle, distance);
  }
}

static void test_list(void) {
  cloth_config config = listed_config(19), plain = config;
  plain.capacity.max_contacts = 0;
  fixture s = fixture_make(&config), without = fixture_make(&plain);
  cloth_collider bodies[BODIES];
  add_bodies(s.sheet, bodies);
  add_bodies(without.sheet, bodies);
  int most = 0, several = 0;
  CHECK(cloth_get_contacts(s.sheet, list, MOST) == 0, "contacts before the first step");
  for (int frame = 0; frame < 90; frame++) {
    cloth_statistics st, other;
    uint64_t bound = 0;
    CHECK(cloth_get_work_bound(s.sheet, FRAME, &bound) == CLOTH_OK, "a bound");
    CHECK(cloth_step(s.sheet, FRAME) >= 0 && cloth_step(without.sheet, FRAME) >= 0, "a step");
    int count = cloth_get_contacts(s.sheet, list, MOST);
    CHECK(count >= 0 && count <= MOST, "%d contacts", count);
    cloth_get_statistics(s.sheet, &st);
    cloth_get_statistics(without.sheet, &other);
    uint64_t work = (uint64_t)st.work[1] << 32 | st.work[0], less = (uint64_t)other.work[1] << 32 | other.work[0];
    CHECK(work <= bound, "work %.0f above its bound %.0f", (double)work, (double)bound);
    CHECK((work > less) == (count > 0) && work >= less, "%d contacts cost %.0f", count, (double)(work - less));
    int particles = expect_order(count);
    CHECK(particles == st.contacts, "frame %d: %d particles touch, statistics tell %d", frame, particles, st.contacts);
    CHECK(st.contacts == other.contacts && st.contacts_sticking == other.contacts_sticking, "another count");
    CHECK(st.contacts_sticking <= st.contacts && st.contacts_dropped == 0, "%d stick, %d dropped", st.contacts_sticking,
          st.contacts_dropped);
    for (int collider = 0; collider < BODIES; collider++)
      expect_reaction(&s, count, collider);
    expect_places(bodies, count);
    CHECK(same_state(&s, &without), "the record changes the state");
    most = count > most ? count : most;
    for (int i = 1; i < count; i++)
      several += list[i].particle == list[i - 1].particle;
  }
  CHECK(most > 50 && several > 0, "at most %d contacts, %d with a particle's second collider", most, several);
  fixture_free(&without);
  fixture_free(&s);
}

/* 16 particles on five planes that lie within each other: 80 pairs, 16 particles. A list may end between the pairs of a
   particle. */
static void test_count(void) {
  cloth_config config = listed_config(4);
  fixture s = fixture_make(&config);
  cloth_statistics st;
  for (int i = 0; i < 5; i++) {
    cloth_collider plane = cloth_collider_default();
    plane.shape = CLOTH_SHAPE_PLANE;
    plane.pose.position.y = 0.3f + 0.01f * (float)i;
    cloth_add_collider(s.sheet, &plane);
  }
  int most_pairs = 0, split = 0;
  const int frames = 120; /* the way out becomes speed, and the sheet falls back */
  for (int frame = 0; frame < frames; frame++) {
    CHECK(cloth_step(s.sheet, FRAME) >= 0, "a step");
    cloth_get_statistics(s.sheet, &st);
    CHECK(st.contacts <= 16 && st.contacts_sticking <= st.contacts, "%d of 16 particles, %d stick", st.contacts,
          st.contacts_sticking);
    int pairs = cloth_get_contacts(s.sheet, NULL, 0);
    most_pairs = pairs > most_pairs ? pairs : most_pairs;
    memset(list, 0x55, sizeof list);
    CHECK(cloth_get_contacts(s.sheet, list, MOST) == pairs, "another count");
    split += pairs > 1 && list[0].particle == list[1].particle;
    memset(list, 0x55, sizeof list);
    CHECK(cloth_get_contacts(s.sheet, list, 1) == pairs, "another count where there is room for one");
    CHECK(pairs == 0 || ((pairs < 16 || list[0].particle == 0) && list[1].particle == 0x55555555), "wrote more than 1");
  }
  CHECK(st.contacts == 16, "%d of 16 particles touch", st.contacts);
  CHECK(most_pairs > 16 && split > 0, "%d pairs", most_pairs);
  fixture_free(&s);
}

/* A box that is pulled away beneath a sheet within one step: what it has left touches no more. */
static void test_came_apart(void) {
  cloth_config config = listed_config(12);
  config.substeps = 8; /* so that the box is beneath most of the sheet in the first of them */
  fixture s = fixture_make(&config);
  cloth_collider box = cloth_collider_default();
  box.shape = CLOTH_SHAPE_BOX;
  box.half_extents = vector_at(0.6, 0.1, 0.6);
  box.static_friction = box.kinetic_friction = 0.0f;
  box.pose.position = vector_at(0.0, 0.19, 0.0);
  cloth_add_collider(s.sheet, &box);
  run_steps(s.sheet, 20, FRAME);
  int before = cloth_get_contacts(s.sheet, list, MOST);
  CHECK(before > 100, "%d particles lie on the box", before);
  cloth_pose away = box.pose;
  away.position.x += 0.8f;
  cloth_move_collider(s.sheet, 0, NULL, &away);
  cloth_step(s.sheet, FRAME);
  int count = cloth_get_contacts(s.sheet, list, MOST), touching = expect_order(count);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  CHECK(count > 100 && touching < count - 20 && touching == st.contacts, "%d contacts, %d touch, statistics %d", count,
        touching, st.contacts);
  fixture_free(&s);
}

/* Less room than there are contacts: what there is room for is listed, the rest is counted. */
static void test_room(void) {
  cloth_config config = listed_config(12);
  config.capacity.max_contacts = 7;
  fixture s = fixture_make(&config);
  cloth_collider bodies[BODIES];
  add_bodies(s.sheet, bodies);
  run_steps(s.sheet, 30, FRAME);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  CHECK(st.contacts > 7 && st.contacts_dropped > 0, "%d contacts, %d dropped", st.contacts, st.contacts_dropped);
  CHECK(guards_intact(s.arena, s.memory.total_bytes), "wrote outside");
  memset(list, 0x55, sizeof list);
  CHECK(cloth_get_contacts(s.sheet, list, 4) == 7, "not 7 contacts");
  CHECK(expect_order(4) <= 4 && list[4].particle == 0x55555555, "wrote more than 4");
  CHECK(cloth_get_contacts(s.sheet, list, MOST) == 7 && list[7].particle == 0x55555555, "wrote more than 7");
  fixture_free(&s);
}

/* The record lasts until the next step, whatever is loaded, and is empty while the cloth sleeps. */
static void test_lasts(void) {
  cloth_config config = listed_config(12);
  config.sleep.speed = 0.5f;
  config.sleep.time = 0.1f;
  fixture s = fixture_make(&config);
  cloth_collider bodies[BODIES];
  add_bodies(s.sheet, bodies);
  unsigned char *start = copy_bytes(s.arena, s.memory.saved_bytes);
  CHECK(cloth_save(s.sheet, start, s.memory.saved_bytes) == CLOTH_OK, "a save");
  run_steps(s.sheet, 18, FRAME);
  CHECK(!cloth_is_asleep(s.sheet), "asleep too soon");
  int count = cloth_get_contacts(s.sheet, list, MOST);
  cloth_contact *before = (cloth_contact *)(void *)copy_bytes(list, sizeof list);
  CHECK(cloth_load(s.sheet, start, s.memory.saved_bytes) == CLOTH_OK, "a load");
  CHECK(cloth_get_contacts(s.sheet, list, MOST) == count && count > 10, "%d contacts", count);
  CHECK(memcmp(before, list, (size_t)count * sizeof *list) == 0, "loading changed the list");
  for (int frame = 0; frame < 900 && !cloth_is_asleep(s.sheet); frame++)
    cloth_step(s.sheet, FRAME);
  cloth_step(s.sheet, FRAME);
  CHECK(cloth_is_asleep(s.sheet) && cloth_get_contacts(s.sheet, list, MOST) == 0, "contacts of a sleeping cloth");
  free(before);
  free(start);
  fixture_free(&s);
}

/* A ball that the sheet carries: what solves along lines pass to it is in the list, too. */
static void test_body(void) {
  cloth_config config = listed_config(19);
  config.capacity.max_bodies = 1;
  fixture s = fixture_make(&config);
  cloth_collider ball = cloth_collider_default();
  ball.radius = 0.1f;
  ball.pose.position = vector_at(0.0, 0.45, 0.0);
  const cloth_body body = cloth_body_default(&ball, 2.0f);
  CHECK(cloth_add_collider(s.sheet, &ball) == 0 && cloth_set_body(s.sheet, 0, &body) == CLOTH_OK, "a ball");
  for (int corner = 0; corner < 4; corner++)
    CHECK(cloth_pin(s.sheet, (corner & 1) * 18 + (corner & 2) * 9 * 19) == CLOTH_OK, "a pin");
  int most = 0;
  for (int frame = 0; frame < 90; frame++) {
    cloth_statistics st;
    uint64_t bound = 0;
    CHECK(cloth_get_work_bound(s.sheet, FRAME, &bound) == CLOTH_OK, "a bound");
    CHECK(cloth_step(s.sheet, FRAME) >= 0, "a step");
    const int count = cloth_get_contacts(s.sheet, list, MOST);
    cloth_get_statistics(s.sheet, &st);
    CHECK(((uint64_t)st.work[1] << 32 | st.work[0]) <= bound, "work above its bound");
    const int particles = expect_order(count);
    CHECK(particles == st.contacts, "frame %d: %d particles touch, statistics tell %d", frame, particles, st.contacts);
    expect_reaction(&s, count, 0);
    most = count > most ? count : most;
  }
  CHECK(most > 5, "at most %d contacts", most);
  fixture_free(&s);
}

static void test_refused(void) {
  cloth_config config = listed_config(4);
  fixture s = fixture_make(&config);
  CHECK(cloth_get_contacts(NULL, list, 1) == CLOTH_ERROR_NULL, "no cloth");
  CHECK(cloth_get_contacts(s.sheet, NULL, 1) == CLOTH_ERROR_NULL, "nowhere to write");
  CHECK(cloth_get_contacts(s.sheet, list, -1) == CLOTH_ERROR_RANGE, "fewer than none");
  fixture_free(&s);
  config.capacity.max_contacts = 0;
  s = fixture_make(&config);
  CHECK(cloth_get_contacts(s.sheet, list, 1) == CLOTH_ERROR_STATE, "no record");
  cloth_memory with, without = s.memory;
  config.capacity.max_contacts = 10;
  CHECK(cloth_memory_needed(&config, &with) == CLOTH_OK, "memory");
  size_t more = with.total_bytes - without.total_bytes, expected = 10 * 52 + 16 * 4 + 4;
  CHECK(more + CLOTH_ALIGNMENT > expected && more < expected + CLOTH_ALIGNMENT, "%zu bytes more, not %zu", more,
        expected);
  CHECK(with.state_bytes == without.state_bytes, "the record is part of the state");
  fixture_free(&s);
}

static const test tests[] = {
    TEST(list), TEST(count), TEST(came_apart), TEST(room), TEST(lasts), TEST(body), TEST(refused),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
