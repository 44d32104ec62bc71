import type { Alert } from '../../alert/alert.ts';
import { contract, type EndpointName } from '../../contract/index.ts';
import { replay } from '../../preview/replay.ts';
import { asInput } from '../../runtime/arguments.ts';
import { ApiError, InputError } from '../../runtime/errors.ts';
import { day, hour, iso } from '../../runtime/units.ts';
import { openRecordedPast, type RecordedPast } from '../../service/past/recorded-past.ts';
import type { DetectorConfig } from '../config/config.ts';

interface LookaheadCommand {
  /** As typed: `recorded:FOLDER`. */
  readonly market: string | undefined;
  readonly cuts: number;
  /** How far before each cut the replay of the alerts begins, market ms. */
  readonly replayPeriod?: number;
  readonly detectors: readonly DetectorConfig[];
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  print(text: string): Promise<void>;
}

/**
 * Checks for look-ahead: cuts every input at random hours. The service's answers at the cut, every label until then and every
 * alert of the days before must be the same with and without the later data. @throws InputError
 *
 * @returns whether nothing changed
 */
export async function checkLookahead({
  market,
  cuts,
  replayPeriod = 3 * day,
  detectors,
  random,
  print,
}: LookaheadCommand): Promise<boolean> {
  const dir = /^recorded:(.+)$/.exec(market ?? '')?.[1];
  if (dir === undefined) throw new InputError('Usage: npm run lookahead -- --market recorded:FOLDER');
  const fullPast = await asInput(() => openRecordedPast({ dir }));
  const enabledDetectors = detectors.filter(({ enabled }) => enabled);
  let differing = 0;
  try {
    const earliestCut = fullPast.earliest + (fullPast.latest - fullPast.earliest) / 10;
    for (let cut = 0; cut < cuts; cut += 1) {
      const at = Math.floor((earliestCut + random() * (fullPast.latest - earliestCut)) / hour) * hour;
      const cutPast = await openRecordedPast({ dir, until: at });
      try {
        const differences = [
          ...(await compareAnswers(fullPast, { cut: cutPast, at })),
          ...(await compareLabels(fullPast, { cut: cutPast, at })),
          ...(await compareAlerts(fullPast, cutPast, {
            from: at - replayPeriod,
            to: at,
            detectors: enabledDetectors,
          })),
        ];
        differing += differences.length;
        await print(`${iso(at)}  ${differences.length === 0 ? 'unchanged' : 'DIFFERS'}\n`);
        for (const each of differences) await print(`  ${each}\n`);
      } finally {
        await cutPast.close();
      }
    }
  } finally {
    await fullPast.close();
  }
  await print(
    differing === 0
      ? `No answer, label or alert used later data, at ${cuts} ${cuts === 1 ? 'cut' : 'cuts'}.\n`
      : `${differing} ${differing === 1 ? 'answer, label or alert' : 'answers, labels or alerts'} used later data.\n`,
  );
  return differing === 0;
}

/** Compares the answers of all endpoints, about each symbol, with default parameters. Returns the endpoints that differ. */
async function compareAnswers(
  fullPast: RecordedPast,
  { cut, at }: { readonly cut: RecordedPast; readonly at: number },
): Promise<string[]> {
  const names = Object.keys(contract) as EndpointName[];
  const differing: string[] = [];
  for (const name of names) {
    const symbols = 'symbol' in contract[name].query.shape ? fullPast.symbols : [undefined];
    for (const symbol of symbols) {
      const query = symbol === undefined ? {} : { symbol };
      const [fullAnswer, cutAnswer] = [
        await answerOf(fullPast, { at, name, query }),
        await answerOf(cut, { at, name, query }),
      ];
      if (fullAnswer !== cutAnswer) differing.push(`${contract[name].path} ${symbol ?? ''}`.trim());
    }
  }
  return differing;
}

/**
 * Returns the answer as JSON, or null if there is none. The reason is not compared: it may follow from later data.
 */
async function answerOf(
  past: RecordedPast,
  { at, name, query }: { readonly at: number; readonly name: EndpointName; readonly query: object },
): Promise<string | null> {
  const ask = past.at(at)[name] as (query: object) => Promise<unknown>;
  try {
    return JSON.stringify(await ask(query));
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

async function compareLabels(
  fullPast: RecordedPast,
  { cut, at }: { readonly cut: RecordedPast; readonly at: number },
): Promise<string[]> {
  const window = { from: 0, to: at - hour };
  const differing: string[] = [];
  for (const symbol of fullPast.symbols) {
    const [full, other] = [await fullPast.regimes(symbol, window), await cut.regimes(symbol, window)];
    const index = full.findIndex((row, each) => JSON.stringify(row) !== JSON.stringify(other[each]));
    if (full.length !== other.length)
      differing.push(`${full.length} labels of ${symbol}, but ${other.length} without later data`);
    else if (index >= 0) differing.push(`label of ${symbol} at ${iso(full[index]?.time ?? 0)}`);
  }
  return differing;
}

async function compareAlerts(
  fullPast: RecordedPast,
  cutPast: RecordedPast,
  given: { readonly from: number; readonly to: number; readonly detectors: readonly DetectorConfig[] },
): Promise<string[]> {
  const alertsOf = async (past: RecordedPast) => {
    const all: string[] = [];
    const keep = ({ id: _, ...alert }: Alert) => void all.push(JSON.stringify(alert));
    await replay({ ...given, at: past.at, symbols: fullPast.symbols, onAlert: keep });
    return new Set(all);
  };
  const differing = (await alertsOf(fullPast)).symmetricDifference(await alertsOf(cutPast));
  return [...differing].map((alert) => `alert ${alert.slice(0, 120)}`);
}
