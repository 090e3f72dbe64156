import { CircleUserRound, Clock, LogOut, Menu as MenuIcon, Pause, Play, WifiOff } from 'lucide';
import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { whenStream } from '../client/events.ts';
import { isStopped, stopLive, whenLive } from '../client/live-switch.ts';
import { hrefOf, useRoute } from '../client/route.ts';
import { leave, useRole } from '../client/session.ts';
import { switchZone, useZone } from '../client/zone.ts';
import { Icon } from '../parts/icon.tsx';
import iconUrl from '../style/icon.svg';
import { texts } from '../texts.ts';
import { GROUPS } from './pages.ts';

export function SideBar(): ComponentChild {
  const { path } = useRoute();
  const [isOpen, setOpen] = useState(false);
  const shown = path[0] ?? 'overview';
  const { mayAdminister } = useRole();
  useEffect(() => setOpen(false), [shown]);
  return (
    <header class={isOpen ? 'side open' : 'side'}>
      <div class="top">
        <a class="brand" href={hrefOf(['overview'])}>
          <img src={iconUrl} alt="" width={24} height={24} />
          databridge
        </a>
        <button
          type="button"
          class="button plain icon-only menu-button"
          aria-label={texts.nav.menu}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon of={MenuIcon} size={20} />
        </button>
      </div>
      <nav aria-label={texts.nav.pages}>
        {GROUPS.map(({ title, pages }) => (
          <div key={title}>
            <h2>{title}</h2>
            <ul>
              {pages
                .filter((page) => mayAdminister || !page.isForAdmins)
                .map((page) => (
                  <li key={page.path}>
                    <a href={hrefOf([page.path])} aria-current={page.path === shown ? 'page' : undefined}>
                      <Icon of={page.icon} />
                      {page.title}
                    </a>
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </nav>
      <Foot />
    </header>
  );
}

function Foot(): ComponentChild {
  const { name } = useRole();
  const zone = useZone();
  const [stopped, setStopped] = useState(isStopped());
  const [isOpen, setOpen] = useState(true);
  useEffect(() => {
    const ends = [whenLive(() => setStopped(isStopped())), whenStream(setOpen)];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return (
    <div class="foot">
      <button type="button" onClick={() => stopLive(!stopped)} title={stopped ? texts.live.follow : texts.live.stop}>
        <Icon of={!isOpen ? WifiOff : stopped ? Play : Pause} />
        {!isOpen ? texts.live.away : stopped ? texts.live.stopped : texts.live.follows}
      </button>
      <button type="button" onClick={switchZone} title={texts.zoneSwitch}>
        <Icon of={Clock} />
        <span class="cut">{zone}</span>
      </button>
      <button type="button" onClick={() => (location.hash = hrefOf(['account']))}>
        <Icon of={CircleUserRound} />
        <span class="cut">{name}</span>
      </button>
      <button type="button" onClick={() => void leave()}>
        <Icon of={LogOut} />
        {texts.signOut}
      </button>
    </div>
  );
}
