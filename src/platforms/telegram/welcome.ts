import type { Card } from '../../card/card.ts';
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
