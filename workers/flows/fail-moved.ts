import { Flow, type FlowStatus } from '../../src/flows/flow.entity.ts';
import { type FlowAction, moveRefusal } from '../../src/flows/moves.ts';
import { takeStatus } from '../../src/flows/outcome.ts';
import type { Outcome, RunContext } from '../handler.ts';

/** `isNews`: the provider said it just now. */
export type Moved = { status: FlowStatus; isNews?: boolean };

/** The provider, or somebody there, has moved the flow since the work was asked for: what would be a 409 now is a conflict. */
export const failMoved = (
  context: RunContext<unknown>,
  id: string,
  action: FlowAction,
  { status, isNews }: Moved,
): Promise<Outcome> =>
  context.fail(
    { code: 'conflict', message: moveRefusal(status, action) ?? `The flow is ${status}` },
    {
      async work({ own }) {
        const flow = isNews ? await own.findOne(Flow, { id }) : null;
        if (flow) takeStatus(own, flow, status);
      },
    },
  );
