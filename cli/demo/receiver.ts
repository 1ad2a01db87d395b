import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export type Arrival = {
  at: number;
  id: string;
  type: string;
  /** The id of the message, the deal, the order, the task or the campaign that it is about. */
  aboutId: string;
  /** That of the campaign, for its messages too. */
  campaignId?: string;
  status?: string;
  /** What a booking's calendar shows. */
  calendarStatus?: string;
  /** What was answered in a form. */
  response?: unknown;
  isSigned: boolean;
  answer: number;
  /** The timeline has it. */
  isTold?: true;
};

type About = {
  message_id?: string;
  deal_id?: string;
  order_id?: string;
  task_id?: string;
  campaign_id?: string;
  status?: string;
  calendar_sync_status?: string;
  /** The shipper's own word. */
  provider_status?: string;
  response?: unknown;
};

export type Receiver = {
  url: string;
  /** Everything that came, in order. */
  arrivals: Arrival[];
  verifyWith(secret: string): void;
  /** The next webhook of this type gets a 503, once. */
  refuseOnce(type: string): void;
  close(): void;
};

/** The app's side: takes webhooks on this machine and checks each signature with a library that is not ours. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  let verifier: Webhook | undefined;
  let refused: string | undefined;

  const server = createServer(async (request, response) => {
    const at = Date.now();
    const body = await text(request);
    const { id, type, data } = JSON.parse(body) as { id: string; type: string; data: About };
    const answer = type === refused ? 503 : 204;
    if (type === refused) refused = undefined;
    const isSigned = isRight(verifier, body, request.headers as Record<string, string>);
    const { message_id, deal_id, order_id, task_id, campaign_id: campaignId, provider_status, response: filledIn } = data;
    arrivals.push({
      at,
      id,
      type,
      aboutId: (message_id ?? deal_id ?? order_id ?? task_id ?? campaignId)!,
      campaignId,
      status: provider_status || data.status,
      calendarStatus: data.calendar_sync_status,
      response: filledIn,
      isSigned,
      answer,
    });
    response.writeHead(answer).end();
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    arrivals,
    verifyWith: (secret) => {
      verifier = new Webhook(secret);
    },
    refuseOnce: (type) => {
      refused = type;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function isRight(verifier: Webhook | undefined, body: string, headers: Record<string, string>): boolean {
  try {
    verifier?.verify(body, headers);
    return verifier !== undefined;
  } catch {
    return false;
  }
}
