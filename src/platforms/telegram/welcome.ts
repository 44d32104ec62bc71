import type { Card } from '../../card/card.ts';
import { catalogueOf, type Language } from '../../language/languages.ts';
import { msg, typed } from '../../language/text.ts';

/** The greeting in a private chat or a group: the three things to do first. */
export const welcome: Card = {
  title: msg('Tocsin is here'),
  summary: msg('I watch the crypto-derivatives market and tell you here when it turns.'),
  facts: [
    { name: '1', value: msg('{subscribe}: which alerts come here', { subscribe: typed('subscribe') }) },
    { name: '2', value: msg('{market}: what goes on right now', { market: typed('market') }) },
    { name: '3', value: msg('{help}: everything else', { help: typed('help') }) },
  ],
  actions: [
    { label: msg('Get the standard alerts here'), command: 'subscribe', weight: 'main' },
    { label: msg('The market now'), command: 'market' },
    { label: msg('Help'), command: 'help' },
  ],
};

/** Returns the greeting for the person who made the bot an administrator of a channel. It is sent in a private chat. */
export const channelWelcome = (title: string, target: string): Card => ({
  title: msg('I can post in {title} now', { title }),
  summary: msg('Its alerts are chosen here, in private: put {target} after the command.', { target }),
  facts: [
    { name: '1', value: `/subscribe ${target}` },
    { name: '2', value: `/subscriptions ${target}` },
  ],
});

/** What is asked most, in the rows of the keyboard of a private chat. */
const mainQuestions = [
  ['market', 'regime'],
  ['funding', 'liquidations'],
  ['subscriptions', 'help'],
];

/** Says what the keyboard is, which a message must bring. */
export const keysCard: Card = {
  title: msg('The keys below ask what is asked most.'),
  // A keyboard stands below a message of text alone.
  plain: true,
};

/** Returns the keyboard in a language: the names of its questions, which are what is sent. */
export const keysIn = (language: Language): readonly (readonly string[])[] =>
  mainQuestions.map((row) => row.map((name) => catalogueOf(language).menu.commands.get(name) ?? name));
