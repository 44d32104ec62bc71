import { createHash, hash } from 'node:crypto';
import { z } from 'zod';
import { day } from '../runtime/units.ts';

const tally = z.tuple([z.int(), z.string().regex(/^[0-9a-f]+$/)]);
const cell = z.string().nullable();

/** What became of rows of the record in one or more transactions. A link of the chain holds it; ids are of alerts. */
export const ledger = z.object({
  /** By table and day (market time): rows added less rows removed, and the sum of their hashes. */
  sums: z.record(z.string(), tally).optional(),
  /** Revision, time and hash of a stored alert; null: it was deleted. */
  alerts: z.record(z.string(), z.tuple([z.int(), z.number(), z.string()]).nullable()).optional(),
  /** What is known of an outcome: the hash of whose it is, then of each price, null while it is not known. */
  outcomes: z
    .record(z.string(), z.object({ at: z.number(), of: z.string(), prices: z.array(cell), due: cell }))
    .optional(),
  /** Alerts that were posted to somebody. */
  posted: z.array(z.string()).optional(),
  /** Alerts whose times were set back once a clock that had been ahead was right: what was told of them before is not as stored. */
  rebased: z.array(z.string()).optional(),
  /** Market ms: outcomes and hourly prices from before have been deleted as old. */
  pruned: z.number().optional(),
  /** The market began anew: its alerts and deliveries were deleted before all of this. */
  emptied: z.literal(true).optional(),
});
export type Ledger = z.output<typeof ledger>;

type Row = Readonly<Record<string, unknown>>;

/** The columns of rows that are added once and never changed. */
const summed = {
  delivery: 'at alert_id revision receiver notifier address title outcome reason interrupts',
  hourly_price: 'at market symbol price',
} as const;
type SummedTable = keyof typeof summed;

/**
 * A sum of hashes does not depend on the order of the rows, so that processes need not wait for each other. With 2,048
 * bits nobody finds other rows of the same sum, however many they may choose (AdHash: Bellare, Micciancio 1997).
 */
const sumBits = 2_048;
const hashOfRow = (text: string): bigint =>
  BigInt(
    `0x${createHash('shake256', { outputLength: sumBits / 8 })
      .update(text)
      .digest('hex')}`,
  );

const textOf = (row: Row, columns: string): string =>
  JSON.stringify(columns.split(' ').map((name) => row[name] ?? null));

export function sumsOf(table: SummedTable, added: readonly Row[] = [], removed: readonly Row[] = []): Ledger {
  const total = createLedger();
  const count = (row: Row, sign: 1 | -1) => {
    const key = `${table} ${Math.floor(Number(row.at) / day)}`;
    const hashed = hashOfRow(`${key} ${textOf(row, summed[table])}`);
    total.addSum(key, { rows: sign, sum: BigInt(sign) * hashed });
  };
  for (const row of added) count(row, 1);
  for (const row of removed) count(row, -1);
  return total.ledger();
}

/** What is stored of an alert beside its id. */
const alertColumns = 'id fingerprint kind group_key body due only_for held_by updated_at ends_at';

export const alertEntry = (row: Row, revision: number): NonNullable<Ledger['alerts']>[string] => [
  revision,
  Number(row.updated_at),
  hash('sha256', textOf(row, alertColumns)),
];

/** The prices of an outcome, and whether one was estimated, which is not taken back. */
const outcomeCells = ['price', 'after_1h', 'after_4h', 'after_24h', 'estimated'] as const;

export function outcomeEntry(row: Row): NonNullable<Ledger['outcomes']>[string] {
  // Names and prices are hashed: an alert for one place alone must stay unknown to whoever reads a copy of the chain.
  const hashed = (columns: string) => hash('sha256', textOf(row, `alert_id ${columns}`));
  const known = (name: string) => (row[name] === null || row[name] === 0 ? null : hashed(name));
  return {
    at: Number(row.fired_at),
    of: hashed('market kind symbol prediction fired_at'),
    prices: outcomeCells.map(known),
    due: known('due'),
  };
}

interface Sum {
  readonly rows: number;
  readonly sum: bigint;
}

/** Adds up ledgers, in their order, to what the tables must hold. */
export function createLedger() {
  const sums = new Map<string, Sum>();
  const alerts = new Map<string, NonNullable<Ledger['alerts']>[string]>();
  const outcomes = new Map<string, NonNullable<Ledger['outcomes']>[string]>();
  const posted = new Set<string>();
  const rebased = new Set<string>();
  const problems: string[] = [];
  let emptied = false;
  let pruned = Number.NEGATIVE_INFINITY;

  const addSum = (key: string, { rows, sum }: Sum) => {
    const before = sums.get(key) ?? { rows: 0, sum: 0n };
    sums.set(key, { rows: before.rows + rows, sum: BigInt.asUintN(sumBits, before.sum + sum) });
  };
  return {
    addSum,
    add(next: Ledger): void {
      if (next.emptied) {
        emptied = true;
        alerts.clear();
        for (const key of sums.keys()) if (key.startsWith('delivery ')) sums.delete(key);
      }
      for (const id of next.rebased ?? []) {
        rebased.add(id);
        alerts.delete(id);
        outcomes.delete(id);
      }
      for (const [key, [rows, sum]] of Object.entries(next.sums ?? {}))
        addSum(key, { rows, sum: BigInt(`0x${sum}`) });
      for (const [id, entry] of Object.entries(next.alerts ?? {})) {
        const known = alerts.get(id) ?? null;
        // On a distributed database they do not come in the order in which they were written.
        const isOlder = known !== null && entry !== null && (entry[0] - known[0] || entry[1] - known[1]) < 0;
        if (!isOlder) alerts.set(id, entry);
      }
      for (const [id, entry] of Object.entries(next.outcomes ?? {})) {
        const known = outcomes.get(id);
        const contradicts =
          known !== undefined &&
          (known.of !== entry.of ||
            known.prices.some((price, index) => price !== null && price !== entry.prices[index]));
        if (contradicts) problems.push(`the outcome of alert ${id} was changed after it was known`);
        outcomes.set(id, entry);
      }
      for (const id of next.posted ?? []) posted.add(id);
      pruned = Math.max(pruned, next.pruned ?? pruned);
    },
    /** What contradicts an earlier ledger. */
    problems,
    sums: sums as ReadonlyMap<string, Sum>,
    alerts: alerts as ReadonlyMap<string, NonNullable<Ledger['alerts']>[string]>,
    outcomes: outcomes as ReadonlyMap<string, NonNullable<Ledger['outcomes']>[string]>,
    posted: posted as ReadonlySet<string>,
    rebased: rebased as ReadonlySet<string>,
    pruned: () => pruned,
    ledger: (): Ledger => ({
      ...(sums.size > 0 && {
        sums: Object.fromEntries([...sums].map(([key, { rows, sum }]) => [key, [rows, sum.toString(16)]])),
      }),
      ...(alerts.size > 0 && { alerts: Object.fromEntries(alerts) }),
      ...(outcomes.size > 0 && { outcomes: Object.fromEntries(outcomes) }),
      ...(posted.size > 0 && { posted: [...posted] }),
      ...(rebased.size > 0 && { rebased: [...rebased] }),
      ...(Number.isFinite(pruned) && { pruned }),
      ...(emptied && { emptied }),
    }),
  };
}
