import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/settings.ts';
import { EXIT } from '../../src/terminal/output.ts';
import { ROOT } from './source-files.ts';

/** What closing may take after the drain, ms (`src/commands/actions/up.ts`). */
const CLOSING_MS = 11_000;

const hasAnalyzer = spawnSync('systemd-analyze', ['--version']).status === 0;

describe.each(['worker', 'api'])('the unit of systemd of `databridge %s`', (command) => {
  const name = `databridge-${command}.service`;
  const unit = readFileSync(join(ROOT, 'config/systemd', name), 'utf8');
  const valueOf = (setting: string): string | undefined => new RegExp(`^${setting}=(.*)$`, 'm').exec(unit)?.[1];

  it('runs it, leaves it the time that it needs to drain, and does not start it again with settings that are wrong', () => {
    expect(valueOf('ExecStart')).toBe(`/usr/local/bin/databridge ${command}`);
    expect(Number(valueOf('TimeoutStopSec')) * 1_000).toBeGreaterThan(readSettings({}).drainMs + CLOSING_MS);
    expect(Number(valueOf('RestartPreventExitStatus'))).toBe(EXIT.usage);
  });

  it.skipIf(!hasAnalyzer)('is one that systemd understands', () => {
    const directory = mkdtempSync(join(tmpdir(), 'databridge-unit-'));
    try {
      const file = join(directory, name);
      // It would miss a command that is not installed here.
      writeFileSync(file, unit.replace('/usr/local/bin/databridge', process.execPath));
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
