/** At most `max` requests in any window of `per` ms. */
export interface Window {
  readonly per: number;
  readonly max: number;
}

export interface Limits {
  readonly total: Window;
  /** Private chats: `max` messages at once, then one more every `per / max` ms. */
  readonly person: Window;
  /** Groups and channels. */
  readonly chat: Window;
  readonly group: Window;
}

/** The limits in Telegram's FAQ for bots. The FAQ does not say how large a burst a private chat allows; it is about three. */
export const realLimits: Limits = {
  total: { per: 1_000, max: 30 },
  person: { per: 3_000, max: 3 },
  chat: { per: 1_000, max: 1 },
  group: { per: 60_000, max: 20 },
};

/** Counts messages in sliding windows, and in private chats in a token bucket. A refused message does not count. */
export function createLimiter(limits: Limits | null, now: () => number) {
  const sent = new Map<string, number[]>();
  const buckets = new Map<string, { readonly left: number; readonly at: number }>();

  const wait = (key: string, { per, max }: Window, at: number): number => {
    const times = (sent.get(key) ?? []).filter((time) => time > at - per);
    sent.set(key, times);
    const first = times[times.length - max];
    return first === undefined ? 0 : first + per - at;
  };

  const leftAt = (chatId: string, { per, max }: Window, at: number): number => {
    const { left, at: since } = buckets.get(chatId) ?? { left: max, at };
    return Math.min(max, left + ((at - since) * max) / per);
  };
  const bucketWait = (chatId: string, limit: Window, at: number): number =>
    Math.max(0, ((1 - leftAt(chatId, limit, at)) * limit.per) / limit.max);

  return {
    /** Returns the time to wait, ms; 0: the message may pass and was counted. */
    take(chatId: string): number {
      if (limits === null) return 0;
      const at = now();
      const group = chatId.startsWith('-');
      const longest = Math.max(
        wait('all', limits.total, at),
        group ? wait(chatId, limits.chat, at) : bucketWait(chatId, limits.person, at),
        group ? wait(`group ${chatId}`, limits.group, at) : 0,
      );
      if (longest > 0) return longest;
      for (const key of ['all', ...(group ? [chatId, `group ${chatId}`] : [])]) sent.get(key)?.push(at);
      if (!group) buckets.set(chatId, { left: leftAt(chatId, limits.person, at) - 1, at });
      return 0;
    },
  };
}
