import {
  judgeInstant,
  judgeLabels,
  judgePrecision,
  judgeSensorId,
  judgeValue,
  judgeValueName,
} from '../../src/core/reading.ts';
import type { DataRequest } from './api-fuzz-requests.ts';

/** Readings of a project by sensorId, valueName and instant. */
export type Stored = Map<string, string>;

/** The answer that a request has to get. */
export interface Expected {
  readonly status: number;
  /** Another status that is right, too. */
  readonly or?: number;
  readonly counts?: {
    readonly accepted: number;
    readonly duplicates: number;
    readonly revised: number;
    readonly refusedCount: number;
  };
}

const MOST_READINGS = 20;
const MOST_BYTES = 4_096;
const MOST_LEVELS = 32;

/** The answer that a request has to get. Notes the readings it stores in `stored`. Applies one rule after the other. */
export function expectedOf(request: DataRequest, stored: Stored, now: number): Expected {
  if (!request.authorised) return { status: 401 };
  if (!/^application\/json *(?:; *charset=utf-8)?$/i.test(request.type ?? '')) return { status: 415 };
  if (request.body.length > MOST_BYTES) return { status: 413 };
  const elements = parsed(request.body);
  if (!Array.isArray(elements) || depthOf(elements) > MOST_LEVELS) {
    // Elements are counted by their commas before a body is parsed, so a broken body may be too large first.
    return { status: 400, ...(request.body.toString().split(',').length > MOST_READINGS && { or: 413 }) };
  }
  if (elements.length > MOST_READINGS) return { status: 413 };

  const lines = new Map<string, string>();
  const valid = (elements as unknown[]).map((element) => lineOf(element, now)).filter((line) => line !== undefined);
  for (const { key, content } of valid) lines.set(key, content);
  // Of several readings with one key the last is taken; others than it are refused.
  const taken = valid.filter(({ key, content }) => lines.get(key) === content).length;
  let [accepted, duplicates, revised] = [0, taken - lines.size, 0];
  for (const [key, content] of lines) {
    if (!stored.has(key)) accepted += 1;
    else if (stored.get(key) === content) duplicates += 1;
    else revised += 1;
    stored.set(key, content);
  }
  const refusedCount = elements.length - taken;
  const status = refusedCount > 0 && taken === 0 ? 422 : 200;
  return { status, counts: { accepted, duplicates, revised, refusedCount } };
}

/** How many arrays and objects are nested in each other. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

function lineOf(element: unknown, now: number): { key: string; content: string } | undefined {
  if (typeof element !== 'object' || element === null || Array.isArray(element)) return undefined;
  const known = ['sensorId', 'valueName', 'date', 'value', 'precision', 'labels'];
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '');
  const isMisspelt = (name: string): boolean =>
    !known.includes(name) && name.length <= 32 && known.map(plain).includes(plain(name));
  if (Object.keys(element).some(isMisspelt)) return undefined;
  const own = (field: string): unknown => (Object.hasOwn(element, field) ? Reflect.get(element, field) : undefined);
  const sensor = judgeSensorId(own('sensorId'));
  const name = judgeValueName(own('valueName'));
  const date = own('date');
  const at = typeof date === 'string' ? judgeInstant(date, { now }) : 'bad-instant';
  const value = judgeValue(own('value'), { booleans: 'refuse' });
  const precision = judgePrecision(own('precision'));
  const labels = judgeLabels(own('labels'));
  if (typeof sensor !== 'string' || typeof name !== 'string' || typeof at === 'string') return undefined;
  if (typeof value === 'string' || typeof precision === 'string' || typeof labels === 'string') return undefined;
  return {
    key: `${name} ${at} ${sensor}`,
    content: [name, at, value, precision ?? '-', labels.join(','), sensor].join(' '),
  };
}
