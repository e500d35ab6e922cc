/* engine.h by Bullet. SPDX-License-Identifier: MIT */
#include "engine.h"

#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

struct engine {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies; /* the floor is the first */

  ~engine() {
    for (const auto &body : bodies)
      world.removeRigidBody(body.get());
  }
};

static btVector3 vector_of(cloth_vector v) {
  return btVector3(v.x, v.y, v.z);
}

static cloth_vector vector_from(const btVector3 &v) {
  return cloth_vector{float(v.x()), float(v.y()), float(v.z())};
}

static btRigidBody *add(engine *e, btCollisionShape *shape, const btTransform &place, float mass,
                        const btVector3 &inertia) {
  e->shapes.emplace_back(shape);
  btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
  info.m_startWorldTransform = place;
  info.m_friction = 1.0f;
  info.m_rollingFriction = 0.01f;
  e->bodies.emplace_back(new btRigidBody(info));
  e->world.addRigidBody(e->bodies.back().get());
  e->bodies.back()->setActivationState(DISABLE_DEACTIVATION);
  return e->bodies.back().get();
}

engine *engine_create(float floor_height, float friction) {
  auto *e = new engine;
  e->world.setGravity(btVector3(0, 0, 0));
  btTransform place = btTransform::getIdentity();
  place.setOrigin(btVector3(0, floor_height, 0));
  add(e, new btStaticPlaneShape(btVector3(0, 1, 0), 0), place, 0.0f, btVector3(0, 0, 0))->setFriction(friction);
  return e;
}

void engine_destroy(engine *e) {
  delete e;
}

int engine_add(engine *e, const cloth_collider *shape, const cloth_body *body) {
  btCollisionShape *round = nullptr;
  if (shape->shape == CLOTH_SHAPE_SPHERE)
    round = new btSphereShape(shape->radius);
  else if (shape->shape == CLOTH_SHAPE_CAPSULE)
    round = new btCapsuleShape(shape->radius, 2.0f * shape->half_height);
  else
    return -1;
  const cloth_rotation q = shape->pose.rotation;
  const btTransform place(btQuaternion(q.x, q.y, q.z, q.w), vector_of(shape->pose.position));
  btRigidBody *made = add(e, round, place, body->mass, vector_of(body->inertia));
  made->setLinearVelocity(vector_of(body->velocity));
  made->setAngularVelocity(vector_of(body->spin));
  return int(e->bodies.size()) - 1;
}

engine_motion engine_get(const engine *e, int body) {
  const btRigidBody &b = *e->bodies[size_t(body)];
  const btQuaternion q = b.getWorldTransform().getRotation();
  engine_motion m;
  m.pose.position = vector_from(b.getWorldTransform().getOrigin());
  m.pose.rotation = cloth_rotation{float(q.x()), float(q.y()), float(q.z()), float(q.w())};
  m.velocity = vector_from(b.getLinearVelocity());
  m.spin = vector_from(b.getAngularVelocity());
  return m;
}

void engine_set_velocity(engine *e, int body, cloth_vector velocity, cloth_vector spin) {
  e->bodies[size_t(body)]->setLinearVelocity(vector_of(velocity));
  e->bodies[size_t(body)]->setAngularVelocity(vector_of(spin));
}

void engine_step(engine *e, float dt) {
  e->world.stepSimulation(dt, 0); /* one step of dt, whatever came before */
}
