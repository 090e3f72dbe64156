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
import { PLAIN, at, fullOf, inDialog, press } from './console-states.ts';
import type { State } from './console-states.ts';

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
    await page.locator('.skeleton, .editor textarea').first().waitFor({ state: 'detached' });
    // A window as tall as the page, because what stays in sight would stand in the middle of a picture of all of it.
    const tall = Number(await page.evaluate('document.documentElement.scrollHeight'));
    await page.setViewportSize({ width: viewport.width, height: Math.min(4_000, Math.max(viewport.height, tall)) });
    // The chart and the picture of coverage follow the window a frame later.
    await page.waitForTimeout(200);
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    if (isWide) console.log(`${name} ${look}: scrolls sideways`);
    await page.screenshot({ path: join(folder, `${name}.${look}.png`) });
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
    context.setDefaultTimeout(120_000);
    return await context.newPage();
  };
  const demo = await start(['demo'], /export DATABRIDGE_HOME=(\S+)/);
  home = demo.found[1] ?? '';
  const [, address = ''] = /^ {2}(http\S+#\/link\/\S+)$/m.exec(demo.said()) ?? [];
  await troubled('boiler-house', (yaml) => yaml.replace(/^( +password:).*/m, '$1 not-the-password'));
  await troubled('cooling-tower', (yaml) => yaml.replace(/^( +url:).*/m, '$1 http://127.0.0.1:9/'));
  const page = await newPage();
  // The first request builds the console.
  await fetch(new URL(address).origin);
  await page.goto(address);
  await page.locator('.frame').waitFor();
  await page.waitForTimeout(90_000);
  await pictures(page, 'full', fullOf(home));
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
