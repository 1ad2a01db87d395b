/** For a child that emits: `{endpointId, perSecond, count}` from its parent, at an even pace whatever the answers take; `{done}` back. */
type Order = { endpointId: string; perSecond: number; count: number };

/** More than an even pace ever has. Of all that is begun at once the last would wait for a connection longer than its pool allows. */
const maxAtOnce = 1_000;

export function atPace(emit: (endpointId: string) => Promise<void>) {
  // While the other side has its turn every connection may close, and nothing else would keep the process.
  process.channel?.ref();
  process.on('message', async (order: Order | string) => {
    if (typeof order === 'string') return;
    const startedAt = performance.now();
    const begun: Promise<void>[] = [];
    let ended = 0;
    const one = async () => {
      await emit(order.endpointId);
      ended += 1;
    };
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const due = Math.min(order.count, Math.floor(((performance.now() - startedAt) / 1000) * order.perSecond));
        while (begun.length < Math.min(due, ended + maxAtOnce)) begun.push(one());
        if (begun.length < order.count) return;
        clearInterval(timer);
        resolve();
      }, 2);
    });
    await Promise.all(begun);
    process.send?.({ done: begun.length });
  });
}
