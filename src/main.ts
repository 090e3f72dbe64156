import { Command, CommanderError } from 'commander';
import { addApplication } from './commands/application.ts';
import { addAudit } from './commands/audit.ts';
import { addApi } from './commands/api.ts';
import { addBackfill } from './commands/backfill.ts';
import { addDemo } from './commands/demo.ts';
import { addDoctor } from './commands/doctor.ts';
import { addIngestion } from './commands/ingestion.ts';
import { addOrganisation } from './commands/organisation.ts';
import { EXIT, exitCodeOf, printError } from './commands/output.ts';
import { addProject } from './commands/project.ts';
import { addPush } from './commands/push.ts';
import { addReadings } from './commands/readings.ts';
import { addSigningKey } from './commands/signing-key.ts';
import { addSource } from './commands/source.ts';
import { addUp } from './commands/up.ts';
import { VERSION } from './version.ts';

const program = new Command('databridge')
  .description('Brings industrial sensor readings into an anomaly-detection service: exact, polite, unattended.')
  .version(VERSION)
  .exitOverride()
  .showHelpAfterError()
  .addHelpText(
    'after',
    '\nFirst steps:\n  $ databridge demo                        see it work on simulated plants\n  $ databridge project create pump-hall    readings need a project\n  $ databridge source check hall-3.yaml    try a connection, save nothing\n  $ databridge source apply hall-3.yaml    register it\n  $ databridge up                          poll it',
  );
const commands = [
  addDemo,
  addUp,
  addApi,
  addSource,
  addBackfill,
  addOrganisation,
  addProject,
  addIngestion,
  addApplication,
  addPush,
  addReadings,
  addSigningKey,
  addAudit,
  addDoctor,
];
for (const add of commands) add(program);

// `databridge … | head` closes the pipe when it has seen enough; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  else {
    printError(error, process.argv.includes('--json'));
    process.exitCode = exitCodeOf(error);
  }
}
