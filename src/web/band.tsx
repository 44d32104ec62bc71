import { through } from '../chart/paths.ts';
import { day } from '../runtime/lengths.ts';
import { alerts } from './held-alerts.ts';
import { dataClock, piece } from './model.ts';
import { asShare } from './numbers.ts';
import { stretchesUntil } from './stretches.ts';
import { momentOf } from './time.ts';
import { labelTitle, msg } from './words.ts';

const days = 30 * day;
const width = 1_000;
const height = 28;

/** Draws the last thirty days in one line: the regimes, the price of bitcoin, and a tick for each alert. */
export function Band() {
  const past = piece('past').value;
  const now = dataClock.value;
  if (past === undefined || now === undefined || past.stretches.length + past.price.length === 0)
    return <div class="days" />;
  const x = (at: number) => Math.max(0, ((at - (now - days)) / days) * width);
  const prices = past.price.map(([, price]) => price);
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const y = (price: number) => height - 3 - ((price - low) / (high - low || 1)) * (height - 8);
  const stretches = stretchesUntil(now, past.stretches, piece('regime').value);
  return (
    <section class="days" aria-label={msg('The last 30 days: regimes, the price of bitcoin, and the alerts')}>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {stretches.map(([from, to, state, confidence]) => (
          <rect
            key={from}
            class={`stretch ${state}`}
            x={x(from)}
            width={Math.max(0.5, x(to) - x(from))}
            height={height}
            fill-opacity={(0.1 + 0.3 * confidence).toFixed(2)}
          >
            <title>{`${labelTitle(state)} ${asShare(confidence)} · ${momentOf(from)} – ${momentOf(to)}`}</title>
          </rect>
        ))}
        <path class="hairline" d={through(past.price.map(([at, price]) => [x(at), y(price)]))} />
        {alerts.value.map(({ id, startsAt, severity }) =>
          startsAt < now - days ? null : (
            <line
              key={id}
              class="tick"
              data-severity={severity}
              x1={x(startsAt)}
              x2={x(startsAt)}
              y1={height - 4}
              y2={height}
            />
          ),
        )}
      </svg>
    </section>
  );
}
