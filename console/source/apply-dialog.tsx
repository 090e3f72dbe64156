import type { ComponentChild } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { changed } from '../client/answers.ts';
import { Refusal, ask } from '../client/api.ts';
import type { Applied, Source } from '../client/operations.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { Notice, Skeleton } from '../parts/page.tsx';
import { texts } from '../texts.ts';
import { Difference } from './difference.tsx';

const t = texts.apply;

/** What the API asks an operator for before it makes a change. */
const WISHES = ['sameData', 'rename'] as const;
type Wish = (typeof WISHES)[number];

/** The query of a change: the wishes, and whether it is only looked at. */
export type ApplyQuery = Readonly<Partial<Record<Wish | 'dryRun', 'true'>>>;

interface ApplyDialogProps {
  readonly title: string;
  readonly verb: string;
  /** The source as it is now: it may change while the dialog is open. */
  readonly source: Source;
  /** The revision that the operator had read. */
  readonly tag: string;
  /** Sends the change, for the revision of `ifMatch` alone. */
  readonly send: (query: ApplyQuery, ifMatch: string) => Promise<Applied>;
  readonly done: () => void;
  readonly close: () => void;
}

/** What was compared last: with which revision and wishes, and what came of it. */
interface Compared {
  readonly tag: string;
  readonly wishes: readonly Wish[];
  readonly applied?: Applied;
  readonly refusal?: Refusal;
}

/**
 * A change of a configuration: its difference, the wishes that the API may ask for, and the button. Where another operator changed
 * the source meanwhile it says so and shows the difference to what is there now; nothing is overwritten unseen.
 */
export function ApplyDialog({ title, verb, source, tag, send, done, close }: ApplyDialogProps): ComponentChild {
  const { organisation, name, revisionTag } = source;
  const [compared, setCompared] = useState<Compared>();
  const [wishes, wish] = useState<readonly Wish[]>([]);
  const [isConflict, setConflict] = useState(false);
  const [refusal, refuse] = useState<Refusal>();
  const looks = useRef(0);
  const present = useRef(tag);
  const wanted = useRef(wishes);
  wanted.current = wishes;

  /** Compares with the revision that the operator had read, or with the present one where it is another meanwhile. */
  async function compare(): Promise<void> {
    const look = (looks.current += 1);
    const as = { tag: present.current, wishes: wanted.current };
    const show = (found: Pick<Compared, 'applied' | 'refusal'>): void => {
      if (look === looks.current) setCompared({ ...as, ...found });
    };
    refuse(undefined);
    try {
      show({ applied: await send(queryOf(as.wishes, true), as.tag) });
    } catch (error) {
      if (isChange(error)) await meet();
      else show({ refusal: refusalOf(error) });
    }
  }

  /** Takes the present revision, and says that it is not the one that the operator had read. */
  async function meet(): Promise<void> {
    setConflict(true);
    try {
      present.current = (await ask('getSource', { params: { organisation, name } })).revisionTag;
    } catch (error) {
      refuse(refusalOf(error));
      return;
    }
    changed(['getSource', 'exportSource', 'listFormer']);
    await compare();
  }

  useEffect(() => void (revisionTag === present.current ? compare() : meet()), [wishes, revisionTag]);

  async function apply(): Promise<void> {
    refuse(undefined);
    try {
      await send(queryOf(wishes, false), present.current);
    } catch (error) {
      if (isChange(error)) await meet();
      else refuse(refusalOf(error));
      return;
    }
    done();
    close();
  }

  const { applied } = compared ?? {};
  const shown = refusal ?? compared?.refusal;
  const isNew = compared?.wishes === wishes && compared.tag === present.current;
  const asked = useAsked(applied);
  return (
    <FormDialog
      title={title}
      verb={verb}
      isWide
      closesWhenDone={false}
      why={whyNot(compared, isNew)}
      close={close}
      act={apply}
    >
      {isConflict && (
        <Notice tone="warn" remedy={t.meanwhileRemedy} isAlert>
          {t.meanwhile}
        </Notice>
      )}
      {applied ? <Difference of={applied} /> : !shown && <Skeleton rows={3} />}
      {WISHES.filter((one) => asked.has(one)).map((one) => (
        <label key={one} class="choice">
          <input
            type="checkbox"
            checked={wishes.includes(one)}
            onChange={() => wish(wishes.includes(one) ? wishes.filter((other) => other !== one) : [...wishes, one])}
          />
          <span>
            {t.wishes[one]}
            <span class="quiet"> — {t.wishAbouts[one]}</span>
          </span>
        </label>
      ))}
      {isNew && wishes.includes('sameData') && applied?.move.coverage === 'begins-anew' && (
        <p class="quiet">{t.inVain}</p>
      )}
      {shown && <Refused refusal={shown} />}
    </FormDialog>
  );
}

/** The wishes that a difference gave reason for. They stay, because a wish that is granted takes its reason away. */
function useAsked(applied: Applied | undefined): ReadonlySet<Wish> {
  const asked = useRef(new Set<Wish>());
  if (applied?.action === 'changed') {
    if (applied.move.coverage === 'begins-anew') asked.current.add('sameData');
    if (applied.renames.some(({ stored }) => stored)) asked.current.add('rename');
  }
  return asked.current;
}

const queryOf = (wishes: readonly Wish[], isDry: boolean): ApplyQuery => ({
  ...(wishes.includes('sameData') && ({ sameData: 'true' } as const)),
  ...(wishes.includes('rename') && ({ rename: 'true' } as const)),
  ...(isDry && ({ dryRun: 'true' } as const)),
});

function whyNot(compared: Compared | undefined, isNew: boolean): string | undefined {
  if (compared === undefined || !isNew) return t.comparing;
  if (compared.refusal) return compared.refusal.message;
  return compared.applied?.action === 'unchanged' ? texts.configuration.nothing : undefined;
}

/** The source is not as it was read. */
const isChange = (error: unknown): boolean => error instanceof Refusal && error.code === 'precondition-failed';

const refusalOf = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal(0, { title: String(error) });

/** Why the API refused the change, line by line, and what it asks for. */
const Refused = ({ refusal: { message, problem } }: { refusal: Refusal }): ComponentChild => (
  <Notice tone="bad" remedy={problem.remedy} isAlert>
    <span class="lines">
      {[message, ...(problem.errors ?? []).map(({ detail }) => detail).filter((detail) => detail !== message)].join(
        '\n',
      )}
    </span>
  </Notice>
);
