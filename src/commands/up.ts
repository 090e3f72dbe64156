import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

const EXIT_CODES = '0 drained in time, 1 failed or not drained in time, 2 invalid configuration';

const DRAIN_NOTE =
  'Ctrl-C or SIGTERM drains: windows under way are finished within DATABRIDGE_DRAIN_SECONDS (default 25), then the process ends. A second Ctrl-C ends it at once.';

/** `up` and `worker`: run until a signal, then drain. */
export function addUp(program: Command): void {
  program
    .command('up')
    .description('run everything in one process: planner, polls, backfills, deliveries and the APIs')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge up', 'DATABASE_URL=postgres://… REDIS_URL=redis://… DATABRIDGE_KEY=… databridge up'],
        notes: [
          'The API listens on DATABRIDGE_API_HOST and DATABRIDGE_API_PORT (default 127.0.0.1:8080). The operator API listens on DATABRIDGE_OPERATOR_HOST and DATABRIDGE_OPERATOR_PORT (default 127.0.0.1:8081). While a port is taken, polling goes on without that API. "databridge doctor" shows all settings with their defaults.',
          DRAIN_NOTE,
        ],
        exitCodes: EXIT_CODES,
      }),
    )
    .action(whenRun(async () => (await import('./actions/up.ts')).up));
  program
    .command('worker')
    .description('run one more process that plans, polls, fills history and delivers, without the API')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['DATABASE_URL=postgres://… REDIS_URL=redis://… DATABRIDGE_KEY=… \\\ndatabridge worker'],
        notes: ['All processes share DATABASE_URL, REDIS_URL and DATABRIDGE_KEY.', DRAIN_NOTE],
        exitCodes: EXIT_CODES,
      }),
    )
    .action(whenRun(async () => (await import('./actions/up.ts')).worker));
}
