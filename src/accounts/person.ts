import Joi from 'joi';

/** What is taken for a person's name and email, wherever they come from. */
export const personName = Joi.string().trim().min(1).max(200);
export const email = Joi.string().trim().lowercase().email({ tlds: false }).max(254);
