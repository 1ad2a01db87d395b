import type { Abuse } from './abuse.ts';
import { connectionCallbacks } from './clients/callbacks.ts';
import { campaignsAsked } from './clients/campaigns-asked.ts';
import { campaignsRunning } from './clients/campaigns-running.ts';
import { checkout } from './clients/checkout.ts';
import { deadEndpoints } from './clients/dead-endpoints.ts';
import { dearLists } from './clients/dear-lists.ts';
import { heldLock } from './clients/held-lock.ts';
import { heldPlaces } from './clients/held-places.ts';
import { manyColumns, onePerson } from './clients/imports.ts';
import { largeBodies } from './clients/large-bodies.ts';
import { providerBodies } from './clients/provider-bodies.ts';
import { rulesAsked } from './clients/rules-asked.ts';
import { rulesRunning } from './clients/rules-running.ts';
import { slots } from './clients/slots.ts';
import { slowBodies } from './clients/slow-bodies.ts';

export const abuses: Abuse[] = [
  largeBodies,
  heldLock,
  providerBodies,
  slowBodies,
  deadEndpoints,
  dearLists,
  onePerson,
  manyColumns,
  heldPlaces,
  rulesAsked,
  rulesRunning,
  slots,
  checkout,
  connectionCallbacks,
  campaignsAsked,
  campaignsRunning,
];
