import type { Catalogue } from '../languages.ts';
import alerts from './alerts.ts';
import answers from './answers.ts';
import asking from './asking.ts';
import attention from './attention.ts';
import chats from './chats.ts';
import detectors from './detectors.ts';
import kinds from './kinds.ts';
import labels from './labels.ts';
import more from './more.ts';
import page from './page.ts';
import places from './places.ts';
import rules from './rules.ts';
import turns from './turns.ts';

/** Simplified Chinese. */
export default {
  messages: {
    ...alerts,
    ...detectors,
    ...turns,
    ...kinds,
    ...chats,
    ...asking,
    ...attention,
    ...places,
    ...rules,
    ...answers,
    ...more,
  },
  labels,
  page,
  units: ['# 天', '# 小时', '# 分钟', '# 秒'],
} satisfies Catalogue;
