import { setUrlRules } from '../../../src/automation/http/url-rules.ts';
import { forgetNames } from '../../../src/platform/database/statement-names.ts';
import { forgetContracts } from '../../../src/platform/ledger/contracts.ts';

type Act = (usesApp: boolean) => Promise<void> | void;
const after: Act[] = [];

/** For what is alive across files: called after each reset, with whether the next file uses an application. */
export const afterFreshStart = (act: Act) => void after.push(act);

/** What a process of the product knows from its start on: the next file begins without it, as a process does. */
export async function asAtStart(usesApp: boolean): Promise<void> {
  forgetContracts();
  forgetNames();
  setUrlRules({ webhookAllowHttp: false, webhookAllowNetworks: [] });
  for (const act of after) await act(usesApp);
}
