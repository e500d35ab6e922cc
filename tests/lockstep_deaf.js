// Another player who greets for ever, as if nothing that was said to him while playing had arrived: node lockstep_deaf.js
// LOCAL_PORT REMOTE_PORT. Says how often he was told something about the game within two seconds.
//
// SPDX-License-Identifier: MIT
"use strict";
const socket = require("dgram").createSocket("udp4");
const [localPort, remotePort] = process.argv.slice(2).map(Number);
const HELLO = 1, SENDER = 1, RECEIVER = 5, PLAYER = 10, CHECKSUM = 4; // kind and places: examples/lockstep/packet.h
let hello, told = 0;

function finish() {
  console.log(told);
  process.exit();
}

socket.on("message", (packet) => {
  if (packet[0] !== HELLO) {
    told++;
    return;
  }
  if (hello) return;
  hello = Buffer.from(packet);
  packet.copy(hello, RECEIVER, SENDER, SENDER + 4);
  hello.writeUInt32LE(12345, SENDER);
  hello[PLAYER] ^= 1;
  let sum = 0x811c9dc5;
  for (const byte of hello.subarray(0, -CHECKSUM)) sum = Math.imul(sum ^ byte, 0x01000193);
  hello.writeInt32LE(sum | 0, hello.length - CHECKSUM);
  setInterval(() => socket.send(hello, remotePort, "127.0.0.1"), 1);
  setTimeout(finish, 2000);
});
setTimeout(finish, 30000); // nobody has come
socket.bind(localPort, "127.0.0.1");
