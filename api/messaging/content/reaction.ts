import Joi from 'joi';
import { id } from '../../http/schemas.ts';

export const reaction = Joi.object({
  message_id: id.required().description('The message of this conversation it is about, sent or received'),
  emoji: Joi.string().allow('').max(16).required().description('One emoji; empty takes the reaction back'),
});
