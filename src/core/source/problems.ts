import { z } from 'zod';
import { suggest } from './nearest.ts';
import { formatPath, valueAt } from './path.ts';
import type { Path } from './path.ts';
import { below, schemaKeys, schemaAt, shapeOf } from './shape.ts';
import { issueInWords, typeOf, wordOf } from './words.ts';

/** One problem of a source, with its path and its remedy. It never holds the value of a secret. */
export interface SourceProblem {
  /** Like `schedule.every` or `sensors[2].as`; empty for the source as a whole. */
  readonly path: string;
  readonly message: string;
  readonly remedy: string;
}

/** One line of a problem: `schedule.every: "0s" is shorter than 250ms; use 250ms or longer`. */
export const formatProblem = ({ path, message, remedy }: SourceProblem): string =>
  `${path === '' ? '' : `${path}: `}${message}; ${remedy}`;

type Issue = z.core.$ZodIssue;

/** In the place of the problems that are not explained. */
const moreThan = (count: number, path: string): readonly SourceProblem[] =>
  count <= MOST_EXPLAINED
    ? []
    : [{ path, message: `has ${count - MOST_EXPLAINED} more problems`, remedy: 'mend those above first' }];

/** More problems than these are not explained, because their remedies take long to find and one of them mostly mends all. */
const MOST_EXPLAINED = 100;

/** The issues of a schema as problems: for each path only the first; of very many the first ones. */
export function problemsOf(issues: readonly Issue[], schema: z.ZodType, input: unknown): readonly SourceProblem[] {
  const problems = issues.slice(0, MOST_EXPLAINED).flatMap((issue) => explain(issue, schema, input, []));
  const seen = new Set<string>();
  const first = problems.filter(({ path }) => !seen.has(path) && seen.add(path));
  return [...first, ...moreThan(issues.length, '')];
}

function explain(issue: Issue, schema: z.ZodType, input: unknown, above: Path): readonly SourceProblem[] {
  const path = [...above, ...issue.path];
  const found = schemaAt(schema, issue.path);
  if (issue.code === 'unrecognized_keys')
    return [
      ...issue.keys.slice(0, MOST_EXPLAINED).map((key) => ({
        path: formatPath([...path, key]),
        message: 'unknown key',
        remedy: remedyOfKey(key, found, [...path]),
      })),
      ...moreThan(issue.keys.length, formatPath(path)),
    ];
  if (issue.code === 'invalid_union' && found !== undefined && issue.errors.length > 0)
    return explainUnion(issue, found, input, path);
  const [message, remedy] = issueInWords(issue, found, valueAt(input, path), String(path.at(-1) ?? 'source'));
  return [{ path: formatPath(path), message, remedy }];
}

function remedyOfKey(key: string, schema: z.ZodType | undefined, path: Path): string {
  const keys = schemaKeys(schema);
  const hint = schema === undefined ? undefined : shapeOf(schema).unknownKey;
  if (hint !== undefined) return hint;
  if (schema !== undefined && path.length === 0)
    for (const block of keys)
      if (below(schema, block).some((inner) => schemaKeys(inner).includes(key))) return `it belongs under ${block}`;
  const remedy = suggest(key, keys, 'the keys here are');
  return remedy === '' ? 'take it out' : remedy;
}

/**
 * A union is explained by the alternative the operator meant: the one whose type fits and which fails deeper inside.
 */
function explainUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  schema: z.ZodType,
  input: unknown,
  path: Path,
): readonly SourceProblem[] {
  const bare = shapeOf(schema).schema;
  const options = bare instanceof z.ZodUnion ? bare.options : [];
  const position = issue.errors.findIndex((errors) => !errors.some(refusesWhole));
  const meant = options[position] as z.ZodType | undefined;
  if (meant !== undefined) return (issue.errors[position] ?? []).flatMap((inner) => explain(inner, meant, input, path));
  const value = valueAt(input, path);
  const { secret } = shapeOf(schema);
  const message = value === null ? 'is empty' : `may not be ${typeOf(value, secret)}`;
  return [
    {
      path: formatPath(path),
      message,
      remedy: `give ${options.map((option) => wordOf(option as z.ZodType)).join(' or ')}`,
    },
  ];
}

const refusesWhole = (issue: Issue): boolean =>
  issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
