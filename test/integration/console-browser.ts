import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Where Debian has Chromium; npm test installs it. */
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** A browser without a window. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });

/** A profile of a browser whose pages note what they must not do. */
export interface Profile {
  readonly context: BrowserContext;
  /** Errors of scripts, and what the Content-Security-Policy and Trusted Types held off. */
  readonly faults: string[];
}

export async function newProfile(browser: Browser, options: BrowserContextOptions = {}): Promise<Profile> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    timezoneId: 'Asia/Kolkata',
    locale: 'en-GB',
    // Colours of the other theme are there at once.
    reducedMotion: 'reduce',
    ...options,
  });
  const faults: string[] = [];
  await context.exposeFunction('noteFault', (fault: string) => void faults.push(fault));
  await context.addInitScript(
    `document.addEventListener('securitypolicyviolation', (one) => noteFault([one.violatedDirective, one.blockedURI, one.sourceFile].join(' ')))`,
  );
  context.on('weberror', (error) => faults.push(String(error.error())));
  // The rows of a list are small, and each look waits for them.
  context.setDefaultTimeout(60_000);
  return { context, faults };
}

/** The rules of WCAG 2.2 AA, and those of them that another theme may break. */
const RULES = { all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], theme: ['color-contrast'] };

/** The findings of axe-core on a page as it stands. */
export async function violationsOf(page: Page, rules: keyof typeof RULES = 'all'): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(AXE);
  return await page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run: (options: object) => Promise<{
          violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
        }>;
      };
    };
    const { violations } = await axe.run({ runOnly, resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 160)} ${failureSummary.slice(0, 300)}`),
    );
  }, RULES[rules]);
}

/** What stands in the place of an answer, or of an editor, until it is there. */
const ON_ITS_WAY = '.skeleton, .editor textarea';

/** Waits until a page shows what it read. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1, .empty h2').first().waitFor();
  await expect.poll(() => page.locator(ON_ITS_WAY).count()).toBe(0);
}

/** Leads an open console to another page, which is drawn when the listeners of the console, which are older, have heard of it. */
const leadTo = (hash: string): string => `new Promise((resolve) => {
  const { hash } = new URL(${JSON.stringify(`#${hash}`)}, location.href);
  if (hash === location.hash) resolve();
  addEventListener('hashchange', () => setTimeout(resolve), { once: true });
  location.hash = hash;
})`;

/** What an operator does at a page of the console of an address; at another page where it is named. */
export const handsOf = (desk: () => { readonly page: Page; readonly url: string }) => ({
  async at(hash: string, where = desk().page): Promise<void> {
    // A page that is left may still be shown when `goto` ends, and would count as settled.
    if (where.url().startsWith(desk().url)) await where.evaluate(leadTo(hash));
    else await where.goto(`${desk().url}/#${hash}`);
    await settled(where);
  },
  button: (name: string | RegExp, where = desk().page) =>
    where.getByRole('button', { name, exact: typeof name === 'string' }),
  field: (name: string, where = desk().page) => where.getByLabel(name, { exact: true }),
});

/** A page in the place of one of a test that failed, because what that one left open would fail the tests after it. */
export async function beginAnew(page: Page, url: string, password: string): Promise<Page> {
  const fresh = await page.context().newPage();
  await page.close();
  await fresh.goto(url);
  await fresh.locator('h1').first().waitFor();
  const { field } = handsOf(() => ({ page: fresh, url }));
  if ((await field('Password').count()) === 0) return fresh;
  await field('Name').fill('admin');
  await field('Password').fill(password);
  await fresh.keyboard.press('Enter');
  await fresh.locator('.sign-in').waitFor({ state: 'detached' });
  return fresh;
}

/** A page whose clock the test moves on, and whose first request of a kind gets no answer before it is let through. */
export async function heldPage(
  { context }: Profile,
  method: string,
  path: string,
): Promise<{ held: Page; release: () => void }> {
  const held = await context.newPage();
  await held.clock.install();
  const gate = Promise.withResolvers<void>();
  let isFirst = true;
  await held.route(`**/api/v1${path}`, async (route) => {
    if (isFirst && route.request().method() === method) {
      isFirst = false;
      await gate.promise;
    }
    // The page may have given the request up.
    await route.continue().catch(() => undefined);
  });
  return { held, release: gate.resolve };
}

/** A page in a browser whose clock is ahead by so many days. */
export async function pageOfAnotherTime({ context }: Profile, days: number): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(`{
    const Own = Date;
    const now = () => Own.now() + ${days} * 86_400_000;
    globalThis.Date = class extends Own {
      constructor(...given) { super(...(given.length === 0 ? [now()] : given)); }
      static now() { return now(); }
    };
  }`);
  return page;
}

/** Every page of the console, with a source `hall-3` of a project `hall`. */
export const PAGES: readonly string[] = [
  '/overview',
  '/sources',
  '/sources/default/hall-3',
  '/sources/default/hall-3?as=table',
  '/sources/default/hall-3?tab=sensors',
  '/sources/default/hall-3?tab=windows',
  '/sources/default/hall-3?tab=refusals',
  '/sources/default/hall-3?tab=configuration',
  '/sources/default/hall-3?tab=history',
  '/backfills',
  '/refusals',
  '/alerts',
  '/data',
  '/applications',
  '/projects',
  '/projects/default/hall',
  '/delivery',
  '/audit',
  '/operators',
  '/operators/admin',
  '/account',
  '/register',
  '/nowhere',
];
