import { createHmac } from 'node:crypto';
import { abuse } from '../abuse.ts';
import { clients } from '../requests.ts';

const size = 1_000_000;
const repeated = (item: string) =>
  Array(Math.floor(size / (item.length + 1)))
    .fill(item)
    .join(',');

type Target = { base: string; channelId: string; phoneNumberId: string; appSecret: string };

/** Bodies that are signed well, with the channel's own secret: entries for nobody, changes of one's own, messages that are none. */
const bodiesOf = ({ phoneNumberId }: Target) => {
  const metadata = { display_phone_number: '15550100002', phone_number_id: phoneNumberId };
  const own = JSON.stringify({ value: { metadata } });
  const messages = `{"field":"messages","value":{"metadata":${JSON.stringify(metadata)},"messages":[${repeated('{}')}]}}`;
  return [
    `{"entry":[${repeated('{"changes":[0]}')}]}`,
    `{"entry":[{"id":"2","changes":[${repeated(own)}]}]}`,
    `{"entry":[{"id":"2","changes":[${messages}]}]}`,
  ];
};

export const providerBodies = abuse<Target>({
  number: 3,
  finding: 'B3',
  what: "signed bodies of 1 MB to the channel's own callback: changes that are none, many of one's own, messages that are none",
  victims: ['get', 'message'],
  hasWorker: true,
  prepare: ({ base, hostile: { tenant, appSecret } }) => ({
    base,
    channelId: tenant.channelId,
    phoneNumberId: tenant.phoneNumberId,
    appSecret,
  }),
  attack(target, tally) {
    const { base, channelId, appSecret } = target;
    const signed = bodiesOf(target).map((body) => ({
      body: Buffer.from(body),
      signature: `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`,
    }));
    // One body at a time: each is enough.
    return clients(1, 1_000, tally, (_, number) => {
      const { body, signature } = signed[number % signed.length]!;
      return {
        base,
        method: 'POST',
        path: `/v1/providers/messaging-app/webhook/${channelId}`,
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
        body,
      };
    });
  },
});
