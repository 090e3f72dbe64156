import type { Point } from './point.ts';

/** A line up to the value; it is the same for all points of a series. */
export function linePrefix({ measurement, tags, field }: Pick<Point, 'measurement' | 'tags' | 'field'>): string {
  const tagTexts = Object.entries(tags).map(([tag, value]) => `,${escapeKey(tag)}=${escapeKey(value)}`);
  return `${measurement.replaceAll(/[, ]/g, '\\$&')}${tagTexts.join('')} ${escapeKey(field)}=`;
}

/** A field value; `0` is a float unless `integer` says otherwise. */
export function valueText(value: Point['value'], integer: boolean): string {
  if (typeof value === 'string') return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
  return integer ? `${value}i` : String(value);
}

/** A backslash before any other character stands for itself, so these three are all that need one. */
function escapeKey(text: string): string {
  return text.replaceAll(/[,= ]/g, '\\$&');
}
