import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Rig } from '../bench/rig.ts';
import type { Peer } from './peer.ts';

/** The first line that a program says of its version, such as `influxd version`; undefined where it is not on this machine. */
export async function versionOf(program: string, ...args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args);
    return (stdout || stderr).split('\n')[0]?.replace(/ \((?:git|branch):.*/, '');
  } catch {
    return undefined;
  }
}

/** What took part, besides the peers the servers that they share. */
export async function versionsOf(rig: Rig, peers: readonly Pick<Peer, 'version'>[]): Promise<string[]> {
  const room = await rig.room();
  const server = await room.context.database.row<{ version: string }>(
    `select current_setting('server_version') as version`,
  );
  await room.close();
  const [influx, redis] = [await versionOf('influxd', 'version'), await versionOf('redis-server', '--version')];
  const servers = [`PostgreSQL ${server?.version}`, influx, redis?.replace(/ sha=.*/, '')];
  return [...peers.map(({ version }) => version), ...servers].filter((version) => version !== undefined);
}
