import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { AlertLine } from './alert-line.tsx';
import { run } from './chat.tsx';
import { alerts } from './held-alerts.ts';
import { MarketPast } from './market-past.tsx';
import { marketNow, piece } from './model.ts';
import { asPercent, asPrice, asRate, asShare, asSigned, asUsd, marketName } from './numbers.ts';
import { clockTime } from './time.ts';
import { msg } from './words.ts';

export const chosenMarket = signal<string | undefined>(undefined);

/** Returns the commands that the drawer offers for a market, as they are typed in any chat. */
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

function Facts({ symbol }: { readonly symbol: string }) {
  const row = piece(`market/${symbol}`).value;
  if (row === undefined) return null;
  const { fundingAt, fundingHours } = row;
  const settled = fundingAt === undefined ? '' : ` · ${clockTime(fundingAt, { now: marketNow.value })}`;
  const facts: readonly (readonly [name: string, value: string, hint?: string])[] = [
    [msg('1 h'), asPercent(row.change1h)],
    [msg('24 h'), asPercent(row.change24h)],
    [
      msg('Funding'),
      `${asRate(row.funding)}${fundingHours === undefined ? '' : ` / ${fundingHours} h`}${settled}`,
      figureHints.funding,
    ],
    [msg('z'), row.fundingZ === undefined ? '–' : asSigned(row.fundingZ), figureHints.fundingZ],
    [msg('OI 1 h'), asPercent(row.interest1h), figureHints.interest1h],
    [msg('Basis'), asPercent(row.basis, 4), figureHints.basis],
    [msg('Longs'), asShare(row.longShare, 1), figureHints.longShare],
    [msg('Longs liquidated 1 h'), asUsd(row.longsLiquidated)],
    [msg('Shorts liquidated 1 h'), asUsd(row.shortsLiquidated)],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value, hint]) => (
        <div key={name}>
          <dt>
            {hint === undefined ? (
              name
            ) : (
              <abbr tabIndex={0} title={hint} data-hint={hint}>
                {name}
              </abbr>
            )}
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows one market in a drawer: its figures, its past, its alerts, and commands about it. */
export function Drawer() {
  const symbol = chosenMarket.value;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (symbol !== undefined && dialog.current?.open === false) dialog.current.showModal();
  }, [symbol]);
  if (symbol === undefined) return null;
  const close = () => dialog.current?.close();
  const name = marketName(symbol);
  const row = piece(`market/${symbol}`).value;
  const own = alerts.value.filter((each) => each.symbol === symbol).slice(0, 8);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
    <dialog
      class="drawer"
      ref={dialog}
      aria-labelledby="drawer-name"
      onClose={() => (chosenMarket.value = undefined)}
      onClick={({ target }) => target === dialog.current && close()}
    >
      <div>
        <header>
          <h2 id="drawer-name">
            {name} <span>{asPrice(row?.price)}</span>
          </h2>
          {row?.at !== undefined && (
            <small>{msg('as of {time}', { time: clockTime(row.at, { now: marketNow.value }) })}</small>
          )}
          <button type="button" aria-label={msg('Close')} onClick={close}>
            ✕
          </button>
        </header>
        <Facts symbol={symbol} />
        <MarketPast key={symbol} symbol={symbol} />
        <div class="actions">
          {linesOf(name).map((line) => (
            <button
              type="button"
              key={line}
              onClick={() => {
                close();
                void run(line);
              }}
            >
              {line}
            </button>
          ))}
        </div>
        {own.length > 0 && (
          <ul class="alert-lines">
            {own.map((alert) => (
              <li key={alert.id}>
                <AlertLine alert={alert} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </dialog>
  );
}
