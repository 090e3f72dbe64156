import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Paint } from '../terminal/screen.ts';
import type { Plant } from './plants.ts';
import { PROJECT } from './source-file.ts';

/** Name of the bridge's log in the home of a demo. */
export const LOG = 'bridge.log';

/** What the demo is, before anything runs. */
export const introduction = (plants: readonly Plant[], paint: Paint): string[] => [
  `${paint('bold', 'databridge demo')}: three simulated plants and a bridge, all on this machine.`,
  '',
  ...plants.map(({ name, title, about }) => `  ${paint('bold', name.padEnd(14))} ${title.padEnd(12)} ${about}`),
  '',
];

/** The command, wherever it is installed; the compiled file lies one folder further down. */
const launcher = ['../../bin/databridge.js', '../../../bin/databridge.js']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

/** What to look at while it runs: commands for a second terminal. */
export function whatNext(home: string, paint: Paint): string[] {
  const commands: readonly (readonly [command: string, shows: string])[] = [
    ['databridge source list', 'how far behind each is'],
    ['databridge source show old-boiler', 'what it covers so far'],
    ['databridge source refusals old-boiler', 'which points, and why'],
    [`databridge readings ${PROJECT} --from 1m`, 'what was just stored'],
    ['databridge backfill start cooling-water --from 4d', 'two more days of the past'],
    ['cat $DATABRIDGE_HOME/sources/old-boiler.yaml', 'a source as applied'],
    [`tail -f $DATABRIDGE_HOME/${LOG}`, 'what the bridge logs'],
  ];
  const width = Math.max(...commands.map(([command]) => command.length));
  // An empty variable counts as not set: the demo has a database and a queue of its own, whatever the shell says.
  const others = ['DATABASE_URL', 'REDIS_URL'].filter((name) => process.env[name]).map((name) => ` ${name}=`);
  return [
    `${paint('bold', 'What to look at next')}, in a second terminal:`,
    `  export DATABRIDGE_HOME=${home}${others.join('')}`,
    ...(launcher === undefined ? [] : [`  alias databridge=${launcher}`]),
    ...commands.map(([command, shows]) => `  ${command.padEnd(width)}  ${paint('dim', shows)}`),
    '',
  ];
}
