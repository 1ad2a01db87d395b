import { askCalendarSync } from '../../src/commerce/calendar/ask-sync.ts';
import { orderLock } from '../../src/commerce/orders/order-row.ts';
import { endpoint } from '../http/endpoint.ts';
import { operationNote } from '../http/schemas.ts';
import { orderReply, orderView, writtenReply } from './order-view.ts';

export const syncBookingCalendar = endpoint({
  method: 'post',
  path: '/v1/commerce/orders/:orderID/booking-calendar-sync',
  operationId: 'commerce.orders.booking-calendar-sync',
  tag: 'Bookings',
  scope: 'commerce:write',
  summary: 'Bring the calendar of the staff member in step with the booking',
  description: `The same happens by itself after every change of the booking; asked for, it also looks for what was changed in the calendar. An entry that is missing is made, a moved one is moved back, one that should not be there is deleted, whatever the calendar shows. What became of it stands in \`shipping_metadata.booking\`: \`calendar_sync_status\` is \`pending\`, \`synced\`, \`failed\` or \`skipped\` (there is no calendar), and \`calendar_sync_error\` says why, or what is missing in an entry that is in step: \`conference_pending\`, \`conference_unavailable\`, \`event_recreated\`. 422 \`booking_required\` for an order without a booking; 409 \`connection_unavailable\` while the calendar refuses the credentials. Asked again while it is under way it is the same operation. ${operationNote}`,
  subject: 'Order',
  audit: 'order',
  isIdempotent: true,
  isOperation: true,
  responses: { 200: orderView },
  errors: [409],
  handler: ({ params: { orderID }, write }, { secrets }) =>
    write({ locks: [orderLock(orderID)] }, async ({ own: tx }) => {
      const operationId = await askCalendarSync(tx, orderID);
      return { ...(await writtenReply(tx, orderID, secrets)), ...(operationId && { operationId }) };
    }),
  outcome: ({ params: { orderID }, own }, { secrets }) => orderReply(own, orderID, secrets),
});
