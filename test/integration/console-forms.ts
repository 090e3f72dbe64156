import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { handsOf } from './console-browser.ts';
import { thingsboard } from './plant-simulator.ts';

/** A form of the console, and what its fields must not hold. */
interface Form {
  readonly name: string;
  /** Leads to it. */
  readonly open: (page: Page) => Promise<void>;
  /** The button that sends it; undefined where the form says at once what is wrong. */
  readonly send?: string | RegExp;
  /** Right content of its other fields, which stays. */
  readonly beside?: Readonly<Record<string, string>>;
  readonly wrong: readonly (readonly [field: string, content: string, says: RegExp])[];
}

/** Only a form that says nothing meets it, however busy the machine is. */
const PATIENCE_MS = 120_000;

const PASSWORD = 'four words and a hyphen';
const long = (length: number): string => 'x'.repeat(length);
const NOT_EMPTY = /1 to 200 characters|is not a name/;

/** Opens a page anew, and presses a button of it. */
const pressed =
  (hash: string, ...buttons: readonly (string | RegExp)[]) =>
  async (page: Page): Promise<void> => {
    const { at } = handsOf(() => ({ page, url: new URL(page.url()).origin }));
    await at('/nowhere');
    await at(hash);
    for (const button of buttons)
      await page
        .getByRole('button', { name: button, exact: typeof button === 'string' })
        .first()
        .click();
  };

/** The forms of an admin at a bridge with a source `hall-3`, a project `hall`, an application `SCADA` and an open alert. */
const FORMS: readonly Form[] = [
  {
    name: 'a project',
    open: pressed('/projects', 'Create a project'),
    send: 'Create a project',
    beside: { Name: 'Hall 4' },
    wrong: [
      ['Code', '', /is not a/],
      ['Code', 'not a code!', /is not a/],
      ['Code', 'здание', /is not a/],
      ['Code', long(129), /is not a/],
      ['Code', long(201), /200/],
      ['Code', 'hall', /There is a project with this code/],
    ],
  },
  {
    name: 'a project',
    open: pressed('/projects', 'Create a project'),
    send: 'Create a project',
    beside: { Code: 'hall-4' },
    wrong: [
      ['Name', '   ', NOT_EMPTY],
      ['Name', long(201), /200/],
    ],
  },
  {
    name: 'an application',
    open: pressed('/applications', 'Create an application'),
    send: 'Create an application',
    wrong: [
      ['Name', '', NOT_EMPTY],
      ['Name', long(201), /200/],
      ['Name', 'SCADA', /has an application/],
    ],
  },
  {
    name: 'an operator',
    open: pressed('/operators', 'Invite an operator'),
    send: 'Invite an operator',
    wrong: [
      ['Name', '', /is not a name of an operator/],
      ['Name', 'Not A Name', /is not a name of an operator/],
      ['Name', long(201), /200/],
      ['Name', 'admin', /there is an operator admin/],
    ],
  },
  {
    name: 'a token',
    open: pressed('/operators/admin', 'New token'),
    send: 'New token',
    wrong: [
      ['Name of the token', '', NOT_EMPTY],
      ['Name of the token', long(201), /200/],
    ],
  },
  {
    name: 'the note on an alert',
    open: pressed('/alerts', 'Take'),
    send: 'Take',
    wrong: [['Note', long(1_001), /1000/]],
  },
  {
    name: 'a selection',
    open: pressed('/sources/default/hall-3?as=table&span=1d', 'Select'),
    wrong: [
      ['Ranges', '', /Write a range/],
      ['Ranges', '2026-11-22 10:00 – 2026-11-22 1x:00', /Line 1 is no range/],
      ['Requests a day, at most', '0', /Too small|>=1/],
      ['Requests a day, at most', '1.5', /int/],
      ['Requests a day, at most', '9999999999', /Too big|<=999999999/],
    ],
  },
  {
    name: 'the own password',
    open: pressed('/account'),
    send: 'Change the password',
    beside: { 'Present password': PASSWORD },
    wrong: [
      ['New password', 'short', /cannot be taken/],
      ['New password', 'password1234', /cannot be taken/],
      ['New password', PASSWORD, /present password/],
    ],
  },
  {
    name: 'the own password',
    open: pressed('/account'),
    send: 'Change the password',
    beside: { 'New password': 'five words and two hyphens', 'New password again': 'five words and two hyphens' },
    wrong: [['Present password', 'other words and a hyphen', /not your present/]],
  },
];

/** A password that is asked for once more is refused at its field, and the action goes on with the right one. */
export async function wrongConfirmation(page: Page): Promise<void> {
  const { button, field } = handsOf(() => ({ page, url: '' }));
  await pressed('/operators/admin', 'New token')(page);
  await field('Name of the token').fill('laptop');
  await page.getByRole('dialog').getByRole('button', { name: 'New token' }).click();
  await field('Password').fill('other words and a hyphen');
  await button('Go on').click();
  await expect.poll(() => saidAt(page, 'Password')).toMatch(/not your present/);
  expect([await field('Password').inputValue(), await field('Name of the token').inputValue()]).toEqual([
    'other words and a hyphen',
    'laptop',
  ]);
  await field('Password').fill(PASSWORD);
  await button('Go on').click();
  await button('I have kept it').click();
}

/** Signs in and chooses the first password, after each way to do so wrongly: what was written stays. */
export async function signInAtLast(page: Page, given: string): Promise<void> {
  const { button, field } = handsOf(() => ({ page, url: '' }));
  await field('Name').fill('admin');
  for (const wrong of ['', 'wrong']) {
    await field('Password').fill(wrong);
    await button('Sign in').click();
    // The browser itself says that nothing was written.
    if (wrong !== '') await page.getByRole('alert').getByText('Name and password do not belong together.').waitFor();
    expect([await field('Name').inputValue(), await field('Password').inputValue()]).toEqual(['admin', wrong]);
  }
  await field('Password').fill(given);
  await button('Sign in').click();
  await field('Present password').fill(given);
  for (const [password, again, says] of [
    ['short', 'short', /too short|at least/],
    ['password1234', 'password1234', /cannot be taken/],
    [PASSWORD, 'other words and a hyphen', /The two are not the same/],
  ] as const) {
    await field('New password').fill(password);
    await field('New password again').fill(again);
    await button('Change the password').click();
    const at = password === again ? 'New password' : 'New password again';
    await expect.poll(() => saidAt(page, at)).toMatch(says);
    expect(await field('New password').inputValue()).toBe(password);
  }
  await field('New password again').fill(PASSWORD);
  await button('Change the password').click();
}

/** What a field says to those who hear it to be wrong: of the texts that it is described by those that are no hint. */
const saidAt = (page: Page, field: string): Promise<string> =>
  page
    .getByLabel(field, { exact: true })
    .first()
    .evaluate((element) =>
      (element.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id: string) => element.ownerDocument.querySelector(`#${id}.wrong, #${id} .wrong`)?.textContent)
        .join(' '),
    );

/** Each wrong content is refused at its field, with every field as it was written; what does not so is the answer. */
export async function wrongFields(page: Page): Promise<string[]> {
  const { button, field } = handsOf(() => ({ page, url: '' }));
  const flaws: string[] = [];
  for (const { name, open, send, beside = {}, wrong } of FORMS) {
    for (const [label, content, says] of wrong) {
      await open(page);
      const dialog = page.getByRole('dialog');
      const all = { ...beside, [label]: content, ...(label === 'New password' && { 'New password again': content }) };
      for (const [one, text] of Object.entries(all)) await field(one).fill(text);
      if (send !== undefined)
        await (
          (await dialog.count()) > 0 ? dialog.getByRole('button', { name: send, exact: true }) : button(send)
        ).click();
      const expected = expect.poll(() => saidAt(page, label), { timeout: PATIENCE_MS }).toMatch(says);
      await expected.catch(async () =>
        flaws.push(`${name}: ${label} ${content.slice(0, 30)}: ${await page.locator('form').first().innerText()}`),
      );
      for (const [one, text] of Object.entries(all))
        if ((await field(one).inputValue()) !== text) flaws.push(`${name}: ${one} is ${await field(one).inputValue()}`);
      if ((await field(label).getAttribute('aria-invalid')) !== 'true') flaws.push(`${name}: ${label} is not marked`);
    }
  }
  return flaws;
}

/** The fields of the wizard, each with a content that no source has. */
const OF_A_SOURCE: readonly (readonly [field: string, content: string])[] = [
  ['Name', 'NOT A NAME'],
  ['Name', ''],
  ['Name', long(64)],
  ['Project', 'no project'],
  ['url', 'not an address'],
  ['url', ''],
  ['username', ''],
  ['password', ''],
  ['every', 'often'],
  ['every', '0s'],
  ['start', 'yesterday'],
  ['settle', '-1s'],
  ['requestsPerSecond', '0'],
  ['requestsPerSecond', 'many'],
  ['burst', '1.5'],
  ['concurrency', '-1'],
];

/** The same for the form of the wizard, whose text beside it keeps what was written, too. `plant`: the address of a platform. */
export async function wrongFieldsOfASource(page: Page, plant: string): Promise<string[]> {
  const { button, field } = handsOf(() => ({ page, url: '' }));
  const flaws: string[] = [];
  await pressed('/register')(page);
  await page.getByLabel('ThingsBoard').check();
  await button('Continue').click();
  const text = page.getByRole('textbox', { name: 'The same as YAML' });
  for (const [turn, [label, content]] of OF_A_SOURCE.entries()) {
    // Each text has an overlap of its own, which tells that the form shows it.
    const overlap = `${turn + 1}s`;
    const schedule = { every: '1h', start: '2h', settle: '1s', overlap };
    await text.fill(JSON.stringify(thingsboard('hall-5', plant, { schedule })));
    await expect.poll(() => field('overlap').inputValue()).toBe(overlap);
    await field(label).fill(content);
    const answered = page.waitForResponse(/dryRun=true/);
    await button('Continue').click();
    await answered;
    await expect
      .poll(() => saidAt(page, label), { timeout: PATIENCE_MS })
      .toMatch(/\S/)
      .catch(() => flaws.push(`${label} ${content}: nothing is wrong`));
    if ((await field(label).getAttribute('aria-invalid')) !== 'true')
      flaws.push(`${label} ${content}: is not marked, but ${await page.locator('.field .wrong').allInnerTexts()}`);
    if ((await field(label).inputValue()) !== content) flaws.push(`${label}: is ${await field(label).inputValue()}`);
  }
  return flaws;
}
