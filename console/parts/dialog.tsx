import { X } from 'lucide';
import type { ComponentChild, ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Refusal } from '../client/api.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { useLate } from './late.ts';
import { Notice, Trouble } from './page.tsx';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
  readonly isWide?: boolean;
  /** It stays until its own buttons end it, as where a secret is shown once. */
  readonly stays?: boolean;
}

/** A native dialog: the browser keeps the focus in it, and gives it back. */
export function Dialog({ title, close, children, isWide, stays }: DialogProps): ComponentChild {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const cancel = (event: Event): void => {
    event.preventDefault();
    if (!stays) close();
  };
  // Browsers close a dialog at the second Escape, whatever it says to the first one.
  const closed = (): void => {
    if (!stays) close();
    else if (dialog.current?.isConnected) dialog.current.showModal();
  };
  useEffect(() => {
    if (stays) dialog.current?.setAttribute('closedby', 'none');
  }, [stays]);
  return (
    <dialog ref={dialog} class={isWide ? 'wide-one' : ''} aria-labelledby={id} onCancel={cancel} onClose={closed}>
      <div class="inside">
        <header>
          <h2 id={id}>{title}</h2>
          {!stays && <Button icon={X} label={texts.close} look="plain" act={close} />}
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface AskedProps {
  readonly title: string;
  /** Its fields; a function gets why the action was refused, for those that say so themselves. */
  readonly children?: ComponentChildren | ((refusal: Refusal | undefined) => ComponentChildren);
  /** The fields that say by themselves what is wrong with them. */
  readonly fields?: readonly string[];
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly act: () => Promise<unknown>;
  readonly close: () => void;
  readonly isWide?: boolean;
  /** Whether it is gone after the action: true unless another thing takes its place. */
  readonly closesWhenDone?: boolean;
  /** Why it cannot be done now. */
  readonly why?: string | undefined;
}

/** A form in a dialog: it closes when the action is done, and says at its button why it was refused. */
export function FormDialog({
  title,
  children,
  fields = [],
  verb,
  isDangerous,
  act,
  close,
  isWide,
  closesWhenDone = true,
  why,
}: AskedProps): ComponentChild {
  const action = useAction(act, closesWhenDone ? close : undefined);
  const { submit, refusal, isBusy } = action;
  return (
    <Dialog title={title} close={close} isWide={isWide ?? false}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (why === undefined) void submit();
        }}
      >
        {typeof children === 'function' ? children(refusal) : children}
        {refusal && !refusal.problem.errors?.length && <Trouble refusal={refusal} isAction />}
        {refusal?.problem.errors
          ?.map(({ pointer, detail }) => ({ field: pointer.replace(/^\//, ''), detail }))
          .filter(({ field }) => !fields.includes(field))
          .map(({ field, detail }) => (
            <p key={field} class="field" role="alert">
              <span class="wrong">
                {field} {detail}
              </span>
            </p>
          ))}
        <Late of={action} />
        <div class="buttons">
          <Button act={close}>{texts.cancel}</Button>
          <Button type="submit" look={isDangerous ? 'danger' : 'main-one'} isBusy={isBusy} why={why}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ActionState {
  readonly submit: () => Promise<void>;
  readonly refusal: Refusal | undefined;
  readonly isBusy: boolean;
  /** It goes on for long. */
  readonly isLate: boolean;
  /** Waits no more, so that it can be tried again; an answer that comes yet counts. */
  readonly stop: () => void;
}

/** Says that an action goes on for long, and gives the way out. */
export const Late = ({ of: { isLate, stop } }: { of: Pick<ActionState, 'isLate' | 'stop'> }): ComponentChild =>
  isLate && (
    <Notice
      tone="warn"
      remedy={texts.late.actionRemedy}
      actions={<Button act={stop}>{texts.late.stop}</Button>}
      isAlert
    >
      {texts.late.action}
    </Notice>
  );

/** An action with its refusal: `done` follows a success. */
export function useAction(act: () => Promise<unknown>, done: () => void = () => undefined): ActionState {
  const [refusal, setRefusal] = useState<Refusal>();
  const [isBusy, setBusy] = useState(false);
  const isLate = useLate(isBusy);
  const turn = useRef(0);
  const end = (refused?: Refusal): void => {
    turn.current += 1;
    setBusy(false);
    setRefusal(refused);
  };
  const submit = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setRefusal(undefined);
    const own = (turn.current += 1);
    try {
      await act();
      end();
      done();
    } catch (error) {
      if (own === turn.current) end(error instanceof Refusal ? error : new Refusal(0, { title: String(error) }));
    }
  };
  return { submit, refusal, isBusy, isLate, stop: () => end(new Refusal(0, { title: texts.late.stopped })) };
}
