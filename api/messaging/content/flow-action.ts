import Joi from 'joi';
import { upToBytes } from './limits.ts';

const maxDataBytes = 32_768;

const parameters = Joi.object({
  flow_message_version: Joi.string().valid('3').default('3'),
  flow_id: Joi.string().min(1).max(128).description("The provider's id of the flow"),
  flow_name: Joi.string().min(1).max(200),
  flow_cta: Joi.string().min(1).max(30).required().description('On the button that opens the flow'),
  flow_token: Joi.string().max(1_000).description('Comes back with the answer'),
  mode: Joi.string().valid('draft', 'published'),
  flow_action: Joi.string().valid('navigate', 'data_exchange'),
  flow_action_payload: Joi.object({
    screen: Joi.string().min(1).max(200).required(),
    data: upToBytes(Joi.object().unknown().max(200), maxDataBytes).description('What the first screen is given'),
  }),
}).xor('flow_id', 'flow_name');

export const flowAction = Joi.object({ name: Joi.string().valid('flow').required(), parameters: parameters.required() });
