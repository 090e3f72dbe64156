import { DAY, MILLISECOND } from '../../../src/core/instant.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import { declaredBy, otherPages, OURS } from './declared.ts';
import { identify } from './identify.ts';
import { httpJsonOptions } from './options.ts';
import { read } from './read.ts';
import { sensors } from './sensors.ts';

/** Any HTTP API that answers JSON, NDJSON or CSV, declared by the options of the source instead of by code. */
export const httpJson = definePlatform({
  name: 'http-json',
  title: 'HTTP API (JSON, NDJSON, CSV)',
  docs: 'https://docs.jsonata.org/overview.html',
  // The options decide how a request is signed; `declaredBy` puts that in place of this.
  kinds: { custom: { sign: () => ({}) } },
  options: httpJsonOptions,
  // The whole requests, because a parameter or a field of a body may name a site. The account that a login names may decide, too;
  // credentials are secrets and are not compared. Expressions that find points and sensors are a matter of `renamed`.
  place: [
    'connection.url',
    'options.readings',
    'options.sensors.request',
    'options.authorisation.endpoint',
    'options.authorisation.scope',
    'options.authorisation.audience',
    'options.authorisation.path',
    'options.authorisation.body',
    // How time is written, which answer is empty and which one is whole: under a wrong one the answers lack points, and nothing
    // shows it later.
    'options.times',
    'options.answer.empty',
    'options.answer.emptyStatuses',
    'options.paging.by',
    'options.paging.next',
    'options.paging.ends',
    'options.paging.first',
    'options.exactness.bounds',
    'options.exactness.resolution',
    'options.exactness.cap',
    'options.exactness.proof',
    'options.exactness.count',
    'options.exactness.trailer',
  ],
  // Those of each source come from its options. These hold until they are known, and none of them promises anything.
  facts: {
    ...OURS,
    bounds: { from: 'unknown', to: 'unknown' },
    resolution: MILLISECOND,
    order: 'none',
    page: { cap: 1, more: 'full-page' },
    sameInstant: 'many',
    failsAs: 'whole-batch',
    maxWindow: DAY,
    minWindow: MILLISECOND,
    sensorsPerRead: 1,
  },
  declaredBy,
  otherPages,
  renamed({ sensor, variable }, before, after) {
    const same = before.answer.points === after.answer.points && before.sensors.each === after.sensors.each;
    return same ? { sensor: sensor.id, variable } : undefined;
  },
  identify,
  sensors,
  read,
});
