/** A valueName has at most this many characters, in the `/v0` API and everywhere else. */
export const LONGEST_VALUE_NAME = 128;

/** The valueName of a variable without a name. */
export const NO_VALUE_NAME = 'none';

/**
 * The valueName of a platform's variable: every character that is not an ASCII letter, digit or underscore becomes `_`,
 * no name becomes `none`. Undefined where the name would be too long, because cutting it could make two variables one.
 */
export function toValueName(variable: string): string | undefined {
  const name = variable === '' ? NO_VALUE_NAME : variable.replaceAll(/[^A-Za-z0-9_]/gu, '_');
  return name.length <= LONGEST_VALUE_NAME ? name : undefined;
}

/** Variables of one sensor that would become one valueName; `remedy` is the fix to copy into the source. */
export interface Collision {
  readonly valueName: string;
  readonly variables: readonly string[];
  readonly message: string;
  readonly remedy: string;
}

/**
 * The collisions among the variables of one sensor, in order of appearance. A variable does not collide with itself.
 */
export function collisions(variables: readonly string[]): Collision[] {
  const byName = Map.groupBy(new Set(variables), toValueName);
  const taken = new Set(byName.keys());
  const found: Collision[] = [];
  for (const [valueName, group] of byName) {
    if (valueName === undefined || group.length < 2) continue;
    const listed = group.map((variable) => JSON.stringify(variable)).join(' and ');
    const message = `${listed} would all become "${valueName}"`;
    found.push({ valueName, variables: group, message, remedy: renamesFor(valueName, group, taken) });
  }
  return found;
}

/** The remedy: all variables but one get a name that no other variable has. */
function renamesFor(valueName: string, variables: readonly string[], taken: Set<string | undefined>): string {
  const unchanged = variables.includes(valueName) ? valueName : variables[0];
  const renamed = variables.filter((variable) => variable !== unchanged);
  const renames = renamed.map((variable) => {
    let name = valueName;
    for (let number = 2; taken.has(name); number++) name = `${valueName.slice(0, LONGEST_VALUE_NAME - 8)}_${number}`;
    taken.add(name);
    return `${JSON.stringify(variable)}: {as: ${name}}`;
  });
  return `give each a name of its own: values: {${renames.join(', ')}}`;
}
