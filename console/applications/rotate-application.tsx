import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { changed } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { Application } from '../client/operations.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { Select } from '../parts/field.tsx';
import { texts } from '../texts.ts';
import { ShownOnce } from '../parts/shown-once.tsx';

const t = texts.applications;

const HOURS = ['0', '1', '24', '168'] as const;

/** A new secret; the present one goes on for the overlap, so that the customer can change it in its own time. */
export function RotateApplication({
  application,
  close,
}: {
  application: Application;
  close: () => void;
}): ComponentChild {
  const { name, applicationId: id } = application;
  const [hours, setHours] = useState<string>('24');
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <ShownOnce title={t.rotated(name)} id={id} secret={secret} close={close} />;
  return (
    <FormDialog
      title={t.rotateTitle(name)}
      verb={t.rotate}
      closesWhenDone={false}
      close={close}
      act={async () => {
        const body = { overlapHours: Number(hours) };
        setSecret((await ask('rotateApplication', { params: { id }, body })).secret);
        changed(['listApplications']);
      }}
    >
      <p>{t.rotateAbout}</p>
      <Select label={t.overlap} value={hours} set={setHours} options={HOURS.map((key) => [key, t.overlaps[key]])} />
    </FormDialog>
  );
}
