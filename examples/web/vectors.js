// Vectors are arrays of three, matrices arrays of sixteen by columns, as WebGL wants them. SPDX-License-Identifier: MIT

export const plus = (a, b) => a.map((value, i) => value + b[i]);
export const minus = (a, b) => a.map((value, i) => value - b[i]);
export const times = (factor, a) => a.map((value) => factor * value);
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const unit = (a) => times(1 / Math.sqrt(dot(a, a)), a);

export function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function multiply(a, b) {
  const product = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      for (let i = 0; i < 4; i++) {
        product[4 * column + row] += a[4 * i + row] * b[4 * column + i];
      }
    }
  }
  return product;
}

// What looking from a point along a direction does: right, up and back become the axes.
export function lookAlong(eye, forward) {
  const back = times(-1, unit(forward));
  const right = unit(cross([0, 1, 0], back));
  const up = cross(back, right);
  const rows = [right, up, back];
  const matrix = [];
  for (let column = 0; column < 3; column++) {
    matrix.push(...rows.map((row) => row[column]), 0);
  }
  return new Float32Array([...matrix, ...rows.map((row) => -dot(row, eye)), 1]);
}

export function perspective(slopeX, slopeY, near, far) {
  const depth = far - near;
  return new Float32Array([
    1 / slopeX, 0, 0, 0,
    0, 1 / slopeY, 0, 0,
    0, 0, -(far + near) / depth, -1,
    0, 0, (-2 * far * near) / depth, 0,
  ]);
}

export function parallel(radius, near, far) {
  const depth = far - near;
  return new Float32Array([
    1 / radius, 0, 0, 0,
    0, 1 / radius, 0, 0,
    0, 0, -2 / depth, 0,
    0, 0, -(far + near) / depth, 1,
  ]);
}

export function placed(position, [x, y, z, w]) {
  return new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0,
    2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
    2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0,
    ...position, 1,
  ]);
}
