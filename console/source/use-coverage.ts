/** The coverage of a source, with the streams that came into sight. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { Refusal } from '../client/api.ts';
import type { Coverage, Operations } from '../client/operations.ts';

type Given = Operations['getCoverage'];
type Streams = Coverage['streams'];

const LIMIT = 60;
/** Coverage of the newest time changes with each poll, ms. */
const EVERY_MS = 5_000;

interface CoverageShown {
  readonly coverage: Coverage | undefined;
  readonly streams: Streams;
  readonly refusal: Refusal | undefined;
  readonly again: () => void;
  readonly more: (() => void) | undefined;
}

/** The first page stays new; further ones are read when they come into sight, and stay until the range is another one. */
export function useCoverage(params: Given['params'], query: Given['query']): CoverageShown {
  const given = { params, query: { ...query, limit: LIMIT } };
  const { answer, refusal, again } = useAnswer('getCoverage', given, EVERY_MS);
  // The range moves on with time: the picture before stays until the new one is there.
  const before = useRef<Coverage>(undefined);
  if (answer !== undefined) before.current = answer;
  const coverage = answer ?? before.current;
  const key = JSON.stringify(given);
  const [rest, setRest] = useState<{ key: string; streams: Streams; next: string | null }>();
  const reading = useRef(false);
  const places = useRef(new Map<string, number>());
  useEffect(() => {
    reading.current = false;
  }, [key]);
  const isOfThis = rest?.key === key;
  const next = isOfThis ? rest.next : (coverage?.next ?? null);
  const more = useCallback((): void => {
    if (reading.current || next === null) return;
    reading.current = true;
    ask('getCoverage', { params, query: { ...given.query, cursor: next } }, { unattended: true }).then(
      (page) => {
        reading.current = false;
        setRest((present) => ({
          key,
          streams: [...(present?.key === key ? present.streams : []), ...page.streams],
          next: page.next,
        }));
      },
      () => (reading.current = false),
    );
  }, [key, next]);
  const streams = useMemo(() => {
    const seen = new Set(coverage?.streams.map((one) => one.key));
    const behind = rest?.key === key ? rest.streams.filter((one) => !seen.has(one.key)) : [];
    const all = [...(coverage?.streams ?? []), ...behind];
    // The bridge has the worst first, which changes while one reads: a stream stays where it was seen first.
    for (const one of all) if (!places.current.has(one.key)) places.current.set(one.key, places.current.size);
    const place = (one: Streams[number]): number => places.current.get(one.key) ?? 0;
    return all.toSorted((one, other) => place(one) - place(other));
  }, [coverage, rest, key]);
  return {
    coverage,
    streams,
    refusal,
    again,
    more: next === null ? undefined : more,
  };
}
