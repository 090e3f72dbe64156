/**
 * `npm run screenshots`: every page and state of the console of a running demo, in four looks, as pictures in `screenshots/`, and an
 * `index.html` that shows them side by side. Words after `--` leave only the pictures whose names contain one of them.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'screenshots');
const wished = process.argv.slice(2);

/** The windows and themes in which each state is shown. */
const LOOKS = {
  wide: { width: 1440, height: 900, colorScheme: 'light' },
  'wide-dark': { width: 1440, height: 900, colorScheme: 'dark' },
  phone: { width: 390, height: 844, colorScheme: 'light' },
  'phone-dark': { width: 390, height: 844, colorScheme: 'dark' },
} as const;

/** A state of the console: its name, and how an operator gets there. */
type State = readonly [name: string, open: (page: Page) => Promise<unknown>];

const at = (hash: string) => async (page: Page) => await page.goto(`${new URL(page.url()).origin}/#${hash}`);
const press = async (page: Page, name: string | RegExp): Promise<void> =>
  await page.getByRole('button', { name }).first().click();
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

/** The lists and forms that a bridge without a source has, too. */
const PLAIN: readonly State[] = [
  ['overview', at('/overview')],
  ['sources', at('/sources')],
  ['backfills', at('/backfills')],
  ['refusals', at('/refusals')],
  ['alerts', at('/alerts')],
  ['data', at('/data')],
  ['applications', at('/applications')],
  ['projects', at('/projects')],
  ['delivery', at('/delivery')],
  ['audit', at('/audit')],
  ['operators', at('/operators')],
  ['account', at('/account')],
  ['register', at('/register')],
  ['nowhere', at('/nowhere')],
];

const SOURCE = '/sources/default/thingsboard';

/** A bridge whose plants poll, with a backfill and two sources in trouble. */
const FULL: readonly State[] = [
  ...PLAIN,
  [
    'sources-chosen',
    async (page) => {
      await at('/sources')(page);
      for (const nth of [0, 2]) await page.getByRole('checkbox').nth(nth).check({ force: true });
    },
  ],
  ['sources-none', at('/sources?text=nothing-like-it')],
  ['source', at(SOURCE)],
  ['source-90d', at(`${SOURCE}?span=90d`)],
  ['source-table', at(`${SOURCE}?as=table`)],
  [
    'source-selection',
    async (page) => {
      await at('/sources')(page);
      await at(`${SOURCE}?span=7d`)(page);
      await page.locator('canvas').focus();
      for (const key of ['Home', ...Array.from({ length: 30 }, () => 'Shift+ArrowRight')])
        await page.keyboard.press(key);
      await page.getByRole('button', { name: /^Start the backfill: / }).waitFor();
    },
  ],
  ['source-sensors', at(`${SOURCE}?tab=sensors`)],
  ['source-windows', at(`${SOURCE}?tab=windows`)],
  ['source-refusals', at(`${SOURCE}?tab=refusals`)],
  ['source-configuration', at(`${SOURCE}?tab=configuration`)],
  ['source-history', at(`${SOURCE}?tab=history`)],
  ['source-stopped', at('/sources/default/boiler-house')],
  ['source-failing', at('/sources/default/cooling-tower')],
  ['data-chosen', at('/data?project=demo')],
  [
    'data-line',
    async (page) => {
      await at('/data?project=demo')(page);
      await page.locator('tbody a, tbody button').first().click();
      await page.locator('.u-over, .chart, canvas').first().waitFor();
    },
  ],
  ['project', at('/projects/default/demo')],
  ['operator', at('/operators/demo')],
  [
    'application-create',
    async (page) => {
      await at('/applications')(page);
      await press(page, 'Create an application');
    },
  ],
  [
    'menu',
    async (page) => {
      await at('/sources')(page);
      await press(page, /^Actions on /);
    },
  ],
  [
    'configuration-difference',
    async (page) => {
      await at('/sources')(page);
      await at(`${SOURCE}?tab=configuration`)(page);
      await press(page, 'Edit');
      const editor = page.getByRole('textbox', { name: 'Configuration' });
      await page.locator('.cm-content').waitFor();
      await editor.fill((await editor.innerText()).replace('every: 3s', 'every: 5s'));
      await press(page, 'See the difference');
      await page.getByRole('dialog').locator('.difference, pre, ins').first().waitFor();
    },
  ],
  [
    'register-form',
    async (page) => {
      await at('/overview')(page);
      await at('/register')(page);
      await page.getByLabel('InfluxDB').first().check();
      await press(page, 'Continue');
      await page.getByRole('textbox', { name: 'The same as YAML' }).waitFor();
    },
  ],
  [
    'register-wrong',
    async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('NOT A NAME');
      await press(page, 'Continue');
      await page.locator('.wrong').first().waitFor();
    },
  ],
  [
    'register-check',
    async (page) => {
      const file = await readFile(join(home, 'sources/thingsboard.yaml'), 'utf8');
      await page
        .getByRole('textbox', { name: 'The same as YAML' })
        .fill(file.replace(/^name: .*/m, 'name: hall-7').replaceAll(/^#.*\n/gm, ''));
      await press(page, 'Continue');
      await page.getByText(/\d+ requests? in/).waitFor();
    },
  ],
  [
    'register-sensors',
    async (page) => {
      await press(page, 'Continue');
      await page.getByRole('table', { name: 'Sensors' }).waitFor();
    },
  ],
  [
    'register-preview',
    async (page) => {
      await press(page, 'Continue');
      await press(page, 'Read a stretch');
      await page.getByRole('table', { name: 'Readings' }).waitFor();
    },
  ],
  [
    'register-create',
    async (page) => {
      await press(page, 'Continue');
      await page.getByText('A new source.').waitFor();
    },
  ],
  [
    'application-secret',
    async (page) => {
      await at('/applications')(page);
      await press(page, 'Create an application');
      await page.getByLabel('Name', { exact: true }).fill('Gateway of hall 3');
      await inDialog(page, 'Create an application').click();
      await page.locator('.secret code').first().waitFor();
    },
  ],
  ['applications-one', at('/applications')],
];

let home = '';
const children: ChildProcess[] = [];

/** Starts a command of databridge; the answer is what its output shows of `ready`. */
async function start(args: readonly string[], ready: RegExp, env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [join(root, 'src/main.ts'), ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: '', REDIS_URL: '', DATABRIDGE_LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let said = '';
  const found = await new Promise<RegExpExecArray>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const match = ready.exec(said);
        if (match !== null) resolve(match);
      });
    child.once('close', () => reject(new Error(`databridge ${args[0]} ended\n${said}`)));
  });
  return { child, found, said: () => said };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGINT');
  await ended;
}

async function picture(page: Page, name: string): Promise<void> {
  for (const [look, { colorScheme, ...viewport }] of Object.entries(LOOKS)) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(viewport);
    await page
      .waitForFunction(`!document.querySelector('.skeleton, .editor textarea')`, undefined, { timeout: 15_000 })
      .catch(() => undefined);
    // The chart and the picture of coverage follow the window a frame later.
    await page.waitForTimeout(150);
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    if (isWide) console.log(`${name} ${look}: scrolls sideways`);
    await page.screenshot({ path: join(folder, `${name}.${look}.png`), fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  console.log(name);
}

async function pictures(page: Page, prefix: string, states: readonly State[]): Promise<void> {
  for (const [state, open] of states) {
    const name = `${prefix}-${state}`;
    try {
      await open(page);
      if (wished.length === 0 || wished.some((word) => name.includes(word))) await picture(page, name);
    } catch (error) {
      console.log(`${name}: ${(error as Error).message.split('\n').slice(0, 4).join(' ')}`);
      process.exitCode = 1;
    }
  }
}

/** A source that another one is like, in trouble. */
async function troubled(name: string, change: (yaml: string) => string): Promise<void> {
  const yaml = await readFile(join(home, 'sources/thingsboard.yaml'), 'utf8');
  const file = join(home, `${name}.yaml`);
  await writeFile(file, change(yaml.replace(/^name: .*/m, `name: ${name}`)));
  const { child } = await start(['source', 'apply', file], /\w/, { DATABRIDGE_HOME: home });
  await (child.exitCode === null ? once(child, 'close') : undefined);
}

async function contactSheet(): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.wide.png')).map((name) => name.slice(0, -9));
  const cells = (name: string): string =>
    Object.keys(LOOKS)
      .map((look) => `<td><a href="${name}.${look}.png"><img src="${name}.${look}.png" alt="${look}"></a></td>`)
      .join('');
  await writeFile(
    join(folder, 'index.html'),
    `<!doctype html><title>The console of databridge</title><style>img { max-width: 100%; border: 1px solid #ccc } td { vertical-align: top }</style>
<table>${names.map((name) => `<tr><th colspan="4">${name}<tr>${cells(name)}`).join('\n')}</table>`,
  );
}

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
const emptyHome = await mkdtemp(join(tmpdir(), 'databridge-screenshots-'));
try {
  await mkdir(folder, { recursive: true });
  const newPage = async (): Promise<Page> => {
    const context = await browser.newContext({ timezoneId: 'Europe/Berlin', locale: 'en-GB' });
    context.setDefaultTimeout(300_000);
    return await context.newPage();
  };
  const demo = await start(['demo'], /export DATABRIDGE_HOME=(\S+)/);
  home = demo.found[1] ?? '';
  const [, address = ''] = /^ {2}(http\S+#\/link\/\S+)$/m.exec(demo.said()) ?? [];
  await troubled('boiler-house', (yaml) => yaml.replace(/^( +password:).*/m, '$1 not-the-password'));
  await troubled('cooling-tower', (yaml) => yaml.replace(/^( +url:).*/m, '$1 http://127.0.0.1:9/'));
  const page = await newPage();
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('.frame').waitFor();
  await page.waitForTimeout(90_000);
  await pictures(page, 'full', FULL);
  await stop(demo.child);

  const empty = await start(['up'], /chooses a password:\n {2}(\S+)[^]*databridge is up/, {
    DATABRIDGE_HOME: emptyHome,
    DATABRIDGE_API_PORT: '0',
    DATABRIDGE_OPERATOR_PORT: '0',
  });
  const [, url = ''] =
    /"url":"([^"]+)"[^\n]*the operator API is up/.exec(empty.said()) ??
    /the operator API is up[^\n]*"url":"([^"]+)"/.exec(empty.said()) ??
    [];
  const other = await newPage();
  const [, password = ''] = empty.found;
  await other.goto(url);
  await pictures(other, 'first', [
    ['sign-in', async () => await other.getByLabel('Name', { exact: true }).waitFor()],
    [
      'refused',
      async () => {
        await other.getByLabel('Name', { exact: true }).fill('admin');
        await other.getByLabel('Password', { exact: true }).fill('wrong');
        await other.keyboard.press('Enter');
        await other.getByRole('alert').first().waitFor();
      },
    ],
    [
      'password',
      async () => {
        await other.getByLabel('Password', { exact: true }).fill(password);
        await other.keyboard.press('Enter');
        await other.getByRole('heading', { name: 'Choose a password' }).waitFor();
      },
    ],
  ]);
  await other.getByLabel('Present password').fill(password);
  for (const label of ['New password', 'New password again'])
    await other.getByLabel(label, { exact: true }).fill('four words and a hyphen');
  await other.keyboard.press('Enter');
  await other.getByRole('heading', { name: 'No source yet' }).waitFor();
  await pictures(other, 'empty', PLAIN);
  await stop(empty.child);
  await pictures(other, 'away', [
    ['overview', at('/overview')],
    ['sources', at('/sources')],
    ['register', at('/register')],
    [
      'project-create',
      async () => {
        await at('/projects')(other);
        await press(other, 'Create a project');
        await other.getByLabel('Code', { exact: true }).fill('hall-4');
        await inDialog(other, 'Create a project').click();
        await other.getByRole('dialog').getByRole('alert').waitFor();
      },
    ],
  ]);
  await contactSheet();
} finally {
  await browser.close();
  for (const child of children) await stop(child);
  await rm(emptyHome, { recursive: true, force: true });
}
