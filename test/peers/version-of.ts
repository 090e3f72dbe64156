import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Rig } from '../bench/rig.ts';
import type { Peer } from './peer.ts';

/** The version that a program tells of itself, such as `1.6.7`; undefined where it is not on this machine. */
export async function versionOf(program: string, ...args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args);
    return /\d+\.\d+[^\s,()]*/.exec(stdout || stderr)?.[0];
  } catch {
    return undefined;
  }
}

/** The programs that took part: the peers, and the servers that they share. */
export async function versionsOf(rig: Rig, peers: readonly Pick<Peer, 'version'>[]): Promise<string[]> {
  const room = await rig.room();
  const server = await room.context.database.row<{ version: string }>(
    `select current_setting('server_version') as version`,
  );
  await room.close();
  const [influx, redis] = [await versionOf('influxd', 'version'), await versionOf('redis-server', '--version')];
  const servers = [
    `PostgreSQL ${server?.version}`,
    `InfluxDB ${influx}`,
    ...(redis === undefined ? [] : [`Redis ${redis}`]),
  ];
  return [...peers.map(({ version }) => version), ...servers];
}
