/** One stream of events for all tabs of the browser: the tab that holds the lock reads it and tells the others. */
import { Refusal, send, textLines } from './api.ts';
import type { OperationName } from './api.ts';
import { changed } from './answers.ts';

/** An event of the bridge. */
export interface BridgeEvent {
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The operations whose answers an event makes old. */
const OLD_AFTER: Readonly<Record<string, readonly OperationName[]>> = {
  source: ['listSources', 'getSource', 'getOverview', 'explainSource', 'listFormer', 'listCoverage', 'getCoverage'],
  backfill: ['listBackfills', 'getBackfill', 'getOverview', 'getCoverage'],
  progress: ['listBackfills', 'getBackfill', 'getCoverage', 'getOverview'],
  alert: ['listAlerts', 'getAlert', 'getOverview'],
  audit: [
    'listAudit',
    'listApplications',
    'listOperators',
    'getOperator',
    'listOperatorTokens',
    'listOperatorSessions',
    'listProjects',
    'getProject',
    'listHeldNames',
    'listIngestion',
    'listOrganisations',
  ],
};
const EVERYTHING = [...new Set(Object.values(OLD_AFTER).flat())];

const LOCK = 'databridge-events';
const channel = new BroadcastChannel(LOCK);
const watchers = new Set<(isOpen: boolean) => void>();
let isOpen = true;

/** Tells whether the stream is open, whenever that changes. */
export function whenStream(act: (isOpen: boolean) => void): () => void {
  watchers.add(act);
  return () => watchers.delete(act);
}

function note({ kind, data }: BridgeEvent): void {
  if (kind === 'open' || kind === 'closed') {
    isOpen = kind === 'open';
    for (const act of watchers) act(isOpen);
    return;
  }
  changed(kind === 'reset' || kind === 'begin' ? EVERYTHING : (OLD_AFTER[kind] ?? []));
  void data;
}

const publish = (event: BridgeEvent): void => {
  note(event);
  channel.postMessage(event);
};

channel.addEventListener('message', ({ data }: MessageEvent<BridgeEvent>) => note(data));

/** Follows the bridge until `signal` aborts. */
export async function followEvents(signal: AbortSignal): Promise<void> {
  await navigator.locks.request(LOCK, { signal }, () => readForAll(signal)).catch(() => undefined);
}

/** How long to wait before the stream is opened again, ms: a bridge that is back is noticed within a second. */
const RETRY_MS = 700;
/** A bridge that answers and has no stream to give is asked less and less often, up to this, ms. */
const LONGEST_RETRY_MS = 5_000;
/** The bridge says every 15 s that it is alive. A stream that says nothing for so long is a broken one, ms. */
const SILENCE_MS = 40_000;

async function readForAll(signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  let wait = RETRY_MS;
  while (!signal.aborted) {
    const silent = new AbortController();
    const listen = (): ReturnType<typeof setTimeout> => setTimeout(() => silent.abort(), SILENCE_MS);
    let timer = listen();
    try {
      const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
      const either = AbortSignal.any([signal, silent.signal]);
      const { body } = await send('watchEvents', {}, { unattended: true, signal: either }, headers);
      wait = RETRY_MS;
      publish({ kind: 'open', data: {} });
      let kind = 'message';
      for await (const line of textLines(body)) {
        clearTimeout(timer);
        timer = listen();
        if (line.startsWith('id: ')) lastId = line.slice(4);
        else if (line.startsWith('event: ')) kind = line.slice(7);
        else if (line.startsWith('data: ')) publish({ kind, data: JSON.parse(line.slice(6)) as BridgeEvent['data'] });
      }
    } catch (error) {
      // It is opened again.
      const isAnswered = error instanceof Refusal && error.status > 0;
      wait = isAnswered ? Math.min(2 * wait, LONGEST_RETRY_MS) : RETRY_MS;
    }
    clearTimeout(timer);
    if (signal.aborted) return;
    publish({ kind: 'closed', data: {} });
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
