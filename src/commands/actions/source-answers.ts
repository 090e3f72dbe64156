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

/** Asks for a field; empty where it is optional and left out. */
export async function askField(questions: Questions, field: DraftField, given: ForSource): Promise<string> {
  const { key, description, secret, optional, choices, example } = field;
  if (secret) return await askSecret(questions, field, given);
  if (choices.length > 0)
    return await questions.choose(
      description,
      choices.map((value) => ({ value })),
    );
  const hint = optional ? ' (Enter: none)' : example === undefined ? '' : ` (like ${example})`;
  return await questions.text(`${key}: ${description}${hint}`, { fault: faultIn(field) });
}

/** A secret as a reference; typed in plain only where the operator chooses that. */
async function askSecret(
  questions: Questions,
  { key, description }: DraftField,
  { name, env }: ForSource,
): Promise<string> {
  const words = key.replaceAll(/([a-z])([A-Z])/g, '$1_$2');
  const variable = `${name}_${words}`
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')
    .replace(/^(?=\d)/, '_');
  const place = await questions.choose(`${key}: ${description}. Where does it stand?`, [
    { value: 'env', label: 'in an environment variable' },
    { value: 'file', label: 'in a file, such as /run/secrets/NAME' },
    { value: 'plain', label: 'in the file of the source, in clear' },
  ]);
  if (place === 'plain') return await questions.hidden(key);
  const fault = (answer: string): string | undefined =>
    parseReference(referenceTo(place, answer)) === undefined ? 'write a NAME, or an absolute path' : undefined;
  const target = await questions.text(place === 'env' ? 'Name of the variable' : 'Absolute path of the file', {
    fault,
    ...(place === 'env' && { otherwise: variable }),
  });
  if (place === 'env' && env[target] === undefined) {
    questions.tell(`${target} is not set here, so the value is asked for; it is used for this run, and not written`);
    env[target] = await questions.hidden(key);
  }
  return referenceTo(place, target);
}

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
