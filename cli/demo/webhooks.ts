import type { Arrival } from './receiver.ts';
import type { Stage } from './stage.ts';
import type { Step } from './timeline.ts';
import { untilNothing } from './wait.ts';

export const nameOf = ({ type, status }: Pick<Arrival, 'type' | 'status'>) => (status ? `${type} ${status}` : type);

export const arrivalsOf = ({ receiver }: Stage, aboutId: string) =>
  receiver.arrivals.filter((arrival) => arrival.aboutId === aboutId);

/** Waits for the named webhooks of a message, a deal, an order, a task or a campaign. Whatever else came for it meanwhile is told too, once. */
export async function webhooksOf(stage: Stage, aboutId: string, names: string[]) {
  try {
    await untilNothing(() => {
      const there = arrivalsOf(stage, aboutId).map(nameOf);
      return names.filter((name) => !there.includes(name)).map((name) => `the webhook ${name}`);
    }, stage);
  } finally {
    const news = arrivalsOf(stage, aboutId).filter(({ isTold }) => !isTold);
    for (const arrival of news) arrival.isTold = true;
    stage.timeline.add(...news.map((arrival) => stepOf(arrival)));
  }
}

export const right = '✓ signature right';

export const stepOf = (arrival: Arrival, note = right): Step => ({
  at: arrival.at,
  from: 'Kanal',
  to: 'your app',
  what: nameOf(arrival),
  note: arrival.isSigned ? note : '✗ signature WRONG',
  isGood: arrival.isSigned,
});
