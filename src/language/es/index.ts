import type { Catalogue } from '../languages.ts';
import alerts from './alerts.ts';
import chats from './chats.ts';
import commands from './commands.ts';
import labels from './labels.ts';

/** Spanish, as read in Spain and in Latin America. */
export default {
  messages: { ...alerts, ...chats, ...commands },
  labels,
  units: ['# d', '# h', '# min', '# s'],
} satisfies Catalogue;
