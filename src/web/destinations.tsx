import { signal } from '@preact/signals';
import type { DestinationRow } from '../platforms/web/ports/destinations.ts';
import { Act, Result } from './acts.tsx';
import { muteDestination, readDestinations, testDestination } from './api.ts';
import { useAsked } from './asked.ts';
import { Facts } from './facts.tsx';
import { Look } from './look.tsx';
import { asNumber } from './numbers.ts';
import { linkTo } from './route.ts';
import { momentOf } from './time.ts';
import { msg } from './words.ts';

export const places = signal<readonly DestinationRow[] | undefined>(undefined);

/** Ms between two requests. */
const refreshInterval = 10_000;

function Orders({ place, of }: { readonly place: DestinationRow; readonly of: string }) {
  const { receiver, name, mutedUntil } = place;
  const isMuted = mutedUntil !== undefined;
  const test = async () => {
    await testDestination(receiver);
    return { said: msg('The sample has arrived there.') };
  };
  const mute = async () => {
    const { said } = await muteDestination(receiver, !isMuted);
    places.value = await readDestinations();
    return { said };
  };
  return (
    <p class="orders row">
      <Act of={of} work={test} aria-label={msg('Test: {place}', { place: name })}>
        {msg('Test')}
      </Act>
      <Act
        of={of}
        work={mute}
        aria-label={
          isMuted ? msg('Unmute: {place}', { place: name }) : msg('Mute 24 h: {place}', { place: name })
        }
      >
        {isMuted ? msg('Unmute') : msg('Mute 24 h')}
      </Act>
    </p>
  );
}

const figuresOf = ({ last, perDay, failed, mutedUntil }: DestinationRow) => [
  { name: msg('Last post'), value: last === null ? msg('none in 7 days') : momentOf(last) },
  { name: msg('Posts a day'), value: asNumber(perDay, 1) },
  { name: msg('Failed in 7 days'), value: asNumber(failed, 0), isBad: failed > 0 },
  ...(mutedUntil === undefined ? [] : [{ name: msg('Muted until'), value: momentOf(mutedUntil) }]),
];

/** Shows which places get what, how it arrives there, and lets an operator test and mute each. */
export function DestinationList() {
  const { answer: all, failure } = useAsked(readDestinations, { interval: refreshInterval, last: places });
  if (all === undefined) return <p class="empty waiting">{failure ?? msg('Asking…')}</p>;
  return (
    <>
      <h2>{msg('Where alerts go')}</h2>
      {all.length === 0 && (
        <p class="about">
          {msg('Nowhere yet.')} <a {...linkTo('/connect')}>{msg('Connect a chat')}</a>
        </p>
      )}
      <ul class="places">
        {all.map((place) => {
          const of = JSON.stringify(place.receiver);
          const { name, gets } = place;
          return (
            <li key={of} class="box">
              <h3>{name}</h3>
              <ul class="gets">
                {gets.map((subscription) => (
                  <li key={subscription.id}>
                    <Look place={place} subscription={subscription} of={of} />
                  </li>
                ))}
              </ul>
              <Facts of="figures" facts={figuresOf(place)} />
              <Orders place={place} of={of} />
              <Result of={of} />
            </li>
          );
        })}
      </ul>
    </>
  );
}
