import { httpPath } from '../http-path.ts';
import type { Side } from '../stage.ts';
import { any } from './http.ts';

const limit = 25;
const headers = ({ tenant }: Side) => ({ 'x-api-key': tenant.apiKey });

export const listMessages = httpPath({
  name: 'list-messages',
  what: `GET /v1/messages of a conversation, a page of ${limit}`,
  status: 200,
  request: (side) => ({
    method: 'GET',
    path: `/v1/messages?conversation_id=${any(side.tenant.people).conversationId}&limit=${limit}`,
    headers: headers(side),
  }),
});

/** Without a filter: with one, the lists of an organization take turns, and this would measure the turns. */
export const listConversations = httpPath({
  name: 'list-conversations',
  what: `GET /v1/conversations, a page of ${limit}`,
  status: 200,
  request: (side) => ({ method: 'GET', path: `/v1/conversations?limit=${limit}`, headers: headers(side) }),
});
