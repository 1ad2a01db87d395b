import { bookingSync } from '../paths/booking-sync.ts';
import { upsert } from '../paths/contacts.ts';
import { deliver } from '../paths/deliver.ts';
import { getMessage, inbound, postMessage } from '../paths/http.ts';
import { send } from '../paths/send.ts';
import type { SideName, Stage } from '../stage.ts';
import { eachOf, type Figures, openMeter } from './meter.ts';
import { wholeWay } from './whole.ts';

const wayOfMessage = { post: postMessage, send, deliver, inbound };
const paths = { ...wayOfMessage, get: getMessage, upsert, 'booking-sync': bookingSync };
/** The parts that a message's whole way is made of. */
export const stepNames = Object.keys(wayOfMessage);
export const partNames = ['whole', ...Object.keys(paths)] as ('whole' | keyof typeof paths)[];

export type Costs = {
  messages: number;
  perSecond: number;
  parts: { name: string; what: string; kanal: Figures; floor?: Figures }[];
  /** Of web and worker with nothing to do, a second. */
  idleASecond?: Figures;
};

/** What one message costs, and each part of its way next to the floor's; each side does the same number of each. */
export async function cost(stage: Stage, messages: number, perSecond: number, only: string[]): Promise<Costs> {
  const meter = await openMeter(stage);
  const costs: Costs = { messages, perSecond, parts: [] };
  const takeEach = () => {
    const { figures, idleASecond } = meter.take();
    return { each: eachOf(figures, messages), idleASecond };
  };
  for (const name of partNames) {
    if (only.length > 0 && !only.includes(name)) continue;
    if (name === 'whole') {
      await wholeWay(stage, messages, perSecond, meter);
      const { each, idleASecond } = takeEach();
      costs.parts.push({ name, what: 'accepted, sent, its webhook delivered, one status applied', kanal: each });
      costs.idleASecond = idleASecond;
      console.error(stage.backend, name, JSON.stringify({ kanal: each, idleASecond }));
      continue;
    }
    const path = paths[name];
    const { round, close } = await path.open(stage, { seconds: 0, count: messages, perSecond, meter });
    const sides = {} as Record<SideName, Figures>;
    for (const side of [stage.kanal, stage.floor]) {
      await round(side);
      sides[side.name] = takeEach().each;
    }
    await close();
    costs.parts.push({ name, what: path.what, ...sides });
    console.error(stage.backend, name, JSON.stringify(sides));
  }
  return costs;
}
