import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '../../core/counted.ts';
import { configInvalid } from '../../core/errors.ts';
import { isMapping } from '../../core/source/path.ts';
import { readSettings } from '../../settings.ts';
import { recordCases } from '../../source/recording.ts';
import { printJson, printLine } from '../../terminal/output.ts';
import { wrapped } from '../../terminal/words.ts';
import { besideWorkers } from './bridge-at-hand.ts';
import { localNow, platformOf, sourcesIn } from './source-files.ts';
import { interruptible } from './stop.ts';

interface RecordOptions {
  readonly into?: string;
  readonly inQuietHours?: boolean;
  readonly tryAgain?: boolean;
  readonly json?: boolean;
}

/** `source record`. */
export async function sourceRecord(path: string, options: RecordOptions): Promise<void> {
  const sources = await sourcesIn(path, options.json ?? false);
  const [source] = sources ?? [];
  if (sources === undefined || source === undefined) return;
  if (sources.length > 1)
    throw configInvalid(`${path} holds ${sources.length} sources`, 'record one at a time: give the file of one source');
  const into = options.into ?? `recorded-${source.name}`;
  const settings = readSettings(process.env);
  const { inQuietHours, tryAgain } = options;
  const asking = { now: localNow, inQuietHours, tryAgain, ...settings.egress };
  const platform = await platformOf(source);
  const { cases, requests } = await interruptible('nothing was written', (signal) =>
    besideWorkers(settings, ({ bridge }) => recordCases(source, platform, { ...asking, signal, bridge })),
  );
  await makeDirectory(into);
  for (const { name, files } of cases) {
    await mkdir(join(into, name));
    for (const [file, text] of files) await writeFile(join(into, name, file), text);
  }
  if (options.json) {
    const documents = cases.map(({ name, files, answers, result }) => ({
      folder: join(into, name),
      files: [...files.keys()],
      answers,
      result,
    }));
    printJson({ source: source.name, requests, cases: documents });
    return;
  }
  for (const { name, answers, result } of cases)
    printLine(`${join(into, name)}: ${counted(answers, 'answer')}, ${result}`);
  if (cases.length === 0) printLine('nothing to record: the platform shows no sensors');
  printLine(`${counted(requests, 'request')}; secrets, tokens, users and hosts of the source are replaced`);
  printLine(
    wrapped(
      'Look through the files before you hand them on: names of sensors, devices, databases, people and places in the answers are still there, and so are the readings. Give each folder the name of what it shows.',
    ),
  );
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const exists = isMapping(error) && error['code'] === 'EEXIST';
    throw configInvalid(
      `${path} ${exists ? 'exists' : 'cannot be made'}`,
      exists ? 'give another name with --into, or move it away' : 'check the directory above it and its permissions',
      '--into',
    );
  }
}
