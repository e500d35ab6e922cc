/* Structures other than a plain sheet by two corners, judged through the public interface: tubes, sheets with half of
   their cells, torn ones and pieces; strain limits, maps, tethers, confinement; targets; pins. A table, whose lines end
   in "ok" or "missed"; the exit status is 1 if one is missed. Names of tests as arguments choose some of them.
   SPDX-License-Identifier: MIT */
#include "hung.h"

#include "pinned.h"
#include "targets.h"

static const test tests[] = {
    TEST(skirt),
    TEST(tubes),
    TEST(tubes_of_wide_cells),
    TEST(many_iterations),
    TEST(half_of_the_cells),
    TEST(torn),
    TEST(torn_off),
    TEST(island),
    TEST(strain_limit),
    TEST(maps),
    TEST(tethers),
    TEST(confined),
    TEST(on_rails),
    TEST(max_distance),
    TEST(violated),
    TEST(backstop),
    TEST(at_target),
    TEST(pin_reactions),
    TEST(moving_pins),
    TEST(drive),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
