import Joi from 'joi';

/** Where parcels are fetched: `shipping_origin` of the store's settings. */
export type ShippingOrigin = {
  contact_name: string;
  contact_phone: string;
  address: string;
  /** The shipper's id of the area, of GET /v1/commerce/shipping-areas. */
  area_id: string;
  postal_code?: string;
  note?: string;
};

const words = (max: number) => Joi.string().trim().min(1).max(max);

export const postalCode = Joi.string()
  .max(12)
  .pattern(/^[0-9A-Za-z -]{3,12}$/, 'postal code')
  .description('Some couriers go by it');

export const shippingOriginSchema = Joi.object<ShippingOrigin, true>({
  contact_name: words(200).required().description('Whom the courier asks for'),
  contact_phone: Joi.string()
    .max(16)
    .pattern(/^\+[1-9]\d{6,14}$/, 'E.164')
    .required(),
  address: words(500).required(),
  area_id: words(200).required().description("The shipper's id of the area, of GET /v1/commerce/shipping-areas"),
  postal_code: postalCode,
  note: words(500).description('For the courier'),
});
