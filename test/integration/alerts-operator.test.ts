import { expect, describe, it } from 'vitest';
import { acknowledgeAlert, listAlerts, muteAlert, openAlert } from '../../src/alerts/alerts.ts';
import { useDatabases } from '../kit/databases.ts';
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
