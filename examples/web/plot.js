// A strip that shows the last frames of one number. SPDX-License-Identifier: MIT

const SAMPLES = 240;

export class Plot {
  constructor(parent, title, colour, format) {
    this.values = [];
    this.colour = colour;
    this.format = format;
    const box = document.createElement("div");
    box.className = "plot";
    box.innerHTML = "<span></span><output></output><canvas></canvas>";
    [this.title, this.output, this.canvas] = box.children;
    this.title.textContent = title;
    parent.append(box);
  }

  add(value) {
    this.values.push(value);
    if (this.values.length > SAMPLES) {
      this.values.shift();
    }
  }

  clear() {
    this.values = [];
  }

  draw() {
    const { canvas, values } = this;
    const ratio = window.devicePixelRatio;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    this.output.textContent = values.length ? this.format(values[values.length - 1]) : "";
    const pen = canvas.getContext("2d");
    const most = Math.max(...values, 1e-6) * 1.15;
    const place = (value, i) => [
      (i / (SAMPLES - 1)) * canvas.width,
      (1 - value / most) * (canvas.height - 3 * ratio) + 1.5 * ratio,
    ];
    pen.strokeStyle = "#dde3e8";
    pen.lineWidth = ratio;
    pen.strokeRect(0, canvas.height - 0.5 * ratio, canvas.width, 0);
    pen.strokeStyle = this.colour;
    pen.lineWidth = 1.5 * ratio;
    pen.beginPath();
    values.forEach((value, i) => pen.lineTo(...place(value, i)));
    pen.stroke();
  }
}
