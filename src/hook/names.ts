import { noNumber } from './loose-json.ts';
import { type Leaf, nameOf } from './template.ts';

/**
 * The usual names of each field, in order of preference, without separators: those that TradingView's scripts, bots, monitors
 * and tutorials use.
 */
const usual = {
  name: 'alertname alarmname rulename monitorname monitorfriendlyname alarm alertrule checkname searchname servicedesc triggername eventname alert name friendlyname strategy condition dedupkey alias monitor check event',
  symbol: 'symbol ticker tvinstrument pair tradingpair instrument instid productid market coin',
  exchange: 'exchange tvexchange venue',
  price:
    'price lastprice markprice currentprice signalprice triggerprice orderprice strategyorderprice openrate currentrate closerate entryprice close last',
  severity: 'severity priority importance level triggerseverity eventseverity priorityname severityname',
  /** A level may also say that there is no trouble any more. */
  level: 'severity level',
  title:
    'title alertname alarmname rulename monitorname monitorfriendlyname alarm alertrule checkname searchname servicedesc triggername eventname alert name friendlyname strategy condition monitor check event',
  text: 'message text description comment content body msg summary alarmdescription newstatereason',
  status:
    'status state currentstate currentstatus newstate newstatevalue eventstatus triggerstatus alertstatus alerttransition alerttypefriendlyname eventaction monitorcondition servicestate hoststate notificationtype actiongroup statusname checkstate checkstatename',
  endedAt: 'resolvedat recoveredat',
  id: 'alertid alertuid incidentid issueid triggerid',
  /** What is done: the first of them is shown as not understood where it is not. */
  action: 'action strategyorderaction orderaction tradeaction command cmd operation intent',
  side: 'side orderside direction',
  /** Fields that often say something else: they count only where all of their words are understood. */
  type: 'type event eventtype eventname webhookevent tradetype alerttype',
  hint: 'signal signaltype code position positionside order alert name title condition orderid id comment strategyorderid strategyordercomment reason exitreason',
  sentiment: 'sentiment',
  marketPosition: 'marketposition strategymarketposition newmarketposition',
  previousPosition:
    'prevmarketposition strategyprevmarketposition previousmarketposition prevposition previousposition',
  /** Negative where the position is short. Without `strategy` it may be the order's size, unless that stands beside it. */
  signedSize: 'strategypositionsize',
  ownSize: 'positionsize',
  ownBefore: 'prevpositionsize previouspositionsize',
  orderSize: 'contracts ordercontracts strategyordercontracts quantity qty amount',
  size: 'marketpositionsize strategymarketpositionsize',
  previousSize: 'prevmarketpositionsize strategyprevmarketpositionsize',
  instance: 'hostname host instance server node device monitorid checkid',
} as const satisfies Record<string, string>;
type Usual = keyof typeof usual;
const namesOf = Object.fromEntries(
  Object.entries(usual).map(([field, names]) => [field, names.split(' ')]),
) as unknown as Readonly<Record<Usual, readonly string[]>>;

/** Objects beside what a body is about: who sends it or acts, and kinds of things. */
const asides = new Set(
  'source sender user actor author agent creator owner assignee reporter integration installation app application team teams organization client account priority severity status state type'.split(
    ' ',
  ),
);
const isAside = (path: readonly string[]): boolean => asides.has(nameOf(path.at(-2) ?? ''));

/** Returns what finds the texts of a body by the usual names of their fields, the preferred ones first. */
export function finderOf(leaves: readonly Leaf[]) {
  const byName = new Map<string, string>();
  // The name alone, and with those around it: `order.action`. The name of a person is not that of what happened.
  for (const { path, value } of leaves)
    for (const key of [isAside(path) ? [] : path.slice(-1), path.slice(-2), path].map((names) =>
      nameOf(...names),
    ))
      if (typeof value !== 'boolean' && !isMissing(value))
        byName.getOrInsert(key, String(value).slice(0, 4_000));
  return (field: Usual): readonly string[] =>
    namesOf[field].flatMap((name) => {
      const text = byName.get(name) ?? '';
      return text === '' ? [] : [text];
    });
}
export type Finder = ReturnType<typeof finderOf>;

export const isMissing = (value: Leaf['value']): boolean =>
  typeof value === 'number' ? !Number.isFinite(value) : noNumber.test(String(value));
