import Joi from 'joi';
import { searchAreas } from '../../src/commerce/delivery/areas.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import type { ShipperArea } from '../../src/providers/shipper/provider.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';

const words = (what: string) => Joi.string().allow('').required().description(what);

export const exampleArea = {
  id: 'IDNP11IDNC100IDND800IDZ12430',
  name: 'Cilandak, Jakarta Selatan, DKI Jakarta. 12430',
  province: 'DKI Jakarta',
  city: 'Jakarta Selatan',
  district: 'Cilandak',
  postal_code: '12430',
};

const areaView = view(
  'shipping_area',
  Joi.object({
    id: Joi.string().required().description("The shipper's: `area_id` of an address"),
    name: words('All of it, for people to choose: `area_name` of an address'),
    province: words('Empty: the shipper does not say'),
    city: words('Empty: the shipper does not say'),
    district: words('Empty: the shipper does not say'),
    postal_code: words('Empty: the shipper does not say'),
  }),
  exampleArea,
);

const toView = ({ postalCode, ...area }: ShipperArea) => ({ ...area, postal_code: postalCode });

export const listOfAreas = endpoint({
  method: 'get',
  path: '/v1/commerce/shipping-areas',
  operationId: 'commerce.shipping-areas.list',
  tag: 'Commerce',
  scope: 'commerce:read',
  summary: 'Search the areas that a shipper delivers to',
  description:
    'Asks the shipper, at most 5 s; an answer is kept for a day. 409 for a connection that is not connected, 503 while the shipper cannot be reached.',
  query: Joi.object<{ search: string; connection_id?: string }>({
    search: Joi.string().trim().min(2).max(100).required().description('Part of a name, or a postal code'),
    connection_id: id.description('A shipper connection; else the default one'),
  }),
  responses: {
    200: {
      schema: Joi.object({ items: Joi.array().items(areaView.schema).required() }),
      example: { items: [areaView.example] },
      named: areaView.named,
    },
  },
  errors: [409, 422, 503],
  example: { query: { search: 'Cilandak' } },
  async handler({ query: { search, connection_id }, own }, { shippingAreas, providers, secrets, ledger }) {
    const transact = transactFor(ledger.transact, own.organizationId);
    const deps = { areas: shippingAreas, shipper: providers.shipper, secrets, transact };
    const areas = await searchAreas(own, { search, connectionId: connection_id }, deps);
    return ok({ items: areas.map(toView) });
  },
});
