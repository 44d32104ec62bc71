import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hour, minute } from '#src/runtime/units.ts';
import { type Command, defineCommand } from '#src/shell/command.ts';
import { symbols, wholeNumber } from '#src/shell/input.ts';
import { readRequest } from '#src/shell/request.ts';
import { commandContext, commands } from '#test/support/commands.ts';

const note = defineCommand({
  name: 'note',
  description: 'Keeps a note about a few markets',
  input: z.object({
    count: wholeNumber(1, 9).describe('How many'),
    markets: symbols.describe('Which').prefault('all'),
    text: z.string().describe('What').optional(),
  }),
  run: async () => ({ title: 'noted' }),
});
const all: Command[] = [...commands, note];
const read = async (line: string) =>
  (await readRequest(all, { request: line, asking: commandContext() })).input;

describe('a line is read', () => {
  test.each<[string, string, object]>([
    ['inputs in order', 'funding btc 5', { symbol: 'BTCUSDT', limit: 5 }],
    ['inputs by name, in any order', 'funding limit=5 symbol=btc', { symbol: 'BTCUSDT', limit: 5 }],
    ['names by their beginning', 'funding lim=5 sym=btc', { symbol: 'BTCUSDT', limit: 5 }],
    ['a name and its value apart', 'funding limit= 5', { limit: 5 }],
    ['a slash and the bot’s name', '/funding@tocsin_bot btc', { symbol: 'BTCUSDT', limit: 30 }],
    ['any case', 'FUNDING SYMBOL=Btc', { symbol: 'BTCUSDT', limit: 30 }],
    ['quotation marks', 'coin symbol="BTC / USDT"', { symbol: 'BTCUSDT' }],
    ['a phone’s quotation marks', 'coin “btc”', { symbol: 'BTCUSDT' }],
    ['what is left out is skipped', 'silence eth 90m', { symbol: 'ETHUSDT', for: 90 * minute }],
    ['a length of time alone', 'silence 4h', { for: 4 * hour }],
    [
      'several names with commas and spaces',
      'subscribe funding,oi btc, eth sol',
      {
        kinds: ['funding-extreme', 'oi-momentum'],
        symbols: ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'],
      },
    ],
    ['the same name twice is once', 'subscribe all btc BTC/USDT xbt', { kinds: ['*'], symbols: ['BTCUSDT'] }],
    ['all beside names is all', 'subscribe symbols=btc,all', { symbols: ['*'] }],
    ['choices by their beginning', 'subscribe severity=crit', { symbols: ['*'], severity: 'critical' }],
    [
      'quiet hours over midnight, and a city',
      'subscribe quiet=22-7 zone=berlin',
      {
        symbols: ['*'],
        quiet: { from: '22:00', to: '07:00' },
        zone: 'Europe/Berlin',
      },
    ],
    ...(
      [
        ['kolkata', 'Asia/Kolkata'],
        ['europe/kyiv', 'Europe/Kyiv'],
      ] as const
    ).map(([typed, zone]): [string, string, Record<string, unknown>] => [
      `a time zone by its name of today: ${zone}`,
      `subscribe quiet=22-7 zone=${typed}`,
      { symbols: ['*'], quiet: { from: '22:00', to: '07:00' }, zone },
    ]),
    [
      'the rest of the line is the last input',
      'note 2 btc buy the  dip',
      { count: 2, markets: ['BTCUSDT'], text: 'buy the dip' },
    ],
  ])('%s', async (_, line, input) => expect(await read(line)).toEqual(input));

  test.each<[string, string, RegExp]>([
    ['nothing', '  ', /Type a command/],
    ['a misspelt command', 'fundnig btc', /Unknown command "fundnig"\nDid you mean funding\?/],
    ['a misspelt market', 'silence bct 4h', /Unknown market "bct"\nDid you mean BTC\?\nUsage: silence/],
    ['a misspelt name', 'funding limt=5', /no input "limt"\nDid you mean limit\? It takes symbol, limit/],
    ['a name twice', 'funding symbol=btc symbol=eth', /symbol is given twice/],
    [
      'a number out of bounds',
      'funding limit=91',
      /limit: give a whole number from 1 to 90.*\nUsage: funding \[symbol\] \[limit\]/s,
    ],
    ['a fraction', 'market 1.5', /whole number/],
    ['a length out of bounds', 'silence for=40d', /for: give a length of time from 1m to 30d/],
    ['a wrong choice', 'subscribe severity=loud', /"loud" is not one of info, warning, critical/],
    ['an unknown kind', 'subscribe kinds=fnding-extreme', /Did you mean funding-extreme\?/],
    ['an empty value', 'silence kind=', /empty/],
    ['an unknown time zone', 'subscribe quiet=22-7 zone=Europe/Berlni', /Did you mean Europe\/Berlin/],
    ['equal quiet hours', 'subscribe quiet=7-7', /two different times/],
    ['an open quotation mark', 'funding "btc', /quotation mark/],
    ['a second market', 'coin btc eth', /^coin takes one market\nAsk for each by itself: coin eth/],
    ['a second market before other inputs', 'funding btc eth', /^funding takes one market\n/],
    ['something where nothing is taken', 'status now', /status doesn’t take "now"/],
    ['an action', 'call make btc sideways', /\nUsage: call make <symbol> <side> \[after\]/],
    ['something that must be given', 'unsubscribe', /Which one\? Add its id\.\nUsage: unsubscribe <id>/],
    ['a flood of words', `subscribe${' a'.repeat(1_900)}`, /at most 150 words/],
    [
      'a flood of names',
      `subscribe all symbols=${'btc,'.repeat(900)}`,
      /symbols takes at most 100 names at once/,
    ],
    ['far too much', `funding ${'x'.repeat(5_000)}`, /at most 4,000 characters/],
  ])('%s: it is refused with the remedy', (_, line, message) => expect(read(line)).rejects.toThrow(message));
});

test('a family of kinds means all of its kinds where several may be named', async () => {
  const kinds = ['funding-extreme', 'funding-flip', 'oi-momentum'].map((name) => ({
    name,
    description: name,
  }));
  const named = async (line: string) =>
    (await readRequest(all, { request: line, asking: commandContext({ kinds }) })).input.kinds;
  expect(await named('subscribe funding btc')).toEqual(['funding-extreme', 'funding-flip']);
  expect(await named('subscribe oi, funding-flip')).toEqual(['oi-momentum', 'funding-flip']);
});

test('named inputs of a form are checked in the same way, and unknown ones are refused', async () => {
  const form = async (input: Record<string, unknown>) =>
    (await readRequest(all, { request: { name: 'funding', input }, asking: commandContext() })).input;
  expect(await form({ symbol: 'xbt', limit: 5 })).toEqual({ symbol: 'BTCUSDT', limit: 5 });
  await expect(form({ symbol: 7 })).rejects.toThrow(/symbol: /);
  await expect(form({ days: 7 })).rejects.toThrow(/no input "days"/);
});
