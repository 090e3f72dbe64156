import type { PushClient } from '../client/index.ts';
import { REFUSALS } from '../core/reading.ts';
import { judgePushed } from '../ingest/pushed-readings.ts';

/** Answers as the service would, by the same rules and without asking it, as if nothing was stored yet. */
export const localJudge: PushClient = {
  push(_project, readings) {
    // By way of JSON, as they would arrive.
    const arrived = JSON.parse(JSON.stringify(readings)) as unknown[];
    const judged = judgePushed(arrived, { now: Date.now() * 1000 });
    return Promise.resolve({
      accepted: judged.readings,
      duplicates: judged.repeats,
      revised: 0,
      refused: judged.refusals.map((refusal) => ({ ...refusal, message: REFUSALS[refusal.reason] })),
      refusedCount: judged.refusedCount,
      unknownFields: judged.unknownFields,
    });
  },
};
