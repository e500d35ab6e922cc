/*
 * A cape on a figure with raylib and cloth.hpp: hold the mouse to pull the figure about. One file and the library:
 *
 *     cc -O2 -ffp-contract=off -I../.. -c ../../cloth.c -o cloth.o
 *     c++ -O2 -std=c++11 -I../.. -I../../port raylib_cape.cpp cloth.o -lraylib -o raylib_cape
 *
 * SPDX-License-Identifier: MIT
 */
#include <cloth.hpp>

#include <raylib.h>

#include <cmath>
#include <cstdio>

namespace {

enum { COLUMNS = 24, ROWS = 32, PARTICLES = COLUMNS * ROWS, INDICES = 6 * (COLUMNS - 1) * (ROWS - 1) };

const float collar_width = 0.44f, cape_length = 1.1f; // [m]
const float step_seconds = 1.0f / 60.0f;

// Where the figure stands and where its parts are from there [m].
struct Figure {
  float x, z;
};
const float collar_height = 1.42f, collar_back = -0.2f;
const float torso_low = 0.5f, torso_high = 1.25f, torso_radius = 0.17f;

// A point of the collar, an arc around the back.
cloth_vector collar_at(const Figure &figure, int column) {
  float across = static_cast<float>(column) / (COLUMNS - 1) - 0.5f;
  float depth = collar_back + 0.6f * across * across;
  return cloth_vector{figure.x + collar_width * across, collar_height, figure.z + depth};
}

cloth_pose torso_pose(const Figure &figure) {
  return cloth_pose{{figure.x, 0.5f * (torso_low + torso_high), figure.z}, {0, 0, 0, 1}};
}

// Errors are thrown: a program that cannot make its cape has nothing to do.
class Cape {
public:
  explicit Cape(const Figure &figure) {
    cloth_config config = cloth_config_default();
    config.columns = COLUMNS;
    config.rows = ROWS;
    config.origin = cloth_vector{figure.x - 0.5f * collar_width, collar_height, figure.z + collar_back};
    config.edge_warp = cloth_vector{collar_width, 0, 0};
    config.edge_weft = cloth_vector{0, -cape_length, -0.2f};
    config.substeps = 8;
    config.fabric = cloths::throwing_handle::fabric_preset(CLOTH_FABRIC_WOOL);
    sheet_.init(config);
    for (int column = 0; column < COLUMNS; column++)
      sheet_.pin(sheet_.particle_at(column, 0));
    cloth_collider torso = cloth_collider_default();
    torso.shape = CLOTH_SHAPE_CAPSULE;
    torso.radius = torso.radius_top = torso_radius;
    torso.half_height = 0.5f * (torso_high - torso_low);
    torso.pose = torso_pose(figure);
    torso_ = sheet_.add_collider(torso);
    sheet_.write_indices(0, cloths::span<std::uint16_t>(indices));
  }

  void step(const Figure &figure) {
    for (int column = 0; column < COLUMNS; column++)
      sheet_.move_pin(column, collar_at(figure, column));
    sheet_.move_collider(torso_, torso_pose(figure));
    sheet_.step(step_seconds);
  }

  // Positions and normals go straight to the arrays that raylib takes; colours are normals in light.
  void write() {
    const cloth_vertex_layout place = {12, 0, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE};
    const cloth_vertex_layout direction = {12, CLOTH_ATTRIBUTE_NONE, 0, CLOTH_ATTRIBUTE_NONE};
    sheet_.write_vertices(place, cloths::span<float>(positions));
    sheet_.write_vertices(direction, cloths::span<float>(normals));
    for (int i = 0; i < PARTICLES; i++) {
      const float *n = normals + 3 * i;
      float light = 0.3f + 0.7f * std::fabs(0.35f * n[0] + 0.45f * n[1] + 0.82f * n[2]);
      const unsigned char colour[4] = {static_cast<unsigned char>(190 * light), static_cast<unsigned char>(40 * light),
                                       static_cast<unsigned char>(50 * light), 255};
      for (int channel = 0; channel < 4; channel++)
        colours[4 * i + channel] = colour[channel];
    }
  }

  std::uint64_t hash() const {
    return sheet_.hash();
  }

  float positions[3 * PARTICLES], normals[3 * PARTICLES];
  unsigned char colours[4 * PARTICLES];
  std::uint16_t indices[2 * INDICES]; // the second half faces the other way: raylib leaves out what faces away

private:
  cloths::throwing_sheet sheet_;
  int torso_;
};

Mesh make_mesh(Cape &cape) {
  for (int i = 0; i < INDICES; i++)
    cape.indices[INDICES + i] = cape.indices[INDICES - 1 - i];
  cape.write();
  Mesh mesh{};
  mesh.vertexCount = PARTICLES;
  mesh.triangleCount = 2 * INDICES / 3;
  mesh.vertices = cape.positions;
  mesh.normals = cape.normals;
  mesh.colors = cape.colours;
  mesh.indices = cape.indices;
  UploadMesh(&mesh, true);
  return mesh;
}

// Buffers of a mesh have the numbers of raylib's shader: 0 positions, 3 colours.
void update_mesh(const Mesh &mesh, Cape &cape) {
  cape.write();
  UpdateMeshBuffer(mesh, 0, cape.positions, static_cast<int>(sizeof cape.positions), 0);
  UpdateMeshBuffer(mesh, 3, cape.colours, static_cast<int>(sizeof cape.colours), 0);
}

void draw(const Mesh &mesh, const Material &material, const Figure &figure, const Camera3D &camera) {
  const Matrix identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const Color skin = {205, 160, 130, 255}, shirt = {90, 100, 120, 255};
  BeginDrawing();
  ClearBackground(Color{28, 34, 44, 255});
  BeginMode3D(camera);
  DrawGrid(10, 0.5f);
  DrawCapsule(Vector3{figure.x, torso_low, figure.z}, Vector3{figure.x, torso_high, figure.z}, torso_radius, 16, 8,
              shirt);
  DrawSphere(Vector3{figure.x, 1.62f, figure.z}, 0.12f, skin);
  DrawMesh(mesh, material, identity);
  EndMode3D();
  EndDrawing();
}

// Follows the mouse at up to 3 m/s while a button is held.
void move_figure(Figure &figure) {
  if (!IsMouseButtonDown(MOUSE_BUTTON_LEFT)) return;
  const Vector2 way = GetMouseDelta();
  figure.x += std::fmax(-0.05f, std::fmin(0.05f, 0.004f * way.x));
  figure.z += std::fmax(-0.05f, std::fmin(0.05f, 0.004f * way.y));
}

} // namespace

int main() {
  Figure figure = {0, 0};
  static Cape cape(figure);
  InitWindow(960, 640, "cloth: pull the figure about");
  SetTargetFPS(60);
  Camera3D camera{};
  camera.position = Vector3{1.3f, 1.7f, -3.0f};
  camera.target = Vector3{0, 0.95f, 0};
  camera.up = Vector3{0, 1, 0};
  camera.fovy = 40;
  camera.projection = CAMERA_PERSPECTIVE;
  const Mesh mesh = make_mesh(cape);
  const Material material = LoadMaterialDefault();
  float time = 0;
  int frames = 0;
  for (; !WindowShouldClose(); frames++) {
    move_figure(figure);
    time = std::fmin(time + GetFrameTime(), 4 * step_seconds);
    for (; time >= step_seconds; time -= step_seconds)
      cape.step(figure);
    update_mesh(mesh, cape);
    draw(mesh, material, figure, camera);
  }
  const std::uint64_t hash = cape.hash();
  std::printf("%d frames, hash %08lx%08lx\n", frames, static_cast<unsigned long>(hash >> 32),
              static_cast<unsigned long>(hash & 0xffffffffu));
  CloseWindow();
  return 0;
}
