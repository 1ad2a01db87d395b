import Joi from 'joi';

export const personName = Joi.string().trim().min(1).max(200);
export const email = Joi.string().trim().lowercase().email({ tlds: false }).max(254);
