import type { Draw } from './draw.ts';
import type { FuzzAnswer } from './judge.ts';
import { operationsOf, schemasOfOperation } from './operations.ts';
import type { OpenApiDocument, Operation } from './operations.ts';
import type { Pool } from './pool.ts';
import { requestOf } from './requests.ts';
import type { FuzzRequest } from './requests.ts';
import { walkerOf } from './schema.ts';
import type { Walker } from './schema.ts';

/** Headers of a request that may give it rights. */
export interface Presented {
  readonly name: string;
  readonly headers: () => Readonly<Record<string, string>>;
  /** How often it is presented, in proportion. */
  readonly weight: number;
}

/** A request and the credential that it carries. */
export interface Turn<C extends Presented> {
  readonly request: FuzzRequest;
  readonly credential: C;
  /** The address that it comes from. Each has one of its own, because failures of an address are limited. */
  readonly address: string;
}

/** The operations of a document. Throws where one of their schemas has a keyword that the walker does not know. */
export function readDocument(document: OpenApiDocument): { walker: Walker; operations: readonly Operation[] } {
  const walker = walkerOf(document);
  const operations = operationsOf(document);
  for (const schema of operations.flatMap(schemasOfOperation)) walker.assertKnown(schema);
  return { walker, operations };
}

/** Draws one turn after the other; an operation that `rare` does not name has the weight 1. */
export function turnsOf<C extends Presented>(given: {
  readonly operations: readonly Operation[];
  readonly walker: Walker;
  readonly credentials: readonly C[];
  readonly draw: Draw;
  readonly pool: Pool;
  readonly rare: Readonly<Record<string, number>>;
}): () => Turn<C> {
  const { operations, walker, credentials, draw, pool, rare } = given;
  let drawn = 0;
  return () => {
    drawn += 1;
    const operation = draw.weighted(operations, ({ id }) => rare[id] ?? 1);
    const credential = draw.weighted(credentials, ({ weight }) => weight);
    const asked = requestOf(operation, walker, draw, (property) => pool.known(operation, property, draw));
    // With another method it may be a request to another operation.
    const meant = operations.find(({ path, method }) => path === operation.path && method === asked.method);
    const request = { ...asked, operation: meant ?? operation };
    return { request, credential, address: `10.${(drawn >> 16) & 255}.${(drawn >> 8) & 255}.${drawn & 255}` };
  };
}

/** The different findings of a fuzz, each with its first case, and how often each operation had each status. */
export interface Findings {
  add(what: string, detail: string): void;
  /** Adds a finding of one answer. */
  ofAnswer<C extends Presented>(turn: Turn<C>, answer: FuzzAnswer, fault: string): void;
  count(operation: Operation, status: number): void;
  readonly list: () => readonly string[];
  readonly counts: ReadonlyMap<string, number>;
}

export function findingsOf(): Findings {
  const found = new Map<string, string>();
  const counts = new Map<string, number>();
  const add = (what: string, detail: string): void => {
    if (!found.has(what)) found.set(what, detail.slice(0, 2_000));
  };
  return {
    add,
    ofAnswer({ request, credential }, { status, text }, fault) {
      const { operation, method, url, headers, payload } = request;
      const sent = `${method} ${url.slice(0, 400)} ${JSON.stringify(headers)} ${String(payload).slice(0, 600)}`;
      add(`${operation.id}: ${fault}`, `${credential.name}: ${sent} => ${status} ${text.slice(0, 600)}`);
    },
    count({ id }, status) {
      counts.set(`${id} ${status}`, (counts.get(`${id} ${status}`) ?? 0) + 1);
    },
    list: () => [...found].map(([what, detail]) => `${what}\n  ${detail}`),
    counts,
  };
}
