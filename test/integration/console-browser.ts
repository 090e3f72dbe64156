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
    // Each frame is painted by the processor.
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

/** The rule of axe-core that depends on the colour scheme; the others look at what stands on the page. */
export const COLOURS = ['color-contrast'];

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The findings of axe-core on a page as it stands: WCAG 2.2 AA, or these rules of it alone. */
export async function violationsOf(page: Page, runOnly: readonly string[] = WCAG): Promise<string[]> {
  await page.evaluate(AXE);
  return await page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run: (options: object) => Promise<{
          violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
        }>;
      };
    };
    const { violations } = await axe.run({ runOnly: only });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 160)} ${failureSummary.slice(0, 300)}`),
    );
  }, runOnly);
}

/** What stands in the place of an answer, or of an editor, until it is there. */
const ON_ITS_WAY = '.skeleton, .editor textarea';

/** Waits until a page shows what it read. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1, .empty h2').first().waitFor();
  await expect.poll(() => page.locator(ON_ITS_WAY).count()).toBe(0);
}

/** What an operator does at a page of the console of an address; at another page where it is named. */
export const handsOf = (desk: () => { readonly page: Page; readonly url: string }) => ({
  async at(hash: string, where = desk().page): Promise<void> {
    await where.goto(`${desk().url}/#${hash}`);
    await settled(where);
  },
  button: (name: string | RegExp, where = desk().page) =>
    where.getByRole('button', { name, exact: typeof name === 'string' }),
  field: (name: string, where = desk().page) => where.getByLabel(name, { exact: true }),
});

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
