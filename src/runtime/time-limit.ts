/**
 * Runs work with a signal that aborts when `signal` does, or after `ms` of real time. `AbortSignal.any` and
 * `AbortSignal.timeout` do the same, but hold the signals and a timer of each work until long after its end: at 100 requests
 * a second and a limit of 15 s these are 1,500 timers, each of which creates an error when it fires.
 */
export async function withTimeLimit<Result>(
  ms: number,
  { signal, work }: { readonly signal: AbortSignal; readonly work: (signal: AbortSignal) => Promise<Result> },
): Promise<Result> {
  signal.throwIfAborted();
  const limited = new AbortController();
  const abort = () => limited.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => limited.abort(new DOMException('no answer in time', 'TimeoutError')), ms);
  timer.unref();
  try {
    return await work(limited.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
