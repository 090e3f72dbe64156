import type { ComponentChild } from 'preact';
import type { Overview } from '../client/operations.ts';
import { hrefOf } from '../client/route.ts';
import { numberOf } from '../client/zone.ts';
import { Card } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { texts } from '../texts.ts';
import './troubles.css';

type Trouble = Overview['troubles'][number];

const t = texts.overview;

/** The troubles, the worst first: the reason, the remedy, and the way to where it is repaired. */
export const Troubles = ({ troubles, inAll }: { troubles: readonly Trouble[]; inAll: number }): ComponentChild => (
  <Card title={t.troubles} beside={<span class="tag">{numberOf(inAll)}</span>}>
    <ul class="troubles">
      {troubles.map((trouble) => (
        <Item key={`${trouble.kind} ${trouble.cause}`} of={trouble} />
      ))}
    </ul>
    {inAll > troubles.length && <p class="more quiet">{t.moreTroubles(numberOf(inAll - troubles.length))}</p>}
  </Card>
);

function Item({ of: { state, kind, count, ofSources, subjects, detail, remedy } }: { of: Trouble }): ComponentChild {
  return (
    <li>
      <State of={state} word={texts.kinds[kind as keyof typeof texts.kinds] ?? kind} />
      <div class="grow">
        <p>{detail}</p>
        <p class="quiet">{remedy}</p>
        {ofSources && (
          <p class="row wrap small">
            {subjects.map((subject) => (
              <a key={subject} href={hrefOf(['sources', ...subject.split('/')])}>
                {subject.replace(/^default\//, '')}
              </a>
            ))}
            {count > subjects.length && <span class="quiet">{t.andMore(numberOf(count - subjects.length))}</span>}
          </p>
        )}
      </div>
    </li>
  );
}
