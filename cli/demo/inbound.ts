import { read } from './messages.ts';
import { contactWrites } from './provider.ts';
import type { Arrival } from './receiver.ts';
import { Missing, type Stage } from './stage.ts';
import { besideTimes } from './timeline.ts';
import { untilNothing } from './wait.ts';
import { arrivalsOf, right, stepOf } from './webhooks.ts';

const type = 'message.new';

/** The contact writes, and the app hears of it. */
export async function inbound(stage: Stage, text: string): Promise<Arrival> {
  const arrival = await written(stage, text);
  stage.timeline.add(stepOf(arrival));
  await readBack(stage, arrival.aboutId, text);
  return arrival;
}

/** The contact writes, the app refuses the webhook, and the same webhook comes again. */
export async function inboundRefused(stage: Stage, text: string) {
  const { receiver, timeline } = stage;
  receiver.refuseOnce(type);
  const refused = await written(stage, text);
  timeline.add(stepOf(refused), {
    at: refused.at,
    from: 'your app',
    to: 'Kanal',
    what: String(refused.answer),
    note: 'on purpose, this once',
  });
  timeline.show();
  timeline.say(`${besideTimes}Kanal tries again after about 5 seconds …`);
  const again = () => arrivalsOf(stage, refused.aboutId).find(({ id, answer }) => id === refused.id && answer < 300);
  await untilNothing(() => (again() ? [] : [`the second attempt of the webhook ${type}`]), stage);
  timeline.add(stepOf(again()!, `${right}, the same webhook`));
  await readBack(stage, refused.aboutId, text);
}

async function written(stage: Stage, text: string): Promise<Arrival> {
  const { receiver, timeline } = stage;
  const before = receiver.arrivals.length;
  const at = await contactWrites(stage, text);
  timeline.add({ at, from: 'contact', to: 'provider', what: `"${text}"` });
  const arrival = () => receiver.arrivals.slice(before).find((each) => each.type === type);
  await untilNothing(() => (arrival() ? [] : [`the webhook ${type}`]), stage);
  return arrival()!;
}

async function readBack(stage: Stage, messageId: string, text: string) {
  const { data } = await read(stage, messageId, ({ content }) => `"${content.body}"`);
  if (data.content.body !== text) throw new Missing(`The contact's "${text}" in the message ${messageId}`);
}
