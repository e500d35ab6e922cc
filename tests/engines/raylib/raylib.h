/*
 * What examples/samples/raylib_cape.cpp uses of raylib 5, with the same names and parameters: enough to compile it and
 * to play 120 frames without a screen, in which the mouse pulls. Looks at the meshes that would be drawn, and says so
 * at the end: "N meshes drawn, all finite".
 */
#ifndef RAYLIB_STAND_IN_H
#define RAYLIB_STAND_IN_H

#include <math.h>
#include <stdio.h>

typedef struct Vector2 {
  float x, y;
} Vector2;
typedef struct Vector3 {
  float x, y, z;
} Vector3;
typedef struct Matrix {
  float m0, m4, m8, m12, m1, m5, m9, m13, m2, m6, m10, m14, m3, m7, m11, m15;
} Matrix;
typedef struct Color {
  unsigned char r, g, b, a;
} Color;
typedef struct Camera3D {
  Vector3 position, target, up;
  float fovy;
  int projection;
} Camera3D;
typedef struct Mesh {
  int vertexCount, triangleCount;
  float *vertices, *texcoords, *texcoords2, *normals, *tangents;
  unsigned char *colors;
  unsigned short *indices;
  unsigned int vaoId, *vboId;
} Mesh;
typedef struct Material {
  float params[4];
} Material;

enum { MOUSE_BUTTON_LEFT = 0, CAMERA_PERSPECTIVE = 0 };

static int stand_in_frames, stand_in_drawn, stand_in_updates, stand_in_faults;

static inline void InitWindow(int, int, const char *) {
}
static inline void SetTargetFPS(int) {
}
static inline bool WindowShouldClose(void) {
  return stand_in_frames++ == 120;
}
static inline float GetFrameTime(void) {
  return 1.0f / 59.9f;
}
static inline bool IsMouseButtonDown(int button) {
  return button == MOUSE_BUTTON_LEFT && stand_in_frames > 30 && stand_in_frames < 90;
}
static inline Vector2 GetMouseDelta(void) {
  return Vector2{8, stand_in_frames < 60 ? 3.0f : -5.0f};
}
static inline void UploadMesh(Mesh *mesh, bool) {
  for (int i = 0; i < 3 * mesh->triangleCount; i++)
    stand_in_faults += mesh->indices[i] >= mesh->vertexCount;
}
static inline void UpdateMeshBuffer(Mesh mesh, int index, const void *, int dataSize, int offset) {
  stand_in_updates++;
  stand_in_faults += offset != 0 || dataSize != mesh.vertexCount * (index == 0 ? 12 : 4);
}
static inline Material LoadMaterialDefault(void) {
  return Material{};
}
static inline void BeginDrawing(void) {
}
static inline void EndDrawing(void) {
}
static inline void ClearBackground(Color) {
}
static inline void BeginMode3D(Camera3D) {
}
static inline void EndMode3D(void) {
}
static inline void DrawGrid(int, float) {
}
static inline void DrawCapsule(Vector3, Vector3, float, int, int, Color) {
}
static inline void DrawSphere(Vector3, float, Color) {
}
static inline void DrawMesh(Mesh mesh, Material, Matrix) {
  stand_in_drawn++;
  for (int i = 0; i < 3 * mesh.vertexCount; i++)
    stand_in_faults += !(fabsf(mesh.vertices[i]) < 10);
}
static inline void CloseWindow(void) {
  printf("%d meshes drawn after %d updates, %d faults\n", stand_in_drawn, stand_in_updates, stand_in_faults);
}

#endif
