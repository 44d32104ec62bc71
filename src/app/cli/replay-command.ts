import type { Alert } from '../../alert/alert.ts';
import { formatAlert, formatSummary } from '../../preview/format.ts';
import { replay } from '../../preview/replay.ts';
import { asInput, writeOutput } from '../../runtime/arguments.ts';
import { InputError } from '../../runtime/errors.ts';
import { iso } from '../../runtime/units.ts';
import { describeRegime } from '../../service/analytics/regime.ts';
import type { RegimeRow } from '../../service/archive/archive.ts';
import { regimeSymbol } from '../../service/handlers/regime.ts';
import { openRecordedPast } from '../../service/past/recorded-past.ts';
import type { DetectorConfig } from '../config/config.ts';

interface ReplayCommand {
  /** As typed: `recorded:FOLDER`. */
  readonly market?: string | undefined;
  /** Market ms. Undefined: the beginning (`from`) or the end (`to`) of the recording. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** File to write the label and the probabilities of every closed hour to, as they were published then. */
  readonly labels?: string | undefined;
  /** The market of the labels; undefined: bitcoin, or the only recorded market. */
  readonly symbol?: string | undefined;
  readonly detectors: readonly DetectorConfig[];
  print(text: string): Promise<void>;
}

const labelColumns = 'open_time,label,p_risk_on,p_risk_off,p_transition';
function labelRow(row: RegimeRow): string {
  const { state, probabilities: p } = describeRegime(row);
  return [iso(row.time), state, p.RISK_ON, p.RISK_OFF, p.TRANSITION].join(',');
}

/**
 * Prints the alerts that the detectors would have announced, from recorded feeds alone. Sends nothing.
 * @throws InputError
 */
export async function runReplay({
  market,
  from,
  to,
  labels,
  symbol,
  detectors,
  print,
}: ReplayCommand): Promise<void> {
  const dir = /^recorded:(.+)$/.exec(market ?? '')?.[1];
  if (dir === undefined) {
    throw new InputError(
      `--market: ${market === undefined ? 'missing' : `"${market}" cannot be replayed`}; give recorded:FOLDER`,
    );
  }
  const past = await asInput(() => openRecordedPast({ dir }));
  try {
    const window = { from: from ?? past.earliest, to: to ?? past.latest };
    if (window.from >= window.to)
      throw new InputError(`--from: ${iso(window.from)} is not before --to, ${iso(window.to)}`);
    if (labels !== undefined) {
      const [only, ...others] = past.symbols;
      const market = symbol ?? (others.length === 0 && only !== undefined ? only : regimeSymbol);
      if (!past.symbols.includes(market))
        throw new InputError(`--symbol: ${market} is not recorded; give one of ${past.symbols.join(', ')}`);
      const rows = await past.regimes(market, window);
      await writeOutput('--labels', { path: labels, lines: [labelColumns, ...rows.map(labelRow)] });
      await print(`Wrote ${rows.length} labels to ${labels}.\n`);
      return;
    }
    const alerts: Alert[] = [];
    const result = await replay({
      detectors: detectors.filter(({ enabled }) => enabled),
      at: past.at,
      ...window,
      symbols: past.symbols,
      async onAlert(alert) {
        alerts.push(alert);
        await print(`${formatAlert(alert)}\n`);
      },
    });
    await print(`\n${formatSummary(alerts, result)}\n`);
  } finally {
    await past.close();
  }
}
