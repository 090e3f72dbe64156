import type { HttpJsonSettings } from './options.ts';

/** The values of the placeholders of one request. */
export type PlaceValues = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** A request as a template, with what one answer of it is asked for. */
export interface FilledRequest {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly address: string;
  readonly body: unknown;
}

type Template = HttpJsonSettings['readings'];

const PLACEHOLDER = /\{(\w+)\}/g;
const ALONE = /^\{(\w+)\}$/;

/** The request with its placeholders filled in. A parameter or field whose placeholder has no value is left out. */
export function filled(
  { method, path, query, body }: Template,
  places: PlaceValues,
  separator: string | undefined,
): FilledRequest {
  const parameters = new URLSearchParams();
  for (const [name, template] of Object.entries(query)) {
    const value = valueOf(template, places, separator);
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) parameters.append(name, String(one));
  }
  const asked = path.replaceAll(PLACEHOLDER, (_, name: string) =>
    encodeURIComponent(textOf(places[name], separator ?? ',')),
  );
  const address = parameters.size === 0 ? asked : `${asked}${asked.includes('?') ? '&' : '?'}${parameters}`;
  return { method, address, body: body === undefined ? undefined : filledBody(body, places, separator) };
}

/** A body with its texts filled in: the whole tree of it. */
export function filledBody(template: unknown, places: PlaceValues, separator: string | undefined): unknown {
  if (typeof template === 'string') return valueOf(template, places, separator);
  if (Array.isArray(template)) return template.map((item) => filledBody(item, places, separator));
  if (typeof template !== 'object' || template === null) return template;
  const fields = Object.entries(template).map(([key, item]) => [key, filledBody(item, places, separator)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** A placeholder alone becomes its value, so that numbers and lists stay what they are; within a text it becomes text. */
function valueOf(template: string, places: PlaceValues, separator: string | undefined): PlaceValues[string] {
  const name = ALONE.exec(template)?.[1];
  if (name !== undefined && name in places) {
    const value = places[name];
    return Array.isArray(value) && separator !== undefined ? value.join(separator) : value;
  }
  const names = [...template.matchAll(PLACEHOLDER)].map(([, each = '']) => each);
  if (names.some((each) => each in places && places[each] === undefined)) return undefined;
  return template.replaceAll(PLACEHOLDER, (found, each: string) =>
    each in places ? textOf(places[each], separator ?? ',') : found,
  );
}

const textOf = (value: PlaceValues[string], separator: string): string =>
  Array.isArray(value) ? value.join(separator) : String(value ?? '');
