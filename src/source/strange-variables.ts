import type { SourceConfig } from '../core/source/source.ts';
import type { Sensor } from '../platform/contract.ts';

/**
 * In words, the variables that a source names and that the platform does not show of their sensor; undefined where there are none.
 * A platform that does not tell the variables of a sensor leaves it out.
 */
export function strangeVariables(
  chosen: SourceConfig['sensors'],
  sensors: readonly Sensor[],
): { readonly message: string; readonly remedy: string } | undefined {
  if (chosen === 'all') return undefined;
  const shown = new Map<string, readonly string[]>();
  for (const { id, variables } of sensors) {
    if (variables !== undefined) shown.set(id, [...(shown.get(id) ?? []), ...variables]);
  }
  const strange = chosen.flatMap(({ id, values = {} }) => {
    const variables = shown.get(id);
    return variables === undefined
      ? []
      : Object.keys(values).flatMap((name) => (variables.includes(name) ? [] : [{ id, name, variables }]));
  });
  const [first] = strange;
  if (first === undefined) return undefined;
  const others = strange.length > 1 ? ` and ${strange.length - 1} more` : '';
  return {
    message: `the platform shows no variable ${JSON.stringify(first.name)} of ${first.id}${others}, so its name and factor have no effect`,
    remedy: `there are: ${first.variables.slice(0, 5).join(', ')}${first.variables.length > 5 ? ', …' : ''}`,
  };
}
