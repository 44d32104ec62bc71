import type { Card } from '../card/card.ts';
import { join, listOf, msg, msgIn, type Text, typed } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import type { Command } from './command.ts';
import { type Field, fieldsOf, fieldsOfAction } from './fields.ts';

/** Writes the usage of a command or of its action: `call make <symbol> <side> [after]`. Required inputs are in <>, optional ones in []. */
export function usage(command: Pick<Command, 'name' | 'input' | 'actions'>, action = ''): string {
  const path = Object.hasOwn(command.actions ?? {}, action) ? `${command.name} ${action}` : command.name;
  return written(path, fieldsOfAction(command, action));
}

/** Writes the usage with the required inputs only. The command's own help explains the optional ones. */
const briefUsage = (command: Command): string =>
  written(
    command.name,
    fieldsOf(command).filter(({ required }) => required),
  );

const written = (path: string, fields: readonly Field[]): string => [path, ...fields.map(argument)].join(' ');

const argument = ({ key, required, list }: Field): string => {
  const name = list ? `${key}…` : key;
  return required ? `<${name}>` : `[${name}]`;
};

export const helpOverview = (commands: readonly Command[]): Card => ({
  title: msg('What Tocsin can do'),
  summary: msg('Type a command, e.g. {example}. For the details of one: {help}.', {
    help: typed('help funding', 'help command:funding'),
    example: typed('funding btc', 'funding symbol:btc'),
  }),
  table: {
    columns: [msg('Command'), msg('What it does')],
    rows: topics.flatMap(({ topic, heading }) => {
      const topicCommands = commands.filter((command) => topicOf(command) === topic);
      return topicCommands.length === 0
        ? []
        : [
            [heading, ''],
            ...topicCommands.map((command) => [
              typed(briefUsage(command), command.name),
              command.description,
            ]),
          ];
    }),
  },
  actions: [
    { label: msg('The market now'), command: 'market' },
    { label: msg('Get alerts here'), command: 'subscribe' },
    { label: msg('See sample alerts'), command: 'test' },
  ].filter(({ command }) => commands.some(({ name }) => name === command)),
});

const topicOf = ({ topic, takes }: Command) => topic ?? (takes === 'operate' ? 'operator' : 'market');
const topics = [
  { topic: 'market', heading: msg('The market') },
  { topic: 'alerts', heading: msg('Your alerts') },
  { topic: 'past', heading: msg('Past alerts and why they came') },
  { topic: 'chat', heading: msg('Settings and the bot') },
  { topic: 'operator', heading: msg('For the operator') },
] as const;

/** Builds a card that explains one command and its inputs. */
export function helpOn(command: Command): Card {
  const fields = fieldsOf(command);
  return {
    title: command.name,
    summary: command.description,
    facts: compact([
      { name: msg('Usage'), value: typed(usage(command)) },
      command.takes === 'manage' && {
        name: msgIn('may', 'Who'),
        value: msg('only those who manage this chat'),
      },
    ]),
    ...(fields.length > 0 && {
      table: {
        columns: [msg('Input'), msg('Meaning')],
        rows: fields.map(row),
      },
    }),
  };
}

function row({ key, description: meaning, choices, offers, required, defaultValue }: Field): Text[] {
  const described =
    choices.length > 0
      ? msg('{meaning} ({choices})', { meaning, choices: listOf(choices) })
      : offers.length > 0
        ? msg('{meaning} (e.g. {offers})', { meaning, offers: listOf(offers) })
        : meaning;
  const defaultText =
    defaultValue === undefined ? undefined : msg('default: {preset}', { preset: defaultValue });
  return [key, join([described, required ? msg('required') : defaultText], ' · ')];
}
