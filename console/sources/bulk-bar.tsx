import { Pause, Play, RefreshCw } from 'lucide';
import type { ComponentChild } from 'preact';
import { ask } from '../client/api.ts';
import { numberOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { complain, say } from '../parts/toast.tsx';
import { texts } from '../texts.ts';

const t = texts.sources;

interface BulkProps {
  readonly chosen: ReadonlySet<string>;
  readonly choose: (chosen: ReadonlySet<string>) => void;
}

/** What may be done with the chosen sources; those that refused stay chosen. */
export function BulkBar({ chosen, choose }: BulkProps): ComponentChild {
  const act = async (action: 'pause' | 'resume' | 'poll'): Promise<void> => {
    const sources = [...chosen].map((key) => {
      const [organisation = '', name = ''] = key.split('/');
      return { organisation, name };
    });
    try {
      const { items, done } = await ask('changeSources', { body: { action, sources } });
      const refused = items.filter((item) => !item.done);
      say(t.bulkDone(numberOf(done), numberOf(refused.length)), refused[0]?.detail ?? undefined);
      choose(new Set(refused.map(({ organisation, name }) => `${organisation}/${name}`)));
    } catch (error) {
      complain(error);
    }
  };
  return (
    <div class="notice row wrap bulk" role="group" aria-label={t.bulk}>
      <span class="grow">{t.chosen(numberOf(chosen.size))}</span>
      <Button icon={RefreshCw} act={() => act('poll')}>
        {t.poll}
      </Button>
      <Button icon={Pause} act={() => act('pause')}>
        {t.pause}
      </Button>
      <Button icon={Play} act={() => act('resume')}>
        {t.resume}
      </Button>
      <Button look="plain" act={() => choose(new Set())}>
        {t.unselect}
      </Button>
    </div>
  );
}
