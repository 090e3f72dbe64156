import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../core/instant.ts';
import { DEFAULT_RULES, parseRules } from './rules.ts';

const faultOf = (content: string): string => {
  try {
    parseRules('alerts.yaml', content);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it has no fault');
};

describe('the rules of a file', () => {
  it('are the usual ones where it says nothing else', () => {
    const rules = parseRules(
      'alerts.yaml',
      'rules: { behind: { for: 1m, overdue: 1h }, names: off, disk: { severity: critical } }',
    );
    expect(rules.limits).toEqual({ ...DEFAULT_RULES.limits, overdue: HOUR });
    expect(rules.patienceOf('behind')).toEqual({ lasting: MINUTE, away: 5 * MINUTE });
    expect(rules.patienceOf('failing')).toEqual(DEFAULT_RULES.patienceOf('failing'));
    expect(rules.patienceOf('names')).toBeUndefined();
    expect(rules.severityOf('disk')).toBe('critical');
    expect(DEFAULT_RULES.targets).toEqual([]);
  });

  it.each([
    ['rules:\n  behind: { for: 1x }', 'alerts.yaml:2:13: rules.behind.for: "1x" is not a duration'],
    ['rules:\n  bahind: off', 'alerts.yaml:2:3: rules.bahind: unknown key; did you mean "behind"?'],
    ['targets:\n  - name: a', 'alerts.yaml:2:5: targets[0]: needs a webhook or an email'],
    ['targets: [{ name: a, webhook: { url: "${evn:X}" } }]', 'targets[0].webhook.url: is not a reference'],
    ['targets: [&a { name: a, webhook: { url: "http://x" } }, *a]', 'targets: a name stands twice'],
    ['', 'alerts.yaml:1:1: holds no rules'],
    ['rules: {}\n---\nrules: {}', 'is a second document'],
  ])('%j has a fault that names its place', (content, fault) => {
    expect(faultOf(content)).toContain(fault);
  });

  it('never shows a secret', () => {
    const fault = faultOf('targets: [{ name: a, webhook: { url: "geheim", secret: 5 } }]');
    expect(fault).not.toContain('geheim');
  });
});
