import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { generateApi } from 'swagger-typescript-api';
import { expect, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { readingsIn } from '../kit/stored-source.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { curl, startApi } from './api-rig.ts';

const databases = useDatabases();

/** A program as an integrator writes it with the generated client. Its types are checked, too. */
const PROGRAM = `
import { Api, HttpResponse, Problem, PushAnswer, PushedSensors, Reading } from './client.js';

export async function use(baseUrl: string, id: string, secret: string):
    Promise<{ answer: PushAnswer; tried: PushAnswer; page: PushedSensors; code: Problem['code'] }> {
  const api = new Api<string>({ baseUrl, securityWorker: (authorization) => ({ headers: { Authorization: authorization ?? '' } }) });
  api.setSecurityData('Basic ' + btoa(id + ':' + secret));
  const { data: token } = await api.v0.createToken({ grant_type: 'client_credentials' });
  api.setSecurityData('Bearer ' + token.access_token);
  const readings: Reading[] = [
    { sensorId: 'pump-7', date: '2026-11-20T08:15:30Z', value: 4.25, labels: ['hall-3'] },
    { sensorId: 'pump-7', valueName: 'axis_x', date: '2026-11-20T08:15:31Z', value: 1, precision: 99 },
  ];
  const { data: tried } = await api.v0.pushReadings('default', 'hall', readings, { dryRun: 'true' });
  const { data: answer } = await api.v0.pushReadings('default', 'hall', readings);
  const { data: page } = await api.v0.listPushedSensors('default', 'hall', { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' });
  const code = await api.v0.pushReadings('default', 'nothing', readings).then(
    () => { throw new Error('the project exists'); },
    (refused: HttpResponse<unknown, Problem>) => refused.error.code,
  );
  return { answer, tried, page, code };
}
`;

interface Program {
  use(baseUrl: string, id: string, secret: string): Promise<unknown>;
}

test('a client that others generate from the OpenAPI document compiles, pushes and reads back', async () => {
  const api = await startApi(databases);
  const directory = await makeTempDirectory('generated-client');
  try {
    const input = join(directory.path, 'openapi.json');
    await writeFile(input, (await curl(`${api.url}/openapi.json`)).body);
    await generateApi({ input, output: directory.path, fileName: 'client.ts', silent: true, httpClientType: 'fetch' });
    await writeFile(join(directory.path, 'package.json'), '{"type":"module"}');
    await writeFile(join(directory.path, 'program.ts'), PROGRAM);
    const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
    const options = '--strict --target es2024 --module nodenext --types --outDir out program.ts'.split(' ');
    const compiled = spawnSync(process.execPath, [compiler, ...options], { cwd: directory.path, encoding: 'utf8' });
    expect(compiled.stdout + compiled.stderr).toBe('');
    expect(compiled.status).toBe(0);
    const { use } = (await import(pathToFileURL(join(directory.path, 'out/program.js')).href)) as Program;
    expect(await use(api.url, api.client.applicationId, api.client.secret)).toMatchObject({
      tried: { accepted: 2, dryRun: { newSeries: 2 } },
      answer: { accepted: 2, refusedCount: 0, unknownFields: 0 },
      page: {
        sensors: [
          { sensorId: 'pump-7', valueName: 'axis_x', newest: '2026-11-20T08:15:31Z', count: 1 },
          { sensorId: 'pump-7', valueName: 'none', newest: '2026-11-20T08:15:30Z', count: 1 },
        ],
        next: null,
      },
      code: 'unknown-project',
    });
    expect(await readingsIn(api.database)).toHaveLength(2);
  } finally {
    await directory.remove();
    await api.close();
  }
});
