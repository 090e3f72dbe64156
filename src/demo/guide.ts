import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Paint } from '../terminal/screen.ts';
import { VIEWER } from './door.ts';
import type { Door } from './door.ts';
import type { Plant } from './plants.ts';
import { PROJECT } from './source-file.ts';

/** Name of the bridge's log in the home of a demo. */
export const LOG = 'bridge.log';

/** What the demo shows, printed before anything runs. */
export function introduction(plants: readonly Plant[], paint: Paint): string[] {
  const widthOf = (textOf: (plant: Plant) => string): number => Math.max(...plants.map((one) => textOf(one).length));
  const [name, title, kind] = [
    widthOf((plant) => plant.name),
    widthOf(({ product }) => product.title),
    widthOf((plant) => plant.kind),
  ];
  return [
    `${paint('bold', 'databridge demo')}: a bridge and a simulated plant for each platform, all here.`,
    '',
    ...plants.map(
      (plant) =>
        `  ${paint('bold', plant.name.padEnd(name))}  ${plant.product.title.padEnd(title)}  ${plant.kind.padEnd(kind)}  ${plant.about}`,
    ),
    '',
  ];
}

/** The path of the command; from a compiled file it is one folder further up. */
const launcher = ['../../bin/databridge.js', '../../../bin/databridge.js']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

/** The address of the console, and commands for a second terminal, while the demo runs. */
export function whatNext(home: string, plants: readonly Plant[], door: Door, paint: Paint): string[] {
  const [first, second = first] = plants.map(({ name }) => name);
  const commands: readonly (readonly [command: string, shows: string])[] = [
    ['databridge source list', 'how far behind each is'],
    [`databridge source show ${first}`, 'what it covers so far'],
    [`databridge source refusals ${second}`, 'which points, and why'],
    [`databridge readings ${PROJECT} --from 1m`, 'what was just stored'],
    [`databridge backfill start ${first} --from 4d`, 'two more days of the past'],
    [`cat $DATABRIDGE_HOME/sources/${first}.yaml`, 'a source as applied'],
    [`tail -f $DATABRIDGE_HOME/${LOG}`, 'what the bridge logs'],
    [`databridge operator link ${VIEWER}`, 'another such address'],
  ];
  const width = Math.max(...commands.map(([command]) => command.length));
  // An empty variable counts as not set: the demo has its own database and queue, even if the shell names others.
  const unset = ['DATABASE_URL', 'REDIS_URL'].filter((name) => process.env[name]).map((name) => ` ${name}=`);
  return [
    `${paint('bold', 'The console')}: ${paint('dim', 'the address signs one browser in, within 15 minutes')}`,
    `  ${door.address}`,
    '',
    `${paint('bold', 'What to look at next')}, in a second terminal:`,
    `  export DATABRIDGE_HOME=${home} DATABRIDGE_OPERATOR_PORT=${door.port}${unset.join('')}`,
    ...(launcher === undefined ? [] : [`  alias databridge=${launcher}`]),
    ...commands.map(([command, shows]) => `  ${command.padEnd(width)}  ${paint('dim', shows)}`),
    '',
  ];
}
