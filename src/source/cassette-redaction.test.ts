import { expect, test } from 'vitest';
import { cassetteRedactor } from './cassette-redaction.ts';

const PASSWORD = 'Gäß+"hei/m 7';
const redactor = cassetteRedactor(
  {
    url: 'https://historian.plant.test:8443/api',
    authUrl: 'https://login.plant.test',
    username: 'anna.b',
    password: PASSWORD,
  },
  ['tok-1234567890', '424242'],
);

const written = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ a: secret }).toString().slice(2),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
  secret.replace('anna', 'ANNA').replace('plant', 'Plant'),
];

test.each([PASSWORD, 'anna.b', 'tok-1234567890', 'historian.plant.test', 'https://historian.plant.test:8443'])(
  '%s is replaced in each form',
  (secret) => {
    for (const form of written(secret)) {
      expect(redactor.leaks(`a ${form} b`), form).toBe(true);
      const clean = redactor.redact(`a ${form} b`);
      expect(clean).not.toContain(form);
      expect(redactor.leaks(clean)).toBe(false);
    }
  },
);

test('a secret inside of a longer text in base64 is replaced wherever it begins', () => {
  for (const before of ['', 'x', 'xy', 'anna.b:']) {
    const basic = Buffer.from(`${before}tok-1234567890 and more`).toString('base64');
    expect(redactor.leaks(redactor.redact(basic))).toBe(false);
    expect(redactor.redact(basic)).not.toBe(basic);
  }
});

test('links stay links, and JSON stays JSON', () => {
  const page = { next: 'https://historian.plant.test:8443/api/page?cursor=2', pin: 424242, user: 'ANNA.B' };
  expect(JSON.parse(redactor.redact(JSON.stringify(page)))).toEqual({
    next: 'https://platform.example/api/page?cursor=2',
    pin: 999999,
    user: 'redacted-username',
  });
});

test('a short secret is replaced where it stands alone', () => {
  const { redact } = cassetteRedactor({ url: 'http://h.test', username: 'op' }, []);
  expect(redact('{"user":"op","name":"pump op"}')).toBe('{"user":"redacted-username","name":"pump redacted-username"}');
  expect(redact('stop the pump')).toBe('stop the pump');
});
