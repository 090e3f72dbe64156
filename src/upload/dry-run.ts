import type { PushClient } from '../client/index.ts';
import { messageOf } from '../core/refusal-remedies.ts';
import { judgePushed } from '../ingest/pushed-readings.ts';

/** Answers as a service with an empty store would, by the same rules and without a request. */
export const localJudge: PushClient = {
  push(_project, readings) {
    // The service would see the readings as JSON.
    const arrived = JSON.parse(JSON.stringify(readings)) as unknown[];
    const judged = judgePushed(arrived, { now: Date.now() * 1000 });
    return Promise.resolve({
      accepted: judged.readings,
      duplicates: judged.repeats,
      revised: 0,
      refused: judged.refusals.map((refusal) => ({ ...refusal, message: messageOf(refusal.reason, 'pusher') })),
      refusedCount: judged.refusedCount,
      unknownFields: judged.unknownFields,
      unknownFieldNames: judged.unknownFieldNames,
    });
  },
};
