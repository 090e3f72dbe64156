import type { FaultCode, Unreachable } from './errors.ts';

/** What the words for a stored fault are made of. */
export interface ToldFault {
  readonly code: string;
  readonly message: string;
  readonly why?: Unreachable;
  readonly status?: number;
  readonly right?: boolean;
}

/** How the connection begins a message: `GET https://plant.example/query: …`, `connecting to https://plant.example: …`. */
const REQUEST = /^(?<request>(?:[A-Z]+|connecting to) (?<url>https?:\/\/\S+?)): (?<reason>.+)$/s;

/** A message with its reason in front of the request, so that a narrow column shows the reason. */
export function reasonFirst(message: string): string {
  const { request, reason } = REQUEST.exec(message)?.groups ?? {};
  if (request === undefined || reason === undefined) return message;
  return `${reason.replace(/^401 Unauthorized/, '401 refused')} (${request})`;
}

const WORDS: Readonly<Record<FaultCode, string>> = {
  throttled: 'asked for silence',
  unavailable: 'no answer',
  'too-much': 'more than one answer holds',
  'credentials-rejected': 'credentials refused',
  'contract-broken': 'answers not as its adapter knows them',
  'too-costly': 'answers too costly to evaluate',
  unsupported: 'cannot give what the source asks for',
  'config-invalid': 'the configuration does not fit',
  cancelled: 'cancelled',
  bug: 'a fault of the bridge',
};

const UNREACHED: Readonly<Record<Unreachable, string>> = {
  name: 'the host name is not known',
  refused: 'not reachable',
  'time-out': 'no answer in time',
  tls: 'no secure connection',
  reset: 'the connection breaks off',
  status: 'an error of the platform itself',
  blocked: 'an address that is never asked',
  proxy: 'no way through the proxy',
};

/** The cause of a fault in a few words with its host, alike for all sources that it hits: `credentials refused at plant.example`. */
export function causeOfFault({ code, message, why, status, right }: ToldFault): string {
  const url = REQUEST.exec(message)?.groups?.['url'];
  const host = url !== undefined && URL.canParse(url) ? ` at ${new URL(url).host}` : '';
  if (right === true) return `a right is missing${host}`;
  if (code === 'unavailable' && why !== undefined)
    return `${why === 'status' && status !== undefined ? `answers ${status}` : UNREACHED[why]}${host}`;
  return `${Object.hasOwn(WORDS, code) ? WORDS[code as FaultCode] : code}${host}`;
}

/** Remedies that end so name no source, because they are written for all. */
const RESUME = /[;,]? then resume (?:the source|(?<each>each source that has them))$/;

/** The remedy of a stopped source, with the command `resume` that comes last. `remedy`: that of its fault, where it has one. */
export function remedyOfStopped(remedy: string | undefined, resume: string): string {
  if (remedy === undefined) return `${resume}, when it is mended`;
  const each = RESUME.exec(remedy)?.groups?.['each'] === undefined ? '' : ', and so each source that has them';
  return `${remedy.replace(RESUME, '').replace(/\.$/, '')}; then ${resume}${each}`;
}
