/** One stream of events for all tabs of the browser: the tab that holds the lock reads it and tells the others. */
import { send, textLines } from './api.ts';
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

/** How long to wait before the stream is opened again, ms; it doubles up to the second. */
const RETRY_MS = [1_000, 15_000] as const;

async function readForAll(signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  let [wait] = RETRY_MS as readonly number[];
  while (!signal.aborted) {
    try {
      const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
      const { body } = await send('watchEvents', {}, { unattended: true, signal }, headers);
      wait = RETRY_MS[0];
      publish({ kind: 'open', data: {} });
      let kind = 'message';
      for await (const line of textLines(body)) {
        if (line.startsWith('id: ')) lastId = line.slice(4);
        else if (line.startsWith('event: ')) kind = line.slice(7);
        else if (line.startsWith('data: ')) publish({ kind, data: JSON.parse(line.slice(6)) as BridgeEvent['data'] });
      }
    } catch {
      // It is opened again.
    }
    if (signal.aborted) return;
    publish({ kind: 'closed', data: {} });
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(2 * (wait ?? 0), RETRY_MS[1]);
  }
}
