import type { ComponentChild } from 'preact';
import type { Overview } from '../client/operations.ts';
import { hrefOf } from '../client/route.ts';
import { numberOf } from '../client/zone.ts';
import { Card } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { Words } from '../parts/words.tsx';
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

/** The page of a source, whose organisation is left out where it is the default one. */
const pageOf = (subject: string): string =>
  hrefOf(['sources', ...(subject.includes('/') ? [] : ['default']), ...subject.split('/')]);

/** Where a trouble is repaired: its source, the list of its sources, or the page of its kind. */
function placeOf({ kind, count, ofSources, subjects: [first = ''] }: Trouble): string | undefined {
  if (ofSources && count === 1) return pageOf(first);
  if (ofSources && STATES.has(kind)) return hrefOf(['sources'], { state: kind });
  const page = PAGES[kind];
  return page && hrefOf([page]);
}

/** The troubles that are states of sources, too. */
const STATES: ReadonlySet<string> = new Set(['stopped', 'failing', 'behind', 'silent']);
const PAGES: Readonly<Record<string, string>> = { names: 'projects', outbox: 'delivery', refusals: 'refusals' };

function Item({ of }: { of: Trouble }): ComponentChild {
  const { state, kind, count, ofSources, subjects, detail, remedy } = of;
  const place = placeOf(of);
  return (
    <li>
      <State of={state} word={texts.kinds[kind as keyof typeof texts.kinds] ?? kind} />
      <div class="grow">
        <p>
          {/* The command line has no label beside it. */}
          <Words of={detail.startsWith(`${kind}: `) ? detail.slice(kind.length + 2) : detail} />
        </p>
        <p class="quiet">
          <Words of={remedy} />
        </p>
        {ofSources && (
          <p class="row wrap small">
            {subjects.map((subject) => (
              <a key={subject} href={pageOf(subject)}>
                {subject}
              </a>
            ))}
            {count > subjects.length && <span class="quiet">{t.andMore(numberOf(count - subjects.length))}</span>}
          </p>
        )}
      </div>
      {place && (
        <a class="button" href={place}>
          {t.open}
        </a>
      )}
    </li>
  );
}
