import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addApi } from './api.ts';
import { addApplication } from './application.ts';
import { addArchive } from './archive.ts';
import { addAudit } from './audit.ts';
import { addBackfill } from './backfill.ts';
import { addBackup } from './backup.ts';
import { addCompletion } from './completion.ts';
import { addDemo } from './demo.ts';
import { addDoctor } from './doctor.ts';
import { helpBelow } from './help.ts';
import { addIngestion } from './ingestion.ts';
import { addOperator } from './operator.ts';
import { addKey } from './key.ts';
import { addOrganisation } from './organisation.ts';
import { addProject } from './project.ts';
import { addReadings } from './readings.ts';
import { addRefusals } from './refusals.ts';
import { addRestore } from './restore.ts';
import { addSigningKey } from './signing-key.ts';
import { addSource } from './source.ts';
import { addStatus } from './status.ts';
import { addUp } from './up.ts';

const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)];

/** The text that `--help` prints on a terminal of 80 columns. */
function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ getOutHelpWidth: () => 80, writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;

describe('the help of', () => {
  const program = new Command('databridge');
  const adders = [
    addApi,
    addApplication,
    addArchive,
    addAudit,
    addBackfill,
    addBackup,
    addCompletion,
    addDemo,
    addDoctor,
    addIngestion,
    addOperator,
    addKey,
    addOrganisation,
    addStatus,
  ];
  for (const add of [...adders, addProject, addReadings, addRefusals, addRestore, addSigningKey, addSource, addUp])
    add(program);

  it.each(program.commands.flatMap(withSubcommands).map((command) => [nameOf(command), command] as const))(
    '%s has a description, examples and exit codes in 80 columns',
    (name, command) => {
      const help = helpOf(command);
      expect(command.description()).not.toBe('');
      expect(help).toMatch(new RegExp(`\nExamples?:\n[^]*${name}`));
      expect(help).toMatch(/\nExit codes: 0 /);
      expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
    },
  );
});

it('keeps every word of a note and continues long examples', () => {
  const note = 'word '.repeat(50).trim();
  const help = helpBelow({ examples: ['one \\\ntwo'], notes: [note] });
  expect(help).toMatch(/^\nExample:\n {2}\$ one \\\n {6}two\n\nword /);
  expect(help.match(/word/g)).toHaveLength(50);
  expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});
