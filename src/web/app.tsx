import { useEffect } from 'preact/hooks';
import { Alerts } from './alerts.tsx';
import { Announcer } from './announcer.tsx';
import { Band } from './band.tsx';
import { Chat } from './chat.tsx';
import { Frame } from './frame.tsx';
import { Health } from './health.tsx';
import { Introduction } from './introduction.tsx';
import { Market } from './market.tsx';
import { Now } from './now.tsx';
import { openPalette, Palette } from './palette.tsx';
import { Record } from './record.tsx';
import { navigate, pathOf, shownMarket, view, views } from './route.ts';
import { Rules } from './rules.tsx';
import { SetUp } from './set-up.tsx';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

/** Handles keys outside text fields: digits choose a view, `/` opens the palette. Ctrl K opens it everywhere. */
function onKey(event: KeyboardEvent): void {
  if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
    event.preventDefault();
    openPalette();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const chosen = views[Number(event.key) - 1];
  if (chosen !== undefined) navigate(pathOf(chosen), true);
  else if (event.key === '/') {
    event.preventDefault();
    openPalette();
  }
}

export function App() {
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const market = shownMarket.value;
  return (
    <>
      <Frame />
      <Introduction />
      <Band />
      <main data-view={view.value}>
        {market !== undefined && <Market {...market} />}
        {market === undefined && view.value === 'now' && <Now />}
        {view.value === 'alerts' && <Alerts />}
        {view.value === 'rules' && <Rules />}
        {view.value === 'record' && <Record />}
        {view.value === 'health' && <Health />}
        {view.value === 'connect' && <SetUp />}
        <Chat />
      </main>
      <Palette />
      <Announcer />
    </>
  );
}
