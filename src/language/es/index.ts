import type { Catalogue } from '../languages.ts';
import labels from './labels.ts';

/** Spanish, as read in Spain and in Latin America. */
export default {
  messages: {},
  labels,
  units: ['# d', '# h', '# min', '# s'],
} satisfies Catalogue;
