import { EngineError } from '../errors.ts';
import type { Config } from '../config/schema.ts';
import { priceOf } from '../config/prices.ts';
import type { EngineContext, TurnRequest } from '../model/engine.ts';
import type { RunOptions } from '../model/api.ts';
import type { EngineChoice } from '../model/event.ts';
import type { RunState } from '../model/state.ts';
import type { RunContext } from './context.ts';
import { costOfAttempts } from './cost.ts';
import { limitsOf, unknownPrice } from './run-limits.ts';
import type { StageDefinition } from './steps.ts';

type Chosen = Pick<RunContext, 'project' | 'options' | 'engine'>;

/** What to say when nobody can play the roles. */
export function noEngine(): EngineError {
  return new EngineError('No engine is configured, so nobody can play the roles.', {
    hint: 'Set ANTHROPIC_API_KEY, or name one: --engine transcript:<file>, or engine: in .blueprint/config.yaml.',
  });
}

/** Model and effort of a stage's role where they are not the engine's own; what a person says for all goes before. */
export function choiceOf({ project, options, engine }: Chosen, stage: StageDefinition): Pick<TurnRequest, 'model' | 'effort'> {
  const role = project.roles.get(stage.role);
  if (engine?.model === undefined || !role) return {};
  return {
    ...(options.model === undefined && role.model !== undefined && { model: role.model }),
    ...(options.effort === undefined && role.effort !== undefined && { effort: role.effort }),
  };
}

/** The model a stage is played with; an engine without one has none. */
export function modelOf(context: Chosen, stage: StageDefinition): string | undefined {
  return choiceOf(context, stage).model ?? context.engine?.model;
}

/** What the engine tells while it works goes to whoever watches the run. */
export function engineContext({ hooks }: RunContext, step: string): EngineContext {
  return {
    signal: hooks.signal,
    onProgress: (progress) => hooks.emit({ type: 'reply-progress', step, ...progress }),
    onWait: ({ reason, milliseconds }) => hooks.emit({ type: 'waiting', text: reason, milliseconds }),
  };
}

/** @throws UsageError when there is a budget and no price to hold it against; better said before anything is spent. */
export function demandKnownPrices(context: Chosen & Pick<RunContext, 'state'>): void {
  if (limitsOf(context).budget === undefined || !context.engine) return;
  const { prices } = context.project.config;
  for (const attempt of Object.values(context.state.steps).flatMap(({ attempts }) => attempts)) {
    if (costOfAttempts([attempt], prices) === 'unknown')
      throw unknownPrice(`${attempt.model ?? attempt.engine ?? 'the engine'}, which has played a part of this run,`);
  }
  for (const step of context.project.steps) {
    if (step.type !== 'stage') continue;
    const model = modelOf(context, step);
    if (!priceOf(model, prices)) throw unknownPrice(model ?? context.engine.name);
  }
}

/** What a person has named for all roles stays with an unfinished run, as long as the engine stays. */
export function withChoice(options: RunOptions, config: Config, state: RunState | undefined): RunOptions {
  const spoken = options.engine ?? config.engine;
  const isSame = spoken === undefined || spoken === state?.engine;
  const isUnfinished = state?.status === 'running' || state?.status === 'paused';
  return state && isSame && isUnfinished && !options.fresh
    ? { ...options, ...definedOnly({ ...state.choice, ...definedOnly(options) }) }
    : options;
}

export function choiceData(options: RunOptions): { choice?: EngineChoice } {
  const choice = definedOnly(options);
  return Object.keys(choice).length > 0 ? { choice } : {};
}

function definedOnly({ model, effort }: EngineChoice): EngineChoice {
  return { ...(model !== undefined && { model }), ...(effort !== undefined && { effort }) };
}
