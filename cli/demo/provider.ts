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

/** The contact fills in the form of a message. Returns when. */
export async function contactAnswers({ installation, signal }: Stage, messageId: string, response: object): Promise<number> {
  const at = Date.now();
  const url = `${installation.sandbox_url}/_control/flow-answer`;
  const answer = await ask(url, { method: 'POST', body: { message_id: messageId, response }, signal });
  if (!answer) throw new Missing('An answer of the sandbox: nobody listens any more');
  if (answer.status !== 200) throw new Missing(`The form at the provider: ${JSON.stringify(answer.body)}`);
  return at;
}

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

/** What a person or a courier does at a provider. Returns when. */
export async function atProvider({ installation, signal }: Stage, path: string, body: object = {}): Promise<number> {
  const at = Date.now();
  const answer = await ask(`${installation.sandbox_url}/_control/${path}`, { method: 'POST', body, signal });
  if (!answer) throw new Missing('An answer of the sandbox: nobody listens any more');
  if (answer.status !== 200) throw new Missing(`${path} at the provider: ${JSON.stringify(answer.body)}`);
  return at;
}

export async function seenAtProvider<Body>({ installation, signal }: Stage, path: string): Promise<Body> {
  const answer = await ask<Body>(`${installation.sandbox_url}/_control/${path}`, { signal });
  if (!answer) throw new Missing('An answer of the sandbox: nobody listens any more');
  return answer.body;
}
