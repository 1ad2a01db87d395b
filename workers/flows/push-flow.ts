import { actionOf, pushFlowJob } from '../../src/flows/jobs.ts';
import { moveOf } from '../../src/flows/moves.ts';
import { endWork, openWork, settlePushed } from '../../src/flows/outcome.ts';
import { handleCalls } from '../handler.ts';
import { atProvider } from './at-provider.ts';
import { failDrifted } from './fail-drifted.ts';
import { failMoved } from './fail-moved.ts';
import { pushThere } from './push.ts';

export const pushFlow = handleCalls(pushFlowJob, async ({ flow_id: id, way }, context) => {
  const flow = await openWork(context.own, id, 'push');
  if (!flow) return context.finish();
  return atProvider(context, flow, async (at) => {
    const action = actionOf('push', way);
    if (!moveOf(flow.status, action)) return failMoved(context, id, action, flow);
    const pushed = await pushThere(context, at, flow, { doing: 'push', way });
    if (pushed.kind === 'over') return context.finish();
    if (pushed.kind === 'conflict') return failDrifted(context, id, pushed);
    if (pushed.kind === 'moved') return failMoved(context, id, action, pushed);
    return context.finish(({ own }) => endWork(own, id, 'push', (row) => settlePushed(own, row, pushed.exchanged)));
  });
});
