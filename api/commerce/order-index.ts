import type { AnyEndpoint } from '../http/endpoint.ts';
import {
  convertDraftOrder,
  createDraftOrder,
  deleteDraftOrder,
  getDraftOrder,
  listOfDraftOrders,
  patchDraftOrder,
} from './draft-orders.ts';
import { countOneDelivery, createOneOrder, getOneOrder, patchOneOrder } from './orders.ts';
import { listOfOrders } from './orders-list.ts';
import {
  cancelOneOrder,
  completeOneOrder,
  confirmOneOrder,
  processOneOrder,
  restockOneOrder,
  settleOneOrder,
  shipOneOrder,
} from './orders-moves.ts';
import { timelineOfOrder } from './orders-timeline.ts';

/** In the order the document shall have. */
export const orderEndpoints: AnyEndpoint[] = [
  listOfDraftOrders,
  createDraftOrder,
  getDraftOrder,
  patchDraftOrder,
  deleteDraftOrder,
  convertDraftOrder,
  listOfOrders,
  createOneOrder,
  getOneOrder,
  patchOneOrder,
  confirmOneOrder,
  processOneOrder,
  shipOneOrder,
  completeOneOrder,
  cancelOneOrder,
  restockOneOrder,
  settleOneOrder,
  countOneDelivery,
  timelineOfOrder,
];
