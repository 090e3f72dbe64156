import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { configInvalid } from '../core/errors.ts';
import { FORMATS } from './format.ts';
import type { Input } from './file.ts';

const countSchema = z.int().min(0);

/** Counts of a file over all runs that belong together. */
const countsSchema = z.strictObject({
  read: countSchema,
  accepted: countSchema,
  duplicates: countSchema,
  revised: countSchema,
  refused: countSchema,
  unknownFields: countSchema,
  /** The first of their names; a state of an older version has none. */
  unknownFieldNames: z.array(z.string()).default([]),
  refusedByReason: z.record(z.string(), countSchema),
});

export type UploadCounts = z.infer<typeof countsSchema>;

/** The project to which the readings of a file go. */
const targetSchema = z.strictObject({ url: z.string(), organisation: z.string(), project: z.string() });

export type UploadTarget = z.infer<typeof targetSchema>;

/** How far a file was sent: the service answered every record before `place`. */
const stateSchema = z.strictObject({
  databridgePush: z.literal(2),
  target: targetSchema,
  /** The option `--format`, where it was given. */
  format: z.enum(FORMATS).optional(),
  place: z.strictObject({ offset: z.int().min(1), line: countSchema }),
  /** SHA-256 of the file up to `place`. */
  sha256: z.string(),
  counts: countsSchema,
  /** Length of the file of refusals. */
  refusedBytes: countSchema,
});

export type UploadState = Omit<z.infer<typeof stateSchema>, 'databridgePush' | 'sha256'>;

export interface ResumeOptions {
  readonly resume?: boolean;
  readonly restart?: boolean;
  readonly fromLine?: number;
  /** Path of the state file. */
  readonly state?: string;
}

/** Keeps how far a push is, so that a later one can go on. */
export interface Checkpoint {
  /** The state that this push goes on from; undefined where it begins at the beginning of the file. */
  readonly earlier: UploadState | undefined;
  /** Whether `--resume` can go on from this push: standard input and pipes pass only once. */
  readonly isResumable: boolean;
  /** Replaces the state file at once. Where it cannot be written, the push goes on and `tell` hears it once. */
  keep(state: UploadState, tell: (trouble: string) => void): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Finds the place where a push of a file begins. Throws `config-invalid` where an earlier push was interrupted and the
 * options do not say whether to go on, and where its state belongs to another file or project.
 */
export async function openCheckpoint(
  { name, path, size }: Input,
  target: UploadTarget,
  options: ResumeOptions & { readonly dryRun: boolean },
): Promise<Checkpoint> {
  const { resume, restart, fromLine } = options;
  if (resume && (restart || fromLine !== undefined)) {
    const other = restart ? '--restart' : '--from-line';
    throw configInvalid(`--resume and ${other} say different things`, 'leave one of them out', '--resume');
  }
  if (path === undefined || size === undefined) {
    if (!resume) return NOTHING_KEPT;
    throw configInvalid(`${name} cannot be resumed`, '--from-line leaves out the lines that were sent', '--resume');
  }
  if (options.dryRun) return NOTHING_KEPT;
  const statePath = options.state ?? `${path}.databridge-push`;
  const fingerprint = fingerprintOf(path);
  let isWritable = true;
  return {
    earlier: restart ? undefined : await earlierState(),
    isResumable: true,
    async keep(state, tell) {
      if (!isWritable) return;
      try {
        const sha256 = await fingerprint.upTo(state.place.offset);
        await writeFile(`${statePath}.new`, JSON.stringify({ databridgePush: 2, ...state, sha256 }));
        await rename(`${statePath}.new`, statePath);
      } catch (error) {
        isWritable = false;
        tell(`progress cannot be kept (${(error as Error).message}); --state FILE names another place`);
      }
    },
    remove: () => rm(statePath, { force: true }),
  };

  async function earlierState(): Promise<UploadState | undefined> {
    const state = await readState(statePath);
    if (state === undefined) return undefined;
    const { databridgePush: _, sha256, ...earlier } = state;
    const { line, offset } = earlier.place;
    if (!resume) {
      const share = size ? ` (${((100 * offset) / size).toFixed(1)} %)` : '';
      throw configInvalid(
        `an earlier push of ${name} was interrupted before line ${line}${share}`,
        'add --resume to go on there, or --restart to begin anew',
      );
    }
    const other = Object.entries(earlier.target).find(([field, kept]) => target[field as keyof UploadTarget] !== kept);
    if (other !== undefined) throw mismatch(`it went to ${other.join(' ')}`);
    if ((await fingerprint.upTo(offset)) !== sha256) throw mismatch(`${name} has changed before line ${line}`);
    return earlier;
  }

  function mismatch(why: string): Error {
    return configInvalid(`the interrupted push in ${statePath} is another one: ${why}`, 'say --restart to begin anew');
  }
}

const NOTHING_KEPT: Checkpoint = {
  earlier: undefined,
  isResumable: false,
  keep: () => Promise.resolve(),
  remove: () => Promise.resolve(),
};

/** Undefined where there is no state file. Throws `config-invalid` where it holds no state. */
async function readState(path: string): Promise<z.infer<typeof stateSchema> | undefined> {
  try {
    return stateSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const why = code === undefined ? 'it holds something else' : message;
    const remedy = 'remove it, or add --restart; sending readings twice is harmless';
    throw configInvalid(`${path} is no state of a push: ${why}`, remedy);
  }
}

/** SHA-256 of a file up to offsets that grow: every byte is read once. */
function fingerprintOf(path: string): { upTo(offset: number): Promise<string> } {
  const hash = createHash('sha256');
  let hashedBytes = 0;
  return {
    async upTo(offset) {
      for await (const chunk of createReadStream(path, { start: hashedBytes, end: offset - 1 }))
        hash.update(chunk as Buffer);
      hashedBytes = offset;
      return hash.copy().digest('base64url');
    },
  };
}
