import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { knownBrowserOf, textOfKnownBrowser } from './known-browser.ts';

const sealing = (key: string) => ({
  digest: (text: string) => createHmac('sha256', key).update(text).digest().subarray(0, 16).toString('base64url'),
});

it('a browser is known for the operator that signed in there, by the mark of this bridge', () => {
  const text = textOfKnownBrowser('anna', sealing('a'));
  const id = knownBrowserOf(text, 'anna', sealing('a'));
  expect(id).toMatch(/^[\w-]{22}$/);
  expect(textOfKnownBrowser('anna', sealing('a'))).not.toBe(text);
  expect(knownBrowserOf(text, 'bert', sealing('a'))).toBeUndefined();
  expect(knownBrowserOf(text, 'anna', sealing('b'))).toBeUndefined();
  const [, mark = ''] = text.split('.');
  for (const wrong of [
    undefined,
    '',
    '.',
    `${id}.`,
    `${id}.${mark.slice(1)}`,
    `${'x'.repeat(22)}.${mark}`,
    `x${text}`,
    `${id} anna.${mark}`,
  ]) {
    expect(knownBrowserOf(wrong, 'anna', sealing('a'))).toBeUndefined();
  }
});
