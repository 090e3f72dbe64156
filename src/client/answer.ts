import type { PushAnswer, RefusedReading } from './contract.ts';
import { parsedObject } from './statuses.ts';

/** The answer to a push of `sent` readings; undefined where the service never gives such an answer. */
export function answerOf(status: number, text: string, sent: number): PushAnswer | undefined {
  const found = parsedObject(text);
  if (found === undefined) return undefined;
  const { accepted, duplicates, revised, refusedCount, unknownFields, refused } = found;
  // Services before this field was added leave it out.
  const { unknownFieldNames = [] } = found;
  if (!isCount(accepted) || !isCount(duplicates) || !isCount(revised)) return undefined;
  if (!isCount(refusedCount) || !isCount(unknownFields) || !isRefusalList(refused, refusedCount, sent))
    return undefined;
  if (!isTextList(unknownFieldNames)) return undefined;
  const stored = accepted + duplicates + revised;
  if (stored + refusedCount !== sent) return undefined;
  if (status === 422 && (stored > 0 || refusedCount === 0)) return undefined;
  const counts = { accepted, duplicates, revised, refusedCount, unknownFields };
  return { ...counts, refused: refused.map(withKnownFields), unknownFieldNames };
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Whether refusals ascend within the sent readings and are not missing, because callers resume after the last. */
function isRefusalList(value: unknown, refusedCount: number, sent: number): value is readonly RefusedReading[] {
  if (!Array.isArray(value) || value.length > refusedCount || (value.length === 0 && refusedCount > 0)) return false;
  let previousIndex = -1;
  for (const each of value as readonly unknown[]) {
    if (!isRefused(each) || each.index <= previousIndex || each.index >= sent) return false;
    previousIndex = each.index;
  }
  return true;
}

function isRefused(value: unknown): value is RefusedReading {
  if (typeof value !== 'object' || value === null) return false;
  const { index, pointer, reason, message } = value as Record<string, unknown>;
  return isCount(index) && typeof pointer === 'string' && typeof reason === 'string' && typeof message === 'string';
}

const withKnownFields = ({ index, pointer, reason, message }: RefusedReading): RefusedReading => ({
  index,
  pointer,
  reason,
  message,
});
