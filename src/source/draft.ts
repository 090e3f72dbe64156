import { readFile } from 'node:fs/promises';
import { Document, isMap, isScalar, parse } from 'yaml';
import type { z } from 'zod';
import { isMapping } from '../core/source/path.ts';
import { schemaKeys, schemaAt, shapeOf } from '../core/source/shape.ts';
import type { Platform } from '../platform/contract.ts';

/** A field that an operator fills in. */
export interface DraftField {
  readonly key: string;
  readonly description: string;
  readonly secret: boolean;
  readonly optional: boolean;
  /** The choices where there are some. */
  readonly choices: readonly string[];
  readonly example: string | undefined;
  /** Whether it is text; other fields cannot be asked for in a line. */
  readonly isText: boolean;
  /** Why an answer cannot be; undefined where it can. */
  readonly fault: (answer: string) => string | undefined;
}

/** The fields of a connection or of options, in the order of their schema. */
export function fieldsOf(schema: z.ZodType): readonly DraftField[] {
  return schemaKeys(schema).flatMap((key) => {
    const field = schemaAt(schema, [key]);
    if (field === undefined) return [];
    const { description = '', secret, optional, schema: bare, examples } = shapeOf(field);
    const choices = bare.type === 'enum' ? (bare as z.ZodEnum).options.map(String) : [];
    const fault = (answer: string): string | undefined => field.safeParse(answer).error?.issues[0]?.message;
    const [example] = examples;
    return [
      {
        key,
        description,
        secret,
        optional,
        choices,
        example: typeof example === 'string' ? example : undefined,
        isText: bare.type === 'string',
        fault,
      },
    ];
  });
}

/** The sample file of a platform, from which an operator can begin. */
export const sampleText = async ({ name }: Platform): Promise<string> =>
  await readFile(new URL(`../../adapters/platforms/${name}/source.sample.yaml`, import.meta.url), 'utf8');

/** The text of a platform that says what to ask its customer for, as Markdown; null where its adapter is no part of this build. */
export async function customerText({ name }: Platform): Promise<string | null> {
  const page = new URL(`../../adapters/platforms/${name}/README.md`, import.meta.url);
  const text = await readFile(page, 'utf8').catch(() => '');
  return (
    /^## What to ask the customer for\n(?<section>[^]*?)(?=^## |$(?![^]))/m.exec(text)?.groups?.['section']?.trim() ??
    null
  );
}

/** The options of the sample of a platform, and their descriptions by path, like `options.paging.by`. */
export async function sampleOptions(
  platform: Platform,
): Promise<{ readonly options: unknown; readonly comments: ReadonlyMap<string, string> }> {
  const sample: unknown = parse(await sampleText(platform));
  const options = isMapping(sample) ? sample['options'] : undefined;
  const comments = new Map<string, string>();
  const describe = (value: unknown, path: readonly string[]): void => {
    const schema = schemaAt(platform.options, path);
    const description = schema && shapeOf(schema).description;
    if (description !== undefined) comments.set(['options', ...path].join('.'), description);
    if (isMapping(value)) for (const [key, inner] of Object.entries(value)) describe(inner, [...path, key]);
  };
  if (isMapping(options)) for (const [key, value] of Object.entries(options)) describe(value, [key]);
  return { options, comments };
}

/** The fields besides the address that the sample of a platform has in its connection, for a kind whose fields the platform chooses. */
export async function sampleFields(platform: Platform): Promise<readonly string[]> {
  const sample: unknown = parse(await sampleText(platform));
  const connection = isMapping(sample) && sample['kind'] === 'custom' ? sample['connection'] : undefined;
  return isMapping(connection) ? Object.keys(connection).filter((key) => key !== 'url') : [];
}

/** A source as YAML; `comments` stand above the keys with these paths, like `options.database`. */
export function draftText(source: object, heading: readonly string[], comments: ReadonlyMap<string, string>): string {
  const document = new Document(source);
  document.commentBefore = heading.map((line) => ` ${line}`).join('\n');
  const visit = (node: unknown, above: string): void => {
    if (!isMap(node)) return;
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      const path = `${above}${String(key.value)}`;
      const comment = comments.get(path);
      if (comment !== undefined) key.commentBefore = ` ${comment}`;
      visit(value, `${path}.`);
    }
  };
  visit(document.contents, '');
  return document.toString({ lineWidth: 0 });
}
