import type { PushAnswer, RefusedReading } from './contract.ts';
import { parsedObject } from './statuses.ts';

/** The answer to `sent` readings, or undefined where it is not what the service answers to them. */
export function answerOf(status: number, text: string, sent: number): PushAnswer | undefined {
  const found = parsedObject(text);
  if (found === undefined) return undefined;
  const { accepted, duplicates, revised, refusedCount, unknownFields, refused } = found;
  if (!isCount(accepted) || !isCount(duplicates) || !isCount(revised)) return undefined;
  if (!isCount(refusedCount) || !isCount(unknownFields) || !isListOf(refused, refusedCount, sent)) return undefined;
  const taken = accepted + duplicates + revised;
  if (taken + refusedCount !== sent) return undefined;
  if (status === 422 && (taken > 0 || refusedCount === 0)) return undefined;
  return { accepted, duplicates, revised, refused: refused.map(plain), refusedCount, unknownFields };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** In ascending order, none beyond what was sent, and at least one where some were refused: callers go on behind the last. */
function isListOf(value: unknown, refusedCount: number, sent: number): value is readonly RefusedReading[] {
  if (!Array.isArray(value) || value.length > refusedCount || (value.length === 0 && refusedCount > 0)) return false;
  let before = -1;
  for (const each of value as readonly unknown[]) {
    if (!isRefused(each) || each.index <= before || each.index >= sent) return false;
    before = each.index;
  }
  return true;
}

function isRefused(value: unknown): value is RefusedReading {
  if (typeof value !== 'object' || value === null) return false;
  const { index, pointer, reason, message } = value as Record<string, unknown>;
  return isCount(index) && typeof pointer === 'string' && typeof reason === 'string' && typeof message === 'string';
}

const plain = ({ index, pointer, reason, message }: RefusedReading): RefusedReading => ({
  index,
  pointer,
  reason,
  message,
});
