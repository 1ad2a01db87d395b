import Joi from 'joi';

const short = (max: number) => Joi.string().min(1).max(max);
/** 1,100 with an offset of 100 are 11.00. */
const amount = {
  value: Joi.number().strict().integer().min(0).required(),
  offset: Joi.number().strict().integer().valid(100).required(),
};
const money = Joi.object(amount);
const cost = Joi.object({ ...amount, description: short(60) });

const item = Joi.object({
  retailer_id: short(100).required(),
  name: short(60).required(),
  amount: money.required(),
  sale_amount: money,
  quantity: Joi.number().strict().integer().min(1).required(),
});

const order = Joi.object({
  status: Joi.string().valid('pending').required(),
  items: Joi.array().items(item).min(1).max(100).required(),
  subtotal: money.required(),
  tax: cost.required(),
  shipping: cost,
  discount: Joi.object({ ...amount, description: short(60), discount_program_name: short(60) }),
});

const parameters = Joi.object({
  reference_id: short(35).required().description('Your own id of the order; comes back with its payment'),
  type: Joi.string().valid('digital-goods', 'physical-goods').required(),
  payment_type: short(60),
  payment_configuration: short(60),
  currency: Joi.string()
    .max(3)
    .pattern(/^[A-Z]{3}$/, 'ISO 4217')
    .required(),
  total_amount: money.required(),
  order: order.required(),
});

export const orderAction = Joi.object({
  name: Joi.string().valid('review_and_pay').required(),
  parameters: parameters.required(),
});

const shownStatuses = ['pending', 'processing', 'partially_shipped', 'shipped', 'completed', 'canceled'];

/** Of an order that an `order_details` message was about. */
export const orderStatusAction = Joi.object({
  name: Joi.string().valid('review_order').required(),
  parameters: Joi.object({
    reference_id: short(35).required().description('That of the `order_details` message'),
    order: Joi.object({
      status: Joi.string()
        .valid(...shownStatuses)
        .required(),
      description: short(120),
    }).required(),
  }).required(),
});
