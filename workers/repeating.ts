/** One at a time. `pauseMs` is called each time, so that workers drift apart. `work` must not reject. */
export function startRepeating(work: () => Promise<unknown>, pauseMs: () => number): { stop(): Promise<void> } {
  let isStopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const next = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = work().finally(next);
    }, pauseMs());
  };
  next();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
