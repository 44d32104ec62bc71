import type { Catalogue } from '../languages.ts';
import alerts from './alerts.ts';
import answers from './answers.ts';
import attention from './attention.ts';
import chats from './chats.ts';
import commands from './commands.ts';
import labels from './labels.ts';
import markets from './markets.ts';
import more from './more.ts';
import page from './page.ts';
import places from './places.ts';
import rules from './rules.ts';

/** Spanish, as read in Spain and in Latin America. */
export default {
  messages: {
    ...alerts,
    ...answers,
    ...attention,
    ...chats,
    ...commands,
    ...markets,
    ...more,
    ...places,
    ...rules,
  },
  labels,
  page,
  units: ['# d', '# h', '# min', '# s'],
} satisfies Catalogue;
