import type { Catalogue } from '../languages.ts';
import alerts from './alerts.ts';
import detectors from './detectors.ts';
import labels from './labels.ts';
import turns from './turns.ts';

/** Simplified Chinese. */
export default {
  messages: { ...alerts, ...detectors, ...turns },
  labels,
  units: ['# 天', '# 小时', '# 分钟', '# 秒'],
} satisfies Catalogue;
