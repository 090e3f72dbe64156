import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { DeviceSpec } from '../../src/simulator/truth.ts';
import { handsOf, newProfile, violationsOf } from './console-browser.ts';
import type { Rig } from './daemon-rig.ts';
import { ACCOUNT, device, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

/** An admin at the console, whose bridge polls `hall-3` of a simulated plant. */
export interface Desk {
  readonly rig: Rig;
  readonly plant: Plant;
  readonly browser: Browser;
  readonly page: Page;
  readonly url: string;
}

/** A pump whose alarms are texts, and whose state is a boolean: neither may become readings as they are. */
export const alarmed: DeviceSpec = {
  ...device(3),
  keys: [
    { name: 'flow', kind: 'number', everyMs: 1_000 },
    { name: 'alarm', kind: 'text', everyMs: 60_000, words: ['door open'] },
    { name: 'running', kind: 'boolean', everyMs: 60_000 },
  ],
};

/** Refused points of all sources are found by reason and source, and lead to those of their source. */
export async function findRefusals(desk: Desk): Promise<void> {
  const { page } = desk;
  const { at, button, field } = handsOf(() => desk);
  await at('/refusals');
  const table = page.getByRole('table', { name: 'Refusals' });
  await table.getByRole('cell', { name: 'not a number' }).first().waitFor();
  await button(/not a number$/).click();
  await page.getByText('The value is text').waitFor();
  await field('Source').fill('hall-4');
  await field('Source').press('Enter');
  await page.getByRole('heading', { name: 'No refusal matches' }).waitFor();
  await field('Source').fill('hall-3');
  await table.getByRole('link', { name: alarmed.id }).click();
  await page.getByRole('table', { name: 'By sensor' }).getByText('door open').waitFor();
  expect(new URL(page.url()).hash).toBe(`#/sources/default/hall-3?tab=refusals&sensor=${alarmed.id}`);
}

/** An admin sees the tokens and sessions of another operator, and ends them. */
export async function endAccess(desk: Desk): Promise<void> {
  const { rig, browser, page, url } = desk;
  const { at, button, field } = handsOf(() => desk);
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
}

/** A former configuration is restored where nobody changed the source meanwhile; else the difference is shown, and nothing is done. */
export async function restoreBesideAnother(desk: Desk): Promise<void> {
  const { rig, plant, page } = desk;
  const { at, button } = handsOf(() => desk);
  const every = async () =>
    (
      await rig.client.query<{ every: number }>(
        "select every_us::int / 1000000 as every from source where name = 'hall-3'",
      )
    ).rows[0]?.every;
  const apply = async (seconds: number) => {
    await rig.apply(
      thingsboard('hall-3', plant.url, {
        schedule: { every: `${seconds}s`, start: '2h', settle: '1s', overlap: '0s' },
      }),
    );
  };
  await apply(2);
  await at('/sources/default/hall-3?tab=history');
  // The page stands still, as it does for an operator who reads it.
  await button('Live').click();
  await button('Restore').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('− 2s').waitFor();
  await apply(3);
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await dialog.getByText('This source was changed meanwhile.').waitFor();
  await dialog.getByText('− 3s').waitFor();
  expect(await every()).toBe(3);
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await every()).toBe(1);
  await button('Stopped').click();
}

/** A configuration that renames series, or reads another place, is applied once the operator says so. */
export async function renameOnWish(desk: Desk): Promise<void> {
  const { plant, page } = desk;
  const { at, button } = handsOf(() => desk);
  await at('/sources/default/hall-3?tab=configuration');
  await button('Edit').click();
  const editor = page.getByRole('textbox', { name: 'Configuration' });
  const before = await editor.innerText();
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
}
