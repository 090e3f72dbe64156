import { titleOf } from '../../core/source/source-name.ts';
import { isSourceKeptWaiting } from '../../delivery/waiting.ts';
import { changeSource } from '../../source/state-change.ts';
import { withContext } from '../../context.ts';
import { confirm } from '../../terminal/confirm.ts';
import { EXIT, actor, printJson, printLine } from '../../terminal/output.ts';

const DONE = {
  pause: 'paused',
  resume: 'resumed',
  poll: 'will be polled now',
  remove: 'removed; its readings stay, and databridge source restore brings it back',
} as const;

interface ChangeOptions {
  readonly organisation?: string;
  readonly json?: boolean;
}

const changing =
  (change: keyof typeof DONE) =>
  async (name: string, options: ChangeOptions): Promise<void> => {
    const { source, waits } = await withContext({ patient: false }, async ({ database }) => {
      const changed = await changeSource(database, change, { name, organisation: options.organisation }, actor());
      return { source: changed, waits: change === 'poll' && (await isSourceKeptWaiting(database, changed.id)) };
    });
    const { organisation } = source;
    if (options.json)
      printJson({ source: name, organisation, action: change, ...(change === 'poll' && { outboxFull: waits }) });
    else if (waits) printLine(`source ${titleOf(source)} will be polled when the outbox of its project has room again`);
    else printLine(`source ${titleOf(source)} ${DONE[change]}`);
  };

async function remove(name: string, options: ChangeOptions & { readonly yes?: boolean }): Promise<void> {
  const question = `Remove source ${name} and its coverage? Its readings and its last configuration stay.`;
  if (options.yes === true || (await confirm(question))) await changing('remove')(name, options);
  else {
    printLine('nothing was removed');
    process.exitCode = EXIT.failed;
  }
}

/** `source pause`, `source resume`, `source poll` and `source remove`. */
export const sourceChanges = {
  pause: changing('pause'),
  resume: changing('resume'),
  poll: changing('poll'),
  remove,
} as const;
