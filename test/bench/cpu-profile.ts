import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  /** µs of the clock that `process.hrtime` reads. */
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/**
 * CPU time of the only profile in a directory by room, package or part of Node, most first, µs. `during`: µs of `process.hrtime`;
 * samples outside of it do not count.
 */
export async function profiled(
  directory: string,
  during: { readonly from: number; readonly to: number },
): Promise<(readonly [place: string, us: number])[]> {
  const [file] = (await readdir(directory)).filter((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) throw new Error('the worker wrote no CPU profile');
  const profile = JSON.parse(await readFile(join(directory, file), 'utf8')) as CpuProfile;
  const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const sums = new Map<string, number>();
  let at = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index] ?? 0;
    at += delta;
    const place = places.get(id) ?? '';
    if (at >= during.from && at < during.to && place !== '(idle)') sums.set(place, (sums.get(place) ?? 0) + delta);
  }
  return [...sums].toSorted(([, one], [, other]) => other - one);
}

/** `src/pull`, `adapters/influxdb`, `axios`, `node:net`, `(garbage collector)`. */
function placeOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string {
  const [, module] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (module !== undefined) return module;
  const [, platform] = /\/adapters\/platforms\/([^/]+)/.exec(url) ?? [];
  if (platform !== undefined) return `adapters/${platform}`;
  const [, room] = /\/(src\/(?:platform\/[a-z]+|[^/]+))/.exec(url) ?? [];
  if (room !== undefined) return room;
  if (url.startsWith('node:')) return url.replace(/^(node:)(?:internal\/)?([a-z_]+).*/, '$1$2');
  return functionName.startsWith('(') ? functionName : '(built-in)';
}
