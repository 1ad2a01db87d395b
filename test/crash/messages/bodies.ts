import { account } from '../stack.ts';

export type Status = 'sent' | 'delivered' | 'read';
export type Arrival = { id: string; to: string; callback_data: string };
/** What a body of the provider tells: a person's message, or a status of ours. */
export type Part =
  | { kind: 'message'; phone: string; number: number }
  | { kind: 'status'; status: Status; arrival: Arrival; dueAt: number };

export const providerIdOf = (phone: string, number: number) => `wamid.in.${phone}.${number}`;
export const textOf = (way: 'in' | 'out', number: number) => `${way} ${number}`;

const seconds = () => String(Math.floor(Date.now() / 1_000));

const messageOf = ({ phone, number }: Part & { kind: 'message' }) => ({
  from: phone,
  id: providerIdOf(phone, number),
  timestamp: seconds(),
  type: 'text',
  text: { body: textOf('in', number) },
});

const statusOf = ({ status, arrival }: Part & { kind: 'status' }) => ({
  id: arrival.id,
  status,
  timestamp: seconds(),
  recipient_id: arrival.to,
  biz_opaque_callback_data: arrival.callback_data,
});

function changeOf(parts: Part[]) {
  const messages = parts.filter((part) => part.kind === 'message');
  const statuses = parts.filter((part) => part.kind === 'status');
  const phones = [...new Set(messages.map(({ phone }) => phone))];
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550100001', phone_number_id: account.phone_number_id },
    ...(messages.length > 0 && {
      contacts: phones.map((phone) => ({ profile: { name: `P ${phone}` }, wa_id: phone })),
      messages: messages.map(messageOf),
    }),
    ...(statuses.length > 0 && { statuses: statuses.map(statusOf) }),
  };
  return { field: 'messages', value };
}

/** The parts in their order, some to a change. */
export function bodyOf(parts: Part[], random: () => number): string {
  const changes: object[] = [];
  for (let from = 0; from < parts.length; ) {
    const until = from + 1 + Math.floor(random() * 4);
    changes.push(changeOf(parts.slice(from, until)));
    from = until;
  }
  return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: account.waba_id, changes }] });
}
