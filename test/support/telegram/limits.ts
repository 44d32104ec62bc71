/** At most `max` requests in any window of `per` ms. */
export interface Window {
  readonly per: number;
  readonly max: number;
}

export interface Limits {
  readonly total: Window;
  readonly chat: Window;
  readonly group: Window;
}

/** As Telegram's FAQ for bots gives them. */
export const realLimits: Limits = {
  total: { per: 1_000, max: 30 },
  chat: { per: 1_000, max: 1 },
  group: { per: 60_000, max: 20 },
};

/** Counts messages by sliding windows; a refused one does not count. */
export function createLimiter(limits: Limits | null, now: () => number) {
  const sent = new Map<string, number[]>();

  const wait = (key: string, { per, max }: Window, at: number): number => {
    const times = (sent.get(key) ?? []).filter((time) => time > at - per);
    sent.set(key, times);
    const first = times[times.length - max];
    return first === undefined ? 0 : first + per - at;
  };

  return {
    /** Milliseconds to wait; 0: it was counted and may pass. */
    take(chatId: string): number {
      if (limits === null) return 0;
      const at = now();
      const group = chatId.startsWith('-');
      const longest = Math.max(
        wait('all', limits.total, at),
        wait(chatId, limits.chat, at),
        group ? wait(`group ${chatId}`, limits.group, at) : 0,
      );
      if (longest > 0) return longest;
      for (const key of ['all', chatId, ...(group ? [`group ${chatId}`] : [])]) sent.get(key)?.push(at);
      return 0;
    },
  };
}
