import type { ComponentChild } from 'preact';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Secret } from './field.tsx';
import { Notice } from './page.tsx';
import { texts } from '../texts.ts';

const t = texts.applications;

interface ShownOnceProps {
  readonly title: string;
  readonly id?: string;
  readonly secret: string;
  /** What it is, where it is no secret of an application. */
  readonly label?: string;
  readonly close: () => void;
}

/** A secret that the bridge does not keep in clear: it is shown until the operator says that it is kept. */
export const ShownOnce = ({ title, id, secret, label = t.secret, close }: ShownOnceProps): ComponentChild => (
  <Dialog title={title} close={close} stays>
    <Notice tone="warn">{t.once}</Notice>
    {id !== undefined && (
      <div class="field">
        <span class="label">{t.id}</span>
        <Secret value={id} />
      </div>
    )}
    <div class="field">
      <span class="label">{label}</span>
      <Secret value={secret} />
    </div>
    <div class="buttons">
      <Button look="main-one" act={close}>
        {t.kept}
      </Button>
    </div>
  </Dialog>
);
