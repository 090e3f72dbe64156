/** A statement as `pg` takes it: parameters by number, values in their order. */
export interface BoundStatement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

const PARAMETER = /\$([a-z]\w*)/gi;

/**
 * A statement whose parameters have names, such as `$streamId::int`. The function it returns binds values to them; it
 * throws TypeError for a parameter without a value, and leaves out values that the text does not name.
 * With `name` each connection prepares the statement once.
 */
export function statementOf<Values extends object>(text: string, name?: string): (values: Values) => BoundStatement {
  const parameters: string[] = [];
  const numbered = text.replaceAll(PARAMETER, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  return (values) => ({
    ...(name !== undefined && { name }),
    text: numbered,
    values: parameters.map((parameter) => {
      const value = (values as Record<string, unknown>)[parameter];
      if (value === undefined) throw new TypeError(`the parameter ${parameter} has no value`);
      return value;
    }),
  });
}
