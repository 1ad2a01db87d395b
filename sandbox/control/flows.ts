import Joi from 'joi';
import { readDocument } from '../flows/document.ts';
import { type Flow, type FlowStatus, flowStatuses } from '../flows/store.ts';
import { setStatus, tellFlow } from '../flows/webhooks.ts';
import { GraphError } from '../graph/errors.ts';
import type { State } from '../state.ts';
import { ControlError, check } from './check.ts';

const document = Joi.alternatives(Joi.object().unknown(), Joi.string());

interface Put {
  waba_id: string;
  id?: string;
  name: string;
  status: FlowStatus;
  categories: string[];
  flow_json?: object | string;
  endpoint_uri?: string;
}

const putSchema = Joi.object<Put>({
  waba_id: Joi.string().required(),
  id: Joi.string().pattern(/^\d{1,20}$/, 'decimal id'),
  name: Joi.string().required(),
  status: Joi.string()
    .valid(...flowStatuses)
    .default('DRAFT'),
  categories: Joi.array().items(Joi.string()).min(1).default(['OTHER']),
  flow_json: document,
  endpoint_uri: Joi.string(),
});

type Edit = Partial<Pick<Put, 'name' | 'categories' | 'flow_json' | 'endpoint_uri'>> & { keeps_status: boolean };

const editSchema = Joi.object<Edit>({
  name: Joi.string(),
  categories: Joi.array().items(Joi.string()).min(1),
  flow_json: document,
  endpoint_uri: Joi.string(),
  keeps_status: Joi.boolean()
    .default(false)
    .description('A published flow stays so, as after it was published again; else it becomes a draft'),
}).or('name', 'categories', 'flow_json', 'endpoint_uri');

const statusSchema = Joi.object<{ status: FlowStatus; is_told: boolean; time?: number }>({
  status: Joi.string()
    .valid(...flowStatuses)
    .required(),
  is_told: Joi.boolean().default(true).description('By webhook'),
  time: Joi.number().integer().description('Of the webhook, in seconds; else this moment'),
});

const alertSchema = Joi.object<{ event: string }>({
  event: Joi.string()
    .valid('CLIENT_ERROR_RATE', 'ENDPOINT_ERROR_RATE', 'ENDPOINT_LATENCY', 'ENDPOINT_AVAILABILITY', 'FLOW_VERSION_EXPIRY_WARNING')
    .required(),
}).unknown();

const shown = ({ document: kept, ...flow }: Flow) => ({
  ...flow,
  flow_json: kept?.text ?? null,
  validation_errors: kept?.validationErrors ?? [],
});

export const listAll = (state: State): object => ({ flows: state.flows.all().map(shown) });

/** A flow that the account had before. */
export function putFlow(state: State, body: unknown): object {
  const { flow_json, endpoint_uri, waba_id: wabaId, id, ...flow } = check(putSchema, body);
  if (state.accounts.ofBusiness(wabaId).length === 0) throw new ControlError(422, `"waba_id" ${wabaId} is not of this sandbox`);
  const added = {
    ...flow,
    wabaId,
    ...(id !== undefined && { id }),
    endpointUri: endpoint_uri ?? null,
    document: flow_json === undefined ? null : read(flow_json),
  };
  return shown(state.flows.add(added));
}

/** Somebody changes the flow in the provider's own pages. */
export function editFlow(state: State, id: string, body: unknown): object {
  const flow = found(state, id);
  const { keeps_status, flow_json, endpoint_uri, ...change } = check(editSchema, body);
  const text = flow_json === undefined ? undefined : read(flow_json);
  Object.assign(flow, change, endpoint_uri !== undefined && { endpointUri: endpoint_uri }, text && { document: text });
  if (flow.status === 'PUBLISHED' && !keeps_status) setStatus(state, flow, 'DRAFT');
  return shown(flow);
}

/** What the provider decides of a flow by itself. */
export function changeStatus(state: State, id: string, body: unknown): object {
  const flow = found(state, id);
  const { status, is_told, time } = check(statusSchema, body);
  if (is_told) setStatus(state, flow, status, undefined, time);
  else flow.status = status;
  return shown(flow);
}

/** Only a webhook. */
export function alert(state: State, id: string, body: unknown): object {
  const flow = found(state, id);
  const { event, ...more } = check(alertSchema, body);
  const value = { event, flow_id: id, message: `${event} of the Flow ${flow.name}`, alert_state: 'ACTIVATED', ...more };
  tellFlow(state, flow.wabaId, value);
  return value;
}

function found(state: State, id: string): Flow {
  const flow = state.flows.get(id);
  if (!flow) throw new ControlError(404, `there is no flow ${id}`);
  return flow;
}

function read(given: object | string) {
  try {
    return readDocument(typeof given === 'string' ? given : JSON.stringify(given));
  } catch (error) {
    if (error instanceof GraphError) throw new ControlError(422, `"flow_json" is refused: ${JSON.stringify(error.toBody(''))}`);
    throw error;
  }
}
