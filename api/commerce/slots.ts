import Joi from 'joi';
import { freeSlots, maxSlotDays, maxSlots, type SlotRequest } from '../../src/commerce/bookings/free-slots.ts';
import { exampleIdOf } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { day, id, timestamp, timeZone } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutService } from './service-schemas.ts';

const slot = Joi.object({
  starts_at: timestamp.required(),
  ends_at: timestamp.required(),
  local_start: Joi.string().required().description('The start by a clock in `timezone`, with its distance from UTC'),
});
const staff_ids = Joi.array().items(id).required().description('Who is free then, in the order of the service');

const exampleSlot = {
  starts_at: '2026-12-01T12:00:00.000Z',
  ends_at: '2026-12-01T12:45:00.000Z',
  local_start: '2026-12-01T13:00:00+01:00',
};

const viewOfSlots = (name: string, item: Joi.Schema, example: object) =>
  view(
    name,
    Joi.object({
      timezone: Joi.string().required(),
      items: Joi.array().items(item).required(),
      next_from: day
        .allow(null)
        .required()
        .description(
          `The days before it are whole. Ask again with it as \`from\` for the others; null: these are all. A reply has about ${maxSlots.toLocaleString('en')} times at most, fewer with many staff`,
        ),
    }),
    { timezone: 'Europe/Berlin', items: [example], next_from: null },
  );

const slotsView = viewOfSlots('slots', slot.keys({ staff_ids }), { ...exampleSlot, staff_ids: [exampleIdOf('staff')] });

/** No ids: whoever has the booking keeps it, so a customer needs none to move it. */
export const customerSlotsView = viewOfSlots('customer_slots', slot, exampleSlot);

export const slotQuery = {
  from: day.required().description('The first day, YYYY-MM-DD, in `timezone`'),
  to: day.required().description(`The last day, YYYY-MM-DD; at most ${maxSlotDays} days in all`),
  timezone: timeZone,
};
export const exampleSlotQuery = { from: '2026-12-01', to: '2026-12-31' };

export const listOfSlots = endpoint({
  ...aboutService,
  method: 'get',
  path: '/v1/commerce/services/:serviceID/slots',
  operationId: 'commerce.services.slots',
  scope: 'commerce:read',
  summary: 'List the times at which a service can be booked',
  description:
    'As they are at this moment: a time that somebody else books first is a 409 `slot_taken`. Without `timezone` the days are those of the staff member who is asked for, else of the store. A service that is not active is a 404.',
  query: Joi.object<SlotRequest>({ ...slotQuery, staff_id: id.description('Only this staff member') }),
  responses: { 200: slotsView },
  example: { query: exampleSlotQuery },
  async handler({ params, query, own }, { reads }) {
    const found = await reads.inPlace(`slots:${own.organizationId}`, () => freeSlots(own, params.serviceID, query));
    return ok({ timezone: found.timezone, items: found.slots, next_from: found.nextFrom });
  },
});
