// Draws the cloth, the bodies and the floor with WebGL 2, with a map of shadows. SPDX-License-Identifier: MIT
import { cross, dot, lookAlong, minus, multiply, parallel, perspective, placed, plus, times, unit } from "./vectors.js";

const SHADOW_SIZE = 2048;
const SHADOW_RADIUS = 1.9;
const FLOOR_RADIUS = 6;
const IDENTITY = placed([0, 0, 0], [0, 0, 0, 1]);
const STONE = { front: [0.56, 0.54, 0.51], back: [0.56, 0.54, 0.51], checks: [0, 0], border: 0, sheen: 0.05 };
// In the order of the module's tiers: explicit, implicit.
export const TIER_COLOURS = ["#e07a1f", "#111111"];

const VERTEX = `#version 300 es
in vec3 position;
in vec3 normal;
in vec2 texcoord;
uniform mat4 model, view, light;
uniform vec3 toLight;
out vec3 place, facing;
out vec2 uv;
out vec4 inLight;
void main() {
  vec4 world = model * vec4(position, 1.0);
  place = world.xyz;
  facing = mat3(model) * normal;
  uv = texcoord;
  // A little off the surface, or it would lie in its own shadow.
  float slope = 1.0 - abs(dot(facing, toLight));
  inLight = light * vec4(place + toLight * (0.012 + 0.02 * slope), 1.0);
  gl_Position = view * world;
}`;

const SHADOW = `
uniform highp sampler2DShadow shadows;
in vec4 inLight;
float lit() {
  vec3 at = inLight.xyz / inLight.w * 0.5 + 0.5;
  float sum = 0.0;
  for (int x = -1; x <= 1; x++)
    for (int y = -1; y <= 1; y++)
      sum += texture(shadows, at + vec3(float(x), float(y), 0.0) * ${(1.3 / SHADOW_SIZE).toFixed(6)});
  return sum / 9.0;
}`;

const SURFACE = `#version 300 es
precision highp float;
in vec3 place, facing;
in vec2 uv;
uniform vec3 eye, toLight, front, back;
uniform vec2 checks;
uniform float border, sheen;
out vec4 colour;
${SHADOW}
// Stripes whose edges are as soft as a pixel is wide.
float stripe(float at) {
  float wide = max(fwidth(at), 1e-4);
  float across = abs(fract(at) - 0.5) - 0.25;
  return clamp(across / wide + 0.5, 0.0, 1.0);
}
vec3 woven(vec3 plain) {
  float dark = 0.0;
  if (checks.x > 0.0) dark += 0.2 * stripe(uv.x * checks.x);
  if (checks.y > 0.0) dark += 0.2 * stripe(uv.y * checks.y);
  float edge = min(min(uv.x, 1.0 - uv.x), min(uv.y, 1.0 - uv.y));
  if (border > 0.0 && abs(edge - 1.5 * border) < 0.5 * border) dark -= 0.5;
  return plain * (1.0 - dark);
}
void main() {
  vec3 toEye = normalize(eye - place);
  vec3 n = normalize(facing) * (gl_FrontFacing ? 1.0 : -1.0);
  vec3 plain = woven(gl_FrontFacing ? front : back);
  float sun = dot(n, toLight), shadow = lit();
  float direct = max(sun, 0.0) * shadow;
  float through = max(-sun, 0.0) * 0.22 * (sheen > 0.06 ? 1.0 : 0.0);
  vec3 sky = mix(vec3(0.30, 0.28, 0.27), vec3(0.50, 0.55, 0.62), 0.5 + 0.5 * n.y);
  float rim = pow(1.0 - max(dot(n, toEye), 0.0), 3.0);
  vec3 light = sky + vec3(1.15, 1.1, 1.0) * (direct + through);
  vec3 shine = sheen * rim * sky * (0.5 + shadow);
  vec3 result = plain * light + shine;
  colour = vec4(pow(result, vec3(1.0 / 2.2)), 1.0);
}`;

const FLOOR = `#version 300 es
precision highp float;
in vec3 place;
uniform vec3 eye;
uniform float scroll;
out vec4 colour;
${SHADOW}
void main() {
  vec2 at = (place.xz + vec2(scroll, 0.0)) * 2.0;
  vec2 wide = max(fwidth(at), 1e-4);
  vec2 near = abs(fract(at - 0.5) - 0.5) / wide;
  float line = (1.0 - min(min(near.x, near.y), 1.0)) * min(1.0, 0.25 / max(wide.x, wide.y));
  float fade = 1.0 - smoothstep(1.5, ${FLOOR_RADIUS.toFixed(1)}, length(place.xz));
  // Over the page's own background: only what darkens it.
  float dark = 0.32 * (1.0 - lit()) + 0.09 * line;
  colour = vec4(0.10, 0.13, 0.20, 1.0) * dark * fade;
}`;

const DEPTH = `#version 300 es
precision highp float;
void main() {}`;

const LINES_VERTEX = `#version 300 es
in vec3 position;
uniform mat4 view;
uniform vec2 aside;
void main() {
  gl_Position = view * vec4(position, 1.0);
  gl_Position.xy += aside * gl_Position.w;
  gl_Position.z -= 0.0008 * gl_Position.w; // in front of the cloth they lie in
}`;

const LINES = `#version 300 es
precision mediump float;
uniform vec3 front;
out vec4 colour;
void main() { colour = vec4(front, 1.0); }`;

function linear(hex) {
  return [1, 3, 5].map((at) => (parseInt(hex.slice(at, at + 2), 16) / 255) ** 2.2);
}

// The surface of a capsule whose ends may differ, around y: rings from the lower pole to the upper one.
function capsuleMesh(low, high, half) {
  const around = 32, rings = 12;
  const lean = half > 0 ? Math.asin((low - high) / (2 * half)) : 0;
  const profile = [];
  for (let i = 0; i <= rings; i++) {
    profile.push([low, -half, -Math.PI / 2 + (lean + Math.PI / 2) * (i / rings)]);
  }
  for (let i = 0; i <= rings; i++) {
    profile.push([high, half, lean + (Math.PI / 2 - lean) * (i / rings)]);
  }
  const vertices = [], indices = [];
  profile.forEach(([radius, middle, angle], ring) => {
    for (let i = 0; i <= around; i++) {
      const turn = (2 * Math.PI * i) / around;
      const normal = [Math.cos(angle) * Math.cos(turn), Math.sin(angle), Math.cos(angle) * Math.sin(turn)];
      vertices.push(...plus(times(radius, normal), [0, middle, 0]), ...normal, i / around, ring);
      const at = ring * (around + 1) + i;
      if (ring > 0 && i > 0) {
        indices.push(at, at - around - 1, at - around - 2, at, at - around - 2, at - 1);
      }
    }
  });
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(indices) };
}

function floorMesh() {
  const r = FLOOR_RADIUS, vertices = [];
  for (const [x, z] of [[-r, -r], [-r, r], [r, r], [r, -r]]) {
    vertices.push(x, 0, z, 0, 1, 0, 0, 0);
  }
  return { vertices: new Float32Array(vertices), indices: new Uint16Array([0, 1, 2, 0, 2, 3]) };
}

export class Camera {
  constructor({ target, yaw, pitch, distance }) {
    Object.assign(this, { target, yaw, pitch, distance, aspect: 1 });
  }

  orbit(turn, tilt) {
    this.yaw += turn;
    this.pitch = Math.min(1.5, Math.max(-0.05, this.pitch + tilt));
  }

  zoom(factor) {
    this.distance = Math.min(12, Math.max(0.8, this.distance * factor));
  }

  // A square of the scene is always in view, on whatever screen.
  slopes() {
    const slope = 0.36;
    return this.aspect > 1 ? [slope * this.aspect, slope] : [slope, slope / this.aspect];
  }

  backwards() {
    const flat = Math.cos(this.pitch);
    return [Math.sin(this.yaw) * flat, Math.sin(this.pitch), Math.cos(this.yaw) * flat];
  }

  eye() {
    return plus(this.target, times(this.distance, this.backwards()));
  }

  matrix() {
    return multiply(perspective(...this.slopes(), 0.1, 30), lookAlong(this.eye(), times(-1, this.backwards())));
  }

  // Through a point of the picture, -1..1 both ways.
  ray(x, y) {
    const [slopeX, slopeY] = this.slopes();
    const back = this.backwards();
    const right = unit(cross([0, 1, 0], back));
    const up = cross(back, right);
    return unit(plus(plus(times(x * slopeX, right), times(y * slopeY, up)), times(-1, back)));
  }

  // Where a ray meets the plane through a point that faces the camera.
  onPlane(ray, point) {
    const back = this.backwards();
    const eye = this.eye();
    return plus(eye, times(dot(minus(point, eye), back) / dot(ray, back), ray));
  }

  toPicture(point) {
    const m = this.matrix();
    const clip = [0, 1, 3].map((row) => dot([m[row], m[4 + row], m[8 + row]], point) + m[12 + row]);
    return [clip[0] / clip[2], clip[1] / clip[2]];
  }
}

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = (this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true }));
    if (!gl) {
      throw new Error("This browser has no WebGL 2.");
    }
    this.surface = this.program(VERTEX, SURFACE);
    this.floor = this.program(VERTEX, FLOOR);
    this.depth = this.program(VERTEX, DEPTH);
    this.lines = this.program(LINES_VERTEX, LINES);
    this.makeShadows();
    this.floorMesh = this.mesh(floorMesh());
    this.springBuffer = gl.createBuffer();
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.bodies = [];
  }

  shader(type, source) {
    const { gl } = this;
    const made = gl.createShader(type);
    gl.shaderSource(made, source);
    gl.compileShader(made);
    if (!gl.getShaderParameter(made, gl.COMPILE_STATUS)) {
      throw new Error(gl.getShaderInfoLog(made));
    }
    return made;
  }

  program(vertex, fragment) {
    const { gl } = this;
    const made = gl.createProgram();
    gl.attachShader(made, this.shader(gl.VERTEX_SHADER, vertex));
    gl.attachShader(made, this.shader(gl.FRAGMENT_SHADER, fragment));
    ["position", "normal", "texcoord"].forEach((name, i) => gl.bindAttribLocation(made, i, name));
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) {
      throw new Error(gl.getProgramInfoLog(made));
    }
    const places = {};
    for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(made, i);
      places[name] = gl.getUniformLocation(made, name);
    }
    return { made, places };
  }

  makeShadows() {
    const { gl } = this;
    this.shadows = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadows);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
    }
    for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) {
      gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
    }
    this.shadowFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadows, 0);
  }

  mesh({ vertices, indices }) {
    const { gl } = this;
    const array = gl.createVertexArray();
    const buffers = [gl.createBuffer(), gl.createBuffer()];
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[0]);
    gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.DYNAMIC_DRAW);
    [[3, 0], [3, 12], [2, 24]].forEach(([size, offset], i) => {
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, size, gl.FLOAT, false, 32, offset);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers[1]);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { array, buffers, count: indices.length };
  }

  discard(mesh) {
    this.gl.deleteVertexArray(mesh.array);
    mesh.buffers.forEach((buffer) => this.gl.deleteBuffer(buffer));
  }

  // Meshes for a scene that has just been opened.
  setUp(cloth, look) {
    [this.sheet, ...this.bodies].filter(Boolean).forEach((mesh) => this.discard(mesh));
    this.look = look;
    this.sheet = this.mesh({ vertices: cloth.vertices(), indices: cloth.indices() });
    this.bodies = cloth
      .bodies()
      .filter((body) => !body.isPlane)
      .map((body) => this.mesh(capsuleMesh(body.low, body.high, body.half)));
  }

  update(cloth) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.sheet.buffers[0]);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, cloth.vertices());
    this.models = cloth
      .bodies()
      .filter((body) => !body.isPlane)
      .map((body) => placed(body.position, body.rotation));
  }

  resize() {
    const { canvas } = this;
    const ratio = Math.min(window.devicePixelRatio, 2);
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    return width / height;
  }

  use(program, values) {
    const { gl } = this;
    gl.useProgram(program.made);
    for (const [name, value] of Object.entries(values)) {
      this.set(program, name, value);
    }
  }

  set(program, name, value) {
    const { gl } = this;
    const place = program.places[name];
    if (!place) {
      return;
    }
    if (typeof value === "number") {
      gl.uniform1f(place, value);
    } else if (value.length === 16) {
      gl.uniformMatrix4fv(place, false, value);
    } else {
      gl[`uniform${value.length}fv`](place, value);
    }
  }

  drawMesh(mesh) {
    const { gl } = this;
    gl.bindVertexArray(mesh.array);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_SHORT, 0);
  }

  drawSolids(program, hasMaterials) {
    const dress = ({ front, back, checks, border, sheen }) => {
      Object.entries({ front, back, checks, border, sheen }).forEach(([name, value]) => this.set(program, name, value));
    };
    if (hasMaterials) {
      dress(STONE);
    }
    this.bodies.forEach((mesh, i) => {
      this.set(program, "model", this.models[i]);
      this.drawMesh(mesh);
    });
    this.set(program, "model", IDENTITY);
    if (hasMaterials) {
      dress(this.look);
    }
    this.drawMesh(this.sheet);
  }

  drawShadows(light, toLight) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.use(this.depth, { view: light, light, toLight });
    this.drawSolids(this.depth, false);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  drawSprings(cloth, view) {
    const { gl } = this;
    this.use(this.lines, { view });
    gl.bindVertexArray(this.sheet.array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.springBuffer);
    TIER_COLOURS.forEach((colour, tier) => {
      const ends = cloth.springs(tier);
      this.set(this.lines, "front", linear(colour).map((value) => value ** (1 / 2.2)));
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, ends, gl.DYNAMIC_DRAW);
      // Lines are a pixel wide: so that one sees them on many pixels, three side by side.
      const sides = this.canvas.width < 600 ? [[0, 0]] : [[0, 0], [1, 0], [0, 1]];
      for (const [x, y] of sides) {
        this.set(this.lines, "aside", [x / this.canvas.width, y / this.canvas.height]);
        gl.drawElements(gl.LINES, ends.length, gl.UNSIGNED_SHORT, 0);
      }
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.sheet.buffers[1]);
  }

  draw(cloth, camera, scroll, hasSprings) {
    const { gl } = this;
    camera.aspect = this.resize();
    const toLight = unit(this.look.toLight);
    const light = multiply(
      parallel(SHADOW_RADIUS, 0.5, 9),
      lookAlong(plus(this.look.focus, times(4.5, toLight)), times(-1, toLight)),
    );
    this.drawShadows(light, toLight);
    gl.bindTexture(gl.TEXTURE_2D, this.shadows);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const view = camera.matrix();
    const common = { view, light, eye: camera.eye(), toLight };
    this.use(this.surface, common);
    this.drawSolids(this.surface, true);
    if (hasSprings) {
      this.drawSprings(cloth, view);
    }
    gl.enable(gl.BLEND);
    this.use(this.floor, { ...common, model: IDENTITY, scroll });
    this.drawMesh(this.floorMesh);
    gl.disable(gl.BLEND);
  }
  // The picture that draw() has just made, as a word for each pixel.
  pixels() {
    const { gl } = this;
    const { width, height } = this.canvas;
    const words = new Uint32Array(width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(words.buffer));
    return words;
  }
}
