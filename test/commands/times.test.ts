import { describe, expect, it } from 'vitest';
import { type Change, revise } from '#src/alert/alert.ts';
import { alertCard } from '#src/card/alert-card.ts';
import type { Card } from '#src/card/card.ts';
import { digestCard } from '#src/card/digest-card.ts';
import { footerParts } from '#src/card/footer.ts';
import { renderJson } from '#src/card/render-json.ts';
import { sayCard } from '#src/card/say-card.ts';
import { time } from '#src/language/format.ts';
import { dateLocaleOf, languages } from '#src/language/languages.ts';
import { type Reader, say } from '#src/language/say.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { fieldsOf } from '#src/shell/fields.ts';
import { ask, caller, commands } from '#test/support/commands.ts';
import { now } from '#test/support/data.ts';
import { detectors } from '#test/support/detectors.ts';

/** Zones in which `now`, 12:03 UTC, is shortly before or after midnight, or far from whole hours. */
const timeZones = ['UTC', 'Etc/GMT-12', 'Etc/GMT+12', 'Pacific/Auckland', 'Asia/Kolkata', 'America/New_York'];
const readers = timeZones.flatMap((timeZone) =>
  languages.map((language): Reader => ({ language, timeZone })),
);
/** One reader in each zone, each with another language; over as many turns as there are languages they are all `readers`. */
const readersAt = (turn: number): readonly Reader[] =>
  timeZones.map((timeZone, index) => ({
    timeZone,
    language: languages[(index + turn) % languages.length] ?? 'en',
  }));

/** Returns the texts of a card, with its footer; charts have axes of their own. */
function textsOf(card: Card<string>): string[] {
  const { chart: _, dataTime: __, timeZone: ___, actions: ____, ...texts } = renderJson(card);
  const strings: string[] = [];
  JSON.stringify(texts, (_key, value) => {
    if (typeof value === 'string') strings.push(value);
    return value;
  });
  return [...strings, ...footerParts(card, card.dataTime)];
}

/** Asserts that each time on the card is in the reader's zone, with its date. */
function check(card: Card<string>, reader: Reader): void {
  const { language, timeZone } = reader;
  const { dataTime } = card;
  const times = new Map([...(card.times ?? [])]);
  if (dataTime !== undefined) times.set(say(time(dataTime), reader), dataTime);
  const format = new Intl.DateTimeFormat(dateLocaleOf(language), {
    ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ hourCycle: 'h23', timeZone },
  });
  for (const [shown, at] of times)
    for (const { type, value } of format.formatToParts(at))
      if (type !== 'literal') expect(shown).toContain(value);
  // What stands after the time of day.
  expect(new Set([...times.keys()].map((shown) => shown.split(/\d\d:\d\d/)[1])).size).toBeLessThan(2);
  const others = textsOf(card)
    .map((text) => [...times.keys()].reduce((left, shown) => left.replaceAll(shown, ''), text))
    .flatMap((text) => text.match(/.{0,30}\b\d{1,2}:\d{2}\b.{0,30}/gu) ?? [])
    // An hour of the day that a person has set stands with the zone in which they set it.
    .filter((text) => !text.includes(timeZone));
  expect(others).toEqual([]);
}

describe('one zone in a message, and a time of another day has its date', () => {
  it.each(commands)('in what $name answers', async (command) => {
    const lines = [
      command.name,
      `${command.name} btc`,
      ...fieldsOf(command).flatMap(({ key, choices, offers }) =>
        [...choices, ...offers].slice(0, 4).map((value) => `${command.name} ${key}="${value}"`),
      ),
    ];
    for (const [turn, line] of lines.entries())
      for (const reader of readersAt(turn))
        check(await ask(line, { caller: { ...caller, ...reader } }), reader);
  });

  it.each(readers)(
    'in alerts, alone, together, over and as a digest, in $language in $timeZone',
    (reader) => {
      for (const wait of [0, 5 * minute, 13 * hour]) {
        const samples = detectors.flatMap(({ sample }) => (sample === undefined ? [] : [sample(now - wait)]));
        const alerts = samples.flatMap((change) => revise(undefined, change, now - wait) ?? []);
        const over = alerts.flatMap((alert) => {
          const change: Change = { ...alert, annotations: alert.event, status: 'resolved' };
          return revise(alert, change, now) ?? [];
        });
        const cards = [
          ...[...alerts, ...over].map((alert) => alertCard([alert], { lateBy: hour })),
          alertCard(alerts),
          alertCard([...alerts, ...over]),
          digestCard([...alerts, ...over], { overBudget: true, unknownFor: hour }),
        ];
        for (const card of cards) check(sayCard(card, reader), reader);
      }
    },
  );
});
