import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { handsOf } from './console-browser.ts';
import type { Profile } from './console-browser.ts';
import type { Desk } from './console-journeys.ts';
import { thingsboard } from './plant-simulator.ts';

/** Filters that take effect while one types: their page, their name, and what is typed at once and after it. */
const FILTERS: readonly (readonly [hash: string, filter: string, typed: string, more: string])[] = [
  ['/audit', 'By whom', 'adm', 'in'],
  // Taken as soon as it is the name of a source.
  ['/refusals', 'Source', 'hall-3', 'x'],
  ['/data', 'Search series', 'flo', 'w'],
  ['/sources', 'Search sources', 'hal', 'l'],
];

/** Types in the field with the focus as soon as the page has drawn that a filter took effect, and before it does anything more. */
const typeAtEffect = (text: string): string =>
  `addEventListener('hashchange', () => setTimeout(() => document.execCommand('insertText', false, '${text}')), { once: true })`;

/** The tests of what an operator has typed, at a desk with a source `hall-3`. `password`: of the operator `admin`. */
export function whatIsTyped(desk: () => Desk & { readonly profile: Profile }, password: string): void {
  const { at, button, field } = handsOf(desk);

  it('in a field of a source, key by key, comes into the text beside it, and a text that is no YAML closes the form', async () => {
    const where = await desk().profile.context.newPage();
    await at('/register', where);
    await where.getByLabel('ThingsBoard').check();
    await button('Continue', where).click();
    const text = where.getByRole('textbox', { name: 'The same as YAML' });
    await text.fill(JSON.stringify(thingsboard('hall-5', desk().plant.url)));
    const retype = async (name: string, content: string): Promise<void> => {
      await field(name, where).press('Control+a');
      await where.keyboard.press('Delete');
      await where.keyboard.type(content);
      expect(await field(name, where).inputValue()).toBe(content);
    };
    await retype('start', '17m');
    await where.locator('summary').first().click();
    await retype('devices', 'pump-1, pump-2');
    expect((await text.innerText()).replaceAll(/[\s"]/g, '')).toMatch(/,start:17m\}.*devices:\[pump-1,pump-2\]/);
    const yaml = await text.innerText();
    await text.fill(`${yaml}[`);
    expect(await field('start', where).isEnabled()).toBe(false);
    expect(await field('start', where).inputValue()).toBe('17m');
    await text.fill(yaml);
    await retype('start', '18m');
    await where.close();
  });

  it.each(FILTERS)('in the filter of %s stays while it takes effect', async (hash, filter, typed, more) => {
    const { page } = desk();
    await at(hash);
    await field(filter).focus();
    await page.evaluate(typeAtEffect(more));
    // In one piece: on a slow machine each key by itself might take effect.
    await page.keyboard.insertText(typed);
    await expect.poll(() => field(filter).inputValue()).toBe(`${typed}${more}`);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain(`=${typed}${more}`);
    expect(await field(filter).inputValue()).toBe(`${typed}${more}`);
  });

  it('in a form stays when the session ends, whoever notices it first', async () => {
    const { page, rig } = desk();
    const endSessions = () => rig.client.query('delete from operator_session');
    const signInAgain = async (where: Page): Promise<void> => {
      const again = where.getByRole('dialog', { name: 'Your session has ended' });
      await again.getByLabel('Name').fill('admin');
      await again.getByLabel('Password').fill(password);
      await where.keyboard.press('Enter');
      await again.waitFor({ state: 'detached' });
      expect(await field('Code').inputValue()).toBe('hall-4');
    };
    const create = page.getByRole('dialog').getByRole('button', { name: 'Create a project' });
    await at('/projects');
    await button('Create a project').first().click();
    await field('Code').fill('hall-4');
    await endSessions();
    await signInAgain(page);
    // Else the page might notice it before the button is pressed.
    await page.route('**/api/v1/projects', async (route) => {
      if (route.request().method() === 'POST') await endSessions();
      await route.continue();
    });
    const refused = page.waitForResponse((response) => response.request().method() === 'POST');
    await create.click();
    expect((await refused).status()).toBe(401);
    await page.unroute('**/api/v1/projects');
    await signInAgain(page);
    await create.click();
    await page.getByRole('link', { name: 'hall-4' }).waitFor();
  });
}
