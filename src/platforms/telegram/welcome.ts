import type { Card } from '../../card/card.ts';

const summary = 'I watch the crypto-derivatives market and tell you here when it turns.';

/** The three things to do first. */
export const welcome: Card<string> = {
  title: 'Tocsin is here',
  summary,
  facts: [
    { name: '1', value: '/subscribe: which alerts come here' },
    { name: '2', value: '/market: what goes on right now' },
    { name: '3', value: '/help: everything else' },
  ],
  actions: [
    { label: 'Subscribe to everything', command: 'subscribe all' },
    { label: 'The market now', command: 'market' },
    { label: 'Help', command: 'help' },
  ],
};

/** Told in private to whoever made the bot an administrator of a channel, where nobody types commands. */
export const channelWelcome = (title: string, target: string): Card<string> => ({
  title: `I can post in ${title} now`,
  summary: `Its alerts are chosen here, in private: put ${target} after the command.`,
  facts: [
    { name: '1', value: `/subscribe ${target} all` },
    { name: '2', value: `/subscriptions ${target}` },
  ],
});
