import { EmbeddedDatabaseError, OWN_SERVER } from './embedded-database-error.ts';

interface Diagnosis {
  readonly sign: RegExp;
  readonly message: string;
  readonly remedy: string;
}

/** Signs in the output of the server and the system, with their meaning for an operator. The first match counts. */
const DIAGNOSES: readonly Diagnosis[] = [
  {
    sign: /No space left on device|free disk space|ENOSPC|EDQUOT|Disk quota exceeded/,
    message: 'the disk is full',
    remedy: 'free disk space and start again; nothing stored is lost',
  },
  {
    sign: /could not look up effective user ID/,
    message: 'the user databridge runs as has no entry in /etc/passwd, which initdb needs',
    remedy: `run as a user that has a name, or as root, or ${OWN_SERVER}`,
  },
  {
    sign: /database files are incompatible with server/,
    message: 'the data was written by another version of PostgreSQL',
    remedy:
      'with the release of databridge that made it run: databridge backup FILE. Then with this one, and a new DATABRIDGE_HOME: databridge restore FILE',
  },
  {
    sign: /EROFS|Read-only file system/,
    message: 'the directory is on a read-only file system',
    remedy: `point DATABRIDGE_HOME at a writable directory, or ${OWN_SERVER}`,
  },
  {
    sign: /could not map anonymous shared memory|Cannot allocate memory|ENOMEM/,
    message: 'there is not enough memory',
    remedy: 'give the server at least 512 MiB, or lower shared_buffers in postgresql.conf of the data directory',
  },
  {
    sign: /pre-existing shared memory block/,
    message: 'processes of an earlier server still use the data',
    remedy: 'end the remaining postgres processes of this directory and start again',
  },
  {
    sign: /could not locate a valid checkpoint record|invalid magic number|could not read file "?(?:global|pg_)/,
    message: 'the data directory is damaged',
    remedy: 'make a new bridge from a backup, in a new DATABRIDGE_HOME: databridge restore FILE',
  },
  {
    sign: /EACCES|EPERM|Permission denied|Operation not permitted|has wrong ownership|invalid permissions/,
    message: 'permission was denied',
    remedy: 'run as the user that made the settings directory, or give its files to the user databridge runs as',
  },
  {
    sign: /unrecognized configuration parameter|invalid value for parameter|syntax error in file|contains errors/,
    message: 'postgresql.conf of the data directory holds a setting the server refuses',
    remedy: 'undo the last change to postgresql.conf or postgresql.auto.conf',
  },
  {
    sign: /error while loading shared libraries|spawn \S+ ENOENT|symbol not found|GLIBC/,
    message: 'the shipped PostgreSQL does not run on this system (it needs glibc)',
    remedy: `use an image based on Debian or another glibc system, or ${OWN_SERVER}`,
  },
];

/** Turns the end of a program's output into an error with a remedy; the output stays in the message. */
export function programFailure(problem: string, output: string, cause?: unknown): EmbeddedDatabaseError {
  const diagnosis = DIAGNOSES.find((each) => each.sign.test(output));
  const message = diagnosis === undefined ? problem : `${problem}: ${diagnosis.message}`;
  const remedy = diagnosis?.remedy ?? `the lines above say why; repair that, or ${OWN_SERVER}`;
  const lines = output.trim();
  return new EmbeddedDatabaseError(lines === '' ? message : `${message}\n${lines}`, remedy, { cause });
}

/** Gives errors of the file system (EACCES, ENOSPC, EROFS, …) a remedy; every other error passes through. */
export function withRemedy(error: unknown): unknown {
  if (error instanceof EmbeddedDatabaseError) return error;
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  return programFailure('the embedded PostgreSQL cannot be used', error.message, error);
}
