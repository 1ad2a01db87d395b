import type { DemoFile } from './demo-file.ts';

export function welcome(demo: DemoFile, path: string): string {
  const { base_url, sandbox_url, api_key, user, channel, contact, bull_board } = demo;
  const key = `-H 'X-Api-Key: ${api_key}'`;
  const json = `-H 'Content-Type: application/json'`;
  const message = JSON.stringify({ channel_id: channel.id, to: contact.phone, type: 'text', text: { body: 'Hello from Kanal' } });
  const inbound = JSON.stringify({
    phone_number_id: channel.phone_number_id,
    message: { type: 'text', text: { body: 'Is anybody there?' } },
    contact: { profile: { name: 'Demo Contact' }, wa_id: contact.phone.slice(1) },
  });
  return `
Kanal is up.

  API          ${base_url}
  API key      ${api_key}
  Console      ${base_url}/console  (${user.email} / ${user.password})
  Reference    ${demo.docs_url}
  Queues       ${bull_board.url}  (${bull_board.user} / ${bull_board.password})
  Sandbox      ${sandbox_url}
  Database     ${demo.database_url}
  Metrics      ${demo.metrics.url}, ${demo.metrics.worker_url}  (Bearer ${demo.metrics.token})
  All of this  ${path}

Send a message to the demo contact, see what became of it, let the contact write back:

  curl -s ${base_url}/v1/messages ${key} ${json} -d '${message}'

  curl -s '${base_url}/v1/messages?limit=5' ${key}

  curl -s ${sandbox_url}/_control/inbound ${json} -d '${inbound}'

Watch it at work, in a second terminal:

  npm run demo              a conversation
  npm run demo -- campaign  a campaign to a segment
  npm run demo -- flow      a form inside the chat
  npm run demo -- order     an order, paid, in the calendar, brought by the courier
  npm run demo -- rule      a keyword that a rule answers

Ctrl-C stops everything.
`;
}
