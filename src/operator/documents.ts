import type { z } from 'zod';

/** The names of the fields of a document, at every depth; whether one may be left out, and its type, do not count. */
type Fields<T> = T extends readonly (infer Item)[]
  ? Fields<Item>[]
  : T extends object
    ? { [K in keyof T]-?: Fields<Exclude<T[K], undefined>> }
    : T extends null
      ? null
      : 'value';

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

/**
 * The schema of the answers that show a `Document` of another room. It compiles only where it declares the fields of the document and no
 * others, at every depth. The types of the fields are compared where a route answers with one.
 */
export const shows =
  <Document>() =>
  <Schema extends z.ZodType>(
    schema: Schema,
    ..._differs: Same<Fields<z.output<Schema>>, Fields<Document>> extends true
      ? []
      : [declared: Fields<z.output<Schema>>, document: Fields<Document>]
  ): Schema =>
    schema;

/** A document as schemas take it, whose types know no `readonly`. */
type Plain<T> = T extends readonly unknown[]
  ? { -readonly [K in keyof T]: Plain<T[K]> }
  : T extends object
    ? { -readonly [K in keyof T]: Plain<T[K]> }
    : T;

/** A document of another room as the answer of a route. */
export const answered = <Document>(document: Document): Plain<Document> => document as Plain<Document>;
