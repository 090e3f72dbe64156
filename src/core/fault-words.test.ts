import { expect, test } from 'vitest';
import { causeOfFault, reasonFirst, remedyOfStopped } from './fault-words.ts';

test.each([
  [
    'GET http://10.0.0.5:8086/query: 401 Unauthorized: no such user',
    '401 refused: no such user (GET http://10.0.0.5:8086/query)',
  ],
  [
    'GET https://plant.example/a: no answer in 60 s, though connected',
    'no answer in 60 s, though connected (GET https://plant.example/a)',
  ],
  [
    'connecting to https://plant.example: connection refused',
    'connection refused (connecting to https://plant.example)',
  ],
  ['a point of pump at noon: check {from}', 'a point of pump at noon: check {from}'],
])('the reason of "%s" comes first', (message, expected) => {
  expect(reasonFirst(message)).toBe(expected);
});

test('sources that one host hits have one cause', () => {
  const of = (path: string) =>
    causeOfFault({
      code: 'credentials-rejected',
      right: false,
      message: `GET https://plant.example/${path}: 401 Unauthorized`,
    });
  expect(of('one')).toBe('credentials refused at plant.example');
  expect(of('two')).toBe(of('one'));
  expect(
    causeOfFault({ code: 'credentials-rejected', right: true, message: 'GET https://a.example/: 403 Forbidden' }),
  ).toBe('a right is missing at a.example');
  expect(
    causeOfFault({ code: 'unavailable', why: 'status', status: 502, message: 'GET https://a.example/: 502' }),
  ).toBe('answers 502 at a.example');
  expect(causeOfFault({ code: 'unavailable', why: 'time-out', message: 'lost' })).toBe('no answer in time');
});

test('the remedy of a stopped source ends with the command that resumes it, once', () => {
  const after = (remedy?: string): string => remedyOfStopped(remedy, 'databridge source resume hall');
  expect(after()).toBe('databridge source resume hall, when it is mended');
  expect(after('correct the id.')).toBe('correct the id; then databridge source resume hall');
  expect(after('check the scope; then resume the source')).toBe('check the scope; then databridge source resume hall');
  expect(after('check the user, then resume each source that has them')).toBe(
    'check the user; then databridge source resume hall, and so each source that has them',
  );
});
