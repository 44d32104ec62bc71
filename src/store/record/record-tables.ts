import type { Generated } from 'kysely';
import type { RowId } from '../ports.ts';

/** The tables of the record and of the chain that proves it. Times are market ms. */
export interface RecordTables {
  /** The announced revisions, and ledgers of the record, each linked to all before it by its hash. */
  chain: { n: number; body: string; hash: string };
  /** Ledgers (alert/ledger.ts) that wait to join the chain. */
  to_chain: { id: Generated<RowId>; body: string };
  /** What the price did after an alert. */
  outcome: {
    alert_id: string;
    /** The market it belongs to: a simulated market says nothing about a live one. */
    market: string;
    kind: string;
    symbol: string;
    prediction: string;
    fired_at: number;
    /** The next time at which its price is looked at; null when all are over. */
    due: number | null;
    price: number | null;
    after_1h: number | null;
    after_4h: number | null;
    after_24h: number | null;
    estimated: Generated<number>;
    /** 1 once it was posted to a receiver. */
    posted: Generated<number>;
  };
  /** Prices at full hours: how a symbol usually moves. */
  hourly_price: { market: string; symbol: string; at: number; price: number };
}
