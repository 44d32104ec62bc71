import type { Alert } from '#src/alert/alert.ts';

export const start = Date.parse('2026-01-01T00:00:00Z');

/** Makes a revision of an alert that began at `start`, `at` ms after it. */
export const revision = (over: Partial<Alert> & { kind?: string; at: number }): Alert => {
  const { kind = 'oi-momentum', at, ...rest } = over;
  return {
    status: 'firing',
    labels: { kind, symbol: 'BTCUSDT' },
    severity: 'warning',
    annotations: { title: '', summary: '', facts: [], dataTime: at },
    event: { title: '', summary: '', facts: [], dataTime: at },
    end: null,
    id: `${kind}-1`,
    fingerprint: kind,
    revision: 1,
    previousSeverity: 'warning',
    peak: 'warning',
    newsRevision: 1,
    startsAt: start,
    updatedAt: start + at,
    endsAt: rest.status === 'resolved' ? start + at : null,
    ...rest,
  };
};
