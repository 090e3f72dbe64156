import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { ON_ITS_WAY, PAGES, newProfile, openBrowser, settled, violationsOf } from './console-browser.ts';
import type { Profile } from './console-browser.ts';
import { startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { ACCOUNT, device, livingPlant, startPlant } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

/* oxlint-disable max-lines */
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

beforeAll(async () => {
  [plant, browser] = await Promise.all([startPlant({ truth: livingPlant([device(1), device(2)]) }), openBrowser()]);
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
    await editor.fill((await editor.innerText()).replace('concurrency: 2', 'concurrency: 3'));
    await rig.client.query(`update source set revision = revision + 1 where name = 'hall-3'`);
    await page.getByText('Another operator changed this source while you edited it.').waitFor();
    expect(await editor.innerText()).toContain('concurrency: 3');
  });
});

describe('the editor', () => {
  const editorIn = (where: Page) => where.getByRole('textbox', { name: 'Configuration' });
  /** Opens the configuration to edit it, with the cursor at the beginning of its first line. */
  const edit = async (where: Page): Promise<void> => {
    await where.goto(`${url}/#/sources`);
    await where.goto(`${url}/#/sources/default/hall-3?tab=configuration`);
    await button('Edit', where).click();
    await editorIn(where).click();
    await where.keyboard.press('Control+Home');
  };

  it('is typed in with the keyboard alone, which gets out of it, too', async () => {
    const where = await profile.context.newPage();
    await where.goto(`${url}/#/sources/default/hall-3?tab=configuration`);
    await settled(where);
    const written = await editorIn(where).innerText();
    // It is read, so Tab passes by and no key changes it.
    await editorIn(where).click();
    await where.keyboard.type('x');
    await where.keyboard.press('Tab');
    expect(await editorIn(where).evaluate((one) => one.matches(':focus'))).toBe(false);
    expect(await editorIn(where).innerText()).toBe(written);
    await edit(where);
    await where.keyboard.press('Tab');
    await where.keyboard.type('# ');
    const [indented = ''] = (await editorIn(where).innerText()).split('\n');
    expect(indented).toMatch(/^ {2}# \w+: /);
    // CodeMirror itself would take Tab again after another key, or two seconds.
    for (const key of ['Escape', 'ArrowRight', 'Tab']) await where.keyboard.press(key);
    expect(await editorIn(where).evaluate((one) => one.matches(':focus'))).toBe(false);
    await where.keyboard.press('Shift+Tab');
    await where.keyboard.press('Control+z');
    await where.keyboard.press('Control+z');
    expect(await editorIn(where).innerText()).toBe(written);
    await where.close();
  });

  it('marks a flaw at its line and column, finds a text, and is for everybody', async () => {
    await edit(page);
    const lines = (await editorIn(page).innerText()).split('\n');
    const at = lines.findIndex((line) => line.includes('every: 1s'));
    // What is typed over a coloured word would get its colour by a style, which the policy holds off.
    await page.keyboard.press('Control+f');
    await page.keyboard.type('every: 1s');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.keyboard.type('every: 1x');
    await button('See the difference').click();
    await page.getByText(`schedule.every: line ${at + 1}, column 3`).waitFor();
    expect(await page.locator('.cm-lintRange-error').allInnerTexts()).toEqual(['every: 1x']);
    expect(await page.locator('.cm-gutterElement.wrong').allInnerTexts()).toEqual([String(at + 1)]);
    await page.keyboard.press('Control+Home');
    await button(`Go to line ${at + 1}`).click();
    await page.keyboard.type('!');
    expect((await editorIn(page).innerText()).split('\n')[at]).toBe('  !every: 1x');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('hall');
    await page.locator('.cm-searchMatch').first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsOf(page)).toEqual([]);
    }
    expect(profile.faults).toEqual([]);
  });

  it('is a plain field until it is loaded, and for ever where it cannot be, and nothing that was typed is lost', async () => {
    const where = await profile.context.newPage();
    const loads = Promise.withResolvers<void>();
    await where.route('**/assets/yaml-editor-*', async (route) => {
      await loads.promise;
      await route.continue();
    });
    await edit(where);
    await where.keyboard.type('# before ');
    expect(await editorIn(where).evaluate((one) => one.tagName)).toBe('TEXTAREA');
    const before = await where.locator('.editor').boundingBox();
    loads.resolve();
    await where.locator('.cm-content').waitFor();
    expect(await where.locator('.editor').boundingBox()).toEqual(before);
    await where.keyboard.type('and after ');
    expect(await editorIn(where).innerText()).toMatch(/^# before and after \w+: /);
    await where.close();
    const never = await profile.context.newPage();
    await never.route('**/assets/yaml-editor-*', (route) => route.abort());
    await edit(never);
    await never.keyboard.type('# typed ');
    await never.getByText('Tab indents.').waitFor();
    expect(await editorIn(never).inputValue()).toMatch(/^# typed \w+: /);
    await never.close();
    expect(profile.faults).toEqual([]);
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
    await rig.bridge.succeed('operator', 'create', 'otto');
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
        await expect.poll(() => page.locator(ON_ITS_WAY).count()).toBe(0);
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
      await expect.poll(() => page.locator(ON_ITS_WAY).count()).toBe(0);
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) wide.push(hash);
    }
    expect(wide).toEqual([]);
  });
});
