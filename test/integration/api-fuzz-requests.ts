import fc from 'fast-check';

/** A request to the data endpoint. */
export interface DataRequest {
  readonly body: Buffer;
  readonly type: string | undefined;
  readonly packed: boolean;
  readonly authorised: boolean;
}

/** Texts that break careless programs. */
const nasty = fc.constantFrom(
  '',
  ' ',
  'a\u0000b',
  '\ud800',
  '\u202e',
  `'; drop table reading; --`,
  '{"x":1}',
  '../../etc/passwd',
  '${7*7}',
  '%00',
  '__proto__',
  'x'.repeat(300),
);

const text = fc.oneof({ weight: 3, arbitrary: nasty }, { weight: 1, arbitrary: fc.string({ maxLength: 8 }) });

const date = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 0, max: 30 }).map((second) => `2026-11-20T08:15:${second}.25Z`) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 12 }).map((month) => `2025-${month}-01T00:00:00+01:00`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '2026-11-20',
      '1066-10-14T09:00:00Z',
      '1789-07-14T12:00:00',
      '9999-12-31T23:59:59Z',
      'NaN',
    ),
  },
  { weight: 1, arbitrary: text },
);

const value = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 3, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('1', null, true, [], {}, [1], -0) },
);

const mostly = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: usual },
    { weight: 1, arbitrary: text },
    { weight: 1, arbitrary: fc.constantFrom(null, 7, [], {}) },
  );

const reading = fc.record(
  {
    sensorId: mostly(fc.constantFrom('a', 'b', 'pump 7/ä', '温度')),
    valueName: mostly(fc.constantFrom('none', 'axis_x')),
    date: mostly(date),
    value,
    precision: mostly(fc.integer({ min: 0, max: 100 })),
    labels: mostly(fc.array(fc.constantFrom('x', 'y', 'hall-3'), { maxLength: 3 })),
    unknown: text,
    constructor: value,
  },
  { requiredKeys: ['sensorId', 'date', 'value'] },
);

const element = fc.oneof(
  { weight: 20, arbitrary: reading as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: value },
  { weight: 1, arbitrary: text },
);

const array = fc.array(element, { maxLength: 4 }).map((elements) => JSON.stringify(elements));

/** JSON that JSON.stringify does not write: repeated keys, exponents, `__proto__`, white space, escapes. */
const written = fc
  .record({
    sensor: fc.constantFrom('a', '\\u0061', '\\ud83d\\ude00', '\\u0000', '\\ud800'),
    second: fc.integer({ min: 10, max: 40 }),
    value: fc.constantFrom(
      '1',
      '1e0',
      '1E+2',
      '1e999',
      '-0.0',
      '01',
      '1.',
      '.5',
      'NaN',
      '0x1',
      '1e-400',
      '123456789012345678901234567890',
    ),
    more: fc.constantFrom('', ',"value":2', ',"__proto__":{"value":1}', ',"date":null', ',', ',"":{}', ',"toString":1'),
    space: fc.constantFrom('', ' ', '\n\t\r', '\u00a0', '/**/'),
  })
  .map(
    ({ sensor, second, value: number, more, space }) =>
      `[${space}{"sensorId":"${sensor}",${space}"date":"2026-11-20T08:15:${second}Z","value":${number}${more}}]`,
  );

/** A valid body with some characters replaced, inserted or left out. */
const broken = fc
  .tuple(
    array,
    fc.nat(),
    fc.nat({ max: 6 }),
    fc.oneof(text, fc.constantFrom('[', '{', '"', ',', '\\', ']]', '\ufeff', '1e')),
  )
  .map(([body, place, length, other]) => {
    const at = place % (body.length + 1);
    return body.slice(0, at) + other + body.slice(at + length);
  });

/** Bodies nested about as deep as is allowed, most of them, with closing brackets or without. */
const deep = fc
  .tuple(
    fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[[', ']]'], ['{"]":["}",', ']}']),
    fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 12, max: 40 }) },
      { weight: 1, arbitrary: fc.nat({ max: 900 }) },
    ),
    fc.boolean(),
  )
  .map(([[opening = '', closing = ''], depth, closed]) =>
    closed ? `[${opening.repeat(depth)}1${closing.repeat(depth)}]` : `[${opening.repeat(depth)}`,
  );

const long = fc.integer({ min: 15, max: 2_500 }).map((length) => `[${Array(length).fill(0).join(',')}]`);

const body = fc.oneof(
  { weight: 30, arbitrary: array.map((json) => Buffer.from(json)) },
  { weight: 6, arbitrary: written.map((json) => Buffer.from(json)) },
  { weight: 4, arbitrary: broken.map((json) => Buffer.from(json)) },
  { weight: 1, arbitrary: deep.map((json) => Buffer.from(json)) },
  { weight: 1, arbitrary: long.map((json) => Buffer.from(json)) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 2 }).map((json) => Buffer.from(json)) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
);

export const dataRequest: fc.Arbitrary<DataRequest> = fc.record({
  body,
  type: fc.oneof(
    {
      weight: 40,
      arbitrary: fc.constantFrom('application/json', 'application/json; charset=utf-8', 'Application/JSON'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('text/plain', 'application/json; charset=latin1', 'application/jsonx', undefined),
    },
  ),
  packed: fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  authorised: fc.oneof({ weight: 60, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
});

/** Credentials; `{id}`, `{secret}` and `{refresh}` stand for valid ones. */
const credential = fc.oneof(
  { weight: 3, arbitrary: fc.constant('{id}:{secret}') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '{id}:',
      '{id}',
      ':{secret}',
      '{secret}:{id}',
      '{id}:{secret}x',
      '{id}:%zz',
      'app_00000000000000000000:{secret}',
    ),
  },
  { weight: 1, arbitrary: fc.tuple(text, text).map(([id, secret]) => `${id}:${secret}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('raw Basic', 'raw Basic !!!', 'raw Bearer {secret}', 'raw Basic {secret}', 'raw x'),
  },
);

const grant = fc.constantFrom(
  'client_credentials',
  'client_credentials',
  'refresh_token',
  'refresh_token',
  'password',
  '',
  'CLIENT_CREDENTIALS',
);

const form = fc
  .record(
    {
      grant_type: fc.oneof({ weight: 9, arbitrary: grant }, { weight: 1, arbitrary: text }),
      scope: fc.oneof({ weight: 5, arbitrary: fc.constant('data') }, { weight: 1, arbitrary: text }),
      refresh_token: fc.oneof(
        { weight: 2, arbitrary: fc.constant('{refresh}') },
        { weight: 2, arbitrary: text },
        { weight: 1, arbitrary: fc.constant('{secret}') },
      ),
      client_secret: fc.constant('{secret}'),
      more: text,
    },
    { requiredKeys: ['grant_type'] },
  )
  .map((fields) =>
    Object.entries(fields)
      .map(([name, given]) => `${name}=${/^\{\w+\}$/.test(given) ? given : encodeURIComponent(given.toWellFormed())}`)
      .join('&'),
  );

const brokenForm = fc
  .tuple(form, fc.nat(), fc.constantFrom('%', '%zz', '&', '=', '&grant_type=x', '\0', '+', 'x'.repeat(17_000)))
  .map(([fields, place, other]) => {
    const at = place % (fields.length + 1);
    return fields.slice(0, at) + other + fields.slice(at);
  });

/** A request to the token endpoint. */
export const tokenRequest = fc.record({
  authorization: fc.option(credential, { nil: undefined, freq: 3 }),
  type: fc.oneof(
    {
      weight: 30,
      arbitrary: fc.constantFrom(
        'application/x-www-form-urlencoded',
        'application/x-www-form-urlencoded; charset=UTF-8',
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom('application/json', 'text/plain', undefined) },
  ),
  body: fc.oneof<[fc.Arbitrary<string>, fc.Arbitrary<string>, fc.Arbitrary<Uint8Array>]>(
    form,
    brokenForm,
    fc.uint8Array({ maxLength: 30 }),
  ),
});
