import { Command, CommanderError } from 'commander';
import { VERSION } from './version.ts';

/** The commands in the order of the help. Only the given command is loaded; the help of the program shows all of them, its version none. */
const COMMANDS: Readonly<Record<string, () => Promise<(parent: Command) => void>>> = {
  demo: async () => (await import('./commands/demo.ts')).addDemo,
  up: async () => (await import('./commands/up.ts')).addUp,
  api: async () => (await import('./commands/api.ts')).addApi,
  source: async () => (await import('./commands/source.ts')).addSource,
  backfill: async () => (await import('./commands/backfill.ts')).addBackfill,
  alerts: async () => (await import('./commands/alerts.ts')).addAlerts,
  operator: async () => (await import('./commands/operator.ts')).addOperator,
  organisation: async () => (await import('./commands/organisation.ts')).addOrganisation,
  project: async () => (await import('./commands/project.ts')).addProject,
  ingestion: async () => (await import('./commands/ingestion.ts')).addIngestion,
  application: async () => (await import('./commands/application.ts')).addApplication,
  readings: async () => (await import('./commands/readings.ts')).addReadings,
  push: async () => (await import('./commands/push.ts')).addPushCommand,
  key: async () => (await import('./commands/key.ts')).addKey,
  'signing-key': async () => (await import('./commands/signing-key.ts')).addSigningKey,
  backup: async () => (await import('./commands/backup.ts')).addBackup,
  restore: async () => (await import('./commands/restore.ts')).addRestore,
  archive: async () => (await import('./commands/archive.ts')).addArchive,
  audit: async () => (await import('./commands/audit.ts')).addAudit,
  refusals: async () => (await import('./commands/refusals.ts')).addRefusals,
  status: async () => (await import('./commands/status.ts')).addStatus,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
  login: async () => (await import('./commands/login.ts')).addLogin,
  completion: async () => (await import('./commands/completion.ts')).addCompletion,
};

/** Commands that stand in the file of another one. */
const BESIDE: Readonly<Record<string, string>> = { worker: 'up', complete: 'completion', logout: 'login' };

/** Runs the command that the arguments name, which are those of `process.argv`, to its end, and sets the exit code of the process. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const json = argv.includes('--json');
  const program = new Command('databridge')
    .description('Brings industrial sensor readings into an anomaly-detection service: exact, polite, unattended.')
    .version(VERSION)
    .option('--url <url>', 'ask the operator API of a bridge elsewhere, after databridge login; before the command')
    // Commands have an option of that name, too.
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError(!json)
    // The error is printed below, after the help, because the last lines are those that an operator sees.
    .configureOutput({ outputError: () => undefined })
    .addHelpText(
      'after',
      '\nFirst steps:\n  $ databridge demo                        see it work on simulated plants\n  $ databridge project create pump-hall    readings need a project\n  $ databridge source check hall-3.yaml    try a connection, save nothing\n  $ databridge source apply hall-3.yaml    register it\n  $ databridge up                          poll it\n\n"databridge COMMAND --help" shows options, defaults, examples and exit codes.\nSettings are environment variables; "databridge doctor" lists them.',
    );
  const asked = (argv[2] === '--url' ? argv[4] : argv[2]?.startsWith('--url=') ? argv[3] : argv[2]) ?? '';
  const name = BESIDE[asked] ?? asked;
  // The script of completion is made of all commands.
  const given = Object.hasOwn(COMMANDS, name) && asked !== 'completion' ? COMMANDS[name] : undefined;
  const needed = given ? [given] : ['-V', '--version'].includes(name) ? [] : Object.values(COMMANDS);
  for (const load of needed) (await load())(program);

  try {
    await program.parseAsync(argv);
  } catch (error) {
    // The version and a help end here, too, and have printed all that they print.
    const isDone = error instanceof CommanderError && error.exitCode === 0;
    if (!isDone) await fail(error, json);
  }
}

async function fail(error: unknown, json: boolean): Promise<void> {
  const { EXIT, exitCodeOf, printError, printMisuse } = await import('./terminal/output.ts');
  if (error instanceof CommanderError) {
    process.exitCode = EXIT.usage;
    if (error.code !== 'commander.help') printMisuse(error.message, json);
  } else {
    printError(error, json);
    process.exitCode = exitCodeOf(error);
  }
}
