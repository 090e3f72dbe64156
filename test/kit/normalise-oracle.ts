import type { Rules } from '../../src/core/normalise.ts';
import type { Samples } from '../../src/core/samples.ts';
import { judgeLabels } from '../../src/core/reading.ts';
import type { RefusalReason } from '../../src/core/reading.ts';
import type { Window } from '../../src/core/window.ts';

/** The readings and refusals of a window by the plainest code, one sample after the other: for comparison with core/normalise.ts. */
export interface Understood {
  readonly readings: readonly OracleReading[];
  readonly repeats: number;
  readonly outside: number;
  readonly unchosen: number;
  readonly refused: ReadonlyMap<RefusalReason, number>;
  /** Where each refused point stands: `sensor variable reason place`. */
  readonly places: readonly string[];
}

interface OracleReading {
  readonly series: string;
  readonly at: number;
  readonly value: number;
  readonly precision: number | undefined;
  readonly labels: readonly string[];
}

export function understood(
  given: { readonly pages: readonly Samples[]; readonly rules: Rules },
  window: Window,
  asked = window,
): Understood {
  const candidates = new Map<string, { reading: OracleReading; names: string }[]>();
  const refused = new Map<RefusalReason, number>();
  const places: string[] = [];
  const spectra = new Set<string>();
  let outside = 0;
  let unchosen = 0;
  let repeats = 0;
  const refuse = (reason: RefusalReason): void => {
    refused.set(reason, (refused.get(reason) ?? 0) + 1);
  };
  for (const page of given.pages) {
    const rule = given.rules.series(page.sensor, page.variable);
    if (rule === undefined) {
      unchosen += page.at.length;
      continue;
    }
    for (const [index, at] of page.at.entries()) {
      const real = Number.isInteger(at);
      if (real && !(window.from <= at && at < window.to)) {
        if (!(asked.from <= at && at < asked.to)) outside += 1;
        continue;
      }
      const verdict = judge(page, index, rule, given.rules);
      if (typeof verdict === 'string') {
        places.push(`${page.sensor} ${page.variable} ${verdict} ${real ? at : window.from}`);
        const spectrum = `${page.sensor}.${page.variable}`;
        if (verdict === 'not-a-scalar' && spectra.has(spectrum)) continue;
        if (verdict === 'not-a-scalar') spectra.add(spectrum);
        refuse(verdict);
        continue;
      }
      const key = `${verdict.series} ${String(at).padStart(9)}`;
      candidates.set(key, [
        ...(candidates.get(key) ?? []),
        { reading: verdict, names: `${page.sensor} ${page.variable}` },
      ]);
    }
  }
  const readings: OracleReading[] = [];
  for (const [, all] of [...candidates].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const last = all.at(-1)?.reading as OracleReading;
    readings.push(last);
    for (const { reading, names } of all.slice(0, -1)) {
      if (JSON.stringify(reading) === JSON.stringify(last)) repeats += 1;
      else {
        refuse('same-instant');
        places.push(`${names} same-instant ${reading.at}`);
      }
    }
  }
  return { readings, repeats, outside, unchosen, refused, places };
}

function judge(
  page: Samples,
  index: number,
  rule: NonNullable<ReturnType<Rules['series']>>,
  rules: Rules,
): OracleReading | RefusalReason {
  if (typeof rule === 'string') return rule;
  const labels = page.labels?.length ? judgeLabels([...page.labels, ...rule.labels]) : rule.labels;
  if (typeof labels === 'string') return labels;
  const at = page.at[index] as number;
  if (!Number.isInteger(at)) return 'bad-instant';
  const quality = Array.isArray(page.quality) ? page.quality[index] : page.quality;
  let precision: number | undefined;
  if (quality !== undefined) {
    const [, meaning] = Object.entries(rules.qualities ?? {}).find(([word]) => word === `${quality}`) ?? [];
    if (meaning === undefined) return 'unknown-quality';
    if (meaning === 'refuse' && rules.bad === 'refuse') return 'bad-quality';
    precision = meaning === 'refuse' ? 0 : meaning;
  }
  const raw = page.values[index];
  let number: number;
  if (raw === null) return 'null';
  else if (raw === undefined) return 'no-value';
  else if (typeof raw === 'number') number = raw;
  else if (typeof raw === 'boolean' && rules.booleans === 'number') number = raw ? 1 : 0;
  else if (typeof raw === 'boolean') return 'boolean';
  else if (typeof raw === 'string') return raw === '7' ? 'text-number' : 'not-a-number';
  else if (typeof raw === 'object') return 'not-a-scalar';
  else return 'not-a-number';
  const scaled = number * rule.scale + rule.offset;
  if (!Number.isFinite(scaled)) return 'not-finite';
  return {
    series: `${rule.sensorId}.${rule.valueName}`,
    at,
    value: scaled === 0 ? 0 : scaled,
    precision,
    labels: [...labels],
  };
}
