import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { handsOf, violationsOf } from './console-browser.ts';
import type { Profile } from './console-browser.ts';
import type { Desk } from './console-journeys.ts';

/** The tests of the editor of YAML, at a desk whose source has a configuration. */
export function theEditor(desk: () => Desk & { readonly profile: Profile }): void {
  const { at, button } = handsOf(desk);
  const CONFIGURATION = '/sources/default/hall-3?tab=configuration';
  const editorIn = (where: Page) => where.getByRole('textbox', { name: 'Configuration' });
  /** Begins to edit the configuration that a page shows, with the cursor at the beginning of its first line. */
  const edit = async (where: Page): Promise<void> => {
    await button('Edit', where).click();
    // The text is for reading until the bridge has told it anew, and takes no key.
    await button('Discard', where).waitFor();
    await editorIn(where).click();
    await where.keyboard.press('Control+Home');
  };

  it('is typed in with the keyboard alone, which gets out of it, too', async () => {
    const where = await desk().profile.context.newPage();
    await at(CONFIGURATION, where);
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
    const { page } = desk();
    await at('/sources');
    await at(CONFIGURATION);
    await edit(page);
    const lines = (await editorIn(page).innerText()).split('\n');
    const index = lines.findIndex((line) => line.includes('every: 1s'));
    // What is typed over a coloured word would get its colour by a style, which the policy holds off.
    await page.keyboard.press('Control+f');
    await page.keyboard.type('every: 1s');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.keyboard.type('every: 1x');
    await button('See the difference').click();
    await page.getByText(`schedule.every: line ${index + 1}, column 3`).waitFor();
    expect(await page.locator('.cm-lintRange-error').allInnerTexts()).toEqual(['every: 1x']);
    expect(await page.locator('.cm-gutterElement.wrong').allInnerTexts()).toEqual([String(index + 1)]);
    await page.keyboard.press('Control+Home');
    await button(`Go to line ${index + 1}`).click();
    await page.keyboard.type('!');
    expect((await editorIn(page).innerText()).split('\n')[index]).toBe('  !every: 1x');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('hall');
    await page.locator('.cm-searchMatch').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violationsOf(page, 'theme')).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(desk().profile.faults).toEqual([]);
  });

  it('is a plain field until it is loaded, and for ever where it cannot be, and nothing that was typed is lost', async () => {
    const where = await desk().profile.context.newPage();
    const loads = Promise.withResolvers<void>();
    await where.route('**/assets/yaml-editor-*', async (route) => {
      await loads.promise;
      await route.continue();
    });
    await where.goto(`${desk().url}/#${CONFIGURATION}`);
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
    const never = await desk().profile.context.newPage();
    await never.route('**/assets/yaml-editor-*', (route) => route.abort());
    await never.goto(`${desk().url}/#${CONFIGURATION}`);
    await edit(never);
    await never.keyboard.type('# typed ');
    await never.getByText('Tab indents.').waitFor();
    expect(await editorIn(never).inputValue()).toMatch(/^# typed \w+: /);
    await never.close();
    expect(desk().profile.faults).toEqual([]);
  });
}
