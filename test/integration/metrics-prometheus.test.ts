import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { freePort } from '../kit/free-port.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { PATH, curl, pushAs } from './api-rig.ts';
import type { Client } from './api-rig.ts';
import { Waiting, eventually, startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { device, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// A Prometheus scrapes a running bridge, and its values are those of the database. The bridge polls a plant and takes pushes.

const DASHBOARD = fileURLToPath(new URL('../../config/grafana/databridge.json', import.meta.url));
const ALERTS = fileURLToPath(new URL('../../config/prometheus/alerts.yaml', import.meta.url));

const databases = useDatabases();
let rig: Rig;
let plant: Plant;
let prometheus: RunningProcess;
let url: string;

beforeAll(async () => {
  [rig, plant] = await Promise.all([
    startRig(databases, ['hall', 'pushed'], { DATABRIDGE_OPERATOR: 'everywhere', DATABRIDGE_OPERATOR_PORT: '0' }),
    startPlant({ truth: livingPlant([device(1, 10_000), device(2, 10_000)], 2) }),
  ]);
  const scraped = new URL(await addressOf('the operator API is up'));
  const directory = join(rig.bridge.home, 'prometheus');
  await mkdir(directory);
  const configuration = {
    global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
    scrape_configs: [{ job_name: 'databridge', static_configs: [{ targets: [scraped.host] }] }],
    rule_files: [ALERTS],
  };
  await writeFile(join(directory, 'prometheus.yaml'), JSON.stringify(configuration));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  prometheus = await startProcess({
    name: 'prometheus',
    command: 'prometheus',
    args: [
      `--config.file=${join(directory, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    ready: async () => (await fetch(`${url}/-/ready`)).ok,
  });
});

afterAll(async () => {
  await prometheus?.stop();
  await rig?.close();
  await plant?.stop();
});

/** The address that the daemon logs with a message. */
const addressOf = (message: string, of = rig.daemon): Promise<string> =>
  eventually(message, () => {
    const line = of
      .output()
      .split('\n')
      .find((one) => one.includes(message));
    return line === undefined ? false : (JSON.parse(line) as { url: string }).url;
  });

/** The value of an expression that has one; undefined where it has none. */
async function ask(expression: string): Promise<number | undefined> {
  const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression }).toString()}`);
  const { data } = (await answer.json()) as { data: { result: readonly { value: readonly [number, string] }[] } };
  const [first] = data.result;
  return first === undefined ? undefined : Number(first.value[1]);
}

/** Waits until an expression of Prometheus has the value of a query of the database. */
const agree = (expression: string, query: string): Promise<number> =>
  eventually(`${expression} is as in the database`, async () => {
    const { rows } = await rig.client.query<{ value: number }>(`select (${query})::float8 as value`);
    const [told, stored] = [await ask(expression), rows[0]?.value];
    return told !== undefined && told === stored && told > 0 ? told : new Waiting({ told, stored });
  });

it('Prometheus has the windows and readings of a polled plant as the database has them', async () => {
  await rig.apply(thingsboard('calm', plant.url));
  await rig.covered('calm', Date.now());
  expect(
    await eventually('the source is well', () =>
      ask('databridge_source_condition{condition="well"}').then((value) => value ?? false),
    ),
  ).toBe(1);
  await rig.bridge.succeed('source', 'pause', 'calm');
  await agree('databridge_sources{condition="paused"}', '1');
  const polled = 'databridge_readings_total{platform="thingsboard",result="new"}';
  await agree(`sum(${polled})`, 'select count(*) from reading');
  for (const lane of ['live', 'history']) {
    await agree(
      `databridge_windows_total{outcome="stored",lane="${lane}"}`,
      `select count(*) from window_log where lane = '${lane}'`,
    );
  }
  await agree('sum(databridge_points_total)', 'select sum(readings + refused + repeats + outside) from window_log');
  await agree(
    'databridge_database_partitions{table="reading"}',
    `select count(*) from pg_inherits where inhparent = 'reading'::regclass`,
  );
  const slots = (await ask('sum(databridge_pace_slots_total{ending="answered"})')) ?? 0;
  expect(slots).toBe((await plant.log()).length);
});

it('Prometheus has pushed readings and refusals as the database has them', async () => {
  const api = await addressOf('the API is up');
  const created = JSON.parse(await rig.bridge.succeed('application', 'create', 'gateway', '--json')) as Client;
  const form = ['-u', `${created.applicationId}:${created.secret}`, '-d', 'grant_type=client_credentials'];
  const { json } = await curl(...form, `${api}/v0/oauth2/token`);
  const client = { ...created, token: (json as { access_token: string }).access_token };
  const readings = Array.from({ length: 50 }, (_, second) => ({
    sensorId: 'pushed',
    date: `2026-11-20T08:15:${String(second).padStart(2, '0')}Z`,
    value: second < 40 ? second : 'warm',
  }));
  expect((await pushAs(client, api + PATH.replace('hall', 'pushed'), readings)).status).toBe(200);
  await agree(
    'databridge_pushed_readings_total{result="new"}',
    `select count(*) from reading join series on series.id = series where sensor_id = 'pushed'`,
  );
  await agree(
    'sum(databridge_pushed_refused_readings_total)',
    'select sum(refused) from refusal_count where application_id is not null',
  );
  await agree('databridge_api_requests_total{route="/v0/oauth2/token",status="200"}', '1');
});

it('the alerts of the example are evaluated, and none fires for a bridge that is well', async () => {
  await eventually('the rules were evaluated', async () => {
    const answer = await fetch(`${url}/api/v1/rules`);
    const { data } = (await answer.json()) as {
      data: { groups: readonly { rules: readonly { health: string; lastError?: string; name: string }[] }[] };
    };
    const rules = data.groups.flatMap((group) => group.rules);
    return rules.length === TROUBLES_NAMED.size && rules.every(({ health }) => health === 'ok')
      ? true
      : new Waiting(rules);
  });
  expect(await ask('ALERTS{alertstate="firing"}')).toBeUndefined();
});

it('each panel of the dashboard has data', async () => {
  const { panels } = JSON.parse(await readFile(DASHBOARD, 'utf8')) as {
    panels: readonly { title: string; targets: readonly { expr: string }[] }[];
  };
  const expressions = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
  expect(expressions.length).toBeGreaterThan(12);
  for (const { title, expr } of expressions)
    await eventually(`${title}: ${expr}`, async () => (await ask(expr)) !== undefined || new Waiting(expr));
});

it('Prometheus has the open alerts as the database has them', async () => {
  await rig.client.query(
    `insert into alert (kind, organisation, subject, severity, what, remedy, opened_at) values
       ('silent', 'default', 'elsewhere', 'warning', 'silent', 'look', now()), ('silent', 'default', 'pending', 'warning', 'silent', 'look', null)`,
  );
  await agree(
    'databridge_alerts{kind="silent",severity="warning"}',
    `select count(*) from alert where kind = 'silent' and opened_at is not null`,
  );
  await rig.client.query(`delete from alert where subject in ('elsewhere', 'pending')`);
});

it('a worker that serves no API tells its counters, too', async () => {
  const worker = await rig.bridge.up('worker');
  const answer = await fetch(`${await addressOf('the operator API is up', worker)}/metrics`);
  expect(await answer.text()).toMatch(/^databridge_workers 2$/m);
  expect((await worker.stop()).code).toBe(0);
});

/** Series of a bridge in trouble, constant for an hour, with the alerts that they make. */
const TROUBLES: readonly (readonly [series: string, values: string, alert: string])[] = [
  ['up{job="databridge",instance="a"}', '0x60', 'DatabridgeDown'],
  ['databridge_state_up{instance="a"}', '0x60', 'DatabridgeDatabaseAway'],
  ['databridge_workers{instance="a"}', '0x60', 'DatabridgeNothingPolls'],
  ['databridge_planner_silence_seconds{instance="a"}', '300x60', 'DatabridgeNothingPolls'],
  ['databridge_alerts{kind="stopped",severity="critical"}', '2x60', 'DatabridgeAlertsCritical'],
  ['databridge_alerts{kind="behind",severity="warning"}', '40x60', 'DatabridgeAlertsWarning'],
  ['databridge_database_partitions{table="reading"}', '803x60', 'DatabridgeManyPartitions'],
  ['databridge_api_requests_total{route="/v0/oauth2/token",status="500"}', '0+1x60', 'DatabridgeTokensFail'],
  ['databridge_api_requests_total{api="push",status="503"}', '0+1x60', 'DatabridgeApiErrors'],
];

const TROUBLES_NAMED = new Set(TROUBLES.map(([, , alert]) => alert));

it('each alert of the example fires for its trouble', async () => {
  const tests = TROUBLES.map(([series, values, alert]) => ({
    interval: '1m',
    input_series: [{ series, values: values.includes('+') ? values : values.replace(/^(\d+)x/, '$1+0x') }],
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: '40m',
        exp_samples: [{ labels: '{}', value: 1 }],
      },
    ],
  }));
  const file = join(rig.bridge.home, 'alerts.test.yaml');
  await writeFile(file, JSON.stringify({ rule_files: [ALERTS], evaluation_interval: '1m', tests }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  expect(`${stdout}${stderr}`).toContain('SUCCESS');
  expect(status).toBe(0);
  const rules = spawnSync('promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' });
  expect(rules.stdout).toContain(`${TROUBLES_NAMED.size} rules found`);
});
