/** A secret that stands outside the source: in an environment variable or in a file. */
export type Reference =
  | { readonly from: 'env'; readonly name: string }
  | { readonly from: 'file'; readonly name: string };

const WHOLE = /^\$\{(?:env:([A-Za-z_][A-Za-z0-9_]*)|file:(\/[^}\0]*))\}$/;

/** `${env:PASSWORD}` or `${file:/run/secrets/password}` as a whole text; undefined for anything else. */
export function parseReference(text: string): Reference | undefined {
  const match = WHOLE.exec(text);
  if (match?.[1] !== undefined) return { from: 'env', name: match[1] };
  return match?.[2] === undefined ? undefined : { from: 'file', name: match[2] };
}

/** Whether a text is meant as a reference: it is one, is spelled wrongly, or holds one inside other text. */
export const looksLikeReference = (text: string): boolean => /^\$\{.*\}$|\$\{(?:env|file):/s.test(text);

/** A field of a block of a source that refers to a secret, like `connection.password`. */
export interface ReferringField {
  readonly path: string;
  readonly reference: Reference;
}

/** The fields of a block whose whole text is a reference. */
export const referencesIn = (block: string, fields: Readonly<Record<string, string>>): readonly ReferringField[] =>
  Object.entries(fields).flatMap(([field, text]) => {
    const reference = parseReference(text);
    return reference === undefined ? [] : [{ path: `${block}.${field}`, reference }];
  });

/** A reference as the source spells it. */
export const referenceText = ({ from, name }: Reference): string => `\${${from}:${name}}`;
