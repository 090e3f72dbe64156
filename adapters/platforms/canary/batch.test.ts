import { expect, test } from 'vitest';
import { RefusedQuestion } from './answer.ts';
import { separately } from './batch.ts';

test('tags that are refused are found by halves, and the others are asked for without them', async () => {
  const asked: string[] = [];
  async function* ask(tags: readonly string[]): AsyncGenerator<string> {
    asked.push(tags.join(''));
    if (tags.includes('d')) throw new RefusedQuestion('no d');
    yield* tags;
  }
  const found: string[] = [];
  for await (const item of separately(['a', 'b', 'c', 'd', 'e'], ask, async (tag, reason) => `${tag}: ${reason}`))
    found.push(item);
  expect(found).toEqual(['a', 'b', 'c', 'd: no d', 'e']);
  expect(asked).toEqual(['abcde', 'abc', 'de', 'd', 'e']);
});

test('another error is that of all tags', async () => {
  const asked: string[] = [];
  // oxlint-disable-next-line require-yield -- the question fails
  async function* ask(tags: readonly string[]): AsyncGenerator<string> {
    asked.push(tags.join(''));
    throw new Error('no answer');
  }
  const items = separately(['a', 'b'], ask, async () => undefined);
  await expect(items.next()).rejects.toThrow('no answer');
  expect(asked).toEqual(['ab']);
});
