import jsonata from 'jsonata';
import { z } from 'zod';

/** An expression has at most this many steps of a path. The time to compile it grows with their square. */
const MOST_STEPS = 200;

/** An expression has at most this many brackets inside each other. */
const MOST_DEEP = 100;

/** A JSONata expression as an option. Every option of this kind is compiled when the source is checked. */
export const expression = (description: string): z.ZodString =>
  z
    .string()
    .min(1)
    .max(4000)
    .superRefine((code, context) => {
      const large = tooLarge(code);
      if (large !== undefined) {
        context.addIssue({ code: 'custom', message: large, params: { remedy: 'make the expression simpler' } });
        return;
      }
      try {
        jsonata(code);
      } catch (error) {
        const { message, position } = error as { message?: string; position?: number };
        context.addIssue({
          code: 'custom',
          message: `is not JSONata: ${message} (at character ${position})`,
          params: { remedy: 'try it on an answer of the platform at https://try.jsonata.org' },
        });
      }
    })
    .describe(`${description} JSONata.`);

/** Why an expression would hold the event loop while it is compiled. Signs in texts count, too; an expression has far fewer. */
function tooLarge(code: string): string | undefined {
  let [steps, depth] = [0, 0];
  for (const sign of code) {
    if (sign === '.') steps += 1;
    else if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign)) depth = Math.max(0, depth - 1);
    if (steps > MOST_STEPS) return `has more than ${MOST_STEPS} steps`;
    if (depth > MOST_DEEP) return `has more than ${MOST_DEEP} brackets inside each other`;
  }
  return undefined;
}

/** The beginning of an answer, for the operator. */
export const excerpt = (document: unknown): string =>
  (typeof document === 'string' ? document : (JSON.stringify(document) ?? 'nothing')).slice(0, 2_000);
