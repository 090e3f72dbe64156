import type { Page } from 'playwright-core';
import type { Profile } from './console-browser.ts';

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
