import { expect, it } from 'vitest';
import { statementOf } from './statement.ts';

it('numbers parameters in the order in which they first appear', () => {
  const statement = statementOf<{ id: number; from: number; unused: number }>(
    'select $from::bigint, $id::int, $from::bigint + 1',
    'named',
  );
  expect(statement({ id: 1, from: 2, unused: 3 })).toEqual({
    name: 'named',
    text: 'select $1::bigint, $2::int, $1::bigint + 1',
    values: [2, 1],
  });
});

it('takes null for a value, and refuses a parameter without one', () => {
  const statement = statementOf<{ id?: number | null }>('select $id::int');
  expect(statement({ id: null })).toEqual({ text: 'select $1::int', values: [null] });
  expect(() => statement({})).toThrow('the parameter id has no value');
});
