import { randomUUID } from 'node:crypto';
import {
  acknowledgeAlert,
  alertDocument,
  listAlerts,
  muteAlert,
  openAlert,
  targetDocument,
  targetStates,
} from '../../alerts/alerts.ts';
import type { Alert } from '../../alerts/alerts.ts';
import { subjectOf } from '../../alerts/message.ts';
import { readRules } from '../../alerts/rules.ts';
import { senderOf } from '../../alerts/target.ts';
import { withContext } from '../../context.ts';
import { KINDS_OF_ALERTS } from '../../core/alert.ts';
import type { AlertKind } from '../../core/alert.ts';
import { counted } from '../../core/counted.ts';
import { parseDuration } from '../../core/duration.ts';
import { configInvalid } from '../../core/errors.ts';
import { formatInstant } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import { readSettings } from '../../settings.ts';
import { findSource } from '../../source/find-source.ts';
import { muteSensor } from '../../source/mute.ts';
import { EXIT, actor, printJson, printLine, printTable } from '../../terminal/output.ts';
import { roughly, short, times } from '../../terminal/words.ts';

/** `alerts list`. */
export async function alertsList(options: {
  all?: boolean;
  kind?: string;
  limit: number;
  json?: boolean;
}): Promise<void> {
  const kind = options.kind === undefined ? undefined : kindOf(options.kind);
  const state = options.all ? undefined : 'open';
  const { alerts, targets, now, waitsForTargets } = await withContext(async (context) => ({
    alerts: await listAlerts(context.database, { state, kind }, options.limit),
    targets: await targetStates(context.database),
    now: context.clock.now(),
    waitsForTargets: context.settings.alerts === undefined,
  }));
  if (options.json) {
    printJson({ alerts: alerts.map(alertDocument), targets: targets.map(targetDocument) });
    return;
  }
  if (alerts.length === 0) printLine(options.all ? 'no alerts yet' : 'no open alerts');
  else
    printTable(
      ['id', 'severity', 'kind', 'of', 'since', 'state', 'what'],
      alerts.map((alert) => cells(alert, now)),
    );
  for (const [remedy, subjects] of remediesOf(alerts)) printLine(`  ${short(subjects.join(', '), 60)}: ${remedy}`);
  if (waitsForTargets) printLine('\nnobody is told: DATABRIDGE_ALERTS names no file with targets (docs/alerts.md)');
  for (const { name, waiting, told, failures, heldUntil, fault } of targets) {
    printLine(
      fault === null
        ? `target ${name}: told ${counted(told, 'change')} in a day, ${waiting} waiting`
        : `target ${name} fails: ${fault.message} (${times(failures)}, ${waiting} waiting${heldUntil === null ? '' : `, next try ${formatInstant(heldUntil)}`})`,
    );
  }
}

const cells = (alert: Alert, now: Instant): string[] => [
  String(alert.id),
  alert.severity,
  alert.kind,
  subjectOf(alert),
  alert.endedAt === null ? `${roughly(now - alert.since)} ago` : formatInstant(alert.since),
  stateOf(alert, now),
  `${alert.what}${alert.returns > 0 ? `; came back ${times(alert.returns)}` : ''}${alert.note === null ? '' : ` (${alert.note})`}`,
];

function stateOf({ endedAt, owner, mutedUntil, since }: Alert, now: Instant): string {
  if (endedAt !== null) return `ended after ${roughly(endedAt - since)}`;
  const muted = mutedUntil !== null && mutedUntil > now ? `muted ${roughly(mutedUntil - now)}` : undefined;
  return [muted, owner ?? undefined].filter((one) => one !== undefined).join(', ') || 'open';
}

/** Each remedy of an open alert once, with the alerts that it is for. */
const remediesOf = (alerts: readonly Alert[]): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [
      ...Map.groupBy(
        alerts.filter(({ endedAt }) => endedAt === null),
        ({ remedy }) => remedy,
      ),
    ]
      .slice(0, 10)
      .map(([remedy, its]) => [remedy, its.map(({ id }) => String(id))]),
  );

const kindOf = (text: string): AlertKind => {
  const kind = KINDS_OF_ALERTS.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw configInvalid(`${JSON.stringify(text)} is no kind of alert`, `the kinds are ${KINDS_OF_ALERTS.join(', ')}`);
};

function chosenBy(idOrKind: string, subject: string | undefined): Parameters<typeof openAlert>[1] {
  if (/^\d{1,15}$/.test(idOrKind)) return { id: Number(idOrKind) };
  const kind = kindOf(idOrKind);
  if (subject === undefined)
    throw configInvalid(`an alert of kind ${kind} needs its subject, too`, `databridge alerts ack ${kind} SUBJECT`);
  return { kind, subject };
}

/** `alerts ack`. */
export async function alertsAck(
  idOrKind: string,
  subject: string | undefined,
  { note, json }: { note?: string; json?: boolean },
): Promise<void> {
  const alert = await withContext(async ({ database }) => {
    const found = await openAlert(database, chosenBy(idOrKind, subject));
    await acknowledgeAlert(database, found, { actor: actor(), note });
    return found;
  });
  if (json) printJson({ id: alert.id, owner: actor() });
  else printLine(`alert ${alert.id} (${alert.kind} of ${subjectOf(alert)}) is looked after by ${actor()}`);
}

/** `alerts mute`. */
export async function alertsMute(
  idOrKind: string,
  subject: string | undefined,
  options: { for: string; sensor?: string; reason?: string; organisation?: string; json?: boolean },
): Promise<void> {
  const length = parseDuration(options.for);
  if (length === undefined) throw configInvalid(`--for ${options.for} is not a length of time`, 'write 30m, 2h or 3d');
  if (options.sensor !== undefined)
    return await muteOne({ ...options, kind: idOrKind, source: subject, sensor: options.sensor, length });
  const [alone] =
    Object.entries({ reason: options.reason, organisation: options.organisation }).find(
      ([, value]) => value !== undefined,
    ) ?? [];
  if (alone !== undefined)
    throw configInvalid(`--${alone} says nothing without --sensor`, 'add --sensor, or leave it out', alone);
  const { alert, until } = await withContext(async ({ database, clock }) => {
    const found = await openAlert(database, chosenBy(idOrKind, subject));
    await muteAlert(database, found, { actor: actor(), length });
    return { alert: found, until: length === 0 ? null : clock.now() + length };
  });
  if (options.json) printJson({ id: alert.id, mutedUntil: until === null ? null : formatInstant(until) });
  else
    printLine(
      `alert ${alert.id} (${alert.kind} of ${subjectOf(alert)}) is ${until === null ? 'told again' : `muted until ${formatInstant(until)}`}`,
    );
}

/** `alerts mute silent SOURCE --sensor SENSOR`. */
async function muteOne({
  kind,
  source: name,
  sensor,
  length,
  reason,
  organisation,
  json,
}: {
  readonly kind: string;
  readonly source: string | undefined;
  readonly sensor: string;
  readonly length: number;
  readonly reason?: string;
  readonly organisation?: string;
  readonly json?: boolean;
}): Promise<void> {
  if (kind !== 'silent' || name === undefined)
    throw configInvalid(
      '--sensor mutes the silence of a sensor of a source',
      'databridge alerts mute silent SOURCE --sensor SENSOR --for 3d --reason TEXT',
      'sensor',
    );
  if (length > 0 && reason === undefined)
    throw configInvalid('a sensor is muted for a reason', 'add --reason TEXT', 'reason');
  const { muted, until } = await withContext(async ({ database, clock }) => {
    const source = await findSource(database, { name, organisation });
    const names = await muteSensor(database, source, { sensor, length, reason: reason ?? '', actor: actor() });
    return { muted: names, until: length === 0 ? null : clock.now() + length };
  });
  if (json) printJson({ source: name, sensors: muted, mutedUntil: until === null ? null : formatInstant(until) });
  else
    printLine(
      `the silence of ${muted.join(', ')} of ${name} is ${until === null ? 'told again' : `muted until ${formatInstant(until)}`}, from the next look at its readings on, within a minute`,
    );
}

/** `alerts test`. */
export async function alertsTest(name: string | undefined, { json }: { json?: boolean }): Promise<void> {
  const settings = readSettings(process.env);
  const { targets } = await readRules(settings.alerts);
  const chosen = targets.filter((target) => name === undefined || target.name === name);
  if (chosen.length === 0) {
    throw configInvalid(
      name === undefined ? 'there is no target to test' : `there is no target ${name}`,
      settings.alerts === undefined ? 'set DATABRIDGE_ALERTS as docs/alerts.md says' : `add it to ${settings.alerts}`,
    );
  }
  const send = senderOf(settings);
  const text = 'This is a test message of databridge alerts test. Nothing is wrong.';
  const results: { target: string; taken: boolean; fault?: string; remedy?: string }[] = [];
  for (const target of chosen) {
    const message = { id: randomUUID(), title: 'databridge: test', text, alerts: [], more: 0, opened: 0, ended: 0 };
    const fault = await send(target, message);
    results.push({
      target: target.name,
      taken: fault === undefined,
      ...(fault !== undefined && { fault: fault.message, remedy: fault.remedy }),
    });
    if (json) continue;
    printLine(fault === undefined ? `✓ ${target.name} took it` : `✗ ${target.name}: ${fault.message}`);
    if (fault !== undefined) printLine(`  try: ${fault.remedy}`);
  }
  if (json) printJson({ targets: results });
  if (results.some(({ taken }) => !taken)) process.exitCode = EXIT.failed;
}
