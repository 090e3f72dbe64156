import { ArrowDown, ArrowUp } from 'lucide';
import type { ComponentChild, ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly kind?: 'number' | 'name' | 'actions' | 'wide' | 'select';
  /** The order that it can be sorted by. */
  readonly sort?: string;
  /** Its title is for screen readers only. */
  readonly isSilent?: boolean;
}

interface TableProps<Row> {
  /** What the rows are. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly sorted?: string | undefined;
  readonly sort?: (by: string) => void;
  /** Reads more rows; undefined where there are none. */
  readonly more?: (() => void) | undefined;
}

/** Rows as a table, and on a phone as a list of cards. */
export function Table<Row>({ label, columns, rows, keyOf, sorted, sort, more }: TableProps<Row>): ComponentChild {
  return (
    <div class="table-frame">
      <table class="cards">
        <caption class="away">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ title, kind, sort: by, isSilent }) => (
              <th
                key={title}
                scope="col"
                class={kind}
                aria-sort={by !== undefined && by === sorted ? 'descending' : undefined}
              >
                {by === undefined || sort === undefined ? (
                  <span class={isSilent ? 'away' : undefined}>{title}</span>
                ) : (
                  <button type="button" onClick={() => sort(by)}>
                    {title}
                    {by === sorted && <Icon of={by === 'name' ? ArrowUp : ArrowDown} size={12} />}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, kind, isSilent }) => (
                <td key={title} class={kind} data-label={isSilent || kind === 'name' ? undefined : title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more && <More read={more} />}
    </div>
  );
}

/** Reads more when it comes into sight, and when it is pressed. */
function More({ read }: { read: () => void }): ComponentChild {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && read(), { rootMargin: '400px' });
    if (place.current) watch.observe(place.current);
    return () => watch.disconnect();
  }, [read]);
  return (
    <div class="more" ref={place}>
      <button type="button" class="button plain" onClick={read}>
        {texts.more}
      </button>
    </div>
  );
}
