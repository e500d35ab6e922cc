// The types of the package for npm: what must compile, and what must not. tests/npm.sh has tsc look at it.
import { Cloth, ClothError, constants, load, Settings, Skin, type cloth_statistics } from "cloth-wasm";

const settings: Settings = { columns: 24, edge_warp: { x: 1.25 }, fabric: "polyester", grid: { wrap: 0 } };
const library = await load();
const cloth: Cloth = library.make(settings);
const x: Float32Array = cloth.positions().x;
const vertices: Float32Array = cloth.vertices();
const statistics: cloth_statistics = cloth.statistics();
const kappa: number[] = statistics.kappa;
const radius: number = library.read("cloth_collider", 64).pose.position.x;
const bound: number = library.functions.cloth_get_work_bound(cloth.address, 1 / 60, 64);
const shape: number = constants.CLOTH_SHAPE_BOX;
cloth.addCollider({ shape, pose: { position: { y: 1 } } });
cloth.movePin(cloth.particleAt(0, 0), { x: 0, y: 1, z: 0 });
const threads: number = cloth.cut({ column: -1, row: 2.5, end_column: 30, end_row: 2.5 });
const skin: Skin = library.bind([cloth], vertices, { full: 0.1, none: 0.2 }, { stride: 32 });
const drawn: Float32Array[] = [skin.vertices(), skin.vertices(vertices), cloth.blendedVertices(0.5)];
const settled: number = cloth.settle(1 / 60).settled;
const nearest: number | undefined = cloth.findNearest({ x: 0, y: 1, z: 0 }, 1)?.distance;
export { drawn, nearest, settled, threads };
export { bound, ClothError, kappa, radius, vertices, x };

// @ts-expect-error
library.make({ colums: 24 });
// @ts-expect-error
library.make({ fabric: "tin" });
// @ts-expect-error
cloth.movePin(0, { x: 0, y: 1 });
// @ts-expect-error
library.functions.cloth_nothing(1);
// @ts-expect-error
library.read("cloth_nothing", 64);
// @ts-expect-error
cloth.cut({ column: 0, row: 0 });
// @ts-expect-error
library.bind([cloth], vertices, { full: 0.1 });
