import { z } from 'zod';
import type { Fact } from '../alert/alert.ts';
import type { Card } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { lines, listOf, msg, type Text, typed } from '../language/text.ts';
import { Secret } from '../runtime/secret.ts';
import { defineCommand } from '../shell/command.ts';
import type { ConnectingState } from '../shell/connecting.ts';

const input = z.object({
  platform: z.string().trim().toLowerCase().max(40).optional().describe('Which one, e.g. telegram'),
  token: z
    .string()
    .trim()
    .min(1)
    .max(2_000)
    .optional()
    .describe('Its token, on the page or in the terminal only'),
  to: z
    .string()
    .trim()
    .min(1)
    .max(2_000)
    .optional()
    .describe('Post a sample alert there: a number of the list, or an address'),
  disconnect: z.enum(['yes', 'no']).default('no').describe('Whether to close it and forget its token'),
});

export default defineCommand({
  name: 'connect',
  description: msg('For the operator: connect Discord, Telegram and others while the bot runs'),
  takes: 'operate',
  refusal: msg('Only the operator may connect platforms.'),
  input,
  async run({ platform: name, token: typedToken, to, disconnect }, { connecting, caller, isOperatorPlace }) {
    // From here on no log line has it, whatever becomes of it.
    const token = typedToken === undefined ? undefined : new Secret(typedToken);
    if (token !== undefined && !isOperatorPlace)
      throw new UserError(
        msg(
          'Others may read along here, so this token is not taken: make a new one, and give it on the page under Connect.',
        ),
        { code: 'forbidden' },
      );
    const all = await connecting.list(caller);
    if (name === undefined) return overview(all);
    const state = all.find((each) => each.name === name);
    if (state === undefined)
      throw new UserError(
        msg('There is no platform "{name}" to connect: {names}.', {
          name,
          names: listOf(all.map((each) => each.name)),
        }),
        { code: 'unknown' },
      );
    if (disconnect === 'yes') return stateCard(await connecting.disconnect(name, caller));
    if (token !== undefined) {
      const option = state.asks.find(({ secret: isSecret }) => isSecret)?.option ?? 'token';
      return stateCard(await connecting.connect(name, { options: { [option]: token.reveal() }, caller }));
    }
    if (to === undefined) return stateCard(state);
    await connecting.sample(name, { place: state.places[Number(to) - 1]?.address ?? to, caller });
    return { title: msg('Sample alert posted'), summary: state.places[Number(to) - 1]?.name ?? state.title };
  },
});

const sourceText = ({ source, problem }: ConnectingState): Text =>
  problem ??
  (source === 'here'
    ? msg('Connected')
    : source === 'configuration'
      ? msg('Set by the environment or a file')
      : msg('Not connected'));

const overview = (all: readonly ConnectingState[]): Card => ({
  title: msg('Connect a chat'),
  summary: msg('{connect} says what to do for one. On the page, Connect leads through it step by step.', {
    connect: typed('connect telegram', 'connect platform:telegram'),
  }),
  table: {
    columns: [msg('Platform'), msg('State')],
    rows: all.map((each) => [each.title, sourceText(each)]),
  },
});

/** What has come of it, and the next thing to do. */
function stateCard(state: ConnectingState): Card {
  const { name, title, source, steps, joining, bot, places, barred, addressExample } = state;
  const give = `connect ${name} token=`;
  const next = places.length > 0 ? '1' : addressExample;
  const todo: readonly Text[] =
    source === null
      ? [...steps, msg('Then, on the page under Connect or in the terminal: {give}…', { give })]
      : [
          ...(joining === undefined ? [] : [joining]),
          ...barred,
          msg('A sample alert: {send}', {
            send: typed(`connect ${name} to=${next}`, `connect platform:${name} to:${next}`),
          }),
        ];
  const facts: readonly Fact[] = [
    { name: msg('State'), value: sourceText(state) },
    ...(bot === undefined ? [] : [{ name: bot.name, value: bot.link }]),
  ];
  return {
    title,
    summary: lines(...todo.map((each, at) => msg('{n}. {what}', { n: String(at + 1), what: each }))),
    facts,
    table: {
      columns: ['', msg('Where')],
      rows: places.map((place, at) => [String(at + 1), place.name]),
    },
  };
}
