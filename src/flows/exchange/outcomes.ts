/** What became of a request of the provider, as figures and log say it. Closed. */
export const exchangeOutcomes = [
  'answered',
  /** The flow's endpoint said that the form is over. */
  'ended',
  'ping',
  'notice',
  'signature',
  'key',
  'token',
  'busy',
  'no_address',
  /** Of the endpoint: its address is not public, no connection, no answer in time, another status than 2xx, no JSON object. */
  'address',
  'connection',
  'timeout',
  'status',
  'answer',
  /** Of ours. */
  'fault',
] as const;
export type ExchangeOutcome = (typeof exchangeOutcomes)[number];

/** The phone gets no answer of the endpoint. The message is for our log: it never has what a person or an endpoint wrote. */
export class NotExchanged extends Error {
  override name = 'NotExchanged';
  readonly outcome: ExchangeOutcome;
  readonly flowId?: string;

  constructor(outcome: ExchangeOutcome, message: string, flowId?: string) {
    super(message);
    this.outcome = outcome;
    this.flowId = flowId;
  }
}
