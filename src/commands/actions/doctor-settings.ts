import { describeSettings } from '../../settings.ts';

/** A setting with the value in force; secrets are hidden. */
export interface ShownSetting {
  readonly name: string;
  readonly value: string;
  readonly from: 'environment' | 'default';
}

const SECRET = '(secret)';

export function settingsInForce(environment: Readonly<Record<string, string | undefined>>): ShownSetting[] {
  return describeSettings().map(({ name, fallback }) => {
    const given = environment[name];
    if (given === undefined || given === '')
      return { name, value: fallback === '' ? '(not set)' : fallback, from: 'default' };
    return { name, value: shown(name, given), from: 'environment' };
  });
}

function shown(name: string, value: string): string {
  if (/_(?:KEYS?|SECRET)$/.test(name)) return SECRET;
  const holdsAddress = name.endsWith('_URL') || name === 'DATABRIDGE_EGRESS_PROXY';
  return holdsAddress ? value.split(',').map(withoutPassword).join(',') : value;
}

/** The address without passwords and tokens. Text that is not an address is hidden whole, because it may hold a secret. */
function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return SECRET;
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  for (const key of new Set(url.searchParams.keys())) {
    if (/pass|secret|token|key/i.test(key)) url.searchParams.set(key, '***');
  }
  return url.href;
}
