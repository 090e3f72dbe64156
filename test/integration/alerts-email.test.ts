import { afterEach, expect, it } from 'vitest';
import { targetStates } from '../../src/alerts/alerts.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { freePort } from '../kit/free-port.ts';
import { startSmtpServer } from '../kit/smtp-server.ts';
import type { SmtpServer } from '../kit/smtp-server.ts';
import { pass, rulesIn, trouble, watcher } from './alerts-ground.ts';

// Alerts by e-mail, with a real mail server that is strict about the protocol.

const databases = useDatabases();
const servers: SmtpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function server(options: Parameters<typeof startSmtpServer>[0] = {}): Promise<SmtpServer> {
  const started = await startSmtpServer(options);
  servers.push(started);
  return started;
}

async function mailing(port: number, more: Record<string, unknown> = {}, allowHosts?: readonly string[]) {
  const database = await databases.create();
  const email = {
    to: ['shift@plant.example', 'lead@plant.example'],
    from: 'bridge@plant.example',
    server: '127.0.0.1',
    port,
    security: 'none',
    ...more,
  };
  return { database, watch: await watcher(database, rulesIn({ targets: [{ name: 'mail', email }] }), allowHosts) };
}

const faultIn = async (database: Database): Promise<string | undefined> =>
  (await targetStates(database))[0]?.fault?.message;

it('a mail goes to all mailboxes, with the id of its message', async () => {
  const smtp = await server({ needsUser: true });
  const { watch } = await mailing(smtp.port, { user: 'bridge', password: 'geheim' });
  await watch.look(
    trouble('hall-3', 'stopped', { what: 'Zugangsdaten für Halle 3 verweigert\r\nBcc: all@plant.example' }),
  );
  await watch.send();
  expect(smtp.violations).toEqual([]);
  expect(smtp.mails).toMatchObject([
    { from: 'bridge@plant.example', to: ['shift@plant.example', 'lead@plant.example'], signedInAs: 'bridge:geheim' },
  ]);
  const [header = ''] = smtp.mails[0]?.text.split('\r\n\r\n') ?? [];
  expect(header).toMatch(/^Message-ID: <[0-9a-f-]{36}@databridge>$/m);
  expect(header).toMatch(/^Subject: databridge: hall-3 stopped$/m);
  expect(header).not.toMatch(/^Bcc/im);
});

it('a mail server that is away for a week gets one mail with all that happened', async () => {
  const port = await freePort();
  const { database, watch } = await mailing(port);
  await watch.look(trouble('hall-3'));
  await watch.send();
  expect(await faultIn(database)).toBe('it refuses the connection');
  for (let day = 0; day < 7; day += 1) {
    await pass(database, '1 day');
    await watch.look(...(day < 3 ? [trouble('hall-3'), trouble('pit')] : [trouble('pit')]));
    await watch.send();
  }
  const smtp = await server({ port });
  await pass(database, '1 hour');
  await watch.send();
  await pass(database, '1 hour');
  await watch.send();
  expect(smtp.mails.length).toBe(1);
  expect(smtp.mails[0]?.text).toContain('Subject: databridge: 2 stopped; ended: hall-3 stopped');
  expect(await targetStates(database)).toMatchObject([{ waiting: 0, failures: 0, fault: null }]);
});

it('no mail goes in clear where the server offers no TLS and the target wants it', async () => {
  const smtp = await server();
  const { database, watch } = await mailing(smtp.port, { security: 'starttls', user: 'bridge', password: 'geheim' });
  await watch.look(trouble('hall-3'));
  await watch.send();
  expect(smtp.mails).toEqual([]);
  expect(await faultIn(database)).toContain('454 TLS not available');
});

it('a refused mailbox is told, without the password', async () => {
  const smtp = await server({ refused: ['shift@plant.example', 'lead@plant.example'] });
  const { database, watch } = await mailing(smtp.port, { user: 'bridge', password: 'geheim' });
  await watch.look(trouble('hall-3'));
  await watch.send();
  expect(await faultIn(database)).toContain('550 no such mailbox');
  expect(JSON.stringify(await targetStates(database))).not.toContain('geheim');
});

it.each([
  ['169.254.169.254', undefined],
  ['127.0.0.1', ['mail.plant.example']],
])('a mail server at %s obeys the egress guard', async (host, allowed) => {
  const smtp = await server();
  const { database, watch } = await mailing(smtp.port, { server: host }, allowed);
  await watch.look(trouble('hall-3'));
  await watch.send();
  expect(smtp.mails).toEqual([]);
  expect(await faultIn(database)).toMatch(/always blocked|not among the allowed hosts/);
});
