import { type StageKind, stageKinds } from './pipeline.entity.ts';

export const minStages = 3;
export const maxStages = 50;

/** `probability`: of an open stage; a won one has 100, a lost one 0. */
export type NewStage = { name: string; kind: StageKind; probability?: number };

/** Of a pipeline that is created without stages. */
export const startingStages: NewStage[] = [
  { name: 'New', kind: 'open', probability: 10 },
  { name: 'Qualified', kind: 'open', probability: 30 },
  { name: 'Proposal', kind: 'open', probability: 60 },
  { name: 'Won', kind: 'won' },
  { name: 'Lost', kind: 'lost' },
];

/** What is over is certain. */
const certain: Partial<Record<StageKind, number>> = { won: 100, lost: 0 };

export const probabilityOf = ({ kind, probability = 50 }: Pick<NewStage, 'kind' | 'probability'>) => certain[kind] ?? probability;

export const isProbable = ({ kind, probability }: Pick<NewStage, 'kind' | 'probability'>) =>
  probability === undefined || (certain[kind] ?? probability) === probability;

/** A pipeline has at least one stage of each. */
export const missingKind = (stages: { kind: StageKind }[]): StageKind | undefined =>
  stageKinds.find((kind) => !stages.some((stage) => stage.kind === kind));
