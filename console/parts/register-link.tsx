import { Plus } from 'lucide';
import type { ComponentChild } from 'preact';
import { hrefOf } from '../client/route.ts';
import { useRole } from '../client/session.ts';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';

/** The way to the registration of a source; nothing for an operator who may register none. */
export const RegisterLink = (): ComponentChild =>
  useRole().mayChange && (
    <a class="button main-one" href={hrefOf(['register'])}>
      <Icon of={Plus} />
      {texts.sources.register}
    </a>
  );
