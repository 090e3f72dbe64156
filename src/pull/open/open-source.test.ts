import { expect, it } from 'vitest';
import { contractBroken } from '../../core/errors.ts';
import type { SourceConfig } from '../../core/source/source.ts';
import type { Platform } from '../../platform/contract.ts';
import { exactFacts } from '../../../test/kit/facts.ts';
import { openSource } from './open-source.ts';

const PASSWORD = 'hunter2-and-more';

/** A platform whose adapter quotes the password in every error of its own. */
const quoting = {
  kinds: { custom: { sign: () => ({}) } },
  facts: exactFacts,
  identify: () => Promise.reject(contractBroken(`said ${PASSWORD}`, `<p>${PASSWORD}</p>`)),
  // oxlint-disable-next-line require-yield -- the adapter fails before its first item
  async *sensors() {
    throw new Error(`crashed over ${PASSWORD}`);
  },
  // oxlint-disable-next-line require-yield -- the adapter fails before its first item
  async *read() {
    throw contractBroken(`said ${PASSWORD}`, `<p>${PASSWORD}</p>`);
  },
} as unknown as Platform;

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

const config = {
  kind: 'custom',
  connection: { url: 'http://127.0.0.1:1', password: PASSWORD },
  options: {},
  tls: {},
  pace: {},
  schedule: {},
  sensors: 'all',
  mapping: { labels: [] },
} as unknown as SourceConfig;

it('errors of an adapter hold no secret of the connection', async () => {
  const source = await openSource(
    { id: 1, revision: 1, edition: '', projectId: 1, start: 0 },
    { config, platform: quoting, shared: () => undefined as never, now: () => 0, allowHosts: undefined },
  );
  const asked: (() => AsyncIterable<unknown>)[] = [
    () => source.platform.sensors(undefined as never, undefined),
    () => source.platform.read(undefined as never, undefined, undefined as never, { from: 0, to: 1 }),
  ];
  const errors: unknown[] = [
    await source.platform.identify(undefined as never, undefined).catch((error: unknown) => error),
  ];
  for (const ask of asked) errors.push(await drain(ask()).catch((error: unknown) => error));
  expect(errors).toMatchObject([
    { code: 'contract-broken', message: 'said [redacted]', fault: { page: '<p>[redacted]</p>' } },
    { code: 'bug', message: 'crashed over [redacted]' },
    { code: 'contract-broken', message: 'said [redacted]', fault: { page: '<p>[redacted]</p>' } },
  ]);
  expect(JSON.stringify(errors.map((error) => (error as Error).stack))).not.toContain(PASSWORD);
  await source.connection.close();
});
