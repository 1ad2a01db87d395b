import { GraphError } from '../graph/errors.ts';
import type { State } from '../state.ts';
import { readDocument } from './document.ts';
import type { Flow } from './store.ts';
import { setStatus } from './webhooks.ts';

type Asked = { method: string; path: string };

const refused = (code: number, title: string, userMessage: string) => new GraphError(code, { title, userMessage });

/** Before an edit: a published flow becomes a draft again, or cannot be edited. */
export function beforeEdit(state: State, flow: Flow): void {
  if (flow.status === 'DRAFT' || (flow.status === 'PUBLISHED' && state.behaviour.flow_edit === 'revert')) return;
  throw refused(139001, "Flow Can't Be Updated", `You attempted to update a Flow that is ${flow.status}.`);
}

export function edited(state: State, flow: Flow, asked: Asked): void {
  if (flow.status === 'PUBLISHED') setStatus(state, flow, 'DRAFT', asked);
}

export function replaceDocument(state: State, flow: Flow, text: string, asked: Asked): void {
  beforeEdit(state, flow);
  flow.document = readDocument(text);
  edited(state, flow, asked);
}

export function mustBePublishable(state: State, flow: Pick<Flow, 'status' | 'document' | 'wabaId' | 'endpointUri'>): void {
  if (flow.status !== 'DRAFT')
    throw refused(139002, 'Publishing Flow in Invalid State', `The Flow is ${flow.status}, only a draft can be published.`);
  if (!flow.document || flow.document.validationErrors.length > 0)
    throw refused(139002, 'Publishing Flow with Validation Errors', 'Fix all validation errors before you publish the Flow.');
  if (flow.document.dataApiVersion !== null) checkEndpoint(state, flow);
}

export function publish(state: State, flow: Flow, asked: Asked): void {
  mustBePublishable(state, flow);
  setStatus(state, flow, 'PUBLISHED', asked);
}

function checkEndpoint(state: State, flow: Pick<Flow, 'wabaId' | 'endpointUri'>): void {
  if (flow.endpointUri === null)
    throw refused(139002, 'Publishing without specifying "endpoint_uri" is forbidden', 'Set endpoint_uri before you publish.');
  const numbers = state.accounts.ofBusiness(flow.wabaId).map(({ phone_number_id }) => state.numbers.of(phone_number_id));
  if (numbers.every(({ publicKey }) => publicKey === null))
    throw refused(139002, 'Missing Flows Signed Public Key', 'Upload the public key of a number of the account.');
}

export function deprecate(state: State, flow: Flow, asked: Asked): void {
  if (flow.status === 'DRAFT')
    throw refused(139003, "Can't Deprecate Unpublished Flow", 'Only a Flow that was published can be deprecated.');
  if (flow.status === 'DEPRECATED') throw refused(139003, 'Flow is Already Deprecated', 'The Flow is already deprecated.');
  setStatus(state, flow, 'DEPRECATED', asked);
}

export function remove(state: State, flow: Flow): void {
  if (flow.status !== 'DRAFT')
    throw refused(139004, "Can't Delete Published Flow", 'A Flow that was published can be deprecated, not deleted.');
  state.flows.delete(flow.id);
}
