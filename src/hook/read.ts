import type { Hook } from '../alert/hook.ts';
import { alertmanager, signalsOf } from './alertmanager.ts';
import { type BodyReading, signalOf, signalOfText } from './fields.ts';
import { maxSignals, type Signal } from './signal.ts';
import { isBody } from './template.ts';

/** The body cannot be read. The message says why, in English, for the sender. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

export interface ReadOptions extends Pick<Hook, 'template' | 'severity'> {
  /** The Content-Type header; empty if the request has none. */
  readonly contentType: string;
  /** Throws if the text does not mean a tracked market. */
  readonly resolveSymbol: (text: string) => string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the signals of a body: Alertmanager's format, a JSON object or a list of objects, or plain text, which
 * TradingView sends for a message that is not JSON.
 * @throws Unreadable
 */
export function readBody(body: Uint8Array, options: ReadOptions): Signal[] {
  const text = decode(body).trim();
  if (text === '') throw new Unreadable('the body is empty');
  const reading: BodyReading = { ...options, symbolOf: (named) => symbolIn(named, options.resolveSymbol) };
  const json = parseJson(text, options.contentType);
  if (isBody(json) && Array.isArray(json.alerts)) {
    const { success, data } = alertmanager.safeParse(json);
    if (!success)
      throw new Unreadable('each of alerts must have labels and annotations, as Alertmanager’s have');
    return readList(data.alerts.length, () => signalsOf(data, reading));
  }
  if (isBody(json)) return [signalOf(json, reading)];
  if (Array.isArray(json)) {
    if (!json.every(isBody)) throw new Unreadable('a list must hold objects');
    return readList(json.length, () => json.map((each) => signalOf(each, reading)));
  }
  return [signalOfText(json === undefined ? text : String(json), reading)];
}

function readList(count: number, read: () => Signal[]): Signal[] {
  if (count === 0) throw new Unreadable('there is no alert in the body');
  if (count > maxSignals)
    throw new Unreadable(`a body may hold ${maxSignals} alerts: set max_alerts, or send them in parts`);
  return read();
}

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new Unreadable('the body is not UTF-8');
  }
}

/** Returns undefined if the body is plain text. */
function parseJson(text: string, contentType: string): unknown {
  if (!/^[[{"\d]/.test(text) && !contentType.includes('json')) return undefined;
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    if (contentType.includes('json')) throw new Unreadable('the body is not JSON');
    return undefined;
  }
}

/** Resolves a symbol. TradingView puts the exchange before the market: `BINANCE:BTCUSDT.P`. */
function symbolIn(named: string, resolve: (text: string) => string): string | undefined {
  if (named === '') return undefined;
  try {
    return resolve(named.replace(/^[A-Za-z_]{2,20}:(?=[A-Za-z0-9])/, ''));
  } catch {
    return undefined;
  }
}
