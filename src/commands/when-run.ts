import type { Command } from 'commander';

/** The work of a command, with the arguments and options that commander gives it. */
type Work<Given extends unknown[]> = (...given: Given) => Promise<void>;

/**
 * The action of a command. Its work is loaded when the command runs, because most commands need a fraction of the program and
 * a help text needs none of it. With `--url` it runs `elsewhere`, which asks a bridge on another computer; a command without one
 * throws `config-invalid` then.
 */
export const whenRun =
  <Given extends unknown[]>(load: () => Promise<Work<Given>>, elsewhere?: (url: string) => Promise<Work<Given>>) =>
  async (...given: Given): Promise<void> => {
    const url = urlGivenTo(given.at(-1) as Command);
    const work = url === undefined ? await load() : await (elsewhere ?? unable)(url);
    await work(...given);
  };

function urlGivenTo(command: Command): string | undefined {
  let program = command;
  while (program.parent !== null) program = program.parent;
  return program === command ? undefined : (program.opts<{ url?: string }>().url ?? undefined);
}

async function unable(): Promise<never> {
  const { configInvalid } = await import('../core/errors.ts');
  throw configInvalid(
    'this command works on the database of the bridge only, not with --url',
    'run it on the computer of the bridge; --url works with source list, show, apply, pause, resume, poll, remove, contract, receipt, trace and advise, and with backfill and refusals replay',
    '--url',
  );
}
