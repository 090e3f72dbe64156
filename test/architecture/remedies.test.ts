import { readFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';

// Commands print a remedy behind `try: ` and join it with others, so it begins like the middle of a sentence and has no full stop at its end.
// Those of the operator API are sentences.

/** Texts behind the word `remedy` in a line or the next one, and the second text of `configInvalid` and its like. */
const REMEDY =
  /(?:\bremedy\b[^'`\n]{0,60}\n?\s*|\b(?:configInvalid|unsupported)\((?:'[^'\n]*'|`[^`\n]*`),\s*)(?:'(?<plain>[^'\n]+)'|`(?<made>[^`\n]+)`)/g;

test('a remedy begins with a small letter and ends without a full stop', async () => {
  const files = globSync(['src/**/*.ts', 'adapters/**/*.ts']).filter(
    (name) => !/\.test\.ts$|^src\/(?:operator|api)\//.test(name),
  );
  const odd: string[] = [];
  let seen = 0;
  for (const file of files) {
    for (const { groups } of (await readFile(file, 'utf8')).matchAll(REMEDY)) {
      const text = groups?.['plain'] ?? groups?.['made'] ?? '';
      seen += 1;
      if (/^[A-Z][a-z]+ /.test(text) || /[a-z]\.$/.test(text)) odd.push(`${file}: ${text}`);
    }
  }
  expect(seen).toBeGreaterThan(250);
  expect(odd).toEqual([]);
});
