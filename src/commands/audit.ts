import type { Command } from 'commander';
import { listAudit } from '../access/audit.ts';
import { formatInstant } from '../core/instant.ts';
import { withContext } from '../context.ts';
import { printJson, printLine, table } from '../terminal/output.ts';
import { short } from '../terminal/words.ts';
import { helpBelow } from './help.ts';
import { wholeNumberUpTo } from './options.ts';

const MOST_ENTRIES = 10_000;
const DETAIL_LENGTH = 80;

export function addAudit(program: Command): void {
  const audit = program
    .command('audit')
    .description('the record of changes, each with its actor and time')
    .addHelpText('after', helpBelow({ examples: ['databridge audit list'] }));
  audit
    .command('list')
    .description('list changes, newest first')
    .option('--limit <number>', `entries shown, at most ${MOST_ENTRIES}`, wholeNumberUpTo(MOST_ENTRIES), 50)
    .option(
      '--before <id>',
      'only entries before this one, for the next page',
      wholeNumberUpTo(Number.MAX_SAFE_INTEGER),
    )
    .option('--json', 'print JSON, with all details')
    .addHelpText(
      'after',
      helpBelow({ examples: ['databridge audit list', 'databridge audit list --limit 1000 --before 4711 --json'] }),
    )
    .action(async ({ limit, before, ...options }: { limit: number; before?: number; json?: boolean }) => {
      const entries = await withContext({ patient: false }, ({ database }) => listAudit(database, { limit, before }));
      if (options.json) printJson(entries.map((entry) => ({ ...entry, at: formatInstant(entry.at) })));
      else if (entries.length === 0) printLine('no changes');
      else {
        const cells = entries.map(({ id, at, actor, action, subject, detail }) => [
          id,
          formatInstant(at),
          actor,
          action,
          subject,
          short(JSON.stringify(detail), DETAIL_LENGTH),
        ]);
        printLine(table(['id', 'at', 'actor', 'action', 'subject', 'detail'], cells));
      }
    });
}
