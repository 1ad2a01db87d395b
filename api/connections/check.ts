import { connectionLock } from '../../src/connections/change.ts';
import { readConnection } from '../../src/connections/queries.ts';
import { requestCheck } from '../../src/connections/request-check.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { operationNote } from '../http/schemas.ts';
import { aboutConnection, connectionView, toView } from './schemas.ts';

export const checkOneConnection = endpoint({
  tag: aboutConnection.tag,
  subject: aboutConnection.subject,
  method: 'post',
  path: '/v1/connections/:connectionID/check',
  operationId: 'connections.check',
  scope: 'connections:write',
  summary: 'Try the credentials of a connection now',
  description: `Refused ones put it in \`auth_error\`; good ones connect it again. It is done by itself about once a day. While a check is under way, it is named again. ${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  responses: { 200: connectionView },
  async handler({ params: { connectionID: id }, own, write }, { config }) {
    const row = toView(await readConnection(own, id), config);
    return write({ locks: [connectionLock(id)] }, async (tx) => ({ ...ok(row), operationId: await requestCheck(tx.own, id) }));
  },
  outcome: async ({ params, own }, { config }) => ok(toView(await readConnection(own, params.connectionID), config)),
});
