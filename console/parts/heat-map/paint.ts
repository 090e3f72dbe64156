/** Draws coverage on a canvas. Only the rows in sight are drawn; a pattern is drawn once and then laid over many cells. */
import type { CellState } from '../cell-states.ts';

/** The measures of the picture, CSS pixels. */
export interface Measures {
  readonly width: number;
  readonly height: number;
  /** Of the names at its left, and of the axis above it. */
  readonly names: number;
  readonly axis: number;
  readonly row: number;
}

export interface Picture extends Measures {
  readonly rows: readonly { readonly key: string; readonly cells: readonly CellState[] }[];
  readonly columns: number;
  readonly scrolled: number;
  readonly ticks: readonly { readonly column: number; readonly text: string }[];
  readonly isSelected: (row: number, column: number) => boolean;
  readonly cursor: { readonly row: number; readonly column: number } | undefined;
}

/** Where a column begins. */
export const columnX = ({ names, width }: Measures, columns: number, column: number): number =>
  names + ((width - names) * column) / columns;

const SIZE = 6;

/** How the pattern of a state is drawn on its ground. */
const MARKS: Readonly<
  Partial<Record<CellState, (pen: CanvasRenderingContext2D, colour: (name: string) => string) => void>>
> = {
  e: (pen, colour) => {
    pen.fillStyle = colour('--cell-data');
    pen.fillRect(2, 2, 1.6, 1.6);
  },
  m: (pen, colour) =>
    stroke(pen, colour('--cell-mark'), [
      [-1, SIZE + 1, SIZE + 1, -1],
      [-1, 1, 1, -1],
      [SIZE - 1, SIZE + 1, SIZE + 1, SIZE - 1],
    ]),
  a: (pen, colour) =>
    stroke(pen, colour('--surface'), [
      [0, 1.5, SIZE, 1.5],
      [0, 4.5, SIZE, 4.5],
    ]),
  r: (pen, colour) => {
    pen.fillStyle = colour('--cell-refused');
    pen.fillRect(0, 0, 3, SIZE);
  },
  f: (pen, colour) =>
    stroke(pen, colour('--surface'), [
      [0, 0, SIZE, SIZE],
      [SIZE, 0, 0, SIZE],
    ]),
};

const GROUNDS: Readonly<Record<CellState, string>> = {
  d: '--cell-data',
  e: '--cell-empty',
  m: '--cell-missing',
  a: '--cell-asking',
  r: '--cell-data',
  f: '--cell-failed',
  b: '--cell-outside',
  n: '--cell-outside',
};

function stroke(pen: CanvasRenderingContext2D, colour: string, strokes: readonly (readonly number[])[]): void {
  pen.strokeStyle = colour;
  pen.lineWidth = 1.2;
  pen.beginPath();
  for (const [x = 0, y = 0, toX = 0, toY = 0] of strokes) {
    pen.moveTo(x, y);
    pen.lineTo(toX, toY);
  }
  pen.stroke();
}

/** The fill of each state, for the colours that the page has now. */
function fillsOf(
  pen: CanvasRenderingContext2D,
  colour: (name: string) => string,
  scale: number,
): Map<CellState, string | CanvasPattern> {
  const fills = new Map<CellState, string | CanvasPattern>();
  for (const state of Object.keys(GROUNDS) as CellState[]) {
    const tile = new OffscreenCanvas(SIZE * scale, SIZE * scale);
    const on = tile.getContext('2d') as unknown as CanvasRenderingContext2D;
    on.scale(scale, scale);
    on.fillStyle = colour(GROUNDS[state]);
    on.fillRect(0, 0, SIZE, SIZE);
    MARKS[state]?.(on, colour);
    const pattern = pen.createPattern(tile, 'repeat');
    pattern?.setTransform(new DOMMatrix().scale(1 / scale));
    fills.set(state, pattern ?? colour(GROUNDS[state]));
  }
  return fills;
}

/** Draws the picture anew. */
export function paint(canvas: HTMLCanvasElement, picture: Picture): void {
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const { width, height, axis, row: rowHeight, rows, scrolled } = picture;
  const scale = devicePixelRatio;
  const [wide, tall] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== wide || canvas.height !== tall) Object.assign(canvas, { width: wide, height: tall });
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  const { colour, fills } = lookOf(canvas, pen);
  pen.fillStyle = colour('--surface');
  pen.fillRect(0, 0, width, height);
  pen.font = `12px Inter, system-ui, sans-serif`;
  pen.textBaseline = 'middle';
  const first = Math.floor(scrolled / rowHeight);
  const last = Math.min(rows.length, Math.ceil((scrolled + height - axis) / rowHeight));
  for (let at = first; at < last; at += 1) {
    const y = axis + at * rowHeight - scrolled;
    paintCells(pen, picture, at, y, fills);
    paintSelection(pen, picture, at, y, colour('--text'));
    pen.fillStyle = colour('--text');
    pen.fillText(shortened(pen, rows[at]?.key ?? '', picture.names - 18), 4, y + rowHeight / 2);
  }
  paintAxis(pen, picture, colour);
  paintCursor(pen, picture, colour('--accent'));
}

interface Look {
  readonly colour: (name: string) => string;
  readonly fills: ReadonlyMap<CellState, string | CanvasPattern>;
}

const looks = new Map<string, Look>();

const NAMES = [
  ...new Set([
    ...Object.values(GROUNDS),
    '--surface',
    '--text',
    '--quiet',
    '--accent',
    '--cell-mark',
    '--cell-refused',
  ]),
];

/** Colours and fills of the page as it looks now. Reading a colour makes the browser compute styles, so it is done once a look. */
function lookOf(canvas: HTMLCanvasElement, pen: CanvasRenderingContext2D): Look {
  const key = `${matchMedia('(prefers-color-scheme: dark)').matches} ${devicePixelRatio}`;
  const known = looks.get(key);
  if (known !== undefined) return known;
  const probe = canvas.ownerDocument.createElement('span');
  canvas.parentElement?.append(probe);
  const colours = new Map(
    NAMES.map((name) => {
      probe.style.color = `var(${name})`;
      return [name, getComputedStyle(probe).color] as const;
    }),
  );
  probe.remove();
  const colour = (name: string): string => colours.get(name) ?? '';
  const look = { colour, fills: fillsOf(pen, colour, devicePixelRatio) };
  looks.set(key, look);
  return look;
}

function paintCells(
  pen: CanvasRenderingContext2D,
  picture: Picture,
  at: number,
  y: number,
  fills: ReadonlyMap<CellState, string | CanvasPattern>,
): void {
  const cells = picture.rows[at]?.cells ?? [];
  const tall = picture.row - 3;
  let begin = 0;
  for (let column = 1; column <= cells.length; column += 1) {
    if (column < cells.length && cells[column] === cells[begin]) continue;
    const x = columnX(picture, picture.columns, begin);
    pen.fillStyle = fills.get(cells[begin] ?? 'n') ?? '';
    pen.fillRect(x, y + 1, columnX(picture, picture.columns, column) - x, tall);
    begin = column;
  }
}

function paintSelection(pen: CanvasRenderingContext2D, picture: Picture, at: number, y: number, colour: string): void {
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  for (let column = 0; column < picture.columns; column += 1) {
    if (!picture.isSelected(at, column)) continue;
    const begin = column;
    while (column < picture.columns && picture.isSelected(at, column)) column += 1;
    const x = columnX(picture, picture.columns, begin);
    const wide = columnX(picture, picture.columns, column) - x;
    pen.globalAlpha = 0.22;
    pen.fillStyle = colour;
    pen.fillRect(x, y + 1, wide, picture.row - 3);
    pen.globalAlpha = 1;
    pen.strokeRect(x + 1, y + 2, Math.max(2, wide - 2), picture.row - 5);
  }
}

function paintAxis(pen: CanvasRenderingContext2D, picture: Picture, colour: (name: string) => string): void {
  pen.fillStyle = colour('--surface');
  pen.fillRect(0, 0, picture.width, picture.axis);
  pen.fillStyle = colour('--quiet');
  for (const { column, text } of picture.ticks) {
    const x = columnX(picture, picture.columns, column);
    pen.fillRect(x, picture.axis - 6, 1, 5);
    if (x + pen.measureText(text).width < picture.width) pen.fillText(text, x + 4, picture.axis - 12);
  }
}

function paintCursor(pen: CanvasRenderingContext2D, picture: Picture, colour: string): void {
  const { cursor, axis, row, scrolled } = picture;
  if (cursor === undefined) return;
  const x = columnX(picture, picture.columns, cursor.column);
  const wide = columnX(picture, picture.columns, cursor.column + 1) - x;
  const y = axis + cursor.row * row - scrolled;
  if (y < axis - 1) return;
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  pen.strokeRect(x, y, Math.max(3, wide), row - 1);
}

/** A name that fits: its middle is left out, because names of one platform often begin alike. */
function shortened(pen: CanvasRenderingContext2D, text: string, width: number): string {
  if (pen.measureText(text).width <= width) return text;
  let length = text.length - 1;
  const cut = (): string => `${text.slice(0, Math.ceil(length / 3))}…${text.slice(-Math.floor((length * 2) / 3))}`;
  while (length > 3 && pen.measureText(cut()).width > width) length -= 1;
  return cut();
}
