import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { texts } from '../../texts.ts';
import { momentOf } from '../../client/zone.ts';
import { cellsOf } from '../cell-states.ts';
import type { CellState } from '../cell-states.ts';
import { paint } from './paint.ts';
import type { Measures, Picture } from './paint.ts';
import { isSelected, selected } from './selection.ts';
import type { Deed, Selection } from './selection.ts';
import { ticksOf } from './ticks.ts';
import './heat-map.css';

const t = texts.heatMap;

export interface Cell {
  readonly row: number;
  readonly column: number;
}

interface HeatMapProps {
  readonly streams: readonly { readonly key: string; readonly states: string }[];
  /** Where bins begin, and where the last one ends, ms. */
  readonly edges: readonly number[];
  readonly selection: Selection;
  readonly select: (selection: Selection) => void;
  readonly cursor: Cell | undefined;
  readonly move: (cell: Cell | undefined) => void;
  /** A cell is opened by a click or by Enter. */
  readonly open: (cell: Cell) => void;
  /** More streams come into sight. */
  readonly more: (() => void) | undefined;
}

const AXIS = 26;
const FEW = 14;

export function HeatMap(props: HeatMapProps): ComponentChild {
  const { streams, edges, selection, select, cursor, move, open, more } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [scrolled, setScrolled] = useState(0);
  const [dragged, drag] = useState<{ begin: Cell; end: Cell; deed: Deed }>();
  const rows = useMemo(() => streams.map(({ key, states }) => ({ key, cells: cellsOf(states) })), [streams]);
  const columns = edges.length - 1;
  const row = rows.length <= FEW ? 28 : 20;
  const names = size.width < 560 ? 92 : 190;
  const measures: Measures = { ...size, names, axis: AXIS, row };
  const keys = streams.map(({ key }) => key);
  const ticks = useMemo(() => ticksOf(edges, size.width - names), [edges, size.width, names]);
  const shown = dragged === undefined ? selection : selected(selection, lineOf(dragged), dragged.deed, keys);

  function lineOf({ begin, end }: { begin: Cell; end: Cell }) {
    const [top, bottom] = [Math.min(begin.row, end.row), Math.max(begin.row, end.row)];
    const [left, right] = [Math.min(begin.column, end.column), Math.max(begin.column, end.column)];
    return {
      from: edges[left] ?? 0,
      to: edges[right + 1] ?? 0,
      // On the axis it is all streams, also those that are not in sight.
      streams: top < 0 ? undefined : keys.slice(top, bottom + 1),
    };
  }

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const watch = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const [, recolour] = useState(0);
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const act = (): void => recolour((count) => count + 1);
    scheme.addEventListener('change', act);
    void document.fonts.ready.then(act);
    return () => scheme.removeEventListener('change', act);
  }, []);
  useLayoutEffect(() => {
    if (canvas.current === null || size.width === 0) return;
    const picture: Picture = {
      ...measures,
      rows,
      columns,
      scrolled,
      cursor,
      ticks,
      isSelected: (at, column) =>
        isSelected(shown, keys[at] ?? '', { from: edges[column] ?? 0, to: edges[column + 1] ?? 0 }),
    };
    paint(canvas.current, picture);
  });
  useEffect(() => {
    if (more !== undefined && scrolled + size.height > rows.length * row - 400) more();
  }, [scrolled, size.height, rows.length, more]);

  function cellAt(event: PointerEvent): Cell {
    const box = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const column = Math.floor(((x - names) / Math.max(1, size.width - names)) * columns);
    const at = y < AXIS ? -1 : Math.floor((y - AXIS + scrolled) / row);
    return {
      row: Math.min(rows.length - 1, at),
      column: x < names ? -1 : Math.max(0, Math.min(columns - 1, column)),
    };
  }

  function press(event: PointerEvent): void {
    if (event.button !== 0) return;
    const begin = cellAt(event);
    const isName = begin.column < 0;
    const first = isName ? { ...begin, column: 0 } : begin;
    const end = isName ? { ...begin, column: columns - 1 } : begin;
    const isInside =
      first.row >= 0 &&
      isSelected(selection, keys[first.row] ?? '', {
        from: edges[first.column] ?? 0,
        to: edges[first.column + 1] ?? 0,
      });
    const deed: Deed = event.shiftKey ? (isInside ? 'subtract' : 'add') : 'replace';
    // A finger that moves down scrolls the page.
    if (event.pointerType === 'mouse') canvas.current?.setPointerCapture(event.pointerId);
    drag({ begin: first, end, deed });
  }

  function release(): void {
    if (dragged === undefined) return;
    const { begin, end, deed } = dragged;
    drag(undefined);
    const isClick = begin.row === end.row && begin.column === end.column && begin.row >= 0;
    if (begin.row >= 0) move(end);
    if (isClick && deed === 'replace') open(begin);
    select(selected(selection, lineOf(dragged), deed, keys));
  }

  const anchor = useRef<Cell>(undefined);
  function key(event: KeyboardEvent): void {
    const step = STEPS[event.key];
    const at = cursor ?? { row: 0, column: columns - 1 };
    if (event.key === 'Enter') open(at);
    else if (event.key === ' ') select(selected(selection, lineOf({ begin: at, end: at }), 'add', keys));
    else if (event.key === 'Escape') select([]);
    else if (step === undefined) return;
    else {
      const next = {
        row: Math.max(0, Math.min(rows.length - 1, at.row + step[0])),
        column: Math.max(0, Math.min(columns - 1, at.column + step[1])),
      };
      if (!event.shiftKey) anchor.current = undefined;
      else {
        anchor.current ??= at;
        select(selected(selection, lineOf({ begin: anchor.current, end: next }), 'replace', keys));
      }
      move(next);
      show(next.row);
    }
    event.preventDefault();
  }

  function show(at: number): void {
    const element = frame.current;
    if (element === null) return;
    const [top, bottom] = [at * row, (at + 1) * row + AXIS];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
  }
  useEffect(() => {
    if (cursor) show(cursor.row);
  }, [cursor]);

  const tall = rows.length * row + AXIS;
  return (
    <div
      class="heat-map"
      ref={frame}
      style={{ height: `min(${tall}px, 62vh)` }}
      onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
    >
      <canvas
        ref={canvas}
        tabindex={0}
        role="application"
        aria-roledescription={t.role}
        aria-label={t.label}
        aria-describedby="heat-map-cell"
        style={{ width: `${size.width}px`, height: `${size.height}px` }}
        onPointerDown={press}
        onPointerMove={(event) => {
          if (dragged === undefined) return;
          const end = cellAt(event);
          drag({
            ...dragged,
            end: { row: dragged.begin.row < 0 ? -1 : Math.max(0, end.row), column: Math.max(0, end.column) },
          });
        }}
        onPointerUp={release}
        onPointerCancel={() => drag(undefined)}
        onKeyDown={key}
      />
      <div style={{ height: `${Math.max(0, tall - size.height)}px` }} />
      <p id="heat-map-cell" class="away" aria-live="polite">
        {cursor && cellText(rows[cursor.row], edges, cursor.column)}
      </p>
    </div>
  );
}

const STEPS: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
  Home: [0, -10_000],
  End: [0, 10_000],
};

/** What a cell shows, in words. */
export const cellText = (
  row: { readonly key: string; readonly cells: readonly CellState[] } | undefined,
  edges: readonly number[],
  column: number,
): string =>
  row === undefined
    ? ''
    : `${row.key}, ${momentOf(edges[column] ?? 0)} – ${momentOf(edges[column + 1] ?? 0)}: ${texts.cells[row.cells[column] ?? 'n']}`;
