import type { Hook } from '../alert/hook.ts';
import { alertmanager, signalsOf } from './alertmanager.ts';
import { type BodyReading, signalOf, signalOfText } from './fields.ts';
import { mostSignals, type Signal } from './signal.ts';
import { isBody } from './template.ts';

/** Of what nothing can be made: says why, in English, for the sender. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

export interface ReadOptions extends Pick<Hook, 'template' | 'severity'> {
  /** As it was sent; empty where it was not. */
  readonly contentType: string;
  /** Throws where no tracked market is meant. */
  readonly resolveSymbol: (text: string) => string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * What a body says: Alertmanager's, an object of JSON or several in a list, or a text, as TradingView sends what is no JSON.
 * @throws Unreadable
 */
export function readBody(body: Uint8Array, options: ReadOptions): Signal[] {
  const text = decoded(body).trim();
  if (text === '') throw new Unreadable('the body is empty');
  const reading: BodyReading = { ...options, symbolOf: (named) => symbolIn(named, options.resolveSymbol) };
  const json = jsonOf(text, options.contentType);
  if (isBody(json) && Array.isArray(json.alerts)) {
    const { success, data } = alertmanager.safeParse(json);
    if (!success)
      throw new Unreadable('each of alerts must have labels and annotations, as Alertmanager’s have');
    return several(data.alerts.length, () => signalsOf(data, reading));
  }
  if (isBody(json)) return [signalOf(json, reading)];
  if (Array.isArray(json)) {
    if (!json.every(isBody)) throw new Unreadable('a list must hold objects');
    return several(json.length, () => json.map((each) => signalOf(each, reading)));
  }
  return [signalOfText(json === undefined ? text : String(json), reading)];
}

function several(count: number, read: () => Signal[]): Signal[] {
  if (count === 0) throw new Unreadable('there is no alert in the body');
  if (count > mostSignals)
    throw new Unreadable(`a body may hold ${mostSignals} alerts: set max_alerts, or send them in parts`);
  return read();
}

function decoded(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new Unreadable('the body is not UTF-8');
  }
}

/** Undefined: it is a text. */
function jsonOf(text: string, contentType: string): unknown {
  if (!/^[[{"\d]/.test(text) && !contentType.includes('json')) return undefined;
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    if (contentType.includes('json')) throw new Unreadable('the body is not JSON');
    return undefined;
  }
}

/** As TradingView has it, the exchange stands before its market: `BINANCE:BTCUSDT.P`. */
function symbolIn(named: string, resolve: (text: string) => string): string | undefined {
  if (named === '') return undefined;
  try {
    return resolve(named.replace(/^[A-Za-z_]{2,20}:(?=[A-Za-z0-9])/, ''));
  } catch {
    return undefined;
  }
}
