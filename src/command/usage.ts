import type { Card } from '../card/card.ts';
import type { Command } from '../commands/command.ts';
import { type Field, fieldsOf } from './fields.ts';

/** `silence [kind] [symbol] [for]`: what must be given in <>, what may be in []. */
export const usage = (command: Pick<Command, 'name' | 'input'>): string =>
  [command.name, ...fieldsOf(command).map(argument)].join(' ');

const argument = ({ key, required, list }: Field): string => {
  const name = list ? `${key}…` : key;
  return required ? `<${name}>` : `[${name}]`;
};

/** All commands on one card. */
export const helpOverview = (commands: readonly Command[]): Card => ({
  title: 'What you can ask',
  summary:
    'Type a command, or "help" and its name for more. Inputs go in order or by name: funding symbol=btc.',
  table: {
    columns: ['Command', 'What it does'],
    rows: commands.map((command) => [usage(command), command.description]),
  },
});

/** One command, explained from its input. */
export function helpOn(command: Command): Card {
  const fields = fieldsOf(command);
  return {
    title: command.name,
    summary: command.description,
    facts: [
      { name: 'Usage', value: usage(command) },
      ...(command.settings === true
        ? [{ name: 'Who', value: 'only those who manage this place, as it changes its settings' }]
        : []),
    ],
    ...(fields.length > 0 && {
      table: { columns: ['Input', 'Meaning', 'If left out'], rows: fields.map(row) },
    }),
  };
}

const row = ({ key, description, choices, offers, required, preset }: Field): string[] => {
  const values =
    choices.length > 0 ? ` (${choices.join(', ')})` : offers.length > 0 ? ` (e.g. ${offers.join(', ')})` : '';
  return [key, description + values, required ? 'must be given' : (preset ?? '')];
};
