import { useSignal } from '@preact/signals';
import type { PresetName } from '../alert/presets.ts';
import type { AlertRow } from '../platforms/web/ports/alert-feed.ts';
import { messageOf } from './api.ts';
import { optionsOf } from './fields.tsx';
import { bySeverity } from './folding.ts';
import { inOneTab } from './in-one-tab.ts';
import { kept } from './kept.ts';
import { beginPushing, endPushing, pushed } from './push.ts';
import { labelTitle, msg } from './words.ts';

/** Returns a switch for one kind of notice, off by default. */
const switchKept = (name: string) => {
  const text = kept(name);
  return {
    isOn: () => text.value === 'on',
    turn(on: boolean) {
      text.value = on ? 'on' : '';
    },
  };
};
const sound = switchKept('tocsin.sound');
const notice = switchKept('tocsin.notice');

/** Frequencies of the bell's two tones by severity, Hz, higher for worse alerts; and the length of a tone, seconds. */
const bells = { info: [523, 659], warning: [659, 784], critical: [880, 1_047] } as const;
const ringDuration = 0.9;

let audio: AudioContext | undefined;

/** Plays the bell with two oscillators, so that no sound file is loaded. */
function ringBell(severity: AlertRow['severity']): void {
  audio ??= new AudioContext();
  const { currentTime: now, destination } = audio;
  for (const [index, frequency] of bells[severity].entries()) {
    const begin = now + index * 0.16;
    const gain = audio.createGain();
    gain.gain.setValueAtTime(0.12, begin);
    gain.gain.exponentialRampToValueAtTime(0.001, begin + ringDuration);
    const tone = audio.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(gain).connect(destination);
    tone.start(begin);
    tone.stop(begin + ringDuration);
  }
}

/** Announces all alerts that have just begun as one, by sound or browser notification as chosen. */
export function notifyOf(text: string, news: readonly AlertRow[]): void {
  const [worst] = bySeverity(news);
  if (worst === undefined || !(sound.isOn() || notice.isOn())) return;
  void inOneTab(() => {
    if (sound.isOn()) ringBell(worst.severity);
    // A notification is not needed while the page is visible, nor where the bot itself sends one.
    const isOurs = pushed.value === '' && notice.isOn();
    if (isOurs && Notification.permission === 'granted' && document.hidden)
      new Notification(text, { tag: worst.id });
  });
}

const presets = ['quiet', 'standard', 'everything'] as const satisfies readonly PresetName[];

async function askToNotify(on: boolean): Promise<void> {
  notice.turn(on && (await Notification.requestPermission()) === 'granted');
  if (notice.isOn()) await beginPushing('standard');
  else await endPushing();
}

/** Shows the switches for sound and notifications. */
export function AlertNotices() {
  const failure = useSignal('');
  const attempt = (work: Promise<unknown>) => {
    failure.value = '';
    work.catch((error: unknown) => {
      failure.value = messageOf(error);
    });
  };
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={sound.isOn()}
          onChange={({ currentTarget }) => {
            sound.turn(currentTarget.checked);
            // The sound is played at once, so that the user knows it and the browser allows it later.
            if (currentTarget.checked) ringBell('info');
          }}
        />
        {msg('sound')}
      </label>
      {'Notification' in window && (
        <label>
          <input
            type="checkbox"
            checked={notice.isOn()}
            onChange={({ currentTarget }) => attempt(askToNotify(currentTarget.checked))}
          />
          {msg('notify this browser')}
        </label>
      )}
      {pushed.value !== '' && (
        <select
          aria-label={msg('Alerts in this browser while the page is closed')}
          value={pushed.value}
          onChange={({ currentTarget }) => attempt(beginPushing(currentTarget.value as PresetName))}
        >
          {optionsOf(presets, labelTitle)}
        </select>
      )}
      {failure.value !== '' && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
    </>
  );
}
