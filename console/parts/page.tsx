import { ChevronRight, CircleAlert, Info, TriangleAlert } from 'lucide';
import type { IconNode } from 'lucide';
import type { ComponentChild, ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Refusal } from '../client/api.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { useLate } from './late.ts';
import { Words } from './words.tsx';

interface PageProps {
  readonly title: string;
  readonly about?: ComponentChildren;
  /** The page above it. */
  readonly above?: { readonly title: string; readonly href: string };
  /** Beside the title. */
  readonly beside?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page: its title on one line with its actions, and its sections. */
export function Page({ title, about, above, beside, actions, children }: PageProps): ComponentChild {
  useEffect(() => {
    document.title = `${title} · databridge`;
  }, [title]);
  return (
    <div class="page">
      <div class="head">
        {above && (
          <nav class="crumbs" aria-label={texts.crumbs}>
            <a href={above.href}>{above.title}</a>
            <Icon of={ChevronRight} size={14} />
          </nav>
        )}
        <div class="title">
          <h1>{title}</h1>
          {beside}
        </div>
        {actions && <div class="row wrap">{actions}</div>}
        {about && <p class="about">{about}</p>}
      </div>
      {children}
    </div>
  );
}

interface CardProps {
  readonly title?: string | undefined;
  readonly beside?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Its content has a margin. */
  readonly isText?: boolean;
}

export const Card = ({ title, beside, actions, children, isText }: CardProps): ComponentChild => (
  <section class="card" aria-label={title}>
    {title !== undefined && (
      <header>
        <div class="row wrap">
          <h2>{title}</h2>
          {beside}
        </div>
        {actions && <div class="row wrap">{actions}</div>}
      </header>
    )}
    {isText ? <div class="body">{children}</div> : children}
  </section>
);

interface NoticeProps {
  readonly tone?: 'bad' | 'warn' | undefined;
  readonly children: ComponentChildren;
  readonly remedy?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly isAlert?: boolean;
}

const SIGNS: Readonly<Record<string, IconNode>> = { bad: CircleAlert, warn: TriangleAlert };

/** What is the matter, what to do, and the button that does it. */
export const Notice = ({ tone, children, remedy, actions, isAlert }: NoticeProps): ComponentChild => (
  <div class={`notice ${tone ?? ''}`} role={isAlert ? 'alert' : undefined}>
    <Icon of={SIGNS[tone ?? ''] ?? Info} />
    <div class="grow">
      <div>{children}</div>
      {remedy && <div class="remedy">{typeof remedy === 'string' ? <Words of={remedy} /> : remedy}</div>}
    </div>
    {actions && <div class="row wrap">{actions}</div>}
  </div>
);

interface TroubleProps {
  readonly refusal: Refusal;
  readonly again?: () => void;
  /** An operator pressed a button for it, so nothing tries again by itself. */
  readonly isAction?: boolean;
}

/** Why an answer did not come. */
export const Trouble = ({ refusal, again, isAction }: TroubleProps): ComponentChild => (
  <Notice
    tone={refusal.status === 0 || refusal.status >= 500 ? 'warn' : 'bad'}
    remedy={
      refusal.problem.remedy ?? (refusal.status === 0 ? texts.noAnswer[isAction ? 'toAction' : 'toPage'] : undefined)
    }
    isAlert
    actions={again && <Button act={again}>{texts.again}</Button>}
  >
    <Words of={refusal.message} />
    {refusal.problem.errors?.map(({ pointer, detail }) => (
      <div key={pointer} class="small">
        {pointer.replace(/^\//, '')} {detail}
      </div>
    ))}
  </Notice>
);

interface EmptyProps {
  readonly icon: IconNode;
  readonly title: string;
  /** What it is, and why it is empty. */
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
  /** The command that does the same. */
  readonly command?: string;
}

export const Empty = ({ icon, title, children, action, command }: EmptyProps): ComponentChild => (
  <div class="empty">
    <Icon of={icon} size={32} />
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
    {command && <code>{command}</code>}
  </div>
);

interface SkeletonProps {
  readonly rows?: number;
  /** Asks again, in the place of a request whose answer does not come. */
  readonly again?: (() => void) | undefined;
}

/** Stands for rows that are on their way; shown after 200 ms. It says so where they do not come. */
export function Skeleton({ rows = 6, again }: SkeletonProps): ComponentChild {
  const [turn, setTurn] = useState(0);
  const isLate = useLate(true, turn);
  const ask = (): void => {
    setTurn(turn + 1);
    again?.();
  };
  return (
    <>
      {isLate && (
        <Notice
          tone="warn"
          remedy={texts.late.pageRemedy}
          actions={again && <Button act={ask}>{texts.again}</Button>}
          isAlert
        >
          {texts.late.page}
        </Notice>
      )}
      <div class="skeleton" aria-busy="true" aria-label={texts.loading} role="status">
        {Array.from({ length: rows }, (_, at) => (
          <i key={at} />
        ))}
      </div>
    </>
  );
}

interface AwaitedProps<Answer> {
  readonly of: {
    readonly answer: Answer | undefined;
    readonly refusal: Refusal | undefined;
    readonly again: () => void;
  };
  /** Of what stands for the answer while it is on its way. */
  readonly rows?: number;
  /** It is in a card, so nothing is put around what stands for it. */
  readonly isInCard?: boolean;
  readonly children: (answer: Answer) => ComponentChildren;
}

/** What an answer is for: why it did not come, what stands for it while it is on its way, and then what it shows. */
export function Awaited<Answer>({ of, rows, isInCard, children }: AwaitedProps<Answer>): ComponentChild {
  const { answer, refusal, again } = of;
  const skeleton = <Skeleton again={again} {...(rows !== undefined && { rows })} />;
  return (
    <>
      {refusal && <Trouble refusal={refusal} again={again} />}
      {answer !== undefined ? children(answer) : !refusal && (isInCard ? skeleton : <Card>{skeleton}</Card>)}
    </>
  );
}

/** The pages of one thing, each with its address. */
export const Tabs = ({ label, items, shown }: TabsProps): ComponentChild => (
  <nav class="tabs" aria-label={label}>
    {items.map(({ key, title, href }) => (
      <a key={key} href={href} aria-current={key === shown ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
);

interface TabsProps {
  readonly label: string;
  readonly items: readonly { readonly key: string; readonly title: string; readonly href: string }[];
  readonly shown: string;
}

/** Figures with their names. */
export const Figures = ({
  of,
  isBig,
}: {
  of: readonly (readonly [name: string, value: ComponentChildren])[];
  isBig?: boolean;
}): ComponentChild => (
  <dl class={isBig ? 'figures big' : 'figures'}>
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
