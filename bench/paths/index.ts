import { upsert } from './contacts.ts';
import { deliver } from './deliver.ts';
import { getMessage, inbound, postMessage } from './http.ts';
import { latency } from './latency.ts';
import { send } from './send.ts';
import { startUp } from './start-up.ts';

/** In the order of the table. */
export const paths = [getMessage, postMessage, inbound, upsert, send, deliver, latency, startUp];
