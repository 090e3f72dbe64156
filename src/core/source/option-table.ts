import { formatDuration } from '../duration.ts';
import { jsonSchemaOf } from './json-schema.ts';
import type { SourcePlatform } from './source.ts';

/** A table as Markdown, with padded columns, because a formatter would otherwise change the generated text. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [first = [], ...rest] = cells;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}

interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
  readonly required?: readonly string[];
  readonly writeOnly?: boolean;
}

/**
 * The options of a platform and its defaults as two Markdown tables. `npm run generate` writes them into the README of
 * the platform, so that the schema is their only source.
 */
export function optionTable(platform: SourcePlatform): string {
  const rows = rowsOf(jsonSchemaOf(platform.options) as Node, '');
  const { facts } = platform;
  const options =
    rows.length === 0 ? 'This platform has no options.' : table(['Option', 'Takes', 'Default', 'Meaning'], rows);
  const defaults = table(
    ['Setting of the source', 'Default for this platform'],
    [
      [
        '`kind`',
        Object.keys(platform.kinds)
          .map((kind) => `\`${kind}\``)
          .join(' or '),
      ],
      ['`schedule.settle`', formatDuration(facts.lateness)],
      ['`schedule.overlap`', formatDuration(facts.overlap)],
      [
        '`schedule.maxWindow`',
        platform.declaredBy === undefined
          ? `${formatDuration(facts.maxWindow)}, which is also the longest`
          : 'as the options declare, which is also the longest',
      ],
      ['`pace.requestsPerSecond`', String(facts.pace.requestsPerSecond)],
      ['`pace.burst`', String(facts.pace.burst)],
      ['`pace.concurrency`', String(facts.pace.concurrency)],
    ],
  );
  return `${options}\n\n${defaults}`;
}

/** One row for each key, followed by the rows of the keys below it. */
function rowsOf(node: Node, above: string): readonly (readonly string[])[] {
  const own = Object.entries(node.properties ?? {}).flatMap(([key, field]) => {
    const path = `${above}${key}`;
    const required = node.required?.includes(key) === true ? 'required' : '';
    const fallback = field.default === undefined ? required : `\`${plain(field.default)}\``;
    const meaning = `${field.description ?? ''}${field.writeOnly ? ' (secret)' : ''}`;
    return [[`\`${path}\``, takes(field), fallback, meaning], ...rowsOf(field, `${path}.`)];
  });
  const item = node.items === undefined ? [] : rowsOf(node.items, `${above.slice(0, -1)}[].`);
  const others = (node.anyOf ?? node.oneOf ?? []).flatMap((alternative) => rowsOf(alternative, above));
  return [...own, ...item, ...others];
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function takes(node: Node): string {
  const alternatives = node.anyOf ?? node.oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(takes))].join(' or ');
  const choices = node.enum ?? (node.const === undefined ? undefined : [node.const]);
  if (choices !== undefined) return choices.map((choice) => `\`${plain(choice)}\``).join(', ');
  if (node.type === 'array')
    return node.items?.enum === undefined ? `list of ${wordsOf(node.items)[1]}` : `list of ${takes(node.items)}`;
  return wordsOf(node)[0];
}

const wordsOf = (node: Node | undefined): readonly [one: string, many: string] =>
  WORDS[node?.type ?? ''] ?? ['anything', 'anything'];

const WORDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['text', 'texts'],
  number: ['number', 'numbers'],
  integer: ['whole number', 'whole numbers'],
  boolean: ['true or false', 'true or false'],
  object: ['mapping', 'mappings'],
  array: ['list', 'lists'],
};
