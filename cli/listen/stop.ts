/** npm passes on a Ctrl-C that the terminal has sent to us too: a second signal within this time is the same one. */
const sameSignalMs = 1_000;

export type Stop = { signal: AbortSignal; ask(): void };

/** Asked to end: once in order, by a later second signal at once. A reader of our output that leaves asks too. */
export function createStop(): Stop {
  const asked = new AbortController();
  let firstAt: number | undefined;
  const onSignal = () => {
    if (firstAt !== undefined && performance.now() - firstAt < sameSignalMs) return;
    if (firstAt !== undefined) process.exit(130);
    firstAt = performance.now();
    asked.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  // Every command ends at once when its reader has left; here an endpoint would stay.
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => asked.abort());
  return { signal: asked.signal, ask: () => asked.abort() };
}

export const whenAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
