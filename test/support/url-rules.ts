import { setUrlRules } from '../../src/automation/http/url-rules.ts';
import { afterEachFile } from './jest/each-file.ts';

// A process begins as closed as this.
afterEachFile(() => setUrlRules({ webhookAllowHttp: false, webhookAllowNetworks: [] }));

export { setUrlRules };
