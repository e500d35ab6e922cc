/*
 * cloth for C++11 and later: a header over cloth.h, without a source of its own. Compile cloth.c as C and link the two.
 *
 *     cloths::sheet cape;                                     // frees its memory when it goes out of scope
 *     if (!cape.init(config))                                 // errors as values
 *       return;
 *     if (!cape.pin(cape.particle_at(0, 0).value()) || !cape.step(1.0f / 60.0f))
 *       return;
 *     for (float y : cape.get_positions().value().y) ...      // spans of what the library has: no copies
 *
 * Every call is one call of the function of cloth.h that it is named after, where its meaning, units, ranges and errors
 * stand. It is inline and costs nothing beside it: tests/cpp_header.sh compares the machine code. There are no virtual
 * functions, no RTTI, and exceptions only where they are chosen.
 *
 * Errors      handle and sheet return results, which are to be looked at; throwing_handle and throwing_sheet throw a
 *             cloths::error and return plain values. basic_handle<P> and basic_sheet<P> take a policy of your own: see
 *             as_values.
 * Memory      A sheet takes its arena from operator new, or from the caller. A handle owns nothing: it is a pointer.
 * Spans       cloths::span<T> is made from arrays, and from what has data() and size(): std::vector, std::array,
 *             std::span. Buffers that the library writes are spans whose size it checks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLOTH_HPP
#define CLOTH_HPP

#include "cloth.h"

#include <cstddef>
#include <cstdint>
#include <new>

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define CLOTHS_EXCEPTIONS 1
#include <exception>
#else
#define CLOTHS_EXCEPTIONS 0
#endif

#if __cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#define CLOTHS_NODISCARD [[nodiscard]]
#else
#define CLOTHS_NODISCARD
#endif

namespace cloths {

/// Spans ///

/* Elements that lie one after the other, owned by somebody else: a span that is made from a temporary, as an argument,
   serves for that call alone. */
template <class T> class span {
public:
  constexpr span() noexcept : data_(nullptr), size_(0) {
  }
  constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {
  }
  template <std::size_t N> constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {
  }
  template <class Range, class = decltype(static_cast<T *>(static_cast<Range *>(nullptr)->data())),
            class = decltype(static_cast<Range *>(nullptr)->size())>
  constexpr span(Range &range) noexcept : data_(range.data()), size_(range.size()) {
  }
  template <class Range, class = decltype(static_cast<T *>(static_cast<const Range *>(nullptr)->data())),
            class = decltype(static_cast<const Range *>(nullptr)->size())>
  constexpr span(const Range &range) noexcept : data_(range.data()), size_(range.size()) {
  }

  constexpr T *data() const noexcept {
    return data_;
  }
  constexpr std::size_t size() const noexcept {
    return size_;
  }
  constexpr std::size_t size_bytes() const noexcept {
    return size_ * sizeof(T);
  }
  constexpr bool empty() const noexcept {
    return size_ == 0;
  }
  constexpr T *begin() const noexcept {
    return data_;
  }
  constexpr T *end() const noexcept {
    return data_ + size_;
  }
  constexpr T &operator[](std::size_t i) const noexcept {
    return data_[i];
  }

private:
  T *data_;
  std::size_t size_;
};

/* One vector per particle as three spans, valid until the arena moves or is freed: a sheet that is moved takes it along
   as it is; init(), reset(), the end of a sheet and a move to it free what it owns. */
struct vectors {
  span<const float> x, y, z;

  std::size_t size() const noexcept {
    return x.size();
  }
  cloth_vector operator[](std::size_t i) const noexcept {
    return cloth_vector{x[i], y[i], z[i]};
  }
};

/* An arena of the caller, as a variable: cloths::arena<65536> memory; */
template <std::size_t Bytes> struct alignas(CLOTH_ALIGNMENT) arena {
  unsigned char bytes[Bytes];

  unsigned char *data() noexcept {
    return bytes;
  }
  constexpr std::size_t size() const noexcept {
    return Bytes;
  }
};

/* The corners of a box along the axes [m]. */
struct box {
  cloth_vector low, high;
};

/* Mass, motion and place of a collider that has mass. */
struct body_motion {
  cloth_body body;
  cloth_pose pose;
};

/// Errors ///

/* What a call returned: a negative cloth_error, or a number from 0 on, such as an index or a sum of cloth_note. */
class CLOTHS_NODISCARD result {
public:
  constexpr explicit result(int code = CLOTH_OK) noexcept : code_(code) {
  }
  constexpr explicit operator bool() const noexcept {
    return code_ >= CLOTH_OK;
  }
  constexpr int code() const noexcept {
    return code_;
  }
  /* The number of a call that succeeded. */
  constexpr int value() const noexcept {
    return code_;
  }
  constexpr bool has(cloth_note note) const noexcept {
    return code_ >= CLOTH_OK && (code_ & note) != 0;
  }
  const char *name() const noexcept {
    return cloth_result_name(code_);
  }

private:
  int code_;
};

/* A value, or the error for which there is none. */
template <class T> class CLOTHS_NODISCARD outcome {
public:
  constexpr outcome(int code, const T &value) noexcept : code_(code), value_(value) {
  }
  constexpr explicit operator bool() const noexcept {
    return code_ >= CLOTH_OK;
  }
  constexpr int code() const noexcept {
    return code_;
  }
  /* Zero where the call failed. Of a temporary a copy, so that what is made of it may be kept, or looped over. */
  constexpr const T &value() const &noexcept {
    return value_;
  }
  constexpr T value() const &&noexcept {
    return value_;
  }
  const char *name() const noexcept {
    return cloth_result_name(code_);
  }

private:
  int code_;
  T value_;
};

/* A policy says what becomes of the int that a function returns, alone and with a value that the function wrote. This
   one leaves it to the caller. */
struct as_values {
  using status = result;
  template <class T> using value = outcome<T>;

  static constexpr status take(int code) noexcept {
    return result(code);
  }
  template <class T> static constexpr value<T> take(int code, const T &written) noexcept {
    return outcome<T>(code, written);
  }
};

#if CLOTHS_EXCEPTIONS
/* Thrown for a negative cloth_error. */
class error : public std::exception {
public:
  explicit error(int code) noexcept : code_(code) {
  }
  int code() const noexcept {
    return code_;
  }
  const char *what() const noexcept override {
    return cloth_result_name(code_);
  }

private:
  int code_;
};

/* This policy throws, and returns what there is to return otherwise. */
struct as_exceptions {
  using status = int;
  template <class T> using value = T;

  static status take(int code) {
    if (code < CLOTH_OK) throw error(code);
    return code;
  }
  template <class T> static value<T> take(int code, const T &written) {
    if (code < CLOTH_OK) throw error(code);
    return written;
  }
};
#endif

/// A cloth ///

/* A pointer to a cloth with the functions of cloth.h as members. Copies are the same cloth. */
template <class Policy> class basic_handle {
public:
  using status = typename Policy::status;
  template <class T> using value = typename Policy::template value<T>;

  explicit basic_handle(::cloth *c = nullptr) noexcept : c_(c) {
  }
  ::cloth *get() const noexcept {
    return c_;
  }

  /// Configs: nothing of a cloth ///

  static value<cloth_fabric> fabric_preset(cloth_fabric_kind kind) {
    cloth_fabric fabric{};
    int code = cloth_fabric_preset(kind, &fabric);
    return Policy::take(code, fabric);
  }
  static status config_use_imex(cloth_config &config) {
    return Policy::take(cloth_config_use_imex(&config));
  }
  /* Return what the text is about as a number, never an exception: they are asked after an error. */
  static result config_explain(const cloth_config &config, span<char> text) noexcept {
    return result(cloth_config_explain(&config, text.data(), text.size()));
  }
  static result fabric_explain(const cloth_fabric &fabric, span<char> text) noexcept {
    return result(cloth_fabric_explain(&fabric, text.data(), text.size()));
  }
  static result collider_explain(const cloth_collider &collider, span<char> text) noexcept {
    return result(cloth_collider_explain(&collider, text.data(), text.size()));
  }
  static result geometry_explain(const cloth_geometry_data &data, span<char> text) noexcept {
    return result(cloth_geometry_explain(&data, text.data(), text.size()));
  }
  static value<cloth_memory> memory_needed(const cloth_config &config) {
    cloth_memory memory{};
    int code = cloth_memory_needed(&config, &memory);
    return Policy::take(code, memory);
  }
  static value<std::uint64_t> config_work_bound(const cloth_config &config, float dt) {
    std::uint64_t work = 0;
    int code = cloth_config_work_bound(&config, dt, &work);
    return Policy::take(code, work);
  }
  static value<cloth_forecast> plan(const cloth_config &config, float dt, std::uint64_t work, float stretch,
                                    cloth_config &planned) {
    cloth_forecast forecast{};
    int code = cloth_plan(&config, dt, work, stretch, &planned, &forecast);
    return Policy::take(code, forecast);
  }
  static status self_test() {
    return Policy::take(cloth_self_test());
  }

  /// Geometries ///

  static value<std::size_t> geometry_bytes(const cloth_geometry_data &data) {
    std::size_t bytes = 0;
    int code = cloth_geometry_bytes(&data, &bytes);
    return Policy::take(code, bytes);
  }
  static value<const cloth_geometry *> build_geometry(const cloth_geometry_data &data, span<unsigned char> memory) {
    const cloth_geometry *geometry = nullptr;
    int code = cloth_build_geometry(&data, memory.data(), memory.size(), &geometry);
    return Policy::take(code, geometry);
  }
  static status collider_set_geometry(cloth_collider &collider, const cloth_geometry *geometry, std::int32_t place) {
    return Policy::take(cloth_collider_set_geometry(&collider, geometry, place));
  }

  /// Memory ///

  /* Makes a cloth in an arena of the caller, which outlives it. */
  status init(const cloth_config &config, span<unsigned char> memory) {
    return Policy::take(cloth_init(&config, memory.data(), memory.size(), &c_));
  }
  value<cloth_memory> get_memory() const {
    cloth_memory memory{};
    int code = cloth_get_memory(c_, &memory);
    return Policy::take(code, memory);
  }
  status set_scratch(span<unsigned char> scratch) {
    return Policy::take(cloth_set_scratch(c_, scratch.data(), scratch.size()));
  }

  /// Stepping ///

  status step(float dt) {
    return Policy::take(cloth_step(c_, dt));
  }
  status step_with(float dt, const cloth_surroundings *around) {
    return Policy::take(cloth_step_with(c_, dt, around));
  }
  status step_until(float dt, std::uint32_t ticks, cloth_effort &effort) {
    return Policy::take(cloth_step_until(c_, dt, ticks, &effort));
  }
  status step_until_with(float dt, const cloth_surroundings *around, std::uint32_t ticks, cloth_effort &effort) {
    return Policy::take(cloth_step_until_with(c_, dt, around, ticks, &effort));
  }
  status step_again(float dt, const cloth_effort &effort) {
    return Policy::take(cloth_step_again(c_, dt, &effort));
  }
  status step_again_with(float dt, const cloth_surroundings *around, const cloth_effort &effort) {
    return Policy::take(cloth_step_again_with(c_, dt, around, &effort));
  }
  status settle(float dt, float speed, std::int32_t max_steps, cloth_settle_report *report = nullptr) {
    return Policy::take(cloth_settle(c_, dt, speed, max_steps, report));
  }
  status settle_with(float dt, const cloth_surroundings *around, float speed, std::int32_t max_steps,
                     cloth_settle_report *report = nullptr) {
    return Policy::take(cloth_settle_with(c_, dt, around, speed, max_steps, report));
  }
  value<std::uint64_t> get_settle_bound(float dt, std::int32_t max_steps) const {
    std::uint64_t work = 0;
    int code = cloth_get_settle_bound(c_, dt, max_steps, &work);
    return Policy::take(code, work);
  }
  value<std::uint64_t> get_work_bound(float dt) const {
    std::uint64_t work = 0;
    int code = cloth_get_work_bound(c_, dt, &work);
    return Policy::take(code, work);
  }

  /// Drawing ///

  value<vectors> get_positions() const {
    return viewed(&cloth_get_positions);
  }
  value<vectors> get_velocities() const {
    return viewed(&cloth_get_velocities);
  }
  value<cloth_vector> get_position(std::int32_t particle) const {
    cloth_vector position{};
    int code = cloth_get_position(c_, particle, &position);
    return Policy::take(code, position);
  }
  value<cloth_vector> get_velocity(std::int32_t particle) const {
    cloth_vector velocity{};
    int code = cloth_get_velocity(c_, particle, &velocity);
    return Policy::take(code, velocity);
  }
  value<cloth_vector> get_normal(std::int32_t particle) const {
    cloth_vector normal{};
    int code = cloth_get_normal(c_, particle, &normal);
    return Policy::take(code, normal);
  }
  value<box> get_bounds() const {
    box around{};
    int code = cloth_get_bounds(c_, &around.low, &around.high);
    return Policy::take(code, around);
  }
  template <class Vertex> status write_vertices(const cloth_vertex_layout &layout, span<Vertex> vertices) const {
    return Policy::take(cloth_write_vertices(c_, &layout, vertices.data(), vertices.size_bytes()));
  }
  status get_vertex_count() const {
    return Policy::take(cloth_get_vertex_count(c_));
  }
  status cut(const cloth_cut_line &line) {
    return Policy::take(cloth_cut(c_, &line));
  }
  status get_index_count() const {
    return Policy::take(cloth_get_index_count(c_));
  }
  status write_indices(std::uint16_t first_vertex, span<std::uint16_t> indices) const {
    return Policy::take(cloth_write_indices16(c_, first_vertex, indices.data(), indices.size()));
  }
  status write_indices(std::uint32_t first_vertex, span<std::uint32_t> indices) const {
    return Policy::take(cloth_write_indices32(c_, first_vertex, indices.data(), indices.size()));
  }

  /* Bindings are written for layout.count vertices: BUFFER if there is no room for them. */
  static status bind(span<::cloth *const> cloths, const cloth_skin_layout &layout, const void *vertices,
                     const cloth_bind_reach &reach, span<cloth_binding> bindings) {
    if (layout.count > 0 && bindings.size() < static_cast<std::size_t>(layout.count))
      return Policy::take(CLOTH_ERROR_BUFFER);
    return Policy::take(cloth_bind(cloths.data(), static_cast<std::int32_t>(cloths.size()), &layout, vertices, &reach,
                                   bindings.data()));
  }
  static status skin(span<::cloth *const> cloths, span<const cloth_binding> bindings, const cloth_skin_layout &layout,
                     const void *animated, void *vertices) {
    if (layout.count > 0 && bindings.size() < static_cast<std::size_t>(layout.count))
      return Policy::take(CLOTH_ERROR_BUFFER);
    return Policy::take(cloth_skin(cloths.data(), static_cast<std::int32_t>(cloths.size()), bindings.data(), &layout,
                                   animated, vertices));
  }

#ifndef CLOTH_NO_BLEND

  /* Output between the positions that *kept has and those of now: BUFFER if there are fewer than one for each cloth. */
  status keep_positions(cloth_blend &kept) const {
    return Policy::take(cloth_keep_positions(c_, &kept));
  }
  template <class Vertex>
  status write_blended_vertices(const cloth_blend &kept, const cloth_vertex_layout &layout, span<Vertex> vertices) {
    return Policy::take(cloth_write_blended_vertices(c_, &kept, &layout, vertices.data(), vertices.size_bytes()));
  }
  static status skin_blended(span<::cloth *const> cloths, span<const cloth_blend> kept,
                             span<const cloth_binding> bindings, const cloth_skin_layout &layout, const void *animated,
                             void *vertices) {
    if (kept.size() < cloths.size() || (layout.count > 0 && bindings.size() < static_cast<std::size_t>(layout.count)))
      return Policy::take(CLOTH_ERROR_BUFFER);
    return Policy::take(cloth_skin_blended(cloths.data(), static_cast<std::int32_t>(cloths.size()), kept.data(),
                                           bindings.data(), &layout, animated, vertices));
  }

#endif

  /// Queries ///

  /* The number is 1 where the ray meets the cloth, else 0, and *point stays as it is. */
  status cast_ray(const cloth_ray &ray, cloth_surface_point &point) const {
    return Policy::take(cloth_cast_ray(c_, &ray, &point));
  }
  status find_nearest(const cloth_vector &from, float max_distance, cloth_surface_point &point) const {
    return Policy::take(cloth_find_nearest(c_, from, max_distance, &point));
  }

  /// Particles and pins ///

  status particle_at(std::int32_t column, std::int32_t row) const {
    return Policy::take(cloth_particle_at(c_, column, row));
  }
  status pin(std::int32_t particle) {
    return Policy::take(cloth_pin(c_, particle));
  }
  status move_pin(std::int32_t particle, const cloth_vector &target) {
    return Policy::take(cloth_move_pin(c_, particle, target));
  }
  status set_pin_velocity(std::int32_t particle, const cloth_vector &velocity) {
    return Policy::take(cloth_set_pin_velocity(c_, particle, velocity));
  }
  status release(std::int32_t particle) {
    return Policy::take(cloth_release(c_, particle));
  }
  status set_particle(std::int32_t particle, const cloth_vector &position, const cloth_vector &velocity) {
    return Policy::take(cloth_set_particle(c_, particle, position, velocity));
  }
  status apply_impulse(std::int32_t particle, const cloth_vector &impulse) {
    return Policy::take(cloth_apply_impulse(c_, particle, impulse));
  }

  /// Colliders and bodies ///

  status add_collider(const cloth_collider &collider) {
    return Policy::take(cloth_add_collider(c_, &collider));
  }
  status set_collider(std::int32_t index, const cloth_collider &collider) {
    return Policy::take(cloth_set_collider(c_, index, &collider));
  }
  status remove_collider(std::int32_t index) {
    return Policy::take(cloth_remove_collider(c_, index));
  }
  status move_collider(std::int32_t index, const cloth_pose &current, const cloth_pose *previous = nullptr) {
    return Policy::take(cloth_move_collider(c_, index, previous, &current));
  }
  value<cloth_reaction> get_collider_reaction(std::int32_t index) const {
    cloth_reaction reaction{};
    int code = cloth_get_collider_reaction(c_, index, &reaction);
    return Policy::take(code, reaction);
  }
  /* The number is that of all contacts, of which the first fill the span. */
  status get_contacts(span<cloth_contact> contacts) const {
    return Policy::take(cloth_get_contacts(c_, contacts.data(), static_cast<std::int32_t>(contacts.size())));
  }
  status set_body(std::int32_t collider, const cloth_body *body) {
    return Policy::take(cloth_set_body(c_, collider, body));
  }
  value<body_motion> get_body(std::int32_t collider) const {
    body_motion motion{};
    int code = cloth_get_body(c_, collider, &motion.body, &motion.pose);
    return Policy::take(code, motion);
  }
  status attach(std::int32_t particle, std::int32_t collider, const cloth_vector *point = nullptr) {
    return Policy::take(cloth_attach(c_, particle, collider, point));
  }
  value<cloth_vector> get_pin_reaction(std::int32_t particle) const {
    cloth_vector impulse{};
    int code = cloth_get_pin_reaction(c_, particle, &impulse);
    return Policy::take(code, impulse);
  }

  /// Gravity, wind and fabric ///

  status set_gravity(const cloth_vector &gravity) {
    return Policy::take(cloth_set_gravity(c_, gravity));
  }
  status set_wind(const cloth_vector &wind) {
    return Policy::take(cloth_set_wind(c_, wind));
  }
  value<cloth_vector> get_wind() const {
    cloth_vector wind{};
    int code = cloth_get_wind(c_, &wind);
    return Policy::take(code, wind);
  }
  status set_gusts(const cloth_gusts *gusts) {
    return Policy::take(cloth_set_gusts(c_, gusts));
  }
  status set_fabric(const cloth_fabric &fabric) {
    return Policy::take(cloth_set_fabric(c_, &fabric));
  }

  /// Confinements, tethers, targets, moving frames ///

  status confine_to_line(std::int32_t particle, const cloth_vector &direction) {
    return Policy::take(cloth_confine_to_line(c_, particle, direction));
  }
  status confine_to_plane(std::int32_t particle, const cloth_vector &normal) {
    return Policy::take(cloth_confine_to_plane(c_, particle, normal));
  }
  status get_freedom(std::int32_t particle) const {
    return Policy::take(cloth_get_freedom(c_, particle));
  }
  status set_tether(std::int32_t particle, std::int32_t slot, std::int32_t pin) {
    return Policy::take(cloth_set_tether(c_, particle, slot, pin));
  }
  /* The pin, or -1. */
  value<std::int32_t> get_tether(std::int32_t particle, std::int32_t slot) const {
    std::int32_t pin = -1;
    int code = cloth_get_tether(c_, particle, slot, &pin);
    return Policy::take(code, pin);
  }
  status reset_tethers() {
    return Policy::take(cloth_reset_tethers(c_));
  }
  status set_motion_constraint(std::int32_t particle, const cloth_motion_constraint &constraint) {
    return Policy::take(cloth_set_motion_constraint(c_, particle, &constraint));
  }
  template <class Vertex> status move_targets(const cloth_vertex_layout &layout, span<Vertex> vertices) {
    return Policy::take(cloth_move_targets(c_, &layout, vertices.data(), vertices.size_bytes()));
  }
  template <class Vertex> status set_targets(const cloth_vertex_layout &layout, span<Vertex> vertices) {
    return Policy::take(cloth_set_targets(c_, &layout, vertices.data(), vertices.size_bytes()));
  }
  status move_frame(const cloth_pose &from, const cloth_pose &to, const cloth_inertia *inertia, float dt,
                    std::uint64_t colliders) {
    return Policy::take(cloth_move_frame(c_, &from, &to, inertia, dt, colliders));
  }

  /// Origins, sleep ///

  value<cloth_metres> get_origin() const {
    cloth_metres origin{};
    int code = cloth_get_origin(c_, &origin);
    return Policy::take(code, origin);
  }
  static status set_origin(span<::cloth *const> cloths, cloth_metres origin) {
    return Policy::take(cloth_set_origin(cloths.data(), static_cast<std::int32_t>(cloths.size()), origin));
  }
  static value<cloth_metres> recentre(span<::cloth *const> cloths) {
    cloth_metres origin{};
    int code = cloth_recentre(cloths.data(), static_cast<std::int32_t>(cloths.size()), &origin);
    return Policy::take(code, origin);
  }
  value<cloth_vector> get_origin_offset(basic_handle to) const {
    cloth_vector offset{};
    int code = cloth_get_origin_offset(c_, to.c_, &offset);
    return Policy::take(code, offset);
  }
  status wake() {
    return Policy::take(cloth_wake(c_));
  }
  status is_asleep() const {
    return Policy::take(cloth_is_asleep(c_));
  }

  /// State, statistics ///

  status save(span<unsigned char> buffer) const {
    return Policy::take(cloth_save(c_, buffer.data(), buffer.size()));
  }
  status load(span<const unsigned char> buffer) {
    return Policy::take(cloth_load(c_, buffer.data(), buffer.size()));
  }
  status write_image(span<unsigned char> image) const {
    return Policy::take(cloth_write_image(c_, image.data(), image.size()));
  }
  status read_image(span<const unsigned char> image) {
    return Policy::take(cloth_read_image(c_, image.data(), image.size()));
  }
  value<std::uint64_t> hash() const {
    std::uint64_t hash = 0;
    int code = cloth_hash(c_, &hash);
    return Policy::take(code, hash);
  }
  value<cloth_statistics> get_statistics() const {
    cloth_statistics statistics{};
    int code = cloth_get_statistics(c_, &statistics);
    return Policy::take(code, statistics);
  }
  status get_substep_iterations(std::int32_t substep) const {
    return Policy::take(cloth_get_substep_iterations(c_, substep));
  }
  value<cloth_self_statistics> get_self_statistics() const {
    cloth_self_statistics statistics{};
    int code = cloth_get_self_statistics(c_, &statistics);
    return Policy::take(code, statistics);
  }
  value<cloth_measures> measure() const {
    cloth_measures measures{};
    int code = cloth_measure(c_, &measures);
    return Policy::take(code, measures);
  }

protected:
  ::cloth *c_;

private:
  value<vectors> viewed(int (*get_view)(const ::cloth *, cloth_vector_view *)) const {
    cloth_vector_view view{};
    int code = get_view(c_, &view);
    std::size_t count = static_cast<std::size_t>(view.count);
    vectors spans{{view.x, count}, {view.y, count}, {view.z, count}};
    return Policy::take(code, spans);
  }
};

/* A cloth that owns its arena, or lies in one of the caller. It moves, and does not copy: save() and load() do. A sheet
   that was not made, or was moved from, is empty: its calls return NULL. */
template <class Policy> class basic_sheet : public basic_handle<Policy> {
public:
  using status = typename Policy::status;

  basic_sheet() noexcept : block_(nullptr) {
  }
  basic_sheet(const basic_sheet &) = delete;
  basic_sheet &operator=(const basic_sheet &) = delete;
  basic_sheet(basic_sheet &&other) noexcept : basic_handle<Policy>(other.c_), block_(other.block_) {
    other.forget();
  }
  basic_sheet &operator=(basic_sheet &&other) noexcept {
    if (this != &other) {
      reset();
      this->c_ = other.c_;
      block_ = other.block_;
      other.forget();
    }
    return *this;
  }
  ~basic_sheet() {
    reset();
  }

  explicit operator bool() const noexcept {
    return this->c_ != nullptr;
  }

  /* Frees what it owns, and is empty. */
  void reset() noexcept {
    ::operator delete(block_);
    forget();
  }

  /* Makes a cloth in memory of operator new, in place of what was here. ARENA: there is none. An error leaves the sheet
     as it was. */
  status init(const cloth_config &config) {
    cloth_memory memory{};
    int code = cloth_memory_needed(&config, &memory);
    if (code < CLOTH_OK) return Policy::take(code);
    void *block = ::operator new(memory.total_bytes + CLOTH_ALIGNMENT, std::nothrow);
    if (block == nullptr) return Policy::take(CLOTH_ERROR_ARENA);
    std::size_t past = reinterpret_cast<std::uintptr_t>(block) % CLOTH_ALIGNMENT;
    return take_over(config, static_cast<unsigned char *>(block) + (CLOTH_ALIGNMENT - past), memory.total_bytes, block);
  }

  /* Makes a cloth in an arena of the caller, which outlives it. */
  status init(const cloth_config &config, span<unsigned char> memory) {
    return take_over(config, memory.data(), memory.size(), nullptr);
  }

private:
  void forget() noexcept {
    this->c_ = nullptr;
    block_ = nullptr;
  }

  status take_over(const cloth_config &config, unsigned char *memory, std::size_t bytes, void *block) {
    ::cloth *made = nullptr;
    int code = cloth_init(&config, memory, bytes, &made);
    if (code < CLOTH_OK) {
      ::operator delete(block);
      return Policy::take(code);
    }
    reset();
    this->c_ = made;
    block_ = block;
    return Policy::take(code);
  }

  void *block_; /* of operator new, or NULL */
};

/* Cloths that are stepped together, see cloth_group. `memory` is work space of group_bytes() bytes, aligned to
   CLOTH_ALIGNMENT. */
template <class Policy> struct basic_groups {
  using status = typename Policy::status;
  template <class T> using value = typename Policy::template value<T>;

  static value<std::size_t> group_bytes(const cloth_group &group) {
    std::size_t bytes = 0;
    int code = cloth_group_bytes(&group, &bytes);
    return Policy::take(code, bytes);
  }
  static status step_together(const cloth_group &group, float dt, span<unsigned char> memory) {
    return Policy::take(cloth_step_together(&group, dt, memory.data(), memory.size()));
  }
  static status step_together_until(const cloth_group &group, float dt, span<unsigned char> memory, std::uint32_t ticks,
                                    cloth_effort *efforts) {
    return Policy::take(cloth_step_together_until(&group, dt, memory.data(), memory.size(), ticks, efforts));
  }
  static status step_together_again(const cloth_group &group, float dt, span<unsigned char> memory,
                                    const cloth_effort *efforts) {
    return Policy::take(cloth_step_together_again(&group, dt, memory.data(), memory.size(), efforts));
  }
  static value<std::uint64_t> group_work_bound(const cloth_group &group, float dt) {
    std::uint64_t work = 0;
    int code = cloth_group_work_bound(&group, dt, &work);
    return Policy::take(code, work);
  }
#ifndef CLOTH_NO_SEAMS
  static value<float> group_seam_gap(const cloth_group &group, std::int32_t seam) {
    float gap = 0;
    int code = cloth_group_seam_gap(&group, seam, &gap);
    return Policy::take(code, gap);
  }
#ifndef CLOTH_NO_SKIN
  /* As bind() and skin() of a sheet; no blends: as the cloths are now. */
  static status bind_group(const cloth_group &group, const cloth_skin_layout &layout, const void *vertices,
                           const cloth_bind_reach &reach, span<cloth_binding> bindings) {
    if (layout.count > 0 && bindings.size() < static_cast<std::size_t>(layout.count))
      return Policy::take(CLOTH_ERROR_BUFFER);
    return Policy::take(cloth_bind_group(&group, &layout, vertices, &reach, bindings.data()));
  }
  static status skin_group(const cloth_group &group, span<const cloth_blend> blends, span<const cloth_binding> bindings,
                           const cloth_skin_layout &layout, const void *animated, void *vertices) {
    if ((blends.size() > 0 && blends.size() < static_cast<std::size_t>(group.count)) ||
        (layout.count > 0 && bindings.size() < static_cast<std::size_t>(layout.count)))
      return Policy::take(CLOTH_ERROR_BUFFER);
    return Policy::take(cloth_skin_group(&group, blends.size() > 0 ? blends.data() : nullptr, bindings.data(), &layout,
                                         animated, vertices));
  }
#ifndef CLOTH_NO_VERTICES
  static status write_group_vertices(const cloth_group &group, span<const cloth_blend> blends,
                                     const cloth_vertex_layout &layout, span<unsigned char> vertices) {
    if (blends.size() > 0 && blends.size() < static_cast<std::size_t>(group.count))
      return Policy::take(CLOTH_ERROR_BUFFER);
    return Policy::take(cloth_write_group_vertices(&group, blends.size() > 0 ? blends.data() : nullptr, &layout,
                                                   vertices.data(), vertices.size()));
  }
#endif
#endif
#endif
};

using handle = basic_handle<as_values>;
using groups = basic_groups<as_values>;
using sheet = basic_sheet<as_values>;
#if CLOTHS_EXCEPTIONS
using throwing_handle = basic_handle<as_exceptions>;
using throwing_sheet = basic_sheet<as_exceptions>;
using throwing_groups = basic_groups<as_exceptions>;
#endif

} // namespace cloths

#endif /* CLOTH_HPP */
