import { z } from 'zod';
import { BridgeError } from '../../../src/core/errors.ts';
import { formatInstant } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import type { FailedSensor, Http, Samples, Selection } from '../../../src/platform/contract.ts';
import { byCursor } from '../../../src/platform/paging.ts';
import { good, goodForAll } from './answer.ts';
import { separately } from './batch.ts';
import { columnOf } from './column.ts';
import type { CanarySettings } from './options.ts';
import { mayBrowse, sensors } from './tags.ts';

const page = z.object({
  data: z.record(z.string(), z.array(z.unknown())),
  continuation: z.array(z.string()).min(1).nullable(),
});

/** The points of all tags together, page by page; of each tag alone where the product refuses the question for one of them. */
export async function* read(
  http: Http,
  options: CanarySettings,
  selection: Selection,
  window: Window,
): AsyncGenerator<Samples | FailedSensor> {
  async function* ask(tags: readonly string[]): AsyncGenerator<Samples | FailedSensor> {
    const question = {
      tags,
      startTime: formatInstant(window.from),
      endTime: formatInstant(window.to),
      includeQuality: true,
      maxSize: options.pageSize,
    };
    const pages = byCursor({
      what: `points of ${tags[0]} and ${tags.length - 1} more`,
      ends: ['null'],
      async ask(cursor) {
        const continuation: unknown = cursor === undefined ? null : JSON.parse(String(cursor));
        const { data } = await http.post<unknown>('/api/v2/getTagData2', { ...question, continuation });
        // After the first page a refusal is no more that of one tag, and halves would repeat what was read.
        return (cursor === undefined ? good : goodForAll)(page, data, 'points of tags');
      },
      // A list of texts, one for each tag that goes on.
      next: ({ continuation }) => continuation && JSON.stringify(continuation),
    });
    for await (const { data } of pages) {
      for (const [tag, rows] of Object.entries(data)) if (rows.length > 0) yield columnOf(tag, rows, tags);
    }
  }
  yield* separately(selection.sensors ?? (await idsOf(http, options)), ask, async (sensor, reason) => {
    await mayBrowse(http, options);
    const failed = new BridgeError({ code: 'contract-broken' }, `Canary does not read tag ${sensor}: ${reason}`, {
      remedy: 'it was deleted or renamed, or the user lost the right to it: correct that, or take it out of the source',
    });
    return { sensor, failed };
  });
}

async function idsOf(http: Http, options: CanarySettings): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of sensors(http, options)) ids.push(id);
  return ids;
}
