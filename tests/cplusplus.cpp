// cloth.h from C++11: the sheet over a ball of tests/package/consumer.c, by a class that owns its arena. Prints the
// same.
#include <cloth.h>

#include <cstdint>
#include <cstdio>
#include <type_traits>

namespace {

class Sheet {
public:
  explicit Sheet(const cloth_config &config) : result_(cloth_init(&config, arena_, sizeof arena_, &cloth_)) {
  }
  // The arena holds no pointers, but cloth_ is one.
  Sheet(const Sheet &) = delete;
  Sheet &operator=(const Sheet &) = delete;

  // Keeps the first error.
  void take(int result) {
    if (result_ >= CLOTH_OK) result_ = result;
  }
  int result() const {
    return result_;
  }
  cloth *get() {
    return cloth_;
  }

private:
  CLOTH_ALIGNED unsigned char arena_[160 * 1024];
  cloth *cloth_ = nullptr;
  int result_;
};

static_assert(alignof(Sheet) >= CLOTH_ALIGNMENT, "a member's alignment is its class's");
static_assert(std::is_trivially_copyable<cloth_config>::value, "a config is plain data");

struct Span {
  CLOTH_ALIGNED unsigned char first;
  unsigned char second;
};
static_assert(sizeof(Span) == CLOTH_ALIGNMENT, "CLOTH_ALIGNED aligns what it stands before, and nothing else");

} // namespace

int main() {
  auto config = cloth_config_default();
  config.columns = config.rows = 16;
  config.max_colliders = 1;

  static Sheet sheet(config);
  sheet.take(cloth_pin(sheet.get(), cloth_particle_at(sheet.get(), 0, 0)));
  auto ball = cloth_collider_default();
  ball.shape = CLOTH_SHAPE_SPHERE;
  ball.radius = 0.2f;
  ball.pose.position = cloth_vector{0.5f, -0.25f, 0.5f};
  sheet.take(cloth_add_collider(sheet.get(), &ball));
  for (int frame = 0; frame < 60; frame++)
    sheet.take(cloth_step(sheet.get(), 1.0f / 60.0f));

  uint64_t hash = 0;
  sheet.take(cloth_hash(sheet.get(), &hash));
  sheet.take(cloth_self_test());
  std::printf("%s, hash %08lx%08lx\n", sheet.result() >= CLOTH_OK ? "fine" : cloth_result_name(sheet.result()),
              static_cast<unsigned long>(hash >> 32), static_cast<unsigned long>(hash & 0xffffffffu));
  return sheet.result() >= CLOTH_OK ? 0 : 1;
}
