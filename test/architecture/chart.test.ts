import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { API_PORT, OPERATOR_PORT } from '../../src/settings-port.ts';
import { describeSettings } from '../../src/settings.ts';
import { VERSION } from '../../src/version.ts';
import { ROOT } from './source-files.ts';

// `npm run test:chart` renders the chart and starts what comes out; this holds its parts against each other by text.

const CHART = join(ROOT, 'config/helm/databridge');
const read = (...path: readonly string[]): string => readFileSync(join(...path), 'utf8');
const templates = readdirSync(join(CHART, 'templates')).map((file) => read(CHART, 'templates', file));
const used = new Set(
  templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path ?? '')),
);

/** Paths of a value and of all below it, as `worker.resources`. */
const pathsOf = (value: unknown, path = ''): string[] => [
  ...(path === '' ? [] : [path]),
  ...(value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, below]) => pathsOf(below, path === '' ? name : `${path}.${name}`))
    : []),
];

const values = pathsOf(parse(read(CHART, 'values.yaml')));

it('has a reader for each value, and a value for each reader', () => {
  // A map that a template takes whole reads all that is in it.
  const isRead = (path: string): boolean =>
    [...used].some((each) => each === path || path.startsWith(`${each}.`) || each.startsWith(`${path}.`));
  expect(values.filter((path) => !isRead(path))).toEqual([]);
  expect([...used].filter((path) => !values.includes(path))).toEqual([]);
});

it('sets variables that there are, listens where they say, and is of this version', () => {
  const named = templates.flatMap((text) => [...text.matchAll(/- name: ([A-Z][A-Z_]+)$/gm)].map(([, name]) => name));
  const settings = describeSettings().map(({ name }) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !settings.includes(name ?? ''))).toEqual([]);
  const ports = templates.flatMap((text) =>
    [...text.matchAll(/containerPort: (\d+)/g)].map(([, port]) => Number(port)),
  );
  expect(new Set(ports)).toEqual(new Set([API_PORT, OPERATOR_PORT]));
  expect(parse(read(CHART, 'Chart.yaml'))).toMatchObject({ version: VERSION, appVersion: VERSION });
});

it('runs as the user of the image, in its directory', () => {
  const dockerfile = read(ROOT, 'Dockerfile');
  const user = /^USER (\d+):(\d+)$/m.exec(dockerfile);
  const helpers = read(CHART, 'templates', '_helpers.tpl');
  expect([user?.[1], user?.[2]]).toEqual(
    ['runAsUser', 'runAsGroup'].map((name) => new RegExp(`${name}: (\\d+)`).exec(helpers)?.[1]),
  );
  expect(helpers).toContain(`name: home, mountPath: ${/DATABRIDGE_HOME=(\S+)/.exec(dockerfile)?.[1]} }`);
});
