import { z } from 'zod';
import type { Hook } from '../alert/hook.ts';
import { alertmanagerAlert, signalOfAlert } from './alertmanager.ts';
import { contentOf } from './body.ts';
import { type BodyReading, isSignal, signalOf } from './fields.ts';
import { marketOf } from './market.ts';
import { plain, plainLines } from './plain.ts';
import { maxLengths, maxSignals, type Signal } from './signal.ts';
import { type HookBody, isBody } from './template.ts';
import { signalOfText, unwrapped } from './text.ts';

/** The body cannot be read. The message says why, in English, for the sender. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

export interface ReadOptions extends Pick<Hook, 'template' | 'severity'> {
  /** The Content-Type header; empty if the request has none. */
  readonly contentType: string;
  /** Throws if the text does not mean a tracked market. */
  readonly resolveSymbol: (text: string) => string;
  /** The last price of a tracked market; undefined if it is not known. */
  readonly priceOf?: ((symbol: string) => number | undefined) | undefined;
  /** Wall ms. */
  readonly now: number;
}

/** What a body says, and what it is made of, for those who want to see how it was read. */
export interface ReadBody {
  readonly signals: readonly Signal[];
  readonly content: unknown;
}

/**
 * Reads the signals of a body: Alertmanager's format, a JSON object or several, fields, or plain text, which TradingView
 * sends for a message that is not JSON. What cannot be read of a list is counted and costs only itself.
 * @throws Unreadable
 */
export function readBody(body: Uint8Array, options: ReadOptions): ReadBody {
  const text = decode(body, options.contentType).trim();
  if (text === '') throw new Unreadable('the body is empty');
  const reading: BodyReading = { ...options, symbolOf: marketOf(options) };
  const content = contentOf(text, options.contentType);
  if (content === undefined) throw new Unreadable('the body is not JSON');
  if (typeof content === 'string') return { content, signals: [signalOfText(content, reading)] };
  const [only, ...others] = content;
  const outer = others.length === 0 && isBody(only) ? only : {};
  const list = others.length > 0 ? content : (listIn(only) ?? [only]);
  if (list.length === 0) throw new Unreadable('there is no alert in the body');
  const status = outer.status;
  const read = (given: unknown): Signal[] => {
    if (typeof given === 'string' && list !== content) return [signalOfText(given, reading)];
    if (!isBody(given)) return [];
    const each = Object.keys(options.template).length === 0 ? unwrapped(given) : given;
    const alert = alertmanagerAlert.safeParse(each).data;
    if (alert !== undefined) return [signalOfAlert(alert, { ...reading, now: options.now, status })];
    const monitor = uptimeKuma.safeParse(each).data;
    return [monitor === undefined ? signalOf(each, reading) : signalOfMonitor(monitor, reading)];
  };
  const shown = list.slice(0, maxSignals);
  const signals = shown.flatMap(read);
  if (signals.length === 0)
    throw new Unreadable(
      isBody(only) ? 'each of alerts must be an object with labels' : 'a list must hold objects',
    );
  const more = {
    cut: list.length - shown.length + cutBySender(outer),
    unread: shown.length - signals.length,
  };
  return {
    content,
    signals: more.cut + more.unread === 0 ? signals : signals.map((each) => ({ ...each, more })),
  };
}

/** The body of Uptime Kuma's webhook (server/notification-providers/webhook.js). Its test has neither heartbeat nor monitor. */
const uptimeKuma = z.looseObject({
  heartbeat: z.looseObject({ status: z.coerce.number() }),
  monitor: z.looseObject({ id: z.unknown().optional(), name: z.unknown().optional() }),
  msg: z.unknown().optional(),
});

/** The state of a heartbeat (src/util.ts); 0 is down, 2 pending, 3 maintenance. */
const up = 1;

const signalOfMonitor = (
  { heartbeat, monitor, msg }: z.output<typeof uptimeKuma>,
  { severity }: Pick<BodyReading, 'severity'>,
): Signal => {
  const name = plain(monitor.name, maxLengths.name);
  const id = plain(monitor.id, maxLengths.name);
  return {
    ended: heartbeat.status === up,
    identity: { name: name === '' ? id : name, ...(id !== '' && { instance: id }) },
    severity,
    title: name,
    text: plainLines(msg ?? heartbeat.msg, maxLengths.text),
    facts: [],
    kept: true,
  };
};

/** The names under which senders put a list of signals. */
const listNames = ['alerts', 'signals', 'events'];

/** Returns the list of a body; undefined if the body is a signal itself, whatever it calls `alerts`. */
function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isBody(value)) return undefined;
  const list = listNames.map((name) => value[name]).find((each) => Array.isArray(each));
  if (!Array.isArray(list)) return undefined;
  const isAlertmanager = list.some((each) => isBody(each) && isBody(each.labels));
  return isAlertmanager || 'groupLabels' in value || !isSignal(value) ? list : undefined;
}

/** More is no count of alerts. */
const mostCut = 1_000_000;

/** Alertmanager says how many alerts it left out because of `max_alerts`. */
function cutBySender({ truncatedAlerts }: HookBody): number {
  const cut = Number(truncatedAlerts ?? 0);
  return Number.isSafeInteger(cut) && cut > 0 ? Math.min(cut, mostCut) : 0;
}

function decode(body: Uint8Array, contentType: string): string {
  const charset = /charset="?([\w-]{1,40})/i.exec(contentType)?.[1] ?? 'utf-8';
  for (const each of [charset, 'utf-8'])
    try {
      return new TextDecoder(each, { fatal: true }).decode(body);
    } catch {
      // Tried as UTF-8 next: senders name charsets that nobody else knows.
    }
  throw new Unreadable('the body is not UTF-8: send it as text, not compressed');
}
