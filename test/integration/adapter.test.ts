import { existsSync } from 'node:fs';
import { appendFile, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import { useDatabases } from '../kit/databases.ts';
import { storedReadings } from '../kit/readings.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { eventually, startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';

// A platform that is no part of databridge: only the operator of the bridge lets its code run, and each host the same version of it.

const databases = useDatabases();
let rig: Rig;
let directory: TempDirectory;
let server: Server;
let url: string;

/** A plant with one number at each whole second, which is the second itself. */
beforeAll(async () => {
  directory = await makeTempDirectory('adapters');
  server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://plant');
    const [from, to] = ['from', 'to'].map((name) => Number(searchParams.get(name)));
    const seconds = Array.from({ length: (to ?? 0) - (from ?? 0) }, (_, index) => (from ?? 0) + index);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ hall: searchParams.get('hall'), seconds }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await mkdir(join(directory.path, 'allowed/node_modules/databridge-packed'), { recursive: true });
  await writeFile(join(directory.path, 'allowed/package.json'), '{ "type": "module" }');
  await writeFile(allowed('clockwork.ts'), adapter('clockwork'));
  rig = await startRig(databases, ['hall'], { DATABRIDGE_ADAPTERS: join(directory.path, 'allowed') });
});

afterAll(async () => {
  await rig.close();
  await new Promise((resolve) => server.close(resolve));
  await directory.remove();
});

const allowed = (file: string): string => join(directory.path, 'allowed', file);

/** The adapter leaves a file behind when its code runs. */
const adapter = (name: string, types = true): string => `
import { writeFileSync } from 'node:fs';
import { basic, BridgeError, DAY, definePlatform, MINUTE, SECOND, answer, text, z } from 'databridge/platform';
${types ? "import type { Samples } from 'databridge/platform';" : ''}

writeFileSync(${JSON.stringify(join(directory.path, `${name}-ran`))}, '');

const seconds = z.object({ hall: z.string(), seconds: z.array(z.int()) });

export const platform = definePlatform${types ? '<{ hall: string }>' : ''}({
  name: '${name}',
  title: 'Clockwork',
  docs: 'https://clockwork.example/',
  kinds: { 'user-credentials': basic() },
  options: z.strictObject({ hall: text('The hall whose clock is read.') }),
  place: ['connection.url', 'options.hall'],
  renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
  facts: {
    bounds: { from: 'inclusive', to: 'exclusive' },
    resolution: SECOND,
    order: 'ascending',
    page: { cap: Infinity, more: 'none' },
    sameInstant: 'one',
    failsAs: 'status',
    maxWindow: DAY,
    minWindow: SECOND,
    sensorsPerRead: 1,
    namesVariables: false,
    pace: { requestsPerSecond: 50, burst: 50, concurrency: 2 },
    lateness: SECOND,
    overlap: MINUTE,
  },
  async identify(http, { hall }) {
    const { data } = await http.get('/', { params: { hall, from: 0, to: 1 } });
    if (answer(seconds, data, 'clock').hall !== hall) throw new BridgeError({ code: 'contract-broken' }, 'another hall');
    return { product: \`Clockwork of \${hall}\` };
  },
  async *sensors() {
    yield { id: 'clock' };
  },
  async *read(http, { hall }, _selection, window) {
    const { data } = await http.get('/', { params: { hall, from: window.from / SECOND, to: window.to / SECOND } });
    const found = answer(seconds, data, 'clock').seconds;
    const samples${types ? ': Samples' : ''} = { sensor: 'clock', variable: 'second', at: found.map((one) => one * SECOND), values: found };
    yield samples;
  },
});
`;

/** In a project of its own, because the sources of a project do not share series. */
const apart = { project: 'apart' };

const sourceOf = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name,
  project: 'hall',
  kind: 'user-credentials',
  platform: 'clockwork',
  adapter: '../allowed/clockwork.ts',
  connection: { url, username: 'bridge', password: 'secret' },
  options: { hall: 'north' },
  schedule: { every: '1s', start: '2m' },
  ...more,
});

const check = async (...sources: Record<string, unknown>[]) => await checkBy(rig.bridge, ...sources);

/** Writes sources beside the allowed directory, and checks them. */
async function checkBy(bridge: BridgeUnderTest, ...sources: Record<string, unknown>[]) {
  const folder = join(directory.path, 'sources');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  for (const one of sources) await writeFile(join(folder, `${String(one['name'])}.yaml`), JSON.stringify(one));
  return await bridge.run('source', 'check', folder);
}

/** The problem of a source and its remedy. */
const problemOf = (stderr: string, name: string): string =>
  new RegExp(`^.*/${name}\\.yaml:.*\\n {2}try: .+$`, 'm').exec(stderr)?.[0] ?? '';

test('an adapter outside of the repository is checked, applied, polled and marked', async () => {
  const { code, stdout } = await check(sourceOf('clock'));
  expect([code, stdout]).toEqual([0, expect.stringContaining('Clockwork of north; the credentials may read')]);
  await rig.bridge.succeed('source', 'apply', join(directory.path, 'sources/clock.yaml'));
  await rig.covered('clock', Date.now());
  const readings = [];
  for await (const { valueName, at, value } of storedReadings(rig.client)) readings.push({ valueName, at, value });
  expect(readings.length).toBeGreaterThan(100);
  const first = readings[0]?.value ?? 0;
  expect(readings).toEqual(
    readings.map((_, index) => ({ valueName: 'second', at: (first + index) * 1_000_000, value: first + index })),
  );
  expect(await rig.bridge.succeed('source', 'list')).toContain('clockwork (adapter)');
  expect(await rig.bridge.succeed('source', 'show', 'clock')).toMatch(/adapter: \.\/clockwork\.ts#[0-9a-f]{64}/);
});

test('its options are those of its own schema', async () => {
  const { code, stderr } = await check(sourceOf('wrong', { options: { hall: 'north', hal: 1 } }));
  expect([code, stderr]).toEqual([2, expect.stringContaining('options.hal')]);
});

test('a check fails for an adapter that takes a web page for data', async () => {
  const careless = adapter('careless').replace(
    "answer(seconds, data, 'clock').seconds",
    '(data as { seconds?: number[] }).seconds ?? []',
  );
  await writeFile(allowed('careless.ts'), careless);
  const { code, stdout } = await check(
    sourceOf('careless', { ...apart, platform: 'careless', adapter: '../allowed/careless.ts' }),
  );
  expect([code, stdout]).toEqual([1, expect.stringMatching(/adapter .*read takes it for 1 samples/)]);
});

test('a host without the setting runs no code of it', async () => {
  await writeFile(allowed('forbidden.ts'), adapter('forbidden'));
  const forbidden = sourceOf('forbidden', { ...apart, platform: 'forbidden', adapter: '../allowed/forbidden.ts' });
  const other = await makeBridge({ ...rig.bridge.settings, DATABRIDGE_ADAPTERS: undefined });
  const { code, stderr } = await checkBy(other, forbidden);
  await other.remove();
  expect([code, stderr]).toEqual([2, expect.stringContaining('this bridge loads no adapters')]);
  expect(stderr).toContain('DATABRIDGE_ADAPTERS');
  expect(existsSync(join(directory.path, 'forbidden-ran'))).toBe(false);
  expect((await check(forbidden)).code).toBe(0);
  expect(existsSync(join(directory.path, 'forbidden-ran'))).toBe(true);
});

test('code from outside of the directory does not run, also behind a link', async () => {
  await writeFile(join(directory.path, 'outside.ts'), adapter('outside'));
  await symlink(join(directory.path, 'outside.ts'), allowed('link.ts'));
  const paths = { file: '../outside.ts', link: '../allowed/link.ts', absolute: join(directory.path, 'outside.ts') };
  const { code, stderr } = await check(
    ...Object.entries(paths).map(([name, path]) => sourceOf(name, { platform: 'outside', adapter: path })),
  );
  expect(code).toBe(2);
  for (const name of Object.keys(paths)) expect(problemOf(stderr, name)).toContain('outside of the directory');
  expect(existsSync(join(directory.path, 'outside-ran'))).toBe(false);
});

test('what is no adapter is refused in words', async () => {
  const bad: Readonly<Record<string, readonly [content: string | undefined, words: string]>> = {
    nowhere: [undefined, 'there is no adapter'],
    influxdb: [adapter('influxdb'), 'is a platform of this build'],
    empty: ['export const nothing = 1;', 'exports no platform'],
    parts: ["import './other.ts';", 'imports another file'],
    unknown: [undefined, 'there is no package databridge-unknown'],
    broken: ["throw new Error('it broke');", 'cannot be loaded: it broke'],
    facts: [adapter('facts').replace("order: 'ascending'", "order: 'up'"), 'facts.order'],
  };
  const sources: Record<string, unknown>[] = [];
  for (const [name, [content]] of Object.entries(bad)) {
    if (content !== undefined) await writeFile(allowed(`${name}.ts`), content);
    const path = name === 'unknown' ? 'databridge-unknown' : `../allowed/${name}.ts`;
    sources.push(sourceOf(name, { adapter: path }));
  }
  const { code, stderr } = await check(...sources);
  expect(code).toBe(2);
  for (const [name, [, words]] of Object.entries(bad)) expect(problemOf(stderr, name)).toContain(words);
});

test('a package of the directory is an adapter, too', async () => {
  const packed = 'node_modules/databridge-packed';
  await writeFile(
    allowed(`${packed}/package.json`),
    '{ "name": "databridge-packed", "version": "1.2.3", "type": "module", "exports": "./main.js" }',
  );
  await writeFile(allowed(`${packed}/main.js`), adapter('packed', false));
  const source = sourceOf('packed', { ...apart, platform: 'packed', adapter: 'databridge-packed' });
  const { code, stdout, stderr } = await check(source);
  expect([code, stderr, stdout]).toEqual([0, '', expect.stringContaining('Clockwork of north')]);
});

test('a worker with another version, or without the adapter, stops the source until it is applied again', async () => {
  await rig.daemon.stop(60_000);
  const fault = (words: string) =>
    eventually(words, async () => {
      const { state, fault: last } = await rig.source('clock');
      return state === 'stopped' && last?.message.includes(words) && last;
    });
  await appendFile(allowed('clockwork.ts'), '// version 2\n');
  const worker = await rig.bridge.up('worker');
  expect(await fault('another version')).toMatchObject({ code: 'config-invalid' });
  await check(sourceOf('clock'));
  const source = join(directory.path, 'sources/clock.yaml');
  expect(await rig.bridge.succeed('source', 'apply', source)).toContain('adapter: ./clockwork.ts#');
  await rig.covered('clock', Date.now());
  await worker.stop(60_000);
  await rename(allowed('clockwork.ts'), allowed('moved.ts'));
  await rig.bridge.up('worker');
  expect(await fault('there is no adapter')).toMatchObject({
    remedy: expect.stringContaining('on every host') as string,
  });
});
