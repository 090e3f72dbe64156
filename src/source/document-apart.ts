import { once } from 'node:events';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { configInvalid } from '../core/errors.ts';
import { problemAtStart, readDocuments } from './document.ts';
import type { TextPlace, ReadSource } from './document.ts';
import { configAsYaml } from './written-config.ts';
import type { ConfigToWrite } from './written-config.ts';

type Read = Extract<ReadSource, { ok: true }>;

/** What a thread is given: a text to read, or a configuration to write. */
export type Given = { readonly file: string; readonly text: string } | { readonly write: ConfigToWrite };

/** A question to the thread: the places of paths in a document. */
export interface AskedPlaces {
  readonly document: number;
  readonly paths: readonly string[];
}

/** What the thread says first. */
export type Told = readonly (Omit<Read, 'locate'> | Exclude<ReadSource, Read>)[];

/** The documents of a text. Places are only right from `placesOf`, where the text was read apart. */
export interface DocumentsApart {
  readonly documents: readonly ReadSource[];
  placesOf(document: number, paths: readonly string[]): Promise<readonly TextPlace[]>;
}

/** A shorter text holds the event loop for a moment only, however it is written. The time to read a text grows with its square. */
const SHORT = 8_000;

/** The time of the processor that a text may take, ms. An ordinary one of 4 MB takes a third. */
const MOST_CPU_MS = 15_000;

const LOOK_MS = 250;

const MOST_MB = 512;

/** Which one is compiled: Node.js runs the source as it is, and the package has JavaScript. */
const FILE = join(import.meta.dirname, `document-thread${extname(import.meta.filename)}`);

/** Texts are read and written one after the other, so that the other cores stay with the polls. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a YAML text as `readDocuments` does, and gives its documents to `use`. A long text is read by a thread, because the event loop
 * of polls and pushes would stand still for seconds; one that takes a thread too long is a problem.
 */
export async function withDocuments<T>(
  file: string,
  text: string,
  use: (read: DocumentsApart) => Promise<T>,
): Promise<T> {
  if (text.length <= SHORT) {
    const documents = readDocuments(file, text);
    const placesOf: DocumentsApart['placesOf'] = (document, paths) => {
      const found = documents.find((one) => one.document === document);
      return Promise.resolve(paths.map((path) => (found?.ok === true ? found.locate(path) : START)));
    };
    return await use({ documents, placesOf });
  }
  return await inTurn(() => readApart(file, text, use));
}

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const running = last.then(work);
  last = running.catch(() => undefined);
  return running;
}

/** A shorter configuration is written in a few milliseconds. */
const SHORT_CONFIG = 20_000;

/**
 * The file of a configuration. A long one is written by a thread. Throws `config-invalid` for one that takes a thread too long, which none
 * does that was read from a file.
 */
export async function writtenConfig(write: ConfigToWrite): Promise<string> {
  if (write.text.length <= SHORT_CONFIG) return configAsYaml(write);
  return await inTurn(async () => {
    const thread = threadFor({ write });
    try {
      const text = await answerOf<string>(thread);
      if (text === undefined)
        throw configInvalid('the configuration takes too long to write', 'make several sources of it');
      return text;
    } finally {
      await thread.terminate();
    }
  });
}

const threadFor = (given: Given): Worker =>
  new Worker(FILE, { workerData: given, resourceLimits: { maxOldGenerationSizeMb: MOST_MB }, env: {} });

const START: TextPlace = { line: 1, column: 1 };

async function readApart<T>(file: string, text: string, use: (read: DocumentsApart) => Promise<T>): Promise<T> {
  const thread = threadFor({ file, text });
  try {
    const told = await answerOf<Told>(thread);
    if (told === undefined) {
      const remedy =
        'write it plainly: few aliases and keys in one mapping, no deep nesting; or make several sources of it';
      return await use({ documents: [problemAtStart(file, 'takes too long to read', remedy)], placesOf: noPlaces });
    }
    const documents = told.map((one): ReadSource => (one.ok ? { ...one, locate: () => START } : one));
    return await use({
      documents,
      placesOf: async (document, paths) => {
        thread.postMessage({ document, paths } satisfies AskedPlaces);
        return (await answerOf<readonly TextPlace[]>(thread)) ?? (await noPlaces(document, paths));
      },
    });
  } finally {
    await thread.terminate();
  }
}

const noPlaces: DocumentsApart['placesOf'] = (_, paths) => Promise.resolve(paths.map(() => START));

/** The next message of a thread; undefined where it took too much time of the processor, or too much memory. */
async function answerOf<Answer>(thread: Worker): Promise<Answer | undefined> {
  const patience = new AbortController();
  const look = async (): Promise<void> => {
    const { user, system } = await thread.cpuUsage();
    if ((user + system) / 1_000 > MOST_CPU_MS) patience.abort();
  };
  // A thread that has ended tells its end itself.
  const looking = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  try {
    const [answer] = (await once(thread, 'message', { signal: patience.signal })) as [Answer];
    return answer;
  } catch (error) {
    const { name, code } = error as Error & { readonly code?: string };
    if (name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY') return undefined;
    throw error;
  } finally {
    clearInterval(looking);
  }
}
