import { setUrlRules } from '../../../src/automation/http/url-rules.ts';
import { forgetNames } from '../../../src/platform/database/statement-names.ts';
import { forgetContracts } from '../../../src/platform/ledger/contracts.ts';

const after: (() => void)[] = [];

/** For what is alive across files: called after each reset. */
export const afterFreshStart = (act: () => void) => void after.push(act);

/** What a process of the product knows from its start on: the next file begins without it, as a process does. */
export function asAtStart(): void {
  forgetContracts();
  forgetNames();
  setUrlRules({ webhookAllowHttp: false, webhookAllowNetworks: [] });
  for (const act of after) act();
}
