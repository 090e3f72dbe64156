import type { ComponentChild } from 'preact';
import { ageOf, lengthOf, momentOf, rangeOfMoments } from '../client/zone.ts';
import { bridgeNow } from '../client/api.ts';
import { texts } from '../texts.ts';

/** How long ago, with the moment itself at hand. */
export const Ago = ({ at }: { at: string | null | undefined }): ComponentChild => {
  if (!at) return <span class="quiet">{texts.never}</span>;
  const left = (Date.parse(at) - bridgeNow()) / 1_000;
  return (
    <time dateTime={at} title={momentOf(at)}>
      {left > 1 ? texts.inTime(lengthOf(left)) : texts.ago(ageOf(at))}
    </time>
  );
};

export const Moment = ({ at }: { at: string | null | undefined }): ComponentChild =>
  at ? <time dateTime={at}>{momentOf(at)}</time> : <span class="quiet">–</span>;

/** A range of time; the second date is left out where it is the first one. */
export const Range = ({ from, to }: { from: string; to: string }): ComponentChild => (
  <span>{rangeOfMoments(from, to)}</span>
);

/** A share that grows. */
export const Progress = ({ share, label }: { share: number; label: string }): ComponentChild => (
  <svg
    class="progress"
    role="progressbar"
    aria-label={label}
    aria-valuenow={Math.round(share * 100)}
    aria-valuemin={0}
    aria-valuemax={100}
  >
    <rect width="100%" height="6" rx="3" />
    <rect width={`${share * 100}%`} height="6" rx="3" />
  </svg>
);
