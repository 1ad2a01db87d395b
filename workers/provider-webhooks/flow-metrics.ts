import { Counter, type Registry } from 'prom-client';
import { type FlowNewsOutcome, flowNewsOutcomes } from '../../src/flows/provider-changes.ts';
import { type AnswerRule, answerRules } from '../../src/flows/responses.ts';

export type FlowMetrics = {
  /** What became of the provider's webhook about a flow. */
  told(outcome: FlowNewsOutcome): void;
  /** How an answer of a person found the message that it is to. */
  answered(rule: AnswerRule): void;
};

export function createFlowMetrics(registry: Registry): FlowMetrics {
  const told = new Counter({
    name: 'kanal_flow_webhooks_total',
    help: "The provider's webhooks about flows: applied, old (something later was known already), unknown (of a flow that is not here)",
    labelNames: ['outcome'],
    registers: [registry],
  });
  const answered = new Counter({
    name: 'kanal_flow_answers_total',
    help: 'Answers to flows by how the message that opened the flow was found: message (the one it answers), token, later (by an id that came late, or that a message had before it was sent again), none',
    labelNames: ['rule'],
    registers: [registry],
  });
  // From the start, so that a rate sees the first of them.
  for (const outcome of flowNewsOutcomes) told.inc({ outcome }, 0);
  for (const rule of answerRules) answered.inc({ rule }, 0);
  return { told: (outcome) => told.inc({ outcome }), answered: (rule) => answered.inc({ rule }) };
}
