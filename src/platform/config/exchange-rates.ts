import Joi from 'joi';
import { isUrl } from './checks.ts';

export const exchangeRatesSettings = {
  EXCHANGE_RATES_URL: Joi.string()
    .custom(isUrl('http', 'https'))
    .empty('')
    .description('Feed of daily exchange rates in the form of the European Central Bank; unset: rates come over the API alone'),
};
