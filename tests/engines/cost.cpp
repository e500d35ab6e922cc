// The same functions by cloth.h and, with WRAPPED, by cloth.hpp: tests/cpp_header.sh compares their machine code. Not
// both at once: GCC would find that they are the same and make one call the other.
#include <cloth.hpp>

#ifdef WRAPPED
#define EITHER(result, name, parameters, plain, wrapped)                                                               \
  extern "C" result name parameters;                                                                                   \
  result name parameters wrapped
#else
#define EITHER(result, name, parameters, plain, wrapped)                                                               \
  extern "C" result name parameters;                                                                                   \
  result name parameters plain
#endif

EITHER(
    int, step, (cloth * c, float dt), { return cloth_step(c, dt); }, { return cloths::handle(c).step(dt).code(); })

EITHER(
    bool, step_is_fine, (cloth * c, float dt), { return cloth_step(c, dt) >= CLOTH_OK; },
    { return static_cast<bool>(cloths::handle(c).step(dt)); })

EITHER(
    int, pin, (cloth * c, int column, int row),
    {
      int particle = cloth_particle_at(c, column, row);
      return particle < CLOTH_OK ? particle : cloth_pin(c, particle);
    },
    {
      cloths::handle sheet(c);
      cloths::result particle = sheet.particle_at(column, row);
      return !particle ? particle.code() : sheet.pin(particle.value()).code();
    })

EITHER(
    int, wind, (cloth * c, cloth_vector wind), { return cloth_set_wind(c, wind); },
    { return cloths::handle(c).set_wind(wind).code(); })

EITHER(
    int, vertices, (cloth * c, const cloth_vertex_layout *layout, float *vertices, std::size_t count),
    { return cloth_write_vertices(c, layout, vertices, count * sizeof *vertices); },
    { return cloths::handle(c).write_vertices(*layout, cloths::span<float>(vertices, count)).code(); })

EITHER(
    int, frame, (cloth * c, int ball, const cloth_pose *pose, cloth_vector wind),
    {
      int result = cloth_set_wind(c, wind);
      if (result >= CLOTH_OK) result = cloth_move_collider(c, ball, nullptr, pose);
      return result < CLOTH_OK ? result : cloth_step(c, 1.0f / 60.0f);
    },
    {
      cloths::handle sheet(c);
      cloths::result result = sheet.set_wind(wind);
      if (result) result = sheet.move_collider(ball, *pose);
      return !result ? result.code() : sheet.step(1.0f / 60.0f).code();
    })

EITHER(
    float, lowest, (cloth * c),
    {
      cloth_vector_view view{};
      cloth_get_positions(c, &view);
      float lowest = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(view.count); i++)
        lowest = view.y[i] < lowest ? view.y[i] : lowest;
      return lowest;
    },
    {
      float lowest = 0;
      const cloths::vectors positions = cloths::handle(c).get_positions().value();
      for (std::size_t i = 0; i < positions.y.size(); i++)
        lowest = positions.y[i] < lowest ? positions.y[i] : lowest;
      return lowest;
    })
