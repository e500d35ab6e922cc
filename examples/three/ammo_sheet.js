// A sheet as a soft body of ammo.js, with the calls of a Cloth that the page needs. SPDX-License-Identifier: MIT

const FLOATS = 8; // of a vertex: position, normal, texture coordinates

// A world for each sheet, so that nothing is shared and freeing it frees all.
function makeWorld(Ammo, gravity) {
  const configuration = new Ammo.btSoftBodyRigidBodyCollisionConfiguration();
  const dispatcher = new Ammo.btCollisionDispatcher(configuration);
  const broadphase = new Ammo.btDbvtBroadphase();
  const solver = new Ammo.btSequentialImpulseConstraintSolver();
  const softSolver = new Ammo.btDefaultSoftBodySolver();
  const world = new Ammo.btSoftRigidDynamicsWorld(dispatcher, broadphase, solver, configuration, softSolver);
  const g = new Ammo.btVector3(0, -gravity, 0);
  world.setGravity(g);
  world.getWorldInfo().set_m_gravity(g);
  world.getWorldInfo().set_air_density(0);
  Ammo.destroy(g);
  return { world, parts: [world, softSolver, solver, broadphase, dispatcher, configuration] };
}

export class AmmoSheet {
  // scene: { columns, rows, width, length, density, gravity }; the sheet begins level and hangs by two corners.
  constructor(Ammo, scene, { iterations, substeps }) {
    this.Ammo = Ammo;
    this.substeps = substeps;
    Object.assign(this, { columns: scene.columns, rows: scene.rows, count: scene.columns * scene.rows });
    const { world, parts } = makeWorld(Ammo, scene.gravity);
    Object.assign(this, { world, parts });
    const helpers = new Ammo.btSoftBodyHelpers();
    const corner = (x, z) => new Ammo.btVector3(x, 0, z);
    const corners = [corner(0, 0), corner(scene.width, 0), corner(0, scene.length), corner(scene.width, scene.length)];
    // Nodes row by row as ours; 1 + 2 fixes the first two corners; diagonals for shear.
    this.body = helpers.CreatePatch(world.getWorldInfo(), ...corners, scene.columns, scene.rows, 1 + 2, true);
    corners.forEach((v) => Ammo.destroy(v));
    Ammo.destroy(helpers);
    const settings = this.body.get_m_cfg();
    settings.set_viterations(0);
    settings.set_piterations(iterations);
    settings.set_kDP(0);
    settings.set_collisions(0);
    this.body.get_m_materials().at(0).set_m_kLST(1); // as stiff as its links become
    this.body.setTotalMass(scene.density * scene.width * scene.length, false);
    this.hold(scene);
    world.addSoftBody(this.body, 1, -1);
    this.body.setActivationState(4); // never asleep
    this.vertexArray = new Float32Array(FLOATS * this.count);
    this.readNodes();
  }

  // setTotalMass() gave the corners mass.
  hold(scene) {
    this.body.setMass(0, 0);
    this.body.setMass(scene.columns - 1, 0);
  }

  // The memory of ammo.js is not laid out by a public interface: nodes are read one by one, as its examples do.
  readNodes() {
    const nodes = this.body.get_m_nodes();
    this.nodes = Array.from({ length: this.count }, (_, i) => nodes.at(i));
  }

  step(seconds) {
    this.world.stepSimulation(seconds, this.substeps, seconds / this.substeps);
  }

  vertices() {
    for (let i = 0; i < this.count; i++) {
      const x = this.nodes[i].get_m_x();
      const n = this.nodes[i].get_m_n();
      const column = i % this.columns;
      const row = (i - column) / this.columns;
      this.vertexArray.set(
        [x.x(), x.y(), x.z(), n.x(), n.y(), n.z(), column / (this.columns - 1), row / (this.rows - 1)],
        FLOATS * i,
      );
    }
    return this.vertexArray;
  }

  free() {
    this.world.removeSoftBody(this.body);
    this.Ammo.destroy(this.body);
    this.parts.forEach((part) => this.Ammo.destroy(part));
  }
}
