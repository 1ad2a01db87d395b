import { Channel } from '../../channels/channel.entity.ts';
import { Flow } from '../../flows/flow.entity.ts';
import { assertFiles } from '../../messaging/files/named.ts';
import { flowIdIn } from '../../messaging/opened-flow.ts';
import type { ContentBody } from '../../messaging/send-body.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, type ErrorDetail } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { assertParameters } from '../../templates/parameters.ts';
import { Template } from '../../templates/template.entity.ts';
import { fault, hasLiquid, literal } from './faults.ts';

const channelById = statement((select, { id }: { id: string }) =>
  select(Channel).select('id').where('id', '=', id).where('deleted_at', 'is', null),
);
const flowById = statement((select, { id }: { id: string }) => select(Flow).select('status').where('id', '=', id));
const templatesNamed = statement((select, { name, language }: { name: string; language: string }) =>
  select(Template)
    .select(['channel_id', 'status', 'category', 'components'])
    .where('name', '=', name)
    .where('language', '=', language),
);

/** Of a step that sends. Without a channel any of the organization's may have the template: the run's conversation decides. */
export async function sendFaults(own: Own, channelId: string | undefined, message: ContentBody): Promise<ErrorDetail[]> {
  const id = literal(channelId);
  if (id && (await channelById(own, { id })).length === 0)
    return [fault('channel_id', 'channel.unknown', 'There is no such channel')];
  const content = message[message.type];
  if (!content || Array.isArray(content)) return [];
  if (message.type === 'template') return templateFaults(own, id, content);
  const flow = flowIdIn(message.type, content);
  if (flow !== null) return flowFaults(own, flow, content);
  return hasLiquid(content) ? [] : faultsIn(`message.${message.type}`, () => assertFiles(own, message.type, content));
}

type FlowAction = { action?: { parameters?: { mode?: string } } };

async function flowFaults(own: Own, flowId: string, content: Record<string, unknown>): Promise<ErrorDetail[]> {
  const id = literal(flowId);
  if (!id || !isUuid(id)) return [];
  const field = 'message.interactive.action.parameters.flow_id';
  const [flow] = await flowById(own, { id });
  if (!flow) return [fault(field, 'flow_unavailable', 'There is no such flow')];
  const isDraft = literal((content as FlowAction).action?.parameters?.mode) === 'draft';
  const isSendable = isDraft ? flow.status === 'draft' : ['published', 'throttled'].includes(flow.status);
  if (isSendable) return [];
  return [fault(field, 'flow_unavailable', `The flow cannot be sent: it is ${flow.status}`)];
}

async function templateFaults(own: Own, channelId: string | undefined, content: Record<string, unknown>) {
  const { name, language, components } = content as { name: string; language: string; components?: unknown };
  if (hasLiquid([name, language])) return [];
  const all = await templatesNamed(own, { name, language });
  const found = channelId ? all.filter(({ channel_id }) => channel_id === channelId) : all;
  const where = channelId ? 'The channel' : 'No channel';
  if (found.length === 0)
    return [
      fault('message.template', 'template_unknown', `${where} has ${channelId ? 'no' : 'a'} template ${name} in ${language}`),
    ];
  const approved = found.filter(({ status }) => status === 'approved');
  if (approved.length === 0)
    return [
      fault(
        'message.template',
        'template_unknown',
        `The template ${name} in ${language} cannot be sent: it is ${found[0]!.status}`,
      ),
    ];
  // What Liquid gives is not known: a run checks it.
  if (hasLiquid(components)) return [];
  const [{ category, components: parts }] = approved as [(typeof approved)[number]];
  const template = { category: category ?? '', components: parts ?? [] };
  return faultsIn('message.template', async () => assertParameters(template, components, ['message', 'template', 'components']));
}

async function faultsIn(field: string, work: () => Promise<unknown>): Promise<ErrorDetail[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.details ?? [fault(field, error.code, error.message)];
  }
}
