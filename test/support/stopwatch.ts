/** The ms since it was started: as much a busy machine may have taken from a time that lies ahead before the test reads it. */
export function startStopwatch(): () => number {
  const startedAt = performance.now();
  return () => performance.now() - startedAt;
}
