import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** The standard error of a process that logs texts of a stranger. */
function logged(terminal: boolean): string {
  const program = `
    import { openLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
    const log = await openLog('info', ${terminal});
    const evil = 'a\\nb\\r\\u001b[2J\\u0007\\u009b2J\\u2028{"level":60}\\\\u001b';
    log.info({ evil, ['k\\n' + evil]: 1 }, evil);
    log.warn({ err: new Error(evil) }, 'it failed');
    log.debug('not shown');
  `;
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return stderr;
}

describe('the log', () => {
  it('is one line of JSON for each entry, whatever texts it holds, with its time in UTC', () => {
    const lines = logged(false).trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { level: number; time: number; msg: string });
    expect(entries.map(({ level, msg }) => [level, msg.slice(0, 8)])).toEqual([
      [30, 'a\nb\r\u001b[2J'],
      [40, 'it faile'],
    ]);
    for (const { time } of entries) expect(time).toBeGreaterThan(Date.UTC(2026));
  });

  it('on a terminal has no control character of a text, and no line that a text began', () => {
    const text = logged(true);
    // eslint-disable-next-line no-control-regex
    expect(text.replaceAll(/\u001b\[\d*m/g, '')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028]/);
    expect(text).toContain(String.raw`a\nb\r\u001b[2J\u0007\u009b2J\u2028`);
    expect(text).not.toMatch(/^\{|^b/m);
    expect(text.split('\n').filter((line) => line.includes('INFO'))).toHaveLength(1);
  });
});
