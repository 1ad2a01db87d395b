import type { AnyEndpoint } from '../http/endpoint.ts';
import { tellOneEvent } from './events.ts';
import { deleteOneSecret, getOneSecret, listOfSecrets, putOneSecret } from './secrets.ts';

/** In the order of the document. */
export const automationEndpoints: AnyEndpoint[] = [tellOneEvent, listOfSecrets, getOneSecret, putOneSecret, deleteOneSecret];
