import { signal } from '@preact/signals';
import type { DestinationRow } from '../platforms/web/ports/destinations.ts';
import { muteDestination, readDestinations, testDestination } from './api.ts';
import { useAsked } from './asked.ts';
import { act, busy, Failure, outcome } from './connect-acts.tsx';
import { Look } from './look.tsx';
import { asNumber } from './numbers.ts';
import { linkTo } from './route.ts';
import { momentOf } from './time.ts';
import { msg } from './words.ts';

const places = signal<readonly DestinationRow[] | undefined>(undefined);

/** Ms between two requests. */
const refreshInterval = 10_000;

function Orders({ place, of }: { readonly place: DestinationRow; readonly of: string }) {
  const { receiver, name, mutedUntil } = place;
  const isMuted = mutedUntil !== undefined;
  return (
    <p class="orders">
      <button
        type="button"
        disabled={busy.value}
        aria-label={msg('Test: {place}', { place: name })}
        onClick={() =>
          void act(of, async () => {
            await testDestination(receiver);
            return { done: 'sample', said: msg('The sample has arrived there.') };
          })
        }
      >
        {msg('Test')}
      </button>
      <button
        type="button"
        disabled={busy.value}
        aria-label={
          isMuted ? msg('Unmute: {place}', { place: name }) : msg('Mute 24 h: {place}', { place: name })
        }
        onClick={() =>
          void act(of, async () => {
            const { said } = await muteDestination(receiver, !isMuted);
            places.value = await readDestinations();
            return { done: 'begun', said };
          })
        }
      >
        {isMuted ? msg('Unmute') : msg('Mute 24 h')}
      </button>
    </p>
  );
}

/** Shows which places get what, how it arrives there, and lets an operator test and mute each. */
export function DestinationList() {
  const { failure } = useAsked(readDestinations, { interval: refreshInterval, last: places });
  const all = places.value;
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
          const { name, gets, last, perDay, failed, mutedUntil } = place;
          return (
            <li key={of}>
              <h3>{name}</h3>
              <ul class="gets">
                {gets.map((subscription) => (
                  <li key={subscription.id}>
                    <Look place={place} subscription={subscription} of={of} />
                  </li>
                ))}
              </ul>
              <dl>
                <div>
                  <dt>{msg('Last post')}</dt>
                  <dd>{last === null ? msg('none in 7 days') : momentOf(last)}</dd>
                </div>
                <div>
                  <dt>{msg('Posts a day')}</dt>
                  <dd>{asNumber(perDay, 1)}</dd>
                </div>
                <div class={failed > 0 ? 'failure' : undefined}>
                  <dt>{msg('Failed in 7 days')}</dt>
                  <dd>{asNumber(failed, 0)}</dd>
                </div>
                {mutedUntil !== undefined && (
                  <div>
                    <dt>{msg('Muted until')}</dt>
                    <dd>{momentOf(mutedUntil)}</dd>
                  </div>
                )}
              </dl>
              <Orders place={place} of={of} />
              <Failure of={of} />
              <p class="done" role="status">
                {outcome.value?.of === of && outcome.value.said}
              </p>
            </li>
          );
        })}
      </ul>
    </>
  );
}
