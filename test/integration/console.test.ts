import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeviceSpec } from '../../src/simulator/truth.ts';
import { useDatabases } from '../kit/databases.ts';
import { PAGES, newProfile, openBrowser, settled, violationsOf } from './console-browser.ts';
import type { Profile } from './console-browser.ts';
import { startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { ACCOUNT, device, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// Operators at the console: Chromium, `up` and a simulated plant. The tests are one journey and build on each other.

const PASSWORD = 'four words and a hyphen';
/** Text that a page which takes it for markup would run. */
const ATTACK = `"><img src=x onerror=alert(1)>{{7*7}}`;

const databases = useDatabases();
let rig: Rig;
let plant: Plant;
let browser: Browser;
let profile: Profile;
let page: Page;
let url: string;
let v0: string;
let firstPassword: string;

/** A pump whose alarms are texts, which may not become readings. */
const alarmed: DeviceSpec = {
  ...device(3),
  keys: [
    { name: 'flow', kind: 'number', everyMs: 1_000 },
    { name: 'alarm', kind: 'text', everyMs: 60_000, words: ['door open'] },
  ],
};

beforeAll(async () => {
  const truth = livingPlant([device(1), device(2), alarmed]);
  [plant, browser] = await Promise.all([startPlant({ truth }), openBrowser()]);
  rig = await startRig(databases, ['hall'], { DATABRIDGE_OPERATOR: 'on', DATABRIDGE_OPERATOR_PORT: '0' });
  const lineOf = (text: string) =>
    rig.daemon
      .output()
      .split('\n')
      .find((line) => line.includes(text)) ?? '{}';
  ({ url } = JSON.parse(lineOf('the operator API is up')) as { url: string });
  ({ url: v0 } = JSON.parse(lineOf('"the API is up"')) as { url: string });
  firstPassword = /chooses a password:\n {2}(\S+)/.exec(rig.daemon.output())?.[1] ?? '';
  profile = await newProfile(browser);
  page = await profile.context.newPage();
});

afterAll(async () => {
  await browser?.close();
  await rig?.close();
  await plant?.stop();
});

const at = async (hash: string, where = page): Promise<void> => {
  await where.goto(`${url}/#${hash}`);
  await settled(where);
};
const button = (name: string | RegExp, where = page) =>
  where.getByRole('button', { name, exact: typeof name === 'string' });
/** Does something while the page stands still, as it does for an operator who reads it. */
const stopped = async (act: () => Promise<void>): Promise<void> => {
  await button('Live').click();
  await act();
  await button('Stopped').click();
};
const field = (name: string, where = page) => where.getByLabel(name, { exact: true });

describe('the page', () => {
  it('is kept nowhere, its files for ever, and neither may run foreign text', async () => {
    const answer = await fetch(url);
    const { headers } = answer;
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-security-policy')).toContain(`default-src 'none'; script-src 'self'`);
    expect(headers.get('content-security-policy')).toContain(
      `require-trusted-types-for 'script'; trusted-types 'none'`,
    );
    const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(await answer.text()) ?? [];
    const file = await fetch(`${url}${script}`);
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect((await fetch(`${url}/assets/..%2Findex.html`)).status).toBe(404);
  });
});

describe('a first operator', () => {
  it('reads at the form why it was not let in, and chooses a password of its own', async () => {
    await page.goto(url);
    expect(await violationsOf(page)).toEqual([]);
    await field('Name').fill('admin');
    await field('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Name and password do not belong together.').waitFor();
    await field('Password').fill(firstPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
    await field('Present password').fill(firstPassword);
    await field('New password').fill(PASSWORD);
    await field('New password again').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No source yet' }).waitFor();
  });

  it('registers a source step by step, and sees its coverage', async () => {
    await page.getByRole('link', { name: 'Register a source' }).first().click();
    await page.getByLabel('ThingsBoard').check();
    await page.getByRole('heading', { name: 'What to ask the customer for' }).waitFor();
    await button('Continue').click();
    await field('Name').fill('NOT A NAME');
    await button('Continue').click();
    await page.locator('.wrong').first().waitFor();
    expect(await field('Name').inputValue()).toBe('NOT A NAME');
    await page
      .getByRole('textbox', { name: 'The same as YAML' })
      .fill(
        [
          'name: hall-3',
          'project: hall',
          'kind: user-credentials',
          'platform: thingsboard',
          'connection:',
          `  url: ${plant.url}`,
          `  username: ${ACCOUNT.username}`,
          `  password: ${ACCOUNT.password}`,
          'schedule: { every: 1s, start: 2h, settle: 1s, overlap: 0s }',
          'pace: { requestsPerSecond: 50, burst: 10, concurrency: 2 }',
        ].join('\n'),
      );
    // The form follows the text.
    expect(await field('url').inputValue()).toBe(plant.url);
    expect(await field('password').getAttribute('type')).toBe('password');
    await button('Continue').click();
    await page.getByText(/\d+ requests? in/).waitFor();
    expect(await page.locator('.steps li.good').count()).toBeGreaterThan(4);
    await button('Continue').click();
    await page.getByRole('table', { name: 'Sensors' }).getByRole('row').nth(2).waitFor();
    await button('Continue').click();
    await button('Read a stretch').click();
    await page.getByRole('table', { name: 'Readings' }).waitFor();
    await button('Continue').click();
    await page.getByText('A new source.').waitFor();
    await button('Create the source').click();
    await page.getByRole('heading', { name: 'hall-3' }).waitFor();
    await page.locator('canvas').waitFor();
    await rig.covered('hall-3', Date.now() - 60_000);
  });
});

describe('coverage', () => {
  it('is selected with the keyboard, is the same as text, and becomes a backfill', async () => {
    await at('/sources/default/hall-3');
    await page.locator('canvas').focus();
    for (const key of ['Home', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowDown'])
      await page.keyboard.press(key);
    const text = field('Ranges');
    // Bins begin at whole hours of a zone that is half an hour off.
    expect(await text.inputValue()).toMatch(/^\d{4}-\d\d-\d\d \d\d:00 – \d{4}-\d\d-\d\d \d\d:00/);
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
    await text.fill(`${day(3)} 10:00 – ${day(3)} 1x:00`);
    await page.getByText('Line 1 is no range').waitFor();
    await text.fill(`${day(3)} 10:00 – ${day(3)} 12:30`);
    await button(/^Start the backfill: [1-9]/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await button(/^Start the backfill/).click();
    await page.getByText('The backfill has begun.').waitFor();
    await at('/backfills');
    await page
      .getByRole('row', { name: /hall-3/ })
      .first()
      .waitFor();
    const { rows } = await rig.client.query<{ from: string; to: string }>(
      `select to_char(from_at at time zone 'Asia/Kolkata', 'HH24:MI') as "from", to_char(to_at at time zone 'Asia/Kolkata', 'HH24:MI') as "to" from backfill`,
    );
    expect(rows).toEqual([{ from: '10:00', to: '12:30' }]);
  });

  it('is a table, too', async () => {
    await at('/sources/default/hall-3?as=table');
    await page.getByRole('table', { name: 'Coverage' }).getByRole('cell', { name: 'data' }).first().waitFor();
  });
});

describe('refused points', () => {
  it('of all sources are found by reason and source, and lead to those of their source', async () => {
    await at('/refusals');
    const table = page.getByRole('table', { name: 'Refusals' });
    await table.getByRole('cell', { name: 'not a number' }).waitFor();
    await button(/not a number$/).click();
    await page.getByText('The value is text').waitFor();
    await field('Source').fill('hall-4');
    await field('Source').press('Enter');
    await page.getByRole('heading', { name: 'No refusal matches' }).waitFor();
    await field('Source').fill('hall-3');
    await table.getByRole('link', { name: alarmed.id }).click();
    await page.getByRole('table', { name: 'By sensor' }).getByText('door open').waitFor();
    expect(new URL(page.url()).hash).toBe(`#/sources/default/hall-3?tab=refusals&sensor=${alarmed.id}`);
  });
});

describe('an application', () => {
  it('is created with a secret that works, is shown once, and is revoked', async () => {
    await at('/applications');
    await button('Create an application').first().click();
    await field('Name').fill(ATTACK);
    await page.getByRole('dialog').getByRole('button', { name: 'Create an application' }).click();
    await page.getByText('This is shown once.').waitFor();
    const [id = '', secret = ''] = await page.locator('.secret code').allTextContents();
    const token = async () =>
      await fetch(`${v0}/v0/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
    expect((await token()).status).toBe(200);
    await button('I have kept it').click();
    await page.getByRole('cell', { name: ATTACK }).first().waitFor();
    expect(await page.content()).not.toContain(secret);
    await button(`Actions on ${ATTACK}`).click();
    await button('Revoke').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    expect((await token()).status).toBe(401);
  });
});

describe('another operator', () => {
  it('has tokens and sessions that an admin sees and ends', async () => {
    await rig.bridge.succeed('operator', 'create', 'otto');
    await at('/operators');
    await button('Actions on otto').click();
    await button('Link to sign in').click();
    await button('Make the link').click();
    const link = (await page.locator('.secret code').textContent()) ?? '';
    await button('I have kept it').click();
    const { context } = await newProfile(browser);
    const his = await context.newPage();
    await his.goto(link);
    await his.getByRole('heading', { name: 'Choose a password' }).waitFor();

    await page.getByRole('link', { name: 'otto' }).click();
    await button('New token').click();
    await field('Name of the token').fill('laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'New token' }).click();
    const token = (await page.locator('.secret code').textContent()) ?? '';
    await button('I have kept it').click();
    const me = async () => (await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await me()).toBe(200);
    const tokens = page.getByRole('table', { name: 'Tokens' });
    await tokens.getByRole('row', { name: 'laptop' }).getByRole('button', { name: 'Revoke' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await tokens.getByText('revoked', { exact: true }).waitFor();
    expect(await me()).toBe(401);

    await page.getByRole('table', { name: 'Sessions' }).getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Signed in nowhere' }).waitFor();
    await his.reload();
    await his.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.close();
  });
});

describe('what another tab changes', () => {
  it('shows without a reload, and the tabs share one stream of events', async () => {
    const other = await profile.context.newPage();
    let streams = 0;
    profile.context.on('request', (request) => void (streams += request.url().endsWith('/events') ? 1 : 0));
    await at('/sources', other);
    await at('/sources/default/hall-3');
    await button('Pause').click();
    await other
      .getByRole('row', { name: /hall-3/ })
      .getByText('paused', { exact: true })
      .waitFor();
    await button('Resume').click();
    await other
      .getByRole('row', { name: /hall-3/ })
      .getByText('paused', { exact: true })
      .waitFor({ state: 'detached' });
    expect(streams).toBeLessThan(2);
    await other.close();
  });

  it('is told to an operator who edits the same, and the text stays', async () => {
    await at('/sources/default/hall-3?tab=configuration');
    await button('Edit').click();
    const editor = page.getByRole('textbox', { name: 'Configuration' });
    await editor.fill((await editor.inputValue()).replace('concurrency: 2', 'concurrency: 3'));
    await rig.client.query(`update source set revision = revision + 1 where name = 'hall-3'`);
    await page.getByText('Another operator changed this source while you edited it.').waitFor();
    expect(await editor.inputValue()).toContain('concurrency: 3');
  });
});

describe('a former configuration', () => {
  it('is restored where nobody changed the source meanwhile; else the difference is shown, and nothing is done', async () => {
    const every = async () =>
      (await rig.client.query<{ every: number }>('select every_us::int / 1000000 as every from source')).rows[0]?.every;
    const apply = async (seconds: number) => {
      await rig.apply(
        thingsboard('hall-3', plant.url, {
          schedule: { every: `${seconds}s`, start: '2h', settle: '1s', overlap: '0s' },
        }),
      );
    };
    await apply(2);
    await at('/sources/default/hall-3?tab=history');
    await stopped(async () => {
      await button('Restore').first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('− 2s').waitFor();
      await apply(3);
      await dialog.getByRole('button', { name: 'Restore' }).click();
      await dialog.getByText('Another operator changed this source meanwhile.').waitFor();
      await dialog.getByText('− 3s').waitFor();
      expect(await every()).toBe(3);
      expect(await violationsOf(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Restore' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await every()).toBe(1);
    });
  });

  it('that renames series, or reads another place, is applied once the operator says so', async () => {
    await at('/sources/default/hall-3?tab=configuration');
    await button('Edit').click();
    const editor = page.getByRole('textbox', { name: 'Configuration' });
    const before = await editor.inputValue();
    await editor.fill(
      `${before.replace(plant.url, plant.url.replace('127.0.0.1', 'localhost')).replace('(secret)', ACCOUNT.password)}
sensors: [{ id: ${device(1).id}, as: pump-one }]`,
    );
    await button('See the difference').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The coverage begins anew').waitFor();
    await dialog.getByLabel('Same data').check();
    await dialog.getByText('The coverage begins anew').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Apply' }).click();
    // Why, in the words of the API.
    await dialog.getByText('would get other names for 2 series with readings').waitFor();
    await dialog.getByText('readings so far stay under the old names, new ones').waitFor();
    await dialog.getByLabel('Rename').check();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('hall-3 is changed.').waitFor();
  });
});

describe('a session', () => {
  it('that ends in the middle of a form leaves the form as it is', async () => {
    await at('/projects');
    await button('Create a project').first().click();
    await field('Code').fill('hall-4');
    await rig.client.query('delete from operator_session');
    await page.getByRole('dialog').getByRole('button', { name: 'Create a project' }).click();
    const again = page.getByRole('dialog', { name: 'Your session has ended' });
    await again.waitFor();
    await again.getByLabel('Name').fill('admin');
    await again.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await again.waitFor({ state: 'detached' });
    expect(await field('Code').inputValue()).toBe('hall-4');
    await page.getByRole('dialog').getByRole('button', { name: 'Create a project' }).click();
    await page.getByRole('link', { name: 'hall-4' }).waitFor();
  });

  it('of a viewer shows nothing that it may not do', async () => {
    await at('/operators');
    await button('Actions on otto').waitFor();
    await rig.client.query(`update operator_account set role = 'viewer' where name = 'admin'`);
    await page.reload();
    await at('/sources/default/hall-3');
    await button('Next gap').waitFor();
    expect(await button('Pause').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Operators' }).count()).toBe(0);
    await rig.client.query(`update operator_account set role = 'admin' where name = 'admin'`);
    await page.reload();
  });
});

describe('every page', () => {
  it.each(['light', 'dark'] as const)(
    'is for everybody (%s), and breaks no rule of its own policy',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      const found: Record<string, string[]> = {};
      for (const hash of PAGES) {
        await page.goto(`${url}/#${hash}`);
        await expect.poll(() => page.locator('h1, .empty h2').count()).toBeGreaterThan(0);
        await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
        const violations = await violationsOf(page);
        if (violations.length > 0) found[hash] = violations;
      }
      expect(found).toEqual({});
      expect(profile.faults).toEqual([]);
    },
  );

  it('fits on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const wide: string[] = [];
    for (const hash of PAGES) {
      await page.goto(`${url}/#${hash}`);
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) wide.push(hash);
    }
    expect(wide).toEqual([]);
  });
});
