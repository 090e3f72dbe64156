import { expect, it } from 'vitest';
import { databridge, databridgeHere } from './command-line.ts';

it.each([
  [['sorce', 'list'], /\nerror: unknown command 'sorce'\n {2}try: did you mean "source"\n$/],
  [['source', 'lst'], /\nerror: unknown command 'lst'\n {2}try: did you mean "list"\n$/],
  [['source', 'list', '--behnd'], /\nerror: unknown option '--behnd'\n {2}try: did you mean "--behind"\n$/],
  [['source', 'list', '--limit', 'x'], /\nerror: .*whole number.*\n {2}try: add --help .*\n$/],
])('%j prints its error last, below the help, with the nearest word', async (args, end) => {
  const { code, stdout, stderr } = await databridgeHere(args);
  expect(stderr).toMatch(/^Usage: databridge /m);
  expect(stderr).toMatch(end);
  // Commander would print it above the help.
  expect(stderr.match(/^error: /gm)).toHaveLength(1);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

it('with --json the error is one document, without the help', async () => {
  const { code, stderr } = await databridge(['source', 'lst', '--json']);
  expect(JSON.parse(stderr)).toEqual({
    error: { code: 'config-invalid', message: "unknown command 'lst'", remedy: 'did you mean "list"' },
  });
  expect(code).toBe(2);
});
