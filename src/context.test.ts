import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeTempDirectory } from '../test/kit/temp-directory.ts';
import { openContext } from './context.ts';
import { readSettings } from './settings.ts';

it('makes no bridge in a directory that holds none, unless told to', async () => {
  const home = await makeTempDirectory('no-bridge');
  const settings = readSettings({ DATABRIDGE_HOME: home.path });
  await expect(openContext({ settings })).rejects.toMatchObject({
    code: 'config-invalid',
    message: `there is no bridge at ${home.path}`,
    remedy: expect.stringContaining('DATABRIDGE_HOME'),
  });
  expect(readdirSync(home.path)).toEqual([]);
  await home.remove();
});
