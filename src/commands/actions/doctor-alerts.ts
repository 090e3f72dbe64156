import { listAlerts, targetStates } from '../../alerts/alerts.ts';
import type { Check } from '../../alerts/judgement.ts';
import { subjectOf } from '../../alerts/message.ts';
import type { AlertRules } from '../../alerts/rules.ts';
import { counted } from '../../core/counted.ts';
import type { Database } from '../../database/database.ts';
import { short } from '../../terminal/words.ts';

const MOST_READ = 1_000;

/** The open alerts that nobody looks after, and the targets that do not take messages. */
export async function* alertChecks(database: Database, { targets }: AlertRules): AsyncGenerator<Check> {
  const open = (await listAlerts(database, { state: 'open' }, MOST_READ)).filter(({ owner }) => owner === null);
  const failing = (await targetStates(database)).filter(
    ({ name, fault }) => fault !== null && targets.some((target) => target.name === name),
  );
  if (open.length > 0) {
    const named = open.map((alert) => `${alert.id} ${alert.kind} ${subjectOf(alert)}`);
    yield {
      check: 'alerts',
      state: 'warning',
      detail: `${counted(open.length, 'open alert')} that nobody looks after: ${short(named.join(', '), 160)}`,
      remedy: 'databridge alerts list, then databridge alerts ack ID',
    };
  }
  for (const { name, waiting, fault } of failing) {
    yield {
      check: 'alerts',
      state: 'failed',
      detail: `target ${name} does not take messages, ${waiting} waiting: ${fault?.message ?? ''}`,
      remedy: 'check the target; databridge alerts test sends it a message now',
    };
  }
  if (open.length + failing.length > 0) return;
  yield targets.length === 0
    ? {
        check: 'alerts',
        state: 'ok',
        detail: 'none open; nobody is told of any, because DATABRIDGE_ALERTS names no target',
      }
    : { check: 'alerts', state: 'ok', detail: `none open; told to ${targets.map(({ name }) => name).join(', ')}` };
}
