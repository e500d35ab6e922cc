// Another player who greets for ever, as if nothing that was said to him while playing had arrived: node lockstep_deaf.js
// LOCAL_PORT REMOTE_PORT. Says how often he was told something about the game within two seconds.
//
// SPDX-License-Identifier: MIT
"use strict";
const socket = require("dgram").createSocket("udp4");
const [localPort, remotePort] = process.argv.slice(2).map(Number);
const HELLO = 1, HEARD = 2, PLAYER = 3; // a kind of packet, and places in it: examples/lockstep/packet.c
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
  hello[HEARD] = 1;
  hello[PLAYER] ^= 1;
  setInterval(() => socket.send(hello, remotePort, "127.0.0.1"), 1);
  setTimeout(finish, 2000);
});
setTimeout(finish, 30000); // nobody has come
socket.bind(localPort, "127.0.0.1");
