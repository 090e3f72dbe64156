import { z } from 'zod';
import type { SimulatedRequest } from './contract.ts';

/** Thrown for a request that a simulator refuses. The simulator writes it in the form of its product. */
export class RequestRefusal extends Error {
  readonly status: number;
  /** The product's own word for the reason; empty where it has none. */
  readonly reason: string;

  constructor(status: number, message: string, reason = '') {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/**
 * The fields of a query, a form or a JSON object as the shape reads them. Refuses with 400 a field that is unknown,
 * missing, given twice or of another form, so that a client cannot rely on luck.
 */
export function strictFields<Shape extends z.ZodRawShape>(
  given: unknown,
  shape: Shape,
): z.output<z.ZodObject<Shape, z.core.$strict>> {
  if (given instanceof URLSearchParams) {
    const twice = [...given.keys()].find((name, index, names) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new RequestRefusal(400, `${twice} is given more than once`);
    return strictFields(Object.fromEntries(given), shape);
  }
  const parsed = z.strictObject(shape).safeParse(given);
  if (!parsed.success) throw new RequestRefusal(400, z.prettifyError(parsed.error));
  return parsed.data;
}

/** The body of a request: a form, or JSON. Refuses with 400 every other one. */
export function strictBody({ headers, body }: SimulatedRequest): unknown {
  const type = headers['content-type'] ?? 'nothing';
  if (type.startsWith('application/x-www-form-urlencoded')) return new URLSearchParams(body);
  if (!type.startsWith('application/json')) throw new RequestRefusal(400, `a body of ${type}`);
  try {
    return JSON.parse(body);
  } catch {
    throw new RequestRefusal(400, 'the body is not JSON');
  }
}

/** A whole number written in digits, of at least `least` and at most `most`. */
export const digits = (least = 0, most = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^-?\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least).max(most));
