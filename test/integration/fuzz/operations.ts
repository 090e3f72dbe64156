import type { Schema } from './schema.ts';

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

/** An operation of an OpenAPI document. */
export interface Operation {
  readonly id: string;
  /** In capital letters. */
  readonly method: string;
  /** With its parameters, such as `/api/v1/backfills/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The schema of the body for each content type; empty where it takes none. */
  readonly bodies: ReadonlyMap<string, Schema>;
  /** The schema for each content type of each documented status; `default` stands for the others. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<string, Schema>>;
  /** Whether it needs no credential. */
  readonly isPublic: boolean;
}

/** The part of an OpenAPI document that the fuzz reads. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components?: unknown;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
interface Described {
  readonly operationId?: string;
  readonly parameters?: readonly (Omit<Parameter, 'required'> & { readonly required?: boolean })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly security?: readonly unknown[];
}

const schemasOf = (content: Content = {}): ReadonlyMap<string, Schema> =>
  new Map(Object.entries(content).map(([type, { schema = {} }]) => [type, schema]));

/** All operations of a document. Throws for a parameter in a place that the fuzz cannot fill. */
export function operationsOf(document: OpenApiDocument): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const { operationId = `${method} ${path}`, parameters = [], requestBody, responses, security } = described;
      for (const { in: place, name } of parameters) {
        if (!['path', 'query', 'header'].includes(place))
          throw new Error(`no parameter is filled in ${place}: ${name}`);
      }
      return {
        id: operationId,
        method: method.toUpperCase(),
        path,
        parameters: parameters.map((one) => ({ ...one, required: one.required ?? false })),
        bodies: schemasOf(requestBody?.content),
        answers: new Map(Object.entries(responses).map(([status, { content }]) => [status, schemasOf(content)])),
        isPublic: security !== undefined && security.length === 0,
      };
    }),
  );
}

/** All schemas of an operation. */
export const schemasOfOperation = ({ parameters, bodies, answers }: Operation): readonly Schema[] => [
  ...parameters.map(({ schema }) => schema),
  ...bodies.values(),
  ...[...answers.values()].flatMap((types) => [...types.values()]),
];
