import Joi from 'joi';
import { variantsBy } from '../../platform/schemas/variants.ts';
import { flowAction } from './flow-action.ts';
import { body, footer, header, longBody } from './interactive-parts.ts';
import { link, sectionsOf } from './limits.ts';
import { orderAction, orderStatusAction } from './order-action.ts';

const short = (max: number) => Joi.string().min(1).max(max).required();
const named = (name: string, parameters?: Joi.ObjectSchema) =>
  Joi.object({ name: Joi.string().valid(name).required(), ...(parameters && { parameters }) });
const catalogId = short(128).description("The provider's id of the catalogue");
const product = short(100).description('The id of the product in the catalogue');

const buttonAction = Joi.object({
  buttons: Joi.array()
    .items(
      Joi.object({
        type: Joi.string().valid('reply').required(),
        reply: Joi.object({
          id: short(256).description('Comes back when the person presses the button'),
          title: short(20),
        }).required(),
      }),
    )
    .min(1)
    .max(3)
    .unique('reply.id')
    .unique('reply.title')
    .required(),
});

const row = Joi.object({
  id: short(200).description('Comes back when the person chooses the row'),
  title: short(24),
  description: Joi.string().max(72),
});
const listAction = Joi.object({
  button: short(20).description('Opens the list'),
  sections: sectionsOf(row, { items: 'rows', max: 10, key: 'id' }),
});

const linkAction = named('cta_url', Joi.object({ display_text: short(20), url: link.required() }).required());
const productListAction = Joi.object({
  catalog_id: catalogId,
  sections: sectionsOf(Joi.object({ product_retailer_id: product }), { items: 'product_items', max: 30 }),
});
const catalogAction = named(
  'catalog_message',
  Joi.object({ thumbnail_product_retailer_id: product.description('The product whose picture is shown') }),
);

const variant = (name: string, parts: Joi.SchemaMap) => ({ name, schema: Joi.object(parts) });
const usual = { body: body.required(), footer };

export const interactive = variantsBy('type', {
  button: variant('button_interactive', { header: header.any, ...usual, action: buttonAction.required() }),
  list: variant('list_interactive', {
    header: header.text,
    body: longBody.required(),
    footer,
    action: listAction.required(),
  }),
  cta_url: variant('cta_url_interactive', { header: header.any, ...usual, action: linkAction.required() }),
  flow: variant('flow_interactive', { header: header.any, ...usual, action: flowAction.required() }),
  product: variant('product_interactive', {
    body,
    footer,
    action: Joi.object({ catalog_id: catalogId, product_retailer_id: product }).required(),
  }),
  product_list: variant('product_list_interactive', {
    header: header.text.required(),
    ...usual,
    action: productListAction.required(),
  }),
  catalog_message: variant('catalog_message_interactive', { ...usual, action: catalogAction.required() }),
  location_request_message: variant('location_request_message_interactive', {
    body: body.required(),
    action: named('send_location').required(),
  }),
  order_details: variant('order_details_interactive', { header: header.image, ...usual, action: orderAction.required() }),
  order_status: variant('order_status_interactive', { ...usual, action: orderStatusAction.required() }),
  call_permission_request: variant('call_permission_request_interactive', {
    body,
    action: named('call_permission_request').required(),
  }),
});
