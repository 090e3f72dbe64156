import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../client/api.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { texts } from '../texts.ts';

const t = texts.operators;

interface NewLinkProps {
  readonly name: string;
  /** For an operator that has no password yet. */
  readonly invite?: boolean;
  readonly close: () => void;
}

/** A link that signs an operator in once, shown once. It replaces the one that the operator had. */
export function NewLink({ name, invite = false, close }: NewLinkProps): ComponentChild {
  const [link, setLink] = useState<string>();
  if (link !== undefined) return <ShownOnce title={t.linkOf(name)} label={t.link} secret={link} close={close} />;
  return (
    <FormDialog
      title={t.linkOf(name)}
      verb={t.makeLink}
      // The link that was made is shown in the place of the form.
      closesWhenDone={false}
      close={close}
      act={async () => {
        const { path } = await ask('createOperatorLink', { params: { name }, body: { invite } });
        setLink(`${location.origin}${path}`);
      }}
    >
      <p class="quiet">{invite ? t.inviteAbout : t.linkAbout}</p>
    </FormDialog>
  );
}
