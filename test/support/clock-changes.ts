/** A moment at which the clocks of a zone change, ms. */
export interface ClockChange {
  readonly zone: string;
  readonly at: number;
}

/** Returns every change of clocks between two moments, once for all zones that change alike. */
export function changesOf(from: number, until: number): ClockChange[] {
  const byChange = new Map<string, ClockChange>();
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    let local: Temporal.ZonedDateTime | null =
      Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone);
    for (;;) {
      local = local.getTimeZoneTransition('next');
      if (local === null || local.epochMilliseconds >= until) break;
      const at = local.epochMilliseconds;
      byChange.set(`${at} ${local.offset}`, { zone, at });
    }
  }
  return [...byChange.values()];
}

/** The moments around a change that are looked at, ms from it: every minute close to it, and both ends of longer changes. */
export const aroundChange = [
  -65, -61, -60, -45, -31, -30, -15, -2, -1, 0, 1, 2, 15, 29, 30, 45, 59, 60, 65,
].map((minutes) => minutes * 60_000);
