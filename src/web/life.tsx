import type { AlertDelivery, AlertState } from '../platforms/web/ports/alert-feed.ts';
import { alertLife } from './api.ts';
import { useAsked } from './asked.ts';
import { Card } from './card.tsx';
import { run } from './chat.tsx';
import { alerts } from './held-alerts.ts';
import { linkTo } from './route.ts';
import { momentOf } from './time.ts';
import { labelTitle, msg } from './words.ts';

const stateName: Readonly<Record<AlertState, string>> = {
  began: msg('Began'),
  worsened: msg('Got worse'),
  changed: msg('Changed'),
  ended: msg('Ended'),
};

function Deliveries({ deliveries }: { readonly deliveries: readonly AlertDelivery[] }) {
  if (deliveries.length === 0)
    return <p class="empty">{msg('Nothing was sent: no chat asks for it, or it waits its turn.')}</p>;
  return (
    <ul class="deliveries">
      {deliveries.map(({ at, revision, notifier, place, outcome, reason }) => (
        <li key={`${at} ${revision} ${notifier} ${place} ${outcome}`} data-outcome={outcome}>
          <time dateTime={new Date(at).toISOString()}>{momentOf(at)}</time>
          <span>
            {labelTitle(notifier)} {place}
          </span>
          <b>{labelTitle(outcome)}</b>
          {reason !== undefined && <i>{reason}</i>}
        </li>
      ))}
    </ul>
  );
}

/** Shows the details of one alert: its card at its peak, its states, and what was sent to each receiver. */
export function Life({ id }: { readonly id: string }) {
  const row = alerts.value.find((each) => each.id === id);
  const version = row === undefined ? '' : `${row.revision} ${row.delivery}`;
  const { answer: life, failure } = useAsked(() => alertLife(id), { about: `${id} ${version}` });
  return (
    <article class="life">
      <h2 class="hidden">{msg('The alert from its beginning to its end')}</h2>
      <a class="back" {...linkTo('/alerts')}>
        ← {msg('All alerts')}
      </a>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {life === undefined ? (
        failure === undefined && <p class="empty">{msg('Asking…')}</p>
      ) : (
        <>
          <Card card={life.card} run={run} />
          <h3>{msg('From beginning to end')}</h3>
          <ol class="states">
            {life.states.map(({ at, state, text }) => (
              <li key={`${at} ${state}`} data-state={state}>
                <time dateTime={new Date(at).toISOString()}>{momentOf(at)}</time>
                <b>{stateName[state]}</b>
                {text !== undefined && <span>{text}</span>}
              </li>
            ))}
          </ol>
          {life.after !== undefined && <Card card={life.after} run={run} />}
          <h3>{msg('What was sent, and what was not')}</h3>
          {life.row.delivery === 'held' && life.row.reason !== undefined && life.deliveries.length === 0 ? (
            <p>{msg('not sent: {reason}', { reason: life.row.reason })}</p>
          ) : (
            <Deliveries deliveries={life.deliveries} />
          )}
        </>
      )}
    </article>
  );
}
