import Joi from 'joi';
import { isAmountMinor } from './amounts.ts';
import { isCurrency } from './currencies.ts';

const wholeNumber = /^(0|[1-9]\d{0,18})$/;
const threeLetters = /^[A-Z]{3}$/;

/** One fault a value: what is spelled wrong is not looked at further. */
export const amountMinor = Joi.string()
  .max(20)
  .pattern(wholeNumber)
  .custom((text: string, { error }) => (!wholeNumber.test(text) || isAmountMinor(text) ? text : error('amount.max')))
  .messages({
    'string.base': '{{#label}} must be a string: numbers of JSON lose digits above 2^53',
    'string.pattern.base': '{{#label}} must be a whole number of minor units, without sign, blanks or leading zeros',
    'amount.max': '{{#label}} must be at most 9223372036854775807',
  })
  .description('In minor units of its currency, as text: 1250.00 USD is "125000". At most 2^63 - 1');

export const currencyCode = Joi.string()
  .max(3)
  .pattern(threeLetters)
  .custom((code: string, { error }) => (!threeLetters.test(code) || isCurrency(code) ? code : error('currency.unknown')))
  .messages({
    'string.pattern.base': '{{#label}} must be three capital letters, a code of ISO 4217',
    'currency.unknown': '{{#label}} is not a currency of ISO 4217',
  })
  .description('A currency of ISO 4217, such as `USD`');
