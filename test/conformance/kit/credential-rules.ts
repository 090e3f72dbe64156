import { expect } from 'vitest';
import { BridgeError } from '../../../src/core/errors.ts';
import type { Authorisation, KindName } from '../../../src/platform/contract.ts';
import type { SimulatedFault } from '../../../src/simulator/faults.ts';
import type { Ground } from './ground.ts';
import { expectFailure, expectProper, onGround } from './on-ground.ts';
import type { SubjectRules } from './on-ground.ts';
import { expectTruth } from './oracle.ts';
import { httpOf, read, streamsOf } from './reading.ts';
import type { Subject } from './subject.ts';
import { numbersAt, spread, truthOf, windowOf } from './truths.ts';

const truthFor = (subject: Subject) => truthOf(subject, [numbersAt(spread(subject, windowOf(subject), 25))]);

const requests = ({ simulator, authorisation }: Ground): number =>
  simulator.recorder.statistics().total + (authorisation?.recorder.statistics().total ?? 0);

/** Reads everything once, lets something happen, and reads it again: exactly. */
const readsAgainAfter =
  (kind: KindName, happen: (ground: Ground) => void) =>
  async (subject: Subject): Promise<void> => {
    const truth = truthFor(subject);
    const { pagesOf } = subject.product;
    await onGround(subject, { truth, kind, ...(pagesOf && { cap: 10 }) }, async (ground) => {
      const streams = await streamsOf(ground);
      expectTruth(subject, truth, windowOf(subject), await read(ground, windowOf(subject), { streams }));
      happen(ground);
      let again = await read(ground, windowOf(subject), { streams });
      // A request that is not repeatable may be lost with its connection; the next poll asks again.
      if (again.failures.some(({ fault }) => fault.code === 'unavailable' && fault.why === 'reset'))
        again = await read(ground, windowOf(subject), { streams });
      expectTruth(subject, truth, windowOf(subject), again);
    });
  };

const switchOn = (fault: SimulatedFault) => (ground: Ground) => void ground.simulator.faults.switchOn(fault);

function rulesOfKind(subject: Subject, kind: KindName, { obtain }: Authorisation): SubjectRules {
  const always: SubjectRules = {
    'a wrong secret is refused and not tried for ever': async () => {
      const account = { username: 'bridge', password: 'Wr0ng-and-never-shown' };
      await onGround(subject, { truth: truthFor(subject), kind, account }, async (ground) => {
        const { platform, options } = ground.source;
        const refusal = await platform.identify(httpOf(ground), options).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (!(refusal instanceof BridgeError)) throw new Error('identify took a wrong secret', { cause: refusal });
        expectProper(refusal, [account.password], ['credentials-rejected']);
        const refused = ground.simulator.recorder.log().filter(({ status }) => status === 401).length;
        expect(refused, 'refused requests').toBeLessThanOrEqual(2);
        const before = requests(ground);
        await expect(platform.identify(httpOf(ground), options)).rejects.toBeInstanceOf(BridgeError);
        expect(requests(ground) - before, 'requests after the refusal').toBeLessThanOrEqual(1);
      });
    },
    '401 to everything stops the source': async () => {
      await onGround(subject, { truth: truthFor(subject), kind }, async (ground) => {
        const streams = await streamsOf(ground);
        ground.simulator.faults.switchOn({ kind: 'status', status: 401 });
        expectFailure(ground, await read(ground, windowOf(subject), { streams }), 'credentials-rejected');
      });
    },
  };
  if (obtain === undefined) return always;
  return {
    ...always,
    '401 once is healed by a fresh token': readsAgainAfter(kind, switchOn({ kind: 'status', status: 401, next: 1 })),
    'tokens that are revoked between two windows are replaced': readsAgainAfter(
      kind,
      switchOn({ kind: 'invalidate-tokens', next: 1 }),
    ),
    'tokens that are revoked between two pages are replaced': readsAgainAfter(
      kind,
      switchOn({ kind: 'invalidate-tokens', after: 1, next: 1 }),
    ),
    'tokens that end by the clock of the platform are replaced': readsAgainAfter(kind, ({ clock, standStill }) => {
      standStill();
      clock.change({ advanceMs: 40 * 24 * 3_600_000 });
    }),
    'tokens of before a restart are replaced': readsAgainAfter(kind, ({ simulator, authorisation }) => {
      simulator.restart();
      authorisation?.restart();
    }),
  };
}

/** The authorisation server is away while the platform is there. */
const awayRules: SubjectRules = Object.fromEntries(
  (['status', 'reset'] as const).map((kind) => [
    `an authorisation server that is away (${kind}) is unavailable, and nothing is refused`,
    async (subject: Subject) => {
      await onGround(subject, { truth: truthFor(subject) }, async (ground) => {
        const away: SimulatedFault = kind === 'status' ? { kind, status: 503 } : { kind };
        const id = ground.authorisation?.faults.switchOn(away);
        const failure = await ground.source.platform.identify(httpOf(ground), ground.source.options).then(
          () => new Error('identify needed no token'),
          (error: unknown) => error,
        );
        expect(failure).toMatchObject({ code: 'unavailable' });
        ground.authorisation?.faults.switchOff(id);
        expectTruth(subject, truthFor(subject), windowOf(subject), await read(ground, windowOf(subject)));
      });
    },
  ]),
);

/** What follows from the credentials of each kind. */
export function credentialRules(subject: Subject): SubjectRules {
  const rules = Object.entries(subject.platform.kinds).flatMap(([kind, authorisation]) =>
    Object.entries(rulesOfKind(subject, kind as KindName, authorisation)).map(([name, rule]) => [
      `${kind}: ${name}`,
      rule,
    ]),
  );
  return { ...Object.fromEntries(rules), ...(subject.product.hasAuthorisationServer && awayRules) };
}
