import { FolderKanban, Plus } from 'lucide';
import type { ComponentChild } from 'preact';
import { hrefOf } from '../client/route.ts';
import { useRole } from '../client/session.ts';
import { Icon } from '../parts/icon.tsx';
import { Empty } from '../parts/page.tsx';
import { texts } from '../texts.ts';

const t = texts.projects;

/** What to do first at a bridge that has no project, with the button that does it, or else the way to it. */
export function FirstProject({ action }: { action?: ComponentChild }): ComponentChild {
  const { mayChange } = useRole();
  return (
    <Empty
      icon={FolderKanban}
      title={t.none}
      command="databridge project create CODE"
      action={
        action ??
        (mayChange && (
          <a class="button main-one" href={hrefOf(['projects'], { create: 'yes' })}>
            <Icon of={Plus} />
            {t.create}
          </a>
        ))
      }
    >
      {t.noneAbout}
    </Empty>
  );
}
