import { Plus } from 'lucide';
import type { ComponentChild, ComponentChildren } from 'preact';
import { useAnswer } from '../client/answers.ts';
import { Empty } from '../parts/page.tsx';
import { RegisterLink } from '../parts/register-link.tsx';
import { texts } from '../texts.ts';

const t = texts.overview;

/** What to do first at a bridge that has no source, with the button that does it. */
export const FirstSource = (): ComponentChild => (
  <Empty icon={Plus} title={t.noSources} command="databridge source new" action={<RegisterLink />}>
    {t.noSourcesAbout}
  </Empty>
);

/** Why a list is empty: at a bridge without a source that is the reason of each, else `children` say it. */
export function WhyEmpty({ children }: { children: ComponentChildren }): ComponentChild {
  const { answer, refusal } = useAnswer('getOverview', {});
  if (answer?.sources === 0) return <FirstSource />;
  return answer || refusal ? <>{children}</> : null;
}
