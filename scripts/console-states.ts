/** The states of the console that `npm run screenshots` shows. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** A state of the console: its name, and how an operator gets there. */
export type State = readonly [name: string, open: (page: Page) => Promise<unknown>];

export const at = (hash: string) => async (page: Page) => await page.goto(`${new URL(page.url()).origin}/#${hash}`);
export const press = async (page: Page, name: string | RegExp): Promise<void> =>
  await page.getByRole('button', { name }).first().click();
export const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });

/** The lists and forms that a bridge without a source has, too. */
export const PLAIN: readonly State[] = [
  ['overview', at('/overview')],
  ['sources', at('/sources')],
  ['backfills', at('/backfills')],
  ['refusals', at('/refusals')],
  ['alerts', at('/alerts')],
  ['data', at('/data')],
  ['applications', at('/applications')],
  ['projects', at('/projects')],
  ['delivery', at('/delivery')],
  ['audit', at('/audit')],
  ['operators', at('/operators')],
  ['account', at('/account')],
  ['register', at('/register')],
  ['nowhere', at('/nowhere')],
];

const SOURCE = '/sources/default/thingsboard';

/** A demo whose directory is `home`: ten plants poll, a backfill runs and two sources are in trouble. */
export const fullOf = (home: string): readonly State[] => [
  ...PLAIN,
  [
    'sources-chosen',
    async (page) => {
      await at('/sources')(page);
      for (const nth of [0, 2]) await page.getByRole('checkbox').nth(nth).check({ force: true });
    },
  ],
  ['sources-none', at('/sources?text=nothing-like-it')],
  ['source', at(SOURCE)],
  ['source-90d', at(`${SOURCE}?span=90d`)],
  ['source-table', at(`${SOURCE}?as=table`)],
  [
    'source-selection',
    async (page) => {
      await at('/sources')(page);
      await at(`${SOURCE}?span=7d`)(page);
      await page.locator('canvas').focus();
      for (const key of ['Home', ...Array.from({ length: 30 }, () => 'Shift+ArrowRight')])
        await page.keyboard.press(key);
      await page.getByRole('button', { name: /^Start the backfill: / }).waitFor();
    },
  ],
  ['source-sensors', at(`${SOURCE}?tab=sensors`)],
  ['source-windows', at(`${SOURCE}?tab=windows`)],
  ['source-refusals', at(`${SOURCE}?tab=refusals`)],
  [
    'source-configuration',
    async (page) => {
      await at(`${SOURCE}?tab=configuration`)(page);
      await page.locator('.cm-content').waitFor();
    },
  ],
  ['source-history', at(`${SOURCE}?tab=history`)],
  ['source-stopped', at('/sources/default/boiler-house')],
  ['source-failing', at('/sources/default/cooling-tower')],
  ['data-chosen', at('/data?project=demo')],
  [
    'data-line',
    async (page) => {
      await at('/data?project=demo')(page);
      await page.locator('nav.series a').last().click();
      await page.locator('.chart canvas').waitFor();
    },
  ],
  ['project', at('/projects/default/demo')],
  ['operator', at('/operators/demo')],
  [
    'application-create',
    async (page) => {
      await at('/applications')(page);
      await press(page, 'Create an application');
    },
  ],
  [
    'menu',
    async (page) => {
      await at('/sources')(page);
      await press(page, /^Actions on /);
    },
  ],
  [
    'configuration-difference',
    async (page) => {
      await at('/sources')(page);
      await at(`${SOURCE}?tab=configuration`)(page);
      await press(page, 'Edit');
      const editor = page.getByRole('textbox', { name: 'Configuration' });
      await page.locator('.cm-content').waitFor();
      await editor.fill((await editor.innerText()).replace('every: 3s', 'every: 5s'));
      await press(page, 'See the difference');
      await page.getByRole('dialog').locator('.difference, pre, ins').first().waitFor();
    },
  ],
  [
    'register-form',
    async (page) => {
      await at('/overview')(page);
      await at('/register')(page);
      await page.getByLabel('InfluxDB').first().check();
      await press(page, 'Continue');
      await page.getByRole('textbox', { name: 'The same as YAML' }).waitFor();
    },
  ],
  [
    'register-wrong',
    async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('NOT A NAME');
      await press(page, 'Continue');
      await page.locator('.wrong').first().waitFor();
    },
  ],
  [
    'register-check',
    async (page) => {
      const file = await readFile(join(home, 'sources/thingsboard.yaml'), 'utf8');
      await page
        .getByRole('textbox', { name: 'The same as YAML' })
        .fill(file.replace(/^name: .*/m, 'name: hall-7').replaceAll(/^#.*\n/gm, ''));
      await press(page, 'Continue');
      await page.getByText(/\d+ requests? in/).waitFor();
    },
  ],
  [
    'register-sensors',
    async (page) => {
      await press(page, 'Continue');
      await page.getByRole('table', { name: 'Sensors' }).waitFor();
    },
  ],
  [
    'register-preview',
    async (page) => {
      await press(page, 'Continue');
      await press(page, 'Read a stretch');
      await page.getByRole('table').first().waitFor();
    },
  ],
  [
    'register-create',
    async (page) => {
      await press(page, 'Continue');
      await page.getByText('A new source.').waitFor();
    },
  ],
  [
    'application-secret',
    async (page) => {
      await at('/applications')(page);
      await press(page, 'Create an application');
      await page.getByLabel('Name', { exact: true }).fill('Gateway of hall 3');
      await inDialog(page, 'Create an application').click();
      await page.locator('.secret code').first().waitFor();
    },
  ],
  [
    'applications-one',
    async (page) => {
      await press(page, 'I have kept it');
      await at('/applications')(page);
    },
  ],
];
