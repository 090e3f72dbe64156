import type { Draw } from './draw.ts';
import type { Operation } from './operations.ts';

/** Values that things of the server have, by the first words of the path of an answer and the name of the field. */
export interface Pool {
  /** Notes the values of an answer. */
  learn(operation: Operation, text: string): void;
  /** A value for a property of a request; undefined where none is known. */
  known(operation: Operation, property: string, draw: Draw): unknown;
}

/** Values kept for each field. */
const KEPT = 12;

/** Fields that a property of another name is filled from. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  code: ['code', 'project'],
  project: ['code', 'project'],
  projects: ['code', 'project'],
  id: ['id', 'applicationId'],
  source: ['name'],
  cursor: ['next'],
};

/** A pool with values that hold for every path, by property. */
export function poolOf(given: Readonly<Record<string, (draw: Draw) => unknown>>): Pool {
  const found = new Map<string, unknown[]>();
  const areaOf = ({ path }: Operation): string => /^\/(?:api\/)?v\d\/(\w+)/.exec(path)?.[1] ?? path;

  function note(area: string, name: string, value: unknown): void {
    const kept = found.get(`${area} ${name}`) ?? [];
    found.set(`${area} ${name}`, kept);
    if (kept.includes(value)) return;
    kept.push(value);
    if (kept.length > KEPT) kept.shift();
  }

  function visit(area: string, value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string' || typeof inner === 'number') note(area, name, inner);
      else if (name !== 'config') visit(area, inner);
    }
  }

  return {
    learn(operation, text) {
      if (text.length > 20_000 || !text.startsWith('{') || text.endsWith('\n')) return;
      visit(areaOf(operation), JSON.parse(text));
    },
    known(operation, property, draw) {
      const area = areaOf(operation);
      const own = given[`${area} ${property}`] ?? given[property];
      if (own !== undefined && draw.happens(0.8)) return own(draw);
      const lists = (ALSO[property] ?? [property]).flatMap((name) => found.get(`${area} ${name}`) ?? []);
      return lists.length === 0 ? own?.(draw) : draw.one(lists);
    },
  };
}
