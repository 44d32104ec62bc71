/** Wall ms for which the tab that announces an alert keeps the other tabs silent. */
const quietTime = 3_000;

/** Until when this tab keeps the others silent, wall ms; undefined if it does not. */
let announcingUntil: number | undefined;

/**
 * Does the work in only one of the open tabs, because all of them receive an alert at nearly the same time. A tab that has
 * just announced an alert also announces the next one.
 */
export async function inOneTab(work: () => void): Promise<void> {
  // Browsers provide locks only over TLS and on localhost.
  if (navigator.locks === undefined) return work();
  if (announcingUntil !== undefined) {
    announcingUntil = Date.now() + quietTime;
    return work();
  }
  await navigator.locks.request('tocsin.alert-notice', { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    work();
    announcingUntil = Date.now() + quietTime;
    for (let rest = quietTime; rest > 0; rest = announcingUntil - Date.now())
      await new Promise((resolve) => setTimeout(resolve, rest));
    announcingUntil = undefined;
  });
}
