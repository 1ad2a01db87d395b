import Joi from 'joi';
import { maxWireAmount } from '../../src/money/steps.ts';

export const tag = 'Commerce';
export const name = Joi.string().trim().min(1).max(200);
export const slug = Joi.string()
  .max(100)
  .pattern(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'small letters and digits, in groups joined by single hyphens')
  .description('Unique in the organization: it stands in addresses');
export const flag = Joi.boolean().strict();
export const whole = (min: number, max: number) => Joi.number().strict().integer().min(min).max(max);
/** Beyond it a number loses digits on its way through JSON. */
export const amount = whole(0, Number(maxWireAmount)).description('In minor units of its currency: 12.50 USD is 1250');
export const shownAmount = Joi.number().integer().required();
