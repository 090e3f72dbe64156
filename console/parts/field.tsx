import { Check, CircleAlert, Copy } from 'lucide';
import type { ComponentChild, ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Refusal } from '../client/api.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly wrong?: string | undefined;
  readonly type?: 'text' | 'password' | 'number' | 'search';
  readonly placeholder?: string | undefined;
  readonly autocomplete?: string;
  readonly isFirst?: boolean;
  readonly isRequired?: boolean;
  readonly list?: readonly string[];
}

/** A text with its name, a hint, and what is wrong with it, which is read with it. */
export function Field(props: FieldProps): ComponentChild {
  const {
    label,
    value,
    set,
    hint,
    wrong,
    type = 'text',
    placeholder,
    autocomplete = 'off',
    isFirst,
    isRequired,
    list,
  } = props;
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type as 'text'}
        value={value}
        placeholder={placeholder}
        autocomplete={autocomplete as AutoFill}
        autofocus={isFirst}
        spellcheck={false}
        required={isRequired}
        list={list && `${id}-list`}
        aria-invalid={wrong !== undefined}
        aria-describedby={`${id}-hint`}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {list && (
        <datalist id={`${id}-list`}>
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      <Below id={id} hint={hint} wrong={wrong} />
    </div>
  );
}

type AutoFill = 'off' | 'username' | 'current-password' | 'new-password';

const Below = ({
  id,
  hint,
  wrong,
}: {
  id: string;
  hint?: ComponentChildren;
  wrong?: string | undefined;
}): ComponentChild => (
  <div id={`${id}-hint`}>
    {wrong !== undefined && (
      <div class="wrong" role="alert">
        <Icon of={CircleAlert} size={14} />
        {wrong}
      </div>
    )}
    {hint && <div class="hint">{hint}</div>}
  </div>
);

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly options: readonly (readonly [value: string, title: string])[];
  readonly hint?: ComponentChildren;
  /** Its name is for screen readers only. */
  readonly isSilent?: boolean;
}

export function Select({ label, value, set, options, hint, isSilent }: SelectProps): ComponentChild {
  const id = useId();
  const select = (
    <select
      id={id}
      aria-label={isSilent ? label : undefined}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
    >
      {options.map(([key, title]) => (
        <option key={key} value={key}>
          {title}
        </option>
      ))}
    </select>
  );
  if (isSilent) return select;
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {select}
      <Below id={id} hint={hint} />
    </div>
  );
}

interface ChoicesProps {
  readonly legend: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly options: readonly (readonly [value: string, title: string, about?: string])[];
}

export function Choices({ legend, value, set, options }: ChoicesProps): ComponentChild {
  const name = useId();
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.map(([key, title, about]) => (
        <label key={key} class="choice">
          <input type="radio" name={name} checked={key === value} onChange={() => set(key)} />
          <span>
            {title}
            {about && <span class="quiet"> — {about}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** What the bridge said about a field of a form; undefined where it said nothing. */
export const wrongOf = (refusal: Refusal | undefined, field: string): string | undefined =>
  refusal?.problem.errors?.find(({ pointer }) => pointer.replace(/^\//, '') === field)?.detail;

/** A secret that is shown once. */
export function Secret({ value }: { value: string }): ComponentChild {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <div class="secret">
      <code>{value}</code>
      <Button icon={copied ? Check : Copy} isSmall act={copy}>
        {copied ? texts.copied : texts.copy}
      </Button>
    </div>
  );
}
