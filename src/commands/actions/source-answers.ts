import { parseReference } from '../../core/source/reference.ts';
import type { DraftField } from '../../source/draft.ts';
import type { Questions } from '../../terminal/questions.ts';

interface ForSource {
  /** The name of the source, of which the names of its variables are made. */
  readonly name: string;
  readonly env: Record<string, string | undefined>;
}

/** The fault of an empty answer. */
export const needed = (answer: string): string | undefined => (answer === '' ? 'an answer is needed' : undefined);

/** The fault of an answer for a field. */
export const faultIn =
  (field: DraftField | undefined) =>
  (answer: string): string | undefined =>
    answer === '' && field?.optional ? undefined : (needed(answer) ?? field?.fault(answer));

/** An answer, and what stands for it in this run: a secret may have a place where it does not stand yet. */
export interface Answer {
  readonly written: string;
  readonly used: string;
}

/** Asks for a field; empty where it is optional and left out. */
export async function askField(questions: Questions, field: DraftField, given: ForSource): Promise<Answer> {
  const { key, description, secret, optional, choices, example } = field;
  if (secret) return await askSecret(questions, field, given);
  const hint = optional ? ' (Enter: none)' : example === undefined ? '' : ` (like ${example})`;
  const answer =
    choices.length > 0
      ? await questions.choose(
          description,
          choices.map((value) => ({ value })),
        )
      : await questions.text(`${key}: ${description}${hint}`, { fault: faultIn(field) });
  return { written: answer, used: answer };
}

/**
 * A secret as a reference; in plain only where the operator chooses that. The first answer is not shown, because whoever reads
 * "password" may type one.
 */
async function askSecret(
  questions: Questions,
  { key, description }: DraftField,
  { name, env }: ForSource,
): Promise<Answer> {
  const words = key.replaceAll(/([a-z])([A-Z])/g, '$1_$2');
  const variable = `${name}_${words}`
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')
    .replace(/^(?=\d)/, '_');
  questions.tell(
    `${key}: ${description}. It is used for this run; Enter where it stands in a variable or a file already`,
  );
  const typed = await questions.hidden(key);
  const place = await questions.choose('Where will the bridge find it?', [
    { value: 'env', label: 'in an environment variable' },
    { value: 'file', label: 'in a file, such as /run/secrets/NAME' },
    ...(typed === '' ? [] : [{ value: 'plain', label: 'in the file of the source, in clear' }]),
  ]);
  if (place === 'plain') return { written: typed, used: typed };
  const fault = (answer: string): string | undefined =>
    parseReference(referenceTo(place, answer)) === undefined || (place === 'env' && !VARIABLE.test(answer))
      ? 'write a NAME in capital letters, or an absolute path'
      : undefined;
  const target = await questions.text(place === 'env' ? 'Name of the variable' : 'Absolute path of the file', {
    fault,
    ...(place === 'env' && { otherwise: variable }),
  });
  const written = referenceTo(place, target);
  if (typed !== '') {
    const holder = place === 'env' ? target : variable;
    env[holder] = typed;
    return { written, used: referenceTo('env', holder) };
  }
  if (place === 'env' && env[target] === undefined) {
    questions.tell(
      'that variable is not set here, so its value is asked for; it is used for this run, and not written',
    );
    env[target] = await questions.hidden(key);
  }
  return { written, used: written };
}

/** As variables are named, so that a password that is typed for a name is mostly not taken. */
const VARIABLE = /^[A-Z_][A-Z0-9_]*$/;

const referenceTo = (place: string, target: string): string => `\${${place}:${target}}`;

/** `1,3-5` → 1, 3, 4, 5; undefined where it is something else or names a number that is not there. */
export function numbersIn(text: string, most: number): ReadonlySet<number> | undefined {
  const numbers = new Set<number>();
  for (const part of text.split(',')) {
    const [, first, last = first] = /^\s*(\d{1,4})(?:\s*-\s*(\d{1,4}))?\s*$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (!(from >= 1 && to >= from && to <= most)) return undefined;
    for (let number = from; number <= to; number += 1) numbers.add(number);
  }
  return numbers;
}
