import { FlowResponse, FlowSend } from '../../../src/flows/answer.entity.ts';
import { Flow, FlowVersion } from '../../../src/flows/flow.entity.ts';
import { FlowKey } from '../../../src/flows/key.entity.ts';
import { rowsOf } from './rows.ts';

export const flowRows = rowsOf(Flow);
export const flowVersionRows = rowsOf(FlowVersion);
export const flowSendRows = rowsOf(FlowSend);
export const flowResponseRows = rowsOf(FlowResponse);
export const flowKeyRows = rowsOf(FlowKey);
