import { useState } from 'preact/hooks';
import type { MarketRow } from '../platforms/web/ports/board.ts';
import { AlertLine } from './alert-line.tsx';
import { answerTo, pictureOf } from './api.ts';
import { useAsked } from './asked.ts';
import { run } from './chat.tsx';
import { Facts } from './facts.tsx';
import { Figure } from './figure.tsx';
import { alerts } from './held-alerts.ts';
import { marketNow, piece } from './model.ts';
import { asPercent, asPrice, asRate, asShare, asSigned, asUsd, marketName } from './numbers.ts';
import { linkTo, marketPath } from './route.ts';
import { Scrolls } from './tile.tsx';
import { clockTime } from './time.ts';
import { msg } from './words.ts';

/** The lengths of candles that are offered. */
const intervals = ['5m', '15m', '1h', '4h', '1d'] as const;
/** Wall ms after which the picture is asked again. */
const pictureInterval = 30_000;
/** How many alerts of a market are listed. */
const mostAlerts = 30;

/** Returns the commands that are offered for a market, as they are typed in any chat. */
const linesOf = (name: string): readonly string[] => [
  `coin ${name}`,
  `funding ${name}`,
  `oi ${name}`,
  `basis ${name}`,
  `ratio ${name}`,
  `liquidations ${name}`,
  `chart ${name} 4h`,
  `levels ${name}`,
  `cascade ${name} -5`,
  `leverage ${name}`,
  `subscribe ${name}`,
];

/** What short names of figures mean, said on hover and where the keyboard is. */
export const figureHints = {
  funding: msg('The last settlement, per the market’s own interval'),
  next: msg('Time until the next settlement'),
  fundingZ: msg('Funding against the market’s own last 30 days, in standard deviations'),
  interest1h: msg('Change of open interest in one hour, in contracts'),
  basis: msg('The perpetual’s price against its index'),
  longShare: msg('Longs among top traders’ positions'),
  liquidated: msg('Longs and shorts liquidated within the last hour'),
} as const;

function Figures({ row }: { readonly row: MarketRow }) {
  const { fundingAt, fundingHours, fundingZ } = row;
  const settled = fundingAt === undefined ? '' : ` · ${clockTime(fundingAt, { now: marketNow.value })}`;
  const interval = fundingHours === undefined ? '' : ` / ${fundingHours} h`;
  const { funding, fundingZ: aboutZ, interest1h, basis, longShare } = figureHints;
  const facts = [
    { name: msg('1 h'), value: asPercent(row.change1h) },
    { name: msg('24 h'), value: asPercent(row.change24h) },
    { name: msg('Funding'), value: `${asRate(row.funding)}${interval}${settled}`, hint: funding },
    { name: msg('z'), value: fundingZ === undefined ? '–' : asSigned(fundingZ), hint: aboutZ },
    { name: msg('OI 1 h'), value: asPercent(row.interest1h), hint: interest1h },
    { name: msg('Basis'), value: asPercent(row.basis, 4), hint: basis },
    { name: msg('Longs'), value: asShare(row.longShare, 1), hint: longShare },
    { name: msg('Longs liquidated 1 h'), value: asUsd(row.longsLiquidated) },
    { name: msg('Shorts liquidated 1 h'), value: asUsd(row.shortsLiquidated) },
  ];
  return <Facts of="facts" facts={facts} />;
}

function Picture({ symbol, interval }: { readonly symbol: string; readonly interval: string }) {
  const line = `chart ${symbol} ${interval}`;
  const { answer, failure } = useAsked(() => answerTo(line), { about: line, interval: pictureInterval });
  const { card } = answer ?? {};
  return (
    <div class="candles">
      {failure !== undefined && <p role="alert">{failure}</p>}
      {answer === undefined && failure === undefined && <p class="empty">{msg('Asking…')}</p>}
      {card?.chart === undefined ? (
        card && <p role="status">{card.summary ?? card.title}</p>
      ) : (
        <>
          <Figure chart={card.chart} />
          <Facts facts={card.facts ?? []} of="facts" />
          <p class="share row">
            <a class="button" href={pictureOf(line)} download={`${symbol}-${interval}.png`}>
              {msg('Save picture')}
            </a>
            <CopyLink />
          </p>
        </>
      )}
    </div>
  );
}

/** Copies the page's address. Browsers have a clipboard over TLS and on localhost only. */
function CopyLink() {
  const [isDone, setDone] = useState(false);
  if (navigator.clipboard === undefined) return null;
  return (
    <button
      type="button"
      onClick={() =>
        void navigator.clipboard.writeText(location.href).then(
          () => setDone(true),
          () => setDone(false),
        )
      }
    >
      {isDone ? msg('Link copied') : msg('Copy link')}
    </button>
  );
}

/** Shows one market: its figures, candles with what stands beside them, its alerts, and commands about it. */
export function Market({ symbol, interval }: { readonly symbol: string; readonly interval: string }) {
  const name = marketName(symbol);
  const row = piece(`market/${symbol}`).value;
  const own = alerts.value.filter((each) => each.symbol === symbol).slice(0, mostAlerts);
  return (
    <div class="market">
      <Scrolls name={name}>
        <header class="row">
          <a {...linkTo('/')}>← {msg('All markets')}</a>
          <h2>
            {name} <span>{row === undefined ? '' : asPrice(row.price)}</span>
          </h2>
          {row?.at !== undefined && (
            <small>{msg('as of {time}', { time: clockTime(row.at, { now: marketNow.value }) })}</small>
          )}
          <nav aria-label={msg('Length of a candle')}>
            {intervals.map((each) => (
              <a
                key={each}
                {...linkTo(marketPath(symbol, each))}
                aria-current={each === interval ? 'page' : undefined}
              >
                {each}
              </a>
            ))}
          </nav>
        </header>
        {row !== undefined && <Figures row={row} />}
        <Picture key={symbol} symbol={symbol} interval={interval} />
        <div class="actions row">
          {linesOf(name).map((line) => (
            <button type="button" key={line} onClick={() => void run(line)}>
              {line}
            </button>
          ))}
        </div>
      </Scrolls>
      <Scrolls name={msg('Alerts')}>
        {own.length === 0 ? (
          <p class="empty">{msg('No alert about it is firing or ended lately.')}</p>
        ) : (
          <ul class="alert-lines">
            {own.map((alert) => (
              <li key={alert.id}>
                <AlertLine alert={alert} />
              </li>
            ))}
          </ul>
        )}
      </Scrolls>
    </div>
  );
}
