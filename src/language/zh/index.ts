import type { Catalogue } from '../languages.ts';
import labels from './labels.ts';

/** Simplified Chinese. */
export default {
  messages: {},
  labels,
  units: ['# 天', '# 小时', '# 分钟', '# 秒'],
} satisfies Catalogue;
