import type { AnyEndpoint } from '../http/endpoint.ts';
import { createPaymentSession, getPaymentSession, listOfPaymentSessions } from './payment-sessions.ts';
import { getOnePayment, listOfPayments, recordOnePayment } from './payments.ts';
import { createOneRefund, getOneRefund, listOfRefunds, settleOneRefund } from './refunds.ts';

/** In the order of the document. */
export const paymentEndpoints: AnyEndpoint[] = [
  createPaymentSession,
  listOfPaymentSessions,
  getPaymentSession,
  recordOnePayment,
  listOfPayments,
  getOnePayment,
  createOneRefund,
  listOfRefunds,
  getOneRefund,
  settleOneRefund,
];
