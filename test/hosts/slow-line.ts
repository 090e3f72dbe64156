/**
 * A host's line on which packets take time, for a kernel without `netem`. Started in the namespace of the switch, with the names of two
 * network devices that it makes, and the least and most time that a packet takes, ms. Packets stay in their order.
 */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const LOCAL = '127.0.0.1';

/** One end: what socat reads from the device comes to `socket`, and what goes to `port` is written to the device. */
interface End {
  readonly socket: Socket;
  readonly port: number;
}

async function openEnd(device: string): Promise<End> {
  const [socket, probe] = [createSocket('udp4'), createSocket('udp4')];
  for (const one of [socket, probe]) await once(one.bind(0, LOCAL), 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => void probe.close(resolve));
  const address = `UDP-SENDTO:${LOCAL}:${socket.address().port},bind=${LOCAL}:${port}`;
  // It is in the process group of this process, and ends with it.
  const socat = spawn('socat', [`TUN,tun-type=tap,tun-name=${device},iff-no-pi,iff-up`, address], { stdio: 'inherit' });
  socat.once('exit', () => process.exit(1));
  process.once('exit', () => socat.kill('SIGKILL'));
  return { socket, port };
}

function carry(from: End, to: End, leastMs: number, mostMs: number): void {
  let lastDue = 0;
  from.socket.on('message', (packet) => {
    const now = performance.now();
    lastDue = Math.max(lastDue, now + leastMs + Math.random() * (mostMs - leastMs));
    setTimeout(() => to.socket.send(packet, to.port, LOCAL), lastDue - now);
  });
}

const [near = '', far = '', leastMs = '', mostMs = ''] = process.argv.slice(2);
process.once('SIGTERM', () => process.exit(0));
const ends = [await openEnd(near), await openEnd(far)] as const;
carry(ends[0], ends[1], Number(leastMs), Number(mostMs));
carry(ends[1], ends[0], Number(leastMs), Number(mostMs));
process.stdout.write('the line is slow\n');
