import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { demoPlants } from '../../src/demo/plants.ts';
import { openPlant } from '../../src/demo/run.ts';
import { plantSource } from '../../src/demo/source-file.ts';
import { handsOf, violationsOf } from './console-browser.ts';
import type { Desk } from './console-journeys.ts';
import { ACCOUNT } from './plant-simulator.ts';

// A day of an operator at the console: sources of other kinds, an outage, a refusal, an application, a held name, and the audit of it all.

/** A platform for each kind of credentials besides that of `hall-3`. */
const OTHERS = ['pi-web-api', 'everactive', 'cognite'];

/** Registers a source of each other kind by the wizard, whose form and text follow each other. Ends with their simulators. */
export async function registerOtherKinds(desk: Desk): Promise<() => Promise<void>> {
  const { page, rig } = desk;
  const { at, button, field } = handsOf(() => desk);
  const plants = await Promise.all(
    demoPlants({ lies: false })
      .filter(({ name }) => OTHERS.includes(name))
      .map((plant) => openPlant({ ...plant, faults: [] })),
  );
  const kinds = new Set(plants.map(({ plant }) => plant.kind));
  expect([...kinds].toSorted()).toEqual(['client-credentials', 'historian', 'separate-auth-server']);
  for (const running of plants) {
    const { name, product } = running.plant;
    const schedule = { every: '5s', start: '2m', settle: '2s', overlap: '0s' };
    await at('/register');
    await page.getByRole('radio', { name: product.title }).check();
    await button('Continue').click();
    await page
      .getByRole('textbox', { name: 'The same as YAML' })
      .fill(stringify({ ...plantSource(running, running.account.password), project: 'hall', schedule }));
    await expect.poll(() => field('Name').inputValue()).toBe(name);
    await button('Continue').click();
    await page.getByText(/\d+ requests? in/).waitFor();
    await button('Continue').click();
    await page.getByRole('table', { name: 'Sensors' }).getByRole('row').nth(2).waitFor();
    await button('Continue').click();
    await button('Continue').click();
    await button('Create the source').click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
  }
  for (const { plant } of plants) await rig.covered(plant.name, Date.now() - 5_000);
  await at('/sources?sort=name');
  for (const { plant } of plants) {
    const row = page.getByRole('row', { name: new RegExp(plant.name) });
    await row.getByText(/\d+ s ago/).waitFor();
    // Their plants end with this journey, and a source without its plant would fail beside the others.
    await button(`Actions on ${plant.name}`).click();
    await button('Pause').click();
    await row.getByText('paused', { exact: true }).waitFor();
  }
  return async () => {
    for (const { simulator, authorisation } of plants) {
      await simulator.close();
      await authorisation?.close();
    }
  };
}

/** The platform is away: an alert is raised and taken, the hole is seen, selected, quoted and backfilled, and closes when it is back. */
export async function bridgeAnOutage(desk: Desk): Promise<void> {
  const { page, rig, plant } = desk;
  const { at, button, field } = handsOf(() => desk);
  await plant.proxy.set({ connections: 'reset' });
  plant.proxy.reset();
  await at('/overview');
  await page
    .getByRole('listitem')
    .filter({ hasText: /Failing.*hall-3/ })
    .getByRole('link', { name: 'Open' })
    .first()
    .click();
  await page.getByRole('heading', { name: 'hall-3' }).waitFor();
  await page.locator('.notice.bad').first().waitFor();
  await at('/alerts');
  const alert = page.getByRole('row', { name: /Failing: hall-3/ });
  await alert.getByRole('button', { name: 'Take' }).click();
  await field('Note').fill('The line is down.');
  await page.getByRole('dialog').getByRole('button', { name: 'Take' }).click();
  await alert.getByText('The line is down.').waitFor();
  expect(await violationsOf(page)).toEqual([]);

  await at('/sources/default/hall-3?span=1d&as=table');
  const hole = page
    .getByRole('table', { name: 'Coverage' })
    .getByRole('row', { name: /missing|being asked|cannot be read/ })
    .last();
  await hole.getByRole('button', { name: 'Select' }).click();
  await button(/^Start the backfill: [1-9]/).click();
  await page.getByText('The backfill has begun.').waitFor();
  await at('/backfills?state=running');
  await page
    .getByRole('row', { name: /hall-3/ })
    .first()
    .waitFor();

  await plant.proxy.set({});
  await page.getByRole('heading', { name: 'No backfill is running' }).waitFor();
  await rig.covered('hall-3', Date.now() - 2_000);
  await at('/sources/default/hall-3');
  await page.getByText('well', { exact: true }).waitFor();
}

/** The alert ends by itself, when its trouble has been away for a minute, which has gone by since the outage. */
export async function seeTheAlertEnd(desk: Desk): Promise<void> {
  const { page } = desk;
  const { at } = handsOf(() => desk);
  await at('/alerts?state=ended');
  await page.getByRole('row', { name: /Failing: hall-3/ }).waitFor();
}

/** Booleans are refused; the operator maps them to numbers, asks their range again, and finds them as readings. */
export async function repairARefusal(desk: Desk): Promise<void> {
  const { page, rig } = desk;
  const { at, button } = handsOf(() => desk);
  await at('/sources/default/hall-3?tab=configuration');
  await button('Edit').click();
  const editor = page.getByRole('textbox', { name: 'Configuration' });
  const before = await editor.innerText();
  await editor.fill(`${before.replace('(secret)', ACCOUNT.password)}\nmapping: { booleans: number }`);
  await button('See the difference').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  await page.getByText('hall-3 is changed.').waitFor();
  await at('/sources/default/hall-3?tab=refusals');
  const reasons = page.getByRole('table', { name: 'By reason' });
  const booleans = reasons.getByRole('row', { name: /true or false/ });
  await booleans.getByRole('button').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/[1-9]\d* request/).waitFor();
  await dialog.getByRole('button', { name: 'Ask again' }).click();
  await booleans.waitFor({ state: 'detached' });
  const { rows } = await rig.client.query<{ values: number[] }>(
    `select array_agg(distinct value order by value) as values from reading join series on series.id = series where value_name = 'running'`,
  );
  expect(rows).toEqual([{ values: [0, 1] }]);
  await at('/data?sensor=00000001&span=6h');
  await page.getByRole('link', { name: /-000000000001 flow/ }).click();
  await page.locator('.chart canvas').waitFor();
  // Two values a second for two hours are more than a list of readings shows at once.
  const [file] = await Promise.all([page.waitForEvent('download'), button('CSV').click()]);
  expect(readFileSync(await file.path(), 'utf8').split('\r\n').length).toBeGreaterThan(14_000);
  await page.getByText(/^The file has 1[4-9],\d{3} readings/).waitFor();
}

/** Text that a page which takes it for markup would run. */
export const ATTACK = `"><img src=x onerror=alert(1)>{{7*7}}`;

/** An application is created and pushes; its new name is held and released; its secret is rotated, and at last it is revoked. */
export async function workWithAnApplication(desk: Desk & { readonly v0: string }): Promise<void> {
  const { page, v0 } = desk;
  const { at, button, field } = handsOf(() => desk);
  const shownOnce = async (): Promise<readonly [id: string, secret: string]> => {
    await page.getByText('This is shown once.').waitFor();
    const [id = '', secret = ''] = await page.locator('.secret code').allTextContents();
    await button('I have kept it').click();
    expect(await page.content()).not.toContain(secret);
    return [id, secret];
  };
  const token = async ([id, secret]: readonly [id: string, secret: string]) =>
    await fetch(`${v0}/v0/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
  await at('/projects/default/hall');
  await button('Lock the names').click();
  await page.getByText('hall takes no new names now.').waitFor();
  await at('/applications');
  await button('Create an application').first().click();
  await field('Name').fill(ATTACK);
  await page.getByRole('dialog').getByRole('button', { name: 'Create an application' }).click();
  const first = await shownOnce();
  const answer = (await (await token(first)).json()) as { access_token: string };
  const push = async () =>
    (await (
      await fetch(`${v0}/v0/organisations/default/data/hall`, {
        method: 'POST',
        headers: { authorization: `Bearer ${answer.access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify([{ sensorId: 'gateway-pump', date: new Date().toISOString(), value: 4.25 }]),
      })
    ).json()) as { accepted: number; refusedCount: number };
  expect(await push()).toMatchObject({ accepted: 0, refusedCount: 1 });
  await at('/projects/default/hall');
  await page
    .getByRole('row', { name: /gateway-pump/ })
    .getByRole('button', { name: 'Release' })
    .click();
  await page.getByRole('row', { name: /gateway-pump/ }).waitFor({ state: 'detached' });
  expect(await push()).toMatchObject({ accepted: 1, refusedCount: 0 });
  await button('Unlock the names').click();
  await button('Lock the names').waitFor();

  await at('/applications');
  const row = page.getByRole('row').filter({ hasText: ATTACK });
  await button(`Actions on ${ATTACK}`).click();
  await button('Rotate the secret').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
  const second = await shownOnce();
  await row.getByText('old secret until').waitFor();
  for (const one of [[first[0], first[1]], second] as const) expect((await token(one)).status).toBe(200);
  await button(`Actions on ${ATTACK}`).click();
  await button('Revoke').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('revoked', { exact: true }).waitFor();
  for (const one of [first, second]) expect((await token(one)).status).toBe(401);
}

/** What an operator did this day, newest first, as the audit names it. */
const DEEDS = [
  'source.created',
  'source.changed',
  'backfill.started',
  'application.created',
  'application.secret-rotated',
  'application.revoked',
  'project.locked',
  'project.released',
  'alert.acknowledged',
  'operator.token-revoked',
];

/** Everything is found again in the audit. */
export async function findInAudit(desk: Desk): Promise<void> {
  const { page } = desk;
  const { at, field } = handsOf(() => desk);
  await at('/audit');
  for (const deed of DEEDS) {
    await field('Action, such as source.*').fill(deed);
    const rows = page.getByRole('table', { name: 'Audit' }).locator('tbody').getByRole('row');
    // The rows of the filter before stay until those of this one are there.
    await expect.poll(() => rows.filter({ hasNotText: deed }).count()).toBe(0);
    await rows.first().getByText('admin').first().waitFor();
  }
}
