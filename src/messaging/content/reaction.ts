import Joi from 'joi';
import { id } from '../../platform/ids.ts';

/** In Unicode's terms one grapheme: a picture with all that changes it, a flag or a keycap. */
const start = /^(\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[\d#*]\ufe0f?\u20e3)/u;
const isEmoji = (text: string) => start.test(text) && [...new Intl.Segmenter().segment(text)].length === 1;

export const reaction = Joi.object({
  message_id: id.required().description('The message of this conversation it is about, sent or received'),
  emoji: Joi.string()
    .allow('')
    .max(16)
    .custom((text: string, { error }) => (isEmoji(text) ? text : error('emoji.one')))
    .messages({ 'emoji.one': '{{#label}} must be one emoji' })
    .required()
    .description('One emoji; empty takes the reaction back'),
});
