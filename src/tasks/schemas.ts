import Joi from 'joi';
import { id } from '../platform/ids.ts';
import { endMoment, moment } from '../platform/schemas/moment.ts';
import { maxRichTextBytes } from './rich-text/rich-text.ts';
import { maxTargets, type TargetRef } from './targets.ts';
import { richTextTypes, taskPriorities, taskStatuses, taskTypes } from './task.entity.ts';

/* What a client says of a task, over the API and in a rule. */

const kind = Joi.string().max(63);
export const objectKind = kind.description('contact, conversation, deal, or the kind of a type of records, such as company');
export const targetBody = Joi.object<TargetRef>({ object_kind: objectKind.required(), object_id: id.required() });

export const richJson = Joi.any()
  .required()
  .description('`prosemirror`: a document as Tiptap and ProseMirror write it. `custom`: any JSON, which only your programs read');
export const richType = Joi.string().valid(...richTextTypes);

/** As a client writes it. */
const richText = Joi.object({
  type: richType.required(),
  json: richJson,
  plain_text: Joi.string()
    .allow('')
    .max(maxRichTextBytes, 'utf8')
    .description('Required with `custom`, whose words only you know; with `prosemirror` it is computed, and not taken'),
}).description(
  'Nodes: doc, paragraph, heading, bulletList, orderedList, listItem, taskList, taskItem, blockquote, codeBlock, hardBreak, mention, text. Marks: bold, italic, strike, code, link (http, https, mailto, tel). Anything else is a 422 that names the node. At most 64 kB and 32 levels',
);

export const taskStatus = Joi.string().valid(...taskStatuses);
export const taskPriority = Joi.string().valid(...taskPriorities);
export const taskType = Joi.string().valid(...taskTypes);

const title = Joi.string().trim().min(1).max(200);
const fields = {
  description: Joi.string()
    .allow('')
    .max(maxRichTextBytes, 'utf8')
    .description('Plain words, for a task without rich text; removes the rich text that it had'),
  status: taskStatus,
  priority: taskPriority,
  type: taskType,
  assignee_id: id.allow(null).description('The user id of a member; null: nobody'),
  due_at: endMoment.allow(null),
  remind_at: moment
    .allow(null)
    .description('When `task.due` is emitted; null: at `due_at`. A time that is past when it is set reminds nobody'),
};
/** At most one of them. */
export const taskWords = ['description', 'description_rich'] as const;

export const newTaskFields = {
  title: title.required(),
  ...fields,
  description_rich: richText,
  targets: Joi.array().items(targetBody).max(maxTargets).description('What it is about'),
};

export const taskPatchFields = { title, ...fields, description_rich: richText.allow(null) };
