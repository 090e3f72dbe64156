import type { Refusal } from '../client/api.ts';
import type { Flaw } from '../parts/code-editor.tsx';

/** The flaws of a text as the bridge names them, with their lines. */
export const flawsOf = (refusal: Refusal | undefined): Flaw[] =>
  (refusal?.problem.errors ?? []).map(({ pointer, detail, line }) => ({
    line: line ?? 0,
    text: `${pointer.replace(/^\//, '').replaceAll('/', '.')}: ${detail}`.replace(/^: /, ''),
  }));
