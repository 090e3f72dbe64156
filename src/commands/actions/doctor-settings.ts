import { databaseServers, redisServers } from '../../core/server-address.ts';
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
  return holdsAddress ? withoutPasswords(name, value) : value;
}

const PASSWORD = /(:\/\/[^:@/?#]*):(?:\$\{file:\/[^}]*\}|[^/?#@])*@/g;
const SECRET_PARAMETER = /([?&][^=&#]*(?:pass|secret|token|key)[^=&#]*=)[^&#,]*/gi;

/** The addresses without passwords and tokens. Text that is no address is hidden whole, because it may hold a secret. */
function withoutPasswords(name: string, text: string): string {
  const masked = text.replaceAll(PASSWORD, '$1:***@');
  const addresses = addressesIn(name, masked);
  const isAddress = addresses !== undefined && addresses.every((address) => URL.canParse(address));
  return isAddress ? masked.replaceAll(SECRET_PARAMETER, '$1***') : SECRET;
}

function addressesIn(name: string, text: string): readonly string[] | undefined {
  if (name === 'DATABASE_URL') return databaseServers(text)?.addresses;
  return name === 'REDIS_URL' ? redisServers(text)?.addresses : [text];
}
