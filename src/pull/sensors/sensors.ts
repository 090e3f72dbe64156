import { BridgeError } from '../../core/errors.ts';
import { collisions } from '../../core/naming.ts';
import { titleOf } from '../../core/source/source-name.ts';
import type { Http, Sensor } from '../../platform/contract.ts';
import type { OpenSource } from '../open/open-source.ts';
import { listedIn, missingFrom } from './stream-plan.ts';

/** The sensors of a source, read to the end of the list. */
export interface SensorList {
  readonly sensors: readonly Sensor[];
  /** Troubles for the operator, each with a remedy; the other sensors can be read all the same. */
  readonly problems: readonly BridgeError[];
  /** Those of `problems` that name sensors which are left out: listed ones that the platform does not show, and refused ones. */
  readonly leftOut: readonly BridgeError[];
}

const NAMED = 5;
const EXAMPLES = 3;

/**
 * All sensors to read: as the platform shows them, or as the operator listed them where a list has all that a stream needs;
 * then nothing is asked. Calls `found` with each sensor as soon as it is known. Throws every error of the platform.
 */
export async function listSensors(
  source: OpenSource,
  http: Http,
  found: (sensor: Sensor) => Promise<void> = () => Promise.resolve(),
): Promise<SensorList> {
  const { sensors: chosen } = source.config;
  if (chosen !== 'all' && !source.platform.facts.namesVariables && chosen.every(({ group }) => group !== undefined)) {
    return {
      sensors: chosen.map(({ id, group }) => ({ id, ...(group === undefined ? {} : { group }) })),
      problems: [],
      leftOut: [],
    };
  }
  const isWanted = chosen === 'all' ? () => true : listedIn(chosen);
  const find = chosen === 'all' ? undefined : source.platform.find;
  const sensors: Sensor[] = [];
  const known = new Set<string>();
  const examples: string[] = [];
  const refused: BridgeError[] = [];
  const shown =
    chosen === 'all' || find === undefined
      ? source.platform.sensors(http, source.options)
      : find(http, source.options, [...new Set(chosen.map(({ id }) => id))]);
  for await (const sensor of shown) {
    if (sensor.refused !== undefined) {
      refused.push(sensor.refused);
      continue;
    }
    if (examples.length < EXAMPLES) examples.push(sensor.id);
    if (!isWanted(sensor)) continue;
    // A list that grows while it is read shows a sensor on two pages; two streams would read it.
    const key = JSON.stringify([sensor.group, sensor.id, source.platform.facts.namesVariables ? sensor.variables : []]);
    if (known.has(key)) continue;
    known.add(key);
    sensors.push(sensor);
    await found(sensor);
  }
  const ids = chosen === 'all' ? [] : missingFrom(sensors, chosen).map(({ id }) => id);
  const missing = missingProblem(source, ids, find === undefined ? examples : undefined);
  const leftOut = [missing, refusedProblem(refused)].filter((problem) => problem !== undefined);
  const collision = collisionProblem(source, sensors);
  return { sensors, problems: collision === undefined ? leftOut : [...leftOut, collision], leftOut };
}

function missingProblem(
  source: OpenSource,
  missing: readonly string[],
  examples: readonly string[] | undefined,
): BridgeError | undefined {
  if (missing.length === 0) return undefined;
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : '';
  const remedy =
    examples === undefined
      ? 'check its id, the options and the rights of the credentials'
      : examples.length > 0
        ? `there are, for example: ${examples.join(' ; ')}`
        : 'the platform shows no sensors at all: check the options and the rights of the credentials';
  return problemOf(`there is no sensor ${missing.slice(0, NAMED).join(', ')}${more} on ${titleOf(source)}`, remedy);
}

/** The first refusal, with the number of the others. */
function refusedProblem([first, ...others]: readonly BridgeError[]): BridgeError | undefined {
  if (first === undefined) return undefined;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return problemOf(
    `${first.message}${more}; the other sensors are read`,
    first.remedy ?? 'check the rights of the credentials',
  );
}

/** The first sensor of which two variables would become one series. The operator has to name one of them. */
function collisionProblem(source: OpenSource, sensors: readonly Sensor[]): BridgeError | undefined {
  const { sensors: choices } = source.config;
  const mapped = new Map(choices === 'all' ? [] : choices.map(({ id, values }) => [id, values]));
  const colliding = sensors.flatMap(({ id, variables = [] }) => {
    const free = variables.filter((variable) => mapped.get(id)?.[variable]?.as === undefined);
    const [collision] = collisions(free);
    return collision ? [{ id, collision }] : [];
  });
  const [first] = colliding;
  if (first === undefined) return undefined;
  const more = colliding.length > 1 ? `, and so in ${colliding.length - 1} more sensors` : '';
  return problemOf(`sensor ${first.id}: ${first.collision.message}${more}`, first.collision.remedy);
}

const problemOf = (message: string, remedy: string): BridgeError =>
  new BridgeError({ code: 'config-invalid', path: 'sensors' }, message, { remedy });
