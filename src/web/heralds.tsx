import { signal } from '@preact/signals';
import type { AlertRow } from '../platforms/alert-feed.ts';
import { msg } from './words.ts';

/** Kept in this browser alone: each is off until it is asked for. */
const remembered = (name: string) => {
  const chosen = signal(localStorage.getItem(name) === 'on');
  return {
    chosen,
    choose(on: boolean) {
      chosen.value = on;
      localStorage.setItem(name, on ? 'on' : 'off');
    },
  };
};
const sound = remembered('tocsin.sound');
const notice = remembered('tocsin.notice');

/** Wall ms in which one tab of several tells of the same. */
const turn = 3_000;

/** Where several tabs are open, one of them: the others hear the same at nearly the same time. */
async function alone(work: () => void): Promise<void> {
  // There are locks only over TLS and on this machine.
  if (navigator.locks === undefined) return work();
  await navigator.locks.request('tocsin.herald', { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    work();
    await new Promise((resolve) => setTimeout(resolve, turn));
  });
}

/** Hz of a bell's two tones, and how long it is heard, seconds: higher where it is worse. */
const bells = { info: [523, 659], warning: [659, 784], critical: [880, 1_047] } as const;
const ring = 0.9;

let audio: AudioContext | undefined;

/** Made here, so that nothing is loaded for it. */
function sing(severity: AlertRow['severity']): void {
  audio ??= new AudioContext();
  const { currentTime: now, destination } = audio;
  for (const [index, frequency] of bells[severity].entries()) {
    const begin = now + index * 0.16;
    const gain = audio.createGain();
    gain.gain.setValueAtTime(0.12, begin);
    gain.gain.exponentialRampToValueAtTime(0.001, begin + ring);
    const tone = audio.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(gain).connect(destination);
    tone.start(begin);
    tone.stop(begin + ring);
  }
}

const rank = { info: 0, warning: 1, critical: 2 } as const;

/** Tells of alerts that have begun, as one, in the ways that were asked for. */
export function herald(said: string, news: readonly AlertRow[]): void {
  const [worst] = news.toSorted((a, b) => rank[b.severity] - rank[a.severity]);
  if (worst === undefined || !(sound.chosen.value || notice.chosen.value)) return;
  void alone(() => {
    if (sound.chosen.value) sing(worst.severity);
    // Of whoever looks at the page nobody needs to be told.
    if (notice.chosen.value && Notification.permission === 'granted' && document.hidden)
      new Notification(said, { tag: worst.id });
  });
}

async function askToNotify(on: boolean): Promise<void> {
  notice.choose(on && (await Notification.requestPermission()) === 'granted');
}

/** Ways to be told of an alert while one looks elsewhere. */
export function Heralds() {
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={sound.chosen.value}
          onChange={({ currentTarget }) => {
            sound.choose(currentTarget.checked);
            // Heard at once, so that one knows what it is, and the browser lets it be heard later.
            if (currentTarget.checked) sing('info');
          }}
        />
        {msg('sound')}
      </label>
      {'Notification' in window && (
        <label>
          <input
            type="checkbox"
            checked={notice.chosen.value}
            onChange={({ currentTarget }) => void askToNotify(currentTarget.checked)}
          />
          {msg('notify')}
        </label>
      )}
    </>
  );
}
