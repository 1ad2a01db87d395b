import Joi from 'joi';
import { id } from '../../platform/ids.ts';
import { upToBytes } from './limits.ts';

const maxDataBytes = 32_768;

const parameters = Joi.object({
  flow_message_version: Joi.string().valid('3').default('3'),
  flow_id: id.description('The flow, of the account of the channel'),
  flow_name: Joi.string().min(1).max(200).description('Its name in place of its id'),
  flow_cta: Joi.string().min(1).max(30).required().description('On the button that opens the flow'),
  flow_token: Joi.string().min(1).max(1_000).description('Your own, which comes back with the answer as `client_token`'),
  mode: Joi.string().valid('draft', 'published').description('`draft` sends a draft, to try it; else the flow must be published'),
  flow_action: Joi.string()
    .valid('navigate', 'data_exchange')
    .description('data_exchange: the endpoint of the flow gives its first screen'),
  flow_action_payload: Joi.object({
    screen: Joi.string().min(1).max(200).required().description('A screen of the flow'),
    data: upToBytes(Joi.object().unknown().min(1).max(200), maxDataBytes).description(
      'What the first screen is given; not empty',
    ),
  }),
}).xor('flow_id', 'flow_name');

export const flowAction = Joi.object({ name: Joi.string().valid('flow').required(), parameters: parameters.required() });
