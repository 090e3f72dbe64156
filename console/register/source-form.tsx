import type { ComponentChild, ComponentProps } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useAnswer } from '../client/answers.ts';
import type { Refusal } from '../client/api.ts';
import { Field, Select } from '../parts/field.tsx';
import { texts } from '../texts.ts';
import { valueAt } from './draft.ts';
import type { Values } from './draft.ts';
import { fieldsOf, propertiesFor } from './schema.ts';
import type { FieldSchema, FormField } from './schema.ts';

const t = texts.register;

interface FormProps {
  readonly schema: FieldSchema;
  readonly values: Values;
  /** Nothing can be typed in it now. */
  readonly isClosed: boolean;
  readonly set: (path: readonly string[], value: unknown) => void;
  readonly refusal: Refusal | undefined;
  readonly parts: readonly ('basics' | 'connection' | 'options' | 'schedule' | 'pace')[];
}

/** The fields of a source; what is wrong with one stands at it. */
export function SourceForm({ schema, values, isClosed, set, refusal, parts }: FormProps): ComponentChild {
  const properties = propertiesFor(schema, values);
  return (
    <fieldset class="form" disabled={isClosed}>
      {parts.map((part) =>
        part === 'basics' ? (
          <Basics key={part} {...{ values, set, refusal }} kinds={properties['kind']?.enum ?? []} />
        ) : (
          <Part key={part} name={part} fields={fieldsOf(part, properties[part])} {...{ values, set, refusal }} />
        ),
      )}
    </fieldset>
  );
}

type Shared = Pick<FormProps, 'values' | 'set' | 'refusal'>;

function Basics({ values, set, refusal, kinds }: Shared & { kinds: readonly string[] }): ComponentChild {
  const { answer: projects } = useAnswer('listProjects', { query: { limit: 200 } });
  const wrong = (path: string): string | undefined => wrongAt(refusal, [path]);
  return (
    <fieldset>
      <legend>{t.parts.basics}</legend>
      <div class="pair">
        <Field
          label={t.name}
          value={textOf(values['name'])}
          set={(name) => set(['name'], name)}
          hint={t.nameHint}
          wrong={wrong('name')}
          isRequired
        />
        <Field
          label={t.project}
          value={textOf(values['project'])}
          set={(project) => set(['project'], project)}
          list={(projects?.items ?? []).map(({ code }) => code)}
          hint={t.projectHint}
          wrong={wrong('project')}
          isRequired
        />
      </div>
      {kinds.length > 1 && (
        <Select
          label={t.kind}
          value={textOf(values['kind'])}
          set={(kind) => set(['kind'], kind)}
          options={kinds.map((kind) => [kind, t.kinds[kind as keyof typeof t.kinds] ?? kind])}
        />
      )}
    </fieldset>
  );
}

interface PartProps extends Shared {
  readonly name: 'connection' | 'options' | 'schedule' | 'pace';
  readonly fields: readonly FormField[];
}

function Part({ name, fields, values, set, refusal }: PartProps): ComponentChild {
  // A field stays in its place once one has typed in it: one that moved would lose the focus, and with it the rest of a word.
  const [{ shown, typed }] = useState(() => ({ shown: new Set<string>(), typed: new Set<string>() }));
  for (const { path, isRequired } of fields) {
    const key = path.join('.');
    const isOfUse = valueAt(values, path) !== undefined || wrongAt(refusal, path) !== undefined;
    if (isRequired || name === 'pace' || (isOfUse && !typed.has(key))) shown.add(key);
  }
  const isShown = ({ path }: FormField): boolean => shown.has(path.join('.'));
  const [first, rest] = [fields.filter(isShown), fields.filter((field) => !isShown(field))];
  if (fields.length === 0) return null;
  const one = (field: FormField): ComponentChild => (
    <SchemaField
      key={field.path.join('.')}
      field={field}
      set={(path, value) => {
        typed.add(path.join('.'));
        set(path, value);
      }}
      {...{ values, refusal }}
    />
  );
  return (
    <fieldset>
      <legend>{t.parts[name]}</legend>
      <div class="form">{first.map(one)}</div>
      {rest.length > 0 && (
        <details>
          <summary>{t.moreFields(String(rest.length))}</summary>
          <div class="form">{rest.map(one)}</div>
        </details>
      )}
    </fieldset>
  );
}

function SchemaField({
  field: { path, schema, isRequired },
  values,
  set,
  refusal,
}: Shared & { field: FormField }): ComponentChild {
  const id = useId();
  const value = valueAt(values, path);
  const label = path.at(-1) ?? '';
  const hint = schema.description;
  const example = schema.default ?? schema.examples?.[0];
  if (schema.type === 'boolean') {
    return (
      <div class="field">
        <label class="choice" htmlFor={id}>
          <input
            id={id}
            type="checkbox"
            checked={value === undefined ? schema.default === true : value === true}
            onChange={(event) => set(path, event.currentTarget.checked)}
          />
          <span>{label}</span>
        </label>
        <div class="hint">{hint}</div>
      </div>
    );
  }
  if (schema.enum) {
    return (
      <Select
        label={label}
        value={textOf(value ?? schema.default)}
        set={(text) => set(path, text === '' ? undefined : text)}
        options={[
          ...(schema.default === undefined ? [['', '–'] as const] : []),
          ...schema.enum.map((one) => [one, one] as const),
        ]}
        hint={hint}
      />
    );
  }
  const isSecret = schema.writeOnly === true && !textOf(value).startsWith('${');
  return (
    <TextOfValue
      label={label}
      value={value}
      schema={schema}
      set={(next) => set(path, next)}
      type={isSecret ? 'password' : 'text'}
      autocomplete={isSecret ? 'new-password' : 'off'}
      hint={hint}
      placeholder={example === undefined ? undefined : textOf(example)}
      wrong={wrongAt(refusal, path)}
      isRequired={isRequired}
    />
  );
}

/** A text field of a value. What is typed stays as it is while it means the value: `0.` on the way to `0.5`, or a comma of a list. */
function TextOfValue({
  value,
  schema,
  set,
  ...shown
}: Omit<ComponentProps<typeof Field>, 'value' | 'set'> & {
  value: unknown;
  schema: FieldSchema;
  set: (value: unknown) => void;
}): ComponentChild {
  const [raw, setRaw] = useState(textOf(value));
  const isMeant = JSON.stringify(valueOfText(raw, schema)) === JSON.stringify(value);
  return (
    <Field
      {...shown}
      value={isMeant ? raw : textOf(value)}
      set={(text) => {
        setRaw(text);
        set(valueOfText(text, schema));
      }}
    />
  );
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** What a text of a form means; a number that is none stays text, so that the bridge says what is wrong with it. */
function valueOfText(text: string, { type }: FieldSchema): unknown {
  if (text === '') return undefined;
  if (type === 'array')
    return text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
  const isNumber = (type === 'integer' || type === 'number') && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

/** What the bridge said about a field. */
function wrongAt(refusal: Refusal | undefined, path: readonly string[]): string | undefined {
  const pointer = `/${path.join('/')}`;
  const found = refusal?.problem.errors?.find((one) => one.pointer === pointer || one.pointer === path.join('.'));
  // The place in the text beside it is no matter of the field.
  return found?.detail.replace(/^line \d+, column \d+: /, '');
}
