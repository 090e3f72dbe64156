import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check settings, database, queue, processes and sources; each problem has a remedy')
    .option(
      '--health',
      'print one line for container health checks: whether the database answers and the planner works',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge doctor', 'databridge doctor --json', 'databridge doctor --health'],
        notes: [
          'An embedded database that does not run is started for the checks. With --health it is not started and counts as unhealthy.',
        ],
        exitCodes: '0 no check failed (warnings do not count), 1 a check failed, 2 invalid configuration',
      }),
    )
    .action(whenRun(async () => (await import('./actions/doctor.ts')).doctor));
}
