/** For a child that emits: `{endpointId, perSecond, count}` from its parent, at an even pace whatever the answers take; `{done}` back. */
type Order = { endpointId: string; perSecond: number; count: number };

export function atPace(emit: (endpointId: string) => Promise<void>) {
  process.on('message', async (order: Order | string) => {
    if (typeof order === 'string') return;
    const startedAt = performance.now();
    const running: Promise<void>[] = [];
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const due = Math.min(order.count, Math.floor(((performance.now() - startedAt) / 1000) * order.perSecond));
        while (running.length < due) running.push(emit(order.endpointId));
        if (running.length < order.count) return;
        clearInterval(timer);
        resolve();
      }, 2);
    });
    await Promise.all(running);
    process.send?.({ done: running.length });
  });
}
