import { expect, describe, it } from 'vitest';
import { acknowledgeAlert, listAlerts, muteAlert, openAlert } from '../../src/alerts/alerts.ts';
import { useDatabases } from '../kit/databases.ts';
import { startOperatorApi } from './operator-rig.ts';
import { pass, toldIn, trouble, useWebhooks, watchedBy } from './alerts-ground.ts';

const databases = useDatabases();
const hooks = useWebhooks();
const ground = () => watchedBy(databases, hooks);

describe('an operator', () => {
  it('mutes an alert before it is told, and it is told when the mute is over', async () => {
    const { database, webhook, watch } = await ground();
    await watch.look(trouble('hall-3', 'failing'));
    await pass(database, '16 minutes');
    await database.run('update alert set opened_at = now()');
    const alert = await openAlert(database, { kind: 'failing', subject: 'hall-3' });
    expect(await muteAlert(database, alert, { actor: 'anna', length: 7_200_000_000 })).toBe(true);
    await watch.look(trouble('hall-3', 'failing'));
    await watch.send();
    expect(webhook.posts).toEqual([]);
    await pass(database, '3 hours');
    await watch.look(trouble('hall-3', 'failing'));
    await watch.send();
    expect(toldIn(webhook.posts)).toEqual(['opened failing hall-3']);
  });

  it('looks after an alert; both changes are in the audit and among the events', async () => {
    const { database, watch } = await ground();
    await watch.look(trouble('hall-3'));
    const alert = await openAlert(database, { kind: 'stopped', subject: 'hall-3' });
    expect(await acknowledgeAlert(database, alert, { actor: 'anna', note: 'new password on Monday' })).toBe(true);
    expect(await listAlerts(database, {}, 10)).toMatchObject([{ owner: 'anna', note: 'new password on Monday' }]);
    expect(await database.rows('select actor, action, subject from audit')).toEqual([
      { actor: 'anna', action: 'alert.acknowledged', subject: 'hall-3' },
    ]);
    const events = await database.rows<{ content: { state: string } }>(
      `select organisation, subject, content from event where kind = 'alert' order by id`,
    );
    expect(events).toMatchObject([
      { organisation: 'default', content: { alert: 'stopped', of: 'hall-3', state: 'open', owner: null } },
      { content: { owner: 'anna' } },
    ]);
    await expect(openAlert(database, { id: 4711 })).rejects.toThrow('there is no open alert 4711');
  });
});

it('the operator API lists alerts in pages, and an operator of an organisation sees and changes its own only', async () => {
  const { database, watch } = await ground();
  await watch.look(
    trouble('a'),
    trouble('b'),
    trouble('c', 'key', { organisation: null }),
    trouble('d', 'stopped', { organisation: 'north' }),
  );
  const api = await startOperatorApi(database);
  try {
    const [all, north] = [await api.operator('all', 'operator'), await api.operator('north', 'operator', ['north'])];
    const list = async (query: string, as = all) =>
      (await api.send('GET', `/api/v1/alerts?${query}`, { as })).json as {
        items: { id: number; subject: string }[];
        next: string | null;
      };
    const first = await list('limit=1&kind=stopped');
    const second = await list(`limit=5&kind=stopped&cursor=${first.next}`);
    expect([...first.items, ...second.items].map(({ subject }) => subject).toSorted()).toEqual(['a', 'b', 'd']);
    expect(second.next).toBeNull();
    const own = await list('', north);
    expect(own.items.map(({ subject }) => subject)).toEqual(['d']);
    const others = first.items.concat(second.items).find(({ subject }) => subject === 'a');
    const change = (id: number | undefined, verb: string, body: unknown) =>
      api.send('POST', `/api/v1/alerts/${id}/${verb}`, { as: north, body });
    expect((await change(others?.id, 'ack', {})).status).toBe(404);
    expect((await change(own.items[0]?.id, 'mute', { for: 'long' })).status).toBe(400);
    expect((await change(own.items[0]?.id, 'mute', { for: '2h' })).json).toEqual({
      id: own.items[0]?.id,
      changed: true,
    });
    expect((await change(own.items[0]?.id, 'ack', { note: 'mine' })).json).toEqual({
      id: own.items[0]?.id,
      changed: true,
    });
    expect((await list('', north)).items).toMatchObject([{ owner: 'operator:north', note: 'mine', state: 'open' }]);
  } finally {
    await api.close();
  }
});
