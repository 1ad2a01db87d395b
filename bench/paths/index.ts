import { automationRuns } from './automation-runs.ts';
import { bookingSync } from './booking-sync.ts';
import { convert, flashSale, getOrder, paymentWebhook } from './commerce.ts';
import { upsert } from './contacts.ts';
import { batchOfRecords, createDeal, createRecord, listDeals, listRecords } from './crm.ts';
import { dataExchange } from './data-exchange.ts';
import { deliver } from './deliver.ts';
import { flowAnswer } from './flow-answer.ts';
import { flowBesideText, flowMessage } from './flow-message.ts';
import { getMessage, inbound, postMessage } from './http.ts';
import { inboundMessage } from './inbound-message.ts';
import { latency } from './latency.ts';
import { listConversations, listMessages } from './lists.ts';
import { send } from './send.ts';
import { startUp } from './start-up.ts';
import { upload } from './upload.ts';

/** In the order of the table. */
export const paths = [
  ...[
    getMessage,
    postMessage,
    flowMessage,
    flowBesideText,
    listMessages,
    listConversations,
    upload,
    inbound,
    dataExchange,
    upsert,
  ],
  ...[createDeal, createRecord, batchOfRecords, listDeals, listRecords],
  ...[getOrder, convert, flashSale, paymentWebhook, bookingSync],
  ...[inboundMessage, flowAnswer, automationRuns, send, deliver, latency, startUp],
];
