import { configInvalid } from '../core/errors.ts';
import type { Input } from './file.ts';
import { mismatchOf, openStateFile, readState } from './state.ts';
import type { State, StateFile, UploadTarget } from './state.ts';

export interface ResumeOptions {
  readonly resume?: boolean;
  readonly restart?: boolean;
  readonly fromLine?: number;
}

/** Standard input and pipes pass only once; progress with them is not kept. */
export const isKept = ({ path, size }: Input): boolean => path !== undefined && size !== undefined;

/**
 * What an interrupted push of a file left, where this one goes on from it; undefined where it begins at the beginning.
 * Throws `config-invalid` where it is not said which of both is meant, and where the state is of something else.
 */
export async function stateToResume(
  { input, path, target }: { readonly input: Input; readonly path: string; readonly target: UploadTarget },
  { resume, restart, fromLine }: ResumeOptions,
): Promise<State | undefined> {
  if (resume && (restart || fromLine !== undefined)) {
    const other = restart ? '--restart' : '--from-line';
    throw configInvalid(`--resume and ${other} say different things`, 'leave one of them out', '--resume');
  }
  if (!isKept(input)) {
    if (!resume) return undefined;
    throw configInvalid(`${input.name} cannot be resumed`, '--from-line leaves out what was sent', '--resume');
  }
  if (restart) return undefined;
  const state = await readState(path);
  if (state === undefined) return undefined;
  const { line, offset } = state.place;
  if (!resume) {
    const share = input.size ? ` (${((100 * offset) / input.size).toFixed(1)} %)` : '';
    throw configInvalid(
      `an earlier push of ${input.name} was interrupted before line ${line}${share}`,
      'add --resume to go on there, or --restart to begin anew',
    );
  }
  const mismatch = await mismatchOf(state, input.path ?? '', target);
  if (mismatch === undefined) return state;
  throw configInvalid(`the interrupted push in ${path} was another one: ${mismatch}`, 'say --restart to begin anew');
}

/** Keeps progress where it can; where it cannot, says so once, because nothing but time depends on it. */
export async function stateKeeper(path: string, input: Input, tell: (what: string) => void): Promise<StateFile> {
  const file = await openStateFile(path, input.path ?? '');
  let isOff = false;
  return {
    async keep(state) {
      if (isOff) return;
      try {
        await file.keep(state);
      } catch (error) {
        isOff = true;
        tell(`progress cannot be kept (${(error as Error).message}); --state FILE names another place`);
      }
    },
    remove: () => file.remove(),
  };
}
