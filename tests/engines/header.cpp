// cloth.hpp: the scene of flag.c, memory of both kinds, errors of both kinds. Prints what flag.c prints.
#include <cloth.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

static int faults, blocks;

static void expect(bool condition, const char *what) {
  if (!condition) {
    std::printf("failed: %s\n", what);
    faults++;
  }
}

// Counts the blocks that sheets hold.
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept {
  blocks++;
  return std::malloc(bytes);
}

void operator delete(void *block) noexcept {
  blocks -= block != nullptr;
  std::free(block);
}

void operator delete(void *block, std::size_t) noexcept {
  operator delete(block);
}

void *operator new(std::size_t bytes) {
  blocks++;
  void *block = std::malloc(bytes);
  if (block == nullptr) std::abort();
  return block;
}

namespace {

enum { COLUMNS = 24, ROWS = 16, FRAMES = 120 };

cloth_config flag_config() {
  cloth_config config = cloth_config_default();
  config.columns = COLUMNS;
  config.rows = ROWS;
  config.edge_warp = cloth_vector{1.25f, 0, 0};
  config.edge_weft = cloth_vector{0, -0.75f, 0};
  config.substeps = 8;
  config.fabric = cloths::handle::fabric_preset(CLOTH_FABRIC_POLYESTER).value();
  return config;
}

cloths::result equip(cloths::handle flag) {
  for (int row = 0; row < ROWS; row++) {
    cloths::result pinned = flag.pin(flag.particle_at(0, row).value());
    if (!pinned) return pinned;
  }
  cloth_collider ball = cloth_collider_default();
  ball.shape = CLOTH_SHAPE_SPHERE;
  ball.radius = 0.125f;
  ball.pose.position = cloth_vector{0.75f, -0.5f, -1};
  return flag.add_collider(ball);
}

// Any policy: the calls are the same.
template <class Handle> void play(Handle flag, int ball, int from, int to) {
  for (int frame = from; frame < to; frame++) {
    const cloth_pose pose = {{0.75f, -0.5f, -1.0f + static_cast<float>(frame) / 64.0f}, {0, 0, 0, 1}};
    static_cast<void>(flag.set_wind(cloth_vector{6.0f + 0.25f * static_cast<float>(frame % 16), 0, 0.5f}));
    static_cast<void>(flag.move_collider(ball, pose));
    static_cast<void>(flag.step(1.0f / 60.0f));
  }
}

cloths::handle handle_of(cloths::sheet &sheet) {
  return cloths::handle(sheet.get());
}

void own_memory(std::uint64_t &hash) {
  cloths::sheet flag;
  expect(!flag && flag.step(1).code() == CLOTH_ERROR_NULL, "an empty sheet is refused");
  cloth_config wrong = flag_config();
  wrong.columns = 1;
  char text[128];
  expect(flag.init(wrong).code() == CLOTH_ERROR_RANGE && !flag && blocks == 0, "a wrong config makes nothing");
  expect(cloths::handle::config_explain(wrong, text).code() == CLOTH_ERROR_RANGE && text[0] == 'c', "in words");
  expect(static_cast<bool>(flag.init(flag_config())) && blocks == 1, "a sheet takes one block");
  cloths::result ball = equip(handle_of(flag));
  expect(ball.code() == 0, "the first collider");
  play(handle_of(flag), ball.value(), 0, FRAMES);
  hash = flag.hash().value();

  cloths::sheet other = std::move(flag);
  expect(!flag && other && other.hash().value() == hash && blocks == 1, "a sheet moves");
  flag = std::move(other);
  expect(flag && !other && blocks == 1, "and moves back");
  const void *before = flag.get();
  expect(flag.init(wrong).code() == CLOTH_ERROR_RANGE && flag.get() == before, "an error leaves the sheet as it is");
  expect(static_cast<bool>(flag.init(flag_config())) && blocks == 1, "a new cloth frees the old one");
}

void callers_memory(std::uint64_t expected) {
  static cloths::arena<224 * 1024> memory;
  cloths::sheet flag;
  expect(static_cast<bool>(flag.init(flag_config(), memory)) && blocks == 0, "an arena of the caller");
  cloths::result ball = equip(handle_of(flag));
  play(handle_of(flag), ball.value(), 0, FRAMES);
  expect(flag.hash().value() == expected, "the same flag in an arena of the caller");

  std::vector<unsigned char> saved(flag.get_memory().value().saved_bytes);
  expect(static_cast<bool>(flag.save(saved)), "a save goes into a vector");
  play(handle_of(flag), ball.value(), FRAMES, FRAMES + 5);
  std::uint64_t later = flag.hash().value();
  expect(static_cast<bool>(flag.load(saved)), "a load");
  play(handle_of(flag), ball.value(), FRAMES, FRAMES + 5);
  expect(flag.hash().value() == later && later != expected, "a load brings the state back");
  expect(flag.save(cloths::span<unsigned char>(saved.data(), 10)).code() == CLOTH_ERROR_BUFFER, "a short span");
  flag.reset();
  expect(!flag, "reset");
}

void spans() {
  static cloths::arena<224 * 1024> memory;
  cloths::handle flag;
  expect(static_cast<bool>(flag.init(flag_config(), memory)), "a handle in an arena");
  static float vertices[8 * COLUMNS * ROWS];
  const cloth_vertex_layout layout = {32, 0, 12, 24};
  expect(static_cast<bool>(flag.write_vertices(layout, cloths::span<float>(vertices))), "vertices to an array");
  const cloths::vectors positions = flag.get_positions().value();
  std::size_t equal = 0, at = 0;
  for (float x : positions.x)
    equal += x == vertices[8 * at++];
  expect(positions.size() == COLUMNS * ROWS && equal == positions.size(), "views are the particles");
  expect(positions[5].y == flag.get_position(5).value().y, "a vector of a view");
  std::array<std::uint16_t, 6 * (COLUMNS - 1) * (ROWS - 1)> indices;
  expect(flag.get_index_count().value() == static_cast<int>(indices.size()) &&
             static_cast<bool>(flag.write_indices(0, cloths::span<std::uint16_t>(indices))),
         "indices to a std::array");
#if __cplusplus >= 202002L
  std::span<std::uint16_t> standard(indices);
  expect(static_cast<bool>(flag.write_indices(0, cloths::span<std::uint16_t>(standard))), "and to a std::span");
#endif
  expect(!flag.get_position(COLUMNS * ROWS) && flag.get_position(-1).code() == CLOTH_ERROR_INDEX, "outcomes");
}

// The loop of docs/engines.md, over a span of a temporary. Any policy.
float lowest_of(const cloths::sheet &cape) {
  float lowest = 0;
  for (float y : cape.get_positions().value().y)
    lowest = std::min(lowest, y);
  return lowest;
}

#if CLOTHS_EXCEPTIONS
float lowest_of(const cloths::throwing_sheet &cape) {
  float lowest = 0;
  for (float y : cape.get_positions().y)
    lowest = std::min(lowest, y);
  return lowest;
}
#endif

template <class Sheet> void loops() {
  Sheet cape;
  static_cast<void>(cape.init(flag_config()));
  for (int frame = 0; frame < 10; frame++)
    static_cast<void>(cape.step(1.0f / 60.0f));
  cloth_vector_view view;
  float lowest = 0;
  expect(cloth_get_positions(cape.get(), &view) == CLOTH_OK && view.count == COLUMNS * ROWS, "a view in C");
  for (int i = 0; i < view.count; i++)
    lowest = view.y[i] < lowest ? view.y[i] : lowest;
  expect(lowest < -0.75f && lowest_of(cape) == lowest, "the loop of the documentation visits every particle");
}

// What a sheet has outlives what it was asked by: references to values of temporaries, views over moves.
void lifetimes() {
  cloths::sheet cape;
  expect(static_cast<bool>(cape.init(flag_config())), "a sheet");
  const cloth_memory &memory = cape.get_memory().value();
  const cloths::outcome<cloths::vectors> kept = cape.get_positions();
  const cloths::vectors &positions = kept.value();
  expect(memory.saved_bytes > 0 && &positions == &kept.value(), "a named outcome gives its value without a copy");
  const float first = positions.x[COLUMNS - 1];

  cloths::sheet &same = cape;
  cape = std::move(same);
  expect(cape && blocks == 1, "a sheet that is moved to itself stays");
  cloths::sheet other = std::move(cape);
  expect(other.get_positions().value().x.data() == positions.x.data() && positions.x[COLUMNS - 1] == first,
         "a view serves after its sheet has moved");
  expect(!cape && cape.get_positions().value().size() == 0 && cape.step(1).code() == CLOTH_ERROR_NULL &&
             cape.cut(cloth_cut_line{0, 0, 1, 1}).code() == CLOTH_ERROR_NULL,
         "what was moved from is empty");
  expect(static_cast<bool>(cape.init(flag_config())) && blocks == 2, "and can be made again");
  std::swap(cape, other);
  expect(cape.get_positions().value().x.data() == positions.x.data() && blocks == 2, "sheets swap");
}

#if CLOTHS_EXCEPTIONS
// Whatever is thrown, a sheet frees what it had and keeps what it has.
void thrown() {
  cloth_config wrong = flag_config();
  wrong.columns = 1;
  int caught = 0;
  try {
    cloths::throwing_sheet cape;
    cape.init(wrong);
  } catch (const cloths::error &error) { caught += error.code() == CLOTH_ERROR_RANGE; }
  cloths::throwing_sheet cape;
  cape.init(flag_config());
  const void *before = cape.get();
  try {
    cape.init(wrong);
  } catch (const cloths::error &error) { caught += error.code() == CLOTH_ERROR_RANGE; }
  static cloths::arena<64> small;
  try {
    cape.init(flag_config(), small);
  } catch (const cloths::error &error) { caught += error.code() == CLOTH_ERROR_ARENA; }
  expect(caught == 3 && cape.get() == before && blocks == 1, "a sheet that could not be made is as before");
}

void exceptions(std::uint64_t expected) {
  cloths::throwing_sheet flag;
  flag.init(flag_config());
  cloths::result ball = equip(cloths::handle(flag.get()));
  play(cloths::throwing_handle(flag.get()), ball.value(), 0, FRAMES);
  std::uint64_t hash = flag.hash(); // a plain number
  expect(hash == expected, "the same flag with exceptions");
  int caught = 0;
  try {
    flag.pin(COLUMNS * ROWS);
  } catch (const cloths::error &error) {
    caught = error.code();
    expect(error.what()[0] == 'I', "the name of an exception");
  }
  expect(caught == CLOTH_ERROR_INDEX, "an error is thrown");
}
#endif

static_assert(std::is_trivially_copyable<cloths::handle>::value, "a handle goes where a pointer goes");
static_assert(sizeof(cloths::handle) == sizeof(cloth *), "a handle is a pointer");
static_assert(sizeof(cloths::sheet) == 2 * sizeof(void *), "a sheet is two pointers");
static_assert(!std::is_copy_constructible<cloths::sheet>::value, "a sheet does not copy");
static_assert(!std::is_convertible<std::vector<float>, cloths::span<float>>::value, "nothing writes to a temporary");
static_assert(!std::is_convertible<cloths::arena<64>, cloths::span<unsigned char>>::value, "nor lies in one");
static_assert(std::is_nothrow_move_constructible<cloths::sheet>::value, "a sheet moves");

} // namespace

int main() {
  std::uint64_t hash = 0;
  own_memory(hash);
  expect(blocks == 0, "a sheet frees its memory");
  callers_memory(hash);
  spans();
  loops<cloths::sheet>();
  lifetimes();
#if CLOTHS_EXCEPTIONS
  loops<cloths::throwing_sheet>();
  thrown();
  exceptions(hash);
#endif
  expect(blocks == 0, "nothing is left");
  std::printf("flag, hash %08lx%08lx\n", static_cast<unsigned long>(hash >> 32),
              static_cast<unsigned long>(hash & 0xffffffffu));
  return faults != 0;
}
