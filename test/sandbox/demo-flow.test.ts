import { expect, test } from '@jest/globals';
import { demoAccount } from '../../sandbox/demo-account.ts';
import { demoFlow } from '../../sandbox/demo-flow.ts';
import { State } from '../../sandbox/state.ts';
import type { FlowJson } from '../../src/flows/document/flow-json.ts';
import { documentOf } from '../../src/flows/take-provider.ts';

test('the account of the demo has a published flow without faults, after a reset too', async () => {
  const state = new State({});
  const shown = () => {
    const { id, wabaId, status, document } = state.flows.get(demoFlow.id)!;
    return { id, wabaId, status, faults: document!.validationErrors };
  };
  const expected = { id: demoFlow.id, wabaId: demoAccount.waba_id, status: 'PUBLISHED', faults: [] };
  expect(shown()).toEqual(expected);
  state.flows.delete(demoFlow.id);
  await state.reset();
  expect(shown()).toEqual(expected);
});

test('Kanal shows it in its builder, without faults', async () => {
  const document = await documentOf(demoFlow.flow_json as FlowJson, { id: demoFlow.id, name: demoFlow.name });
  expect(document.builder_json.mode).toBe('visual');
  expect(document.faults).toEqual([]);
});
