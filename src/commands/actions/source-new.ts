import { listProjects } from '../../access/projects.ts';
import { configInvalid } from '../../core/errors.ts';
import { DEFAULT_ORGANISATION } from '../../core/source/source-name.ts';
import { suggest } from '../../core/source/nearest.ts';
import { registry } from '../../context-registry.ts';
import { loadedOf } from '../../platform/registry.ts';
import type { Platform } from '../../platform/contract.ts';
import { readSettings } from '../../settings.ts';
import { sampleText } from '../../source/draft.ts';
import { askAt } from '../../terminal/questions.ts';
import { printExactly } from '../../terminal/output.ts';
import { besideWorkers } from './bridge-at-hand.ts';
import { makeSource } from './source-questions.ts';

interface NewOptions {
  readonly platform?: string;
  readonly print?: boolean;
}

const PRINT = 'databridge source new --platform NAME --print prints a sample file to begin with';

/** `source new`. */
export async function sourceNew(file: string | undefined, options: NewOptions): Promise<void> {
  const platform = options.platform === undefined ? undefined : await platformNamed(options.platform);
  if (options.print) {
    if (platform === undefined) throw configInvalid('no platform is named', `add --platform NAME; ${NAMES}`, '--print');
    printExactly((await sampleText(platform)).trimEnd());
    return;
  }
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw configInvalid('this command asks questions, and there is no terminal', `${PRINT}; ${NAMES}`);
  const questions = askAt(process.stdin, process.stdout);
  try {
    await makeSource(questions, {
      file,
      platform,
      projects: projectsAtHand,
      egress: readSettings(process.env).egress,
      env: process.env,
    });
  } finally {
    questions.close();
  }
}

/** The codes of the projects of the bridge of this directory; none where it does not run, because nothing is started for a proposal. */
const projectsAtHand = (): Promise<readonly string[]> =>
  besideWorkers(readSettings(process.env), async ({ bridge }) =>
    bridge === undefined
      ? []
      : (await listProjects(bridge.database))
          .filter(({ organisation }) => organisation === DEFAULT_ORGANISATION)
          .map(({ code }) => code),
  ).catch(() => []);

const NAMES = `the platforms are: ${registry.platforms.map(({ name }) => name).join(', ')}`;

async function platformNamed(name: string): Promise<Platform> {
  const [platform] = await loadedOf(registry.platforms, [name]);
  if (platform !== undefined) return platform;
  const names = registry.platforms.map((one) => one.name);
  throw configInvalid(
    `there is no platform ${JSON.stringify(name)}`,
    suggest(name, names, 'the platforms are'),
    '--platform',
  );
}
