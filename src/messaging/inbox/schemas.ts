import Joi from 'joi';
import { customFields } from '../../contacts/fields.ts';
import { tagName } from '../../contacts/tag-catalogue.ts';
import { id } from '../../platform/ids.ts';
import { moment } from '../../platform/schemas/moment.ts';
import { conversationStatuses, priorities } from '../conversation.entity.ts';
import { maxSnoozeDays } from './snooze.ts';
import { maxTagsOfConversation } from './tags.ts';

/* What a client says of a conversation, over the API and in a rule. */

export const conversationStatus = Joi.string().valid(...conversationStatuses);
export const conversationPriority = Joi.string().valid(...priorities);

export const conversationPatchFields = {
  status: conversationStatus,
  snoozed_until: moment.allow(null).description(`At most ${maxSnoozeDays} days ahead; null: until the person writes`),
  assignee_id: id.allow(null).description('The user id of a member; null: nobody'),
  priority: conversationPriority,
  tags: Joi.array().items(tagName).max(maxTagsOfConversation),
  custom_fields: customFields,
};
