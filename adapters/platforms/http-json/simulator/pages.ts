import type { SimulatedAnswer } from '../../../../src/simulator/contract.ts';
import { writeJson } from '../../../../src/simulator/distort.ts';
import type { GenericOptions } from './options.ts';
import type { Row } from './records.ts';

interface Asked {
  readonly size?: number | undefined;
  readonly cursor?: string | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
  readonly address: string;
}

interface PageOfRows {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly next: string | undefined;
  readonly isLast: boolean;
}

/** The page that a question asks for. A cursor is the number of the rows before it; a link is the address with that cursor. */
export function cutPage({ paging, cap, fault }: GenericOptions, all: readonly Row[], asked: Asked): PageOfRows {
  const size = Math.min(asked.size ?? cap, cap);
  const begin = {
    none: 0,
    time: 0,
    link: Number(asked.cursor ?? 0),
    cursor: Number(asked.cursor ?? 0),
    offset: asked.offset ?? 0,
    page: ((asked.page ?? 1) - 1) * size,
  }[paging];
  const end = begin + size;
  const isLast = end >= all.length;
  const isCut = (fault === 'cut' || fault === 'short') && all.length > size / 2;
  const rows =
    fault === 'latest'
      ? all.slice(-1)
      : all.slice(begin, isCut ? Math.max(begin, Math.floor(Math.min(end, all.length) * 0.9)) : end);
  const [path = '', query] = asked.address.split('?');
  const following = new URLSearchParams(query);
  following.set('cursor', String(end));
  const next = isLast
    ? undefined
    : paging === 'link'
      ? `${path}?${following}`
      : paging === 'cursor'
        ? String(end)
        : undefined;
  return {
    rows,
    total: isCut && fault === 'cut' ? rows.length : all.length,
    next,
    isLast: isLast && !(isCut && fault === 'short'),
  };
}

/** NDJSON ends with a line of its own; CSV has what is no row in its headers. */
export function writtenPage(
  { body }: GenericOptions,
  { rows, total, next, isLast }: PageOfRows,
  bad: readonly string[],
): SimulatedAnswer {
  const failed = bad.map((sensor) => ({ sensor, message: 'no such sensor' }));
  if (body === 'json')
    return { status: 200, body: writeJson({ rows, total, last: isLast, next: next ?? null, failed }) };
  if (body === 'ndjson') {
    const lines = [...rows, { end: true, total, last: isLast, next: next ?? null, failed }].map(
      (row) => `${writeJson(row)}\n`,
    );
    return { status: 200, body: lines.join(''), headers: { 'content-type': 'application/x-ndjson' } };
  }
  const quoted = (value: unknown): string =>
    `"${(typeof value === 'string' ? value : writeJson(value)).replaceAll('"', '""')}"`;
  const lines = rows.map(({ sensor, at, variable, value }) => [sensor, at, variable, value].map(quoted).join(','));
  return {
    status: 200,
    body: `${['sensor,at,variable,value', ...lines].join('\n')}\n`,
    headers: {
      'content-type': 'text/csv',
      'x-total': String(total),
      ...(next === undefined ? {} : { 'x-next': next }),
    },
  };
}
