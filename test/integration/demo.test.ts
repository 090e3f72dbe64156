import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { demoPlants } from '../../src/demo/plants.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { MAIN } from '../kit/joined-program.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { databridgeHere } from './command-line.ts';

/** Data of this test below /var/lib/databridge, which a demo uses where the server's user cannot enter its directory. */
function dataElsewhere(): string[] {
  const root = '/var/lib/databridge';
  const notes = (existsSync(root) ? readdirSync(root) : []).map((name) => join(root, name, 'settings-directory'));
  return notes.filter((note) => existsSync(note) && readFileSync(note, 'utf8').startsWith(temporary.path));
}

interface Summary {
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly sources: readonly Record<string, number | string>[];
}

let temporary: TempDirectory;

beforeEach(async () => {
  temporary = await makeTempDirectory('demo');
});
afterEach(() => temporary.remove());
afterAll(assertNothingLeaked);

/** Runs a demo to its end. Sends SIGINT once the output matches `stopAt`, after `visit` of the address that it prints. */
async function demo(
  args: readonly string[],
  stopAt?: RegExp,
  visit?: (address: URL) => Promise<void>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { ...process.env, TMPDIR: temporary.path, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
  const child = spawn(process.execPath, [MAIN, 'demo', ...args], { cwd: temporary.path, env });
  let stdout = '';
  let stderr = '';
  let stopped = false;
  let visited: Promise<void> | undefined;
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const [, address] = /^ {2}(http\S+#\/link\/\S+)\n/m.exec(stdout) ?? [];
    if (visit && address !== undefined) visited ??= visit(new URL(address));
    if (stopped || !stopAt?.test(stdout)) return;
    stopped = true;
    // Also where the visit failed.
    void Promise.allSettled([visited]).then(() => child.kill('SIGINT'));
  });
  const [code] = (await once(child, 'close')) as [number | null];
  await visited;
  return { code, stdout, stderr };
}

const nothingIsLeft = (): void => {
  expect(readdirSync(temporary.path)).toEqual([]);
  expect(dataElsewhere()).toEqual([]);
};

const names = demoPlants({ lies: true }).map(({ name }) => name);
const [liar = '', ...honest] = names;
const allHaveReadings = new RegExp(names.map((name) => String.raw`(?=[^]*${name} +\S+ +[1-9])`).join(''));

describe('a demo', () => {
  test('ends by itself with every reading stored once, within pace, and leaves no data', async () => {
    const { code, stdout, stderr } = await demo(['--for', '20s', '--json']);
    expect(stderr).toBe('');
    const { ok, problems, sources } = JSON.parse(stdout) as Summary;
    expect({ code, ok, problems }).toEqual({ code: 0, ok: true, problems: [] });
    expect(sources.map(({ source }) => source)).toEqual(names);
    for (const { expected, arrived, lost, doubled, wrong, ...more } of sources) {
      expect(arrived).toBeGreaterThan(0);
      expect({ expected, lost, doubled, wrong }).toEqual({ expected: arrived, lost: 0, doubled: 0, wrong: 0 });
      expect(more['windows']).toBeGreaterThan(0);
      expect(more['busiestSecond']).toBeGreaterThan(0);
      expect(more['busiestSecond']).toBeLessThanOrEqual(more['allowedInOneSecond'] as number);
    }
    for (const met of ['refused', 'troubles']) expect(sources.some((source) => Number(source[met]) > 0)).toBe(true);
    nothingIsLeft();
  });

  test('whose plant lies fails and names the lost and wrong readings', async () => {
    // About one reading in fifty is left out, and as many are changed.
    const enough = String.raw`(?=[^]*${liar} +\S+ +\d+,\d{3})`;
    const { code, stdout } = await demo(['--lie'], new RegExp(enough + allHaveReadings.source));
    expect(stdout).toMatch(new RegExp(String.raw`✗ ${liar}: \d+ readings lost, the first `));
    expect(stdout).toMatch(new RegExp(String.raw`✗ ${liar}: \d+ readings unlike what the plant said`));
    expect(stdout).not.toMatch(new RegExp(`✗ (?:${honest.join('|')})`));
    expect(code).toBe(1);
    nothingIsLeft();
  });

  test('prints its sources to a pipe, signs a viewer in, shows a backfill, and ends with Ctrl-C as it does by itself', async () => {
    const seen: unknown[] = [];
    const visit = async ({ origin, hash }: URL): Promise<void> => {
      const body = JSON.stringify({ token: hash.replace('#/link/', '') });
      const signIn = async (): Promise<Response> =>
        await fetch(`${origin}/api/v1/sign-in/link`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
      const entered = await signIn();
      expect(await entered.json()).toMatchObject({ operator: { name: 'demo' }, mustChangePassword: false });
      expect((await signIn()).status).toBe(403);
      const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
      const answer = await fetch(`${origin}/api/v1/backfills?state=running`, { headers: { cookie } });
      seen.push(...((await answer.json()) as { items: unknown[] }).items);
    };
    const { code, stdout } = await demo([], allHaveReadings, visit);
    expect(seen).toEqual([
      expect.objectContaining({ source: 'thingsboard', what: 'missing', requestedBy: expect.any(String) }),
    ]);
    expect(stdout).toMatch(/export DATABRIDGE_HOME=\S+ DATABRIDGE_OPERATOR_PORT=\d+ DATABASE_URL=\n/);
    expect(stdout).toMatch(/✓ [\d,]+ readings in (?:\d+m)?\d+s: none lost, none doubled, all within pace/);
    expect(stdout).not.toContain('\u001B');
    expect(code).toBe(0);
    nothingIsLeft();
  });

  test('that is stopped while it starts leaves no data', async () => {
    const { code, stdout } = await demo([], /a bridge and a simulated plant/);
    expect(stdout).toContain('✗ interrupted before anything was polled');
    expect(code).toBe(130);
    nothingIsLeft();
  });

  test('refuses a directory that is not empty, and a duration that it cannot read', async () => {
    const { code, stderr } = await demo(['--keep', '/']);
    expect(stderr).toContain('/ is not empty');
    expect(code).toBe(2);
    expect((await databridgeHere(['demo', '--for', 'soon'])).code).toBe(2);
    nothingIsLeft();
  });
});
