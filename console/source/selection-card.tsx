import { History, X } from 'lucide';
import type { ComponentChild } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { BackfillQuote, Source } from '../client/operations.ts';
import { ask, bridgeNow } from '../client/api.ts';
import type { Refusal } from '../client/api.ts';
import { changed } from '../client/answers.ts';
import { fieldOf, instantOfField, lengthOf, numberOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { Late, useAction } from '../parts/dialog.tsx';
import { Choices, Field, Select, wrongOf } from '../parts/field.tsx';
import { selectionOfText, textOfSelection } from '../parts/heat-map/selection.ts';
import type { Selection } from '../parts/heat-map/selection.ts';
import { Card, Figures, Notice, Trouble } from '../parts/page.tsx';
import { say } from '../parts/toast.tsx';
import { texts } from '../texts.ts';

const t = texts.selection;
const CLOCK = { write: fieldOf, read: instantOfField };

type What = 'missing' | 'refused' | 'failed' | 'all';

interface SelectionProps {
  readonly source: Source;
  readonly selection: Selection;
  readonly select: (selection: Selection) => void;
  readonly mayChange: boolean;
}

/** The selection as text that can be edited, what asking for it would take, and the button that asks. */
export function SelectionCard({ source, selection, select, mayChange }: SelectionProps): ComponentChild {
  const id = useId();
  const [text, setText] = useState(textOfSelection(selection, CLOCK));
  const [what, setWhat] = useState<What>('missing');
  const [order, setOrder] = useState<'oldest' | 'newest'>('oldest');
  const [perDay, setPerDay] = useState('');
  const read = selectionOfText(text, CLOCK);
  // Before the next input comes, which may be no range yet and would be lost.
  useLayoutEffect(() => {
    // What the operator types is left alone while it means the same.
    const meant = selectionOfText(text, CLOCK);
    const isSame =
      'selection' in meant && textOfSelection(meant.selection, CLOCK) === textOfSelection(selection, CLOCK);
    if (!isSame) setText(textOfSelection(selection, CLOCK));
  }, [selection]);
  const type = (next: string): void => {
    setText(next);
    const meant = selectionOfText(next, CLOCK);
    if ('selection' in meant && meant.selection.length > 0) select(meant.selection);
  };
  const params = { organisation: source.organisation, name: source.name };
  const requests = selection.flatMap(({ from, to, streams }) =>
    lotsOf(streams).map((sensors) => ({
      from: new Date(from).toISOString(),
      // A range that ends with the newest time ends where that has settled.
      ...(to <= bridgeNow() && { to: new Date(to).toISOString() }),
      what,
      order,
      ...(sensors && { sensors }),
      ...(perDay !== '' && { requestsPerDay: Number(perDay) }),
    })),
  );
  const { quotes, refusal: unquoted } = useQuotes(params, requests);
  const wrongPerDay = wrongOf(unquoted, 'requestsPerDay');
  const started = useRef(new Set<string>());
  const action = useAction(
    async () => {
      try {
        for (const body of requests) {
          // Pressed again after a refusal, the button goes on where it stopped.
          const key = JSON.stringify([params, body]);
          if (started.current.has(key)) continue;
          await ask('startBackfill', { params, body });
          started.current.add(key);
        }
      } finally {
        changed(['listBackfills', 'getCoverage', 'getSource']);
      }
    },
    () => {
      say(t.started(requests.length));
      started.current.clear();
      select([]);
    },
  );
  const { submit, refusal, isBusy } = action;
  const isEmpty = 'selection' in read && read.selection.length === 0;
  const isWrong = 'wrong' in read || isEmpty;
  const wrong = 'wrong' in read ? t.wrongLine(read.wrong) : t.empty;
  return (
    <Card title={t.title} isText actions={<Button icon={X} label={t.none} look="plain" act={() => select([])} />}>
      <form
        class="selection"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isWrong && quotes !== undefined) void submit();
        }}
      >
        <div class="form">
          <div class="field">
            <label htmlFor={id}>{t.text}</label>
            <textarea
              id={id}
              class="mono"
              rows={Math.min(8, Math.max(2, text.split('\n').length + 1))}
              value={text}
              spellcheck={false}
              aria-invalid={isWrong}
              aria-describedby={`${id}-hint`}
              onInput={(event) => type(event.currentTarget.value)}
            />
            <div id={`${id}-hint`} class={isWrong ? 'wrong' : 'hint'}>
              {isWrong ? wrong : t.hint}
            </div>
          </div>
          <Choices
            legend={t.what}
            value={what}
            set={(key) => setWhat(key as What)}
            options={[
              ['missing', t.missing, t.missingAbout],
              ['refused', t.refused, t.refusedAbout],
              ['failed', t.failed, t.failedAbout],
              ['all', t.everything, t.everythingAbout],
            ]}
          />
          <div class="pair">
            <Select
              label={t.order}
              value={order}
              set={(key) => setOrder(key as 'oldest')}
              options={[
                ['oldest', t.oldest],
                ['newest', t.newest],
              ]}
            />
            <Field
              label={t.perDay}
              type="number"
              value={perDay}
              set={setPerDay}
              placeholder={t.noLimit}
              wrong={wrongPerDay}
            />
          </div>
        </div>
        <div class="stack" aria-live="polite">
          <Quote quotes={quotes} refusal={wrongPerDay === undefined ? unquoted : undefined} isWrong={isWrong} />
          {refusal && <Trouble refusal={refusal} isAction />}
          <Late of={action} />
          {mayChange && (
            <Button
              type="submit"
              look="main-one"
              icon={History}
              isBusy={isBusy}
              why={isWrong ? wrong : (unquoted?.message ?? (quotes === undefined ? t.quoting : undefined))}
            >
              {t.start(numberOf(sum(quotes ?? [], ({ requests: { expected } }) => expected)))}
            </Button>
          )}
          {source.state !== 'active' && <Notice tone="warn">{t.waits(texts.states[source.state])}</Notice>}
        </div>
      </form>
    </Card>
  );
}

/** As many sensors as one backfill takes. */
const MOST_SENSORS = 100;

/** The sensors of a range in as many backfills as they need; one of all sensors where none are named. */
const lotsOf = (sensors: Selection[number]['streams']): readonly (string[] | undefined)[] =>
  sensors === undefined
    ? [undefined]
    : Array.from({ length: Math.ceil(sensors.length / MOST_SENSORS) }, (_, lot) =>
        sensors.slice(lot * MOST_SENSORS, (lot + 1) * MOST_SENSORS),
      );

const sum = (quotes: readonly BackfillQuote[], of: (quote: BackfillQuote) => number): number =>
  quotes.reduce((all, quote) => all + of(quote), 0);

/** The quotes of requests, read anew when they change, a moment after the last keystroke; none while those are on their way. */
function useQuotes(params: { organisation: string; name: string }, bodies: readonly { from: string }[]) {
  const [shown, show] = useState<{ key?: string; quotes?: readonly BackfillQuote[]; refusal?: Refusal }>({});
  const key = JSON.stringify([params, bodies]);
  useEffect(() => {
    const leaving = new AbortController();
    const read = async (): Promise<readonly BackfillQuote[]> => {
      const quotes: BackfillQuote[] = [];
      // One after the other, because the bridge lets few costly requests of an operator wait.
      for (const body of bodies)
        quotes.push(await ask('quoteBackfill', { params, body }, { signal: leaving.signal, unattended: true }));
      return quotes;
    };
    const timer = setTimeout(() => {
      read().then(
        (quotes) => show({ key, quotes }),
        (error: unknown) => leaving.signal.aborted || show({ key, refusal: error as Refusal }),
      );
    }, 200);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [key]);
  return shown.key === key ? shown : {};
}

interface QuoteProps {
  readonly quotes: readonly BackfillQuote[] | undefined;
  readonly refusal: Refusal | undefined;
  readonly isWrong: boolean;
}

/** What the backfill would take; also nothing is a figure. */
function Quote({ quotes, refusal, isWrong }: QuoteProps): ComponentChild {
  if (refusal) return <Trouble refusal={refusal} />;
  if (quotes === undefined || isWrong) return <p class="quiet">{t.quoting}</p>;
  const between = (of: 'requests' | 'readings'): string => {
    const [least, most] = [sum(quotes, (one) => one[of].least), sum(quotes, (one) => one[of].most)];
    return least === most ? numberOf(least) : `${numberOf(least)} – ${numberOf(most)}`;
  };
  const isTimed = quotes.every(({ seconds }) => seconds !== null);
  return (
    <>
      <Figures
        of={[
          [t.streams, numberOf(Math.max(0, ...quotes.map(({ streams }) => streams)))],
          [t.time, lengthOf(sum(quotes, ({ timeSeconds }) => timeSeconds))],
          [t.windows, numberOf(sum(quotes, ({ windows }) => windows))],
          [t.requests, between('requests')],
          [t.readings, between('readings')],
          [
            t.takes,
            isTimed
              ? [
                  ...new Set(
                    (['least', 'most'] as const).map((end) =>
                      lengthOf(sum(quotes, ({ seconds }) => seconds?.[end] ?? 0)),
                    ),
                  ),
                ].join(' – ')
              : t.unknown,
          ],
        ]}
      />
      {quotes.some(({ besides }) => besides.length > 0) && <p class="small quiet">{t.besides}</p>}
    </>
  );
}
