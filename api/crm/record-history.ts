import { assertNotBuiltIn } from '../../src/records/built-in/kind.ts';
import { getRecord } from '../../src/records/record-row.ts';
import { loadType, unknownKind } from '../../src/records/types/object-type.ts';
import { endpoint } from '../http/endpoint.ts';
import { listOf } from '../http/paging.ts';
import { historyQuery, historyReply, historyView } from './history-view.ts';
import { aboutRecord } from './record-schemas.ts';

export const historyOfRecord = endpoint({
  ...aboutRecord,
  method: 'get',
  path: '/v1/crm/object-types/:objectKind/records/:recordID/history',
  operationId: 'crm.records.history',
  scope: 'crm:read',
  summary: 'List the changes of a record, newest first',
  description:
    'By the names that fields and relations had at the time. A name that is used again, after its field or relation was removed, is another one: history before its creation is of the earlier one.',
  query: historyQuery,
  responses: { 200: listOf(historyView) },
  example: { params: { objectKind: 'company' } },
  async handler({ params: { objectKind, recordID }, query, own }) {
    assertNotBuiltIn(objectKind);
    const type = await loadType(own, objectKind);
    if (!type) throw unknownKind();
    await getRecord(own, { typeId: type.id, id: recordID });
    return historyReply(own, recordID, query);
  },
});
