import { ask } from '../start/local-http.ts';
import { Missing, type Stage } from './stage.ts';
import type { Step } from './timeline.ts';

type Seen = { at: string; path: string; status: number | null; body: { biz_opaque_callback_data?: string } };

/** The calls for a message as the sandbox saw them: our message id rides in the callback data. */
export async function callsFor({ installation, signal }: Stage, messageId: string): Promise<Seen[]> {
  const url = `${installation.sandbox_url}/_control/requests?method=POST&path=/messages`;
  const answer = await ask<{ requests: Seen[] }>(url, { signal });
  if (!answer) throw new Missing('An answer of the sandbox: nobody listens any more');
  return answer.body.requests.filter(({ body }) => body.biz_opaque_callback_data === messageId);
}

export const stepOfCall = ({ at, path, status }: Seen): Step => ({
  at: Date.parse(at),
  from: 'Kanal',
  to: 'provider',
  what: `POST ${path}`,
  note: `answered ${status}`,
});

/** The contact writes. Returns when. */
export async function contactWrites({ installation, signal }: Stage, text: string): Promise<number> {
  const { channel, contact, sandbox_url } = installation;
  const at = Date.now();
  const answer = await ask(`${sandbox_url}/_control/inbound`, {
    method: 'POST',
    body: {
      phone_number_id: channel.phone_number_id,
      message: { type: 'text', text: { body: text } },
      contact: { profile: { name: 'Demo Contact' }, wa_id: contact.phone.slice(1) },
    },
    signal,
  });
  if (!answer) throw new Missing('An answer of the sandbox: nobody listens any more');
  return at;
}
