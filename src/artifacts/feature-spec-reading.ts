import type { LabelledItem } from '../text/labelled.ts';
import { type Located, at, mapLocated } from './located.ts';
import type { Reading } from './reading.ts';
import { takeBlock, takeItems, takeNested, takeOnly, takeSection, takeTitle, takeValue, takeValues } from './taking.ts';

/** Takes the twelve parts out of a feature specification. */
export function pickFeatureSpec(reading: Reading): unknown {
  return {
    title: takeTitle(reading, 'Feature specification'),
    retired: reading.frontMatter['retired'] ?? undefined,
    intent: takeBlock(takeSection(reading, 'Intent')),
    scope: pickLists(reading, ['Scope'], { in: 'In', out: 'Out' }),
    actors: pickActors(reading),
    behaviour: pickBehaviour(reading),
    state: pickLists(reading, ['State and life cycle'], {
      creating: 'Creating',
      transitioning: 'Transitioning',
      constraining: 'Constraining',
    }),
    rules: pickNumbered(reading, ['Rules and decision logic', 'Rules'], 'R', pickRule),
    dependencies: pickLists(reading, ['Dependencies'], { all: 'Dependency' }).value.all,
    nonFunctional: pickLists(reading, ['Non-functional requirements', 'Non-functional'], { all: 'Requirement' }).value.all,
    ...pickAssumptionsAndQuestions(reading),
    systemSpecImpact: pickImpact(reading),
    handOver: pickLists(reading, ['Hand-over to the business analyst', 'Hand-over'], {
      themes: 'Theme',
      boundaries: 'Boundary',
      framing: 'Framing',
    }),
    changeLog: pickLists(reading, ['Change log'], { all: 'Change' }).value.all,
  };
}

type Lists<Field extends string> = Located & { value: Record<Field, Located[]> };

/** A section of plain lists: which label belongs to which field. */
function pickLists<Field extends string>(reading: Reading, names: string[], labels: Record<Field, string>): Lists<Field> {
  const section = takeSection(reading, ...names);
  const items = takeItems(reading, section, Object.values<string>(labels));
  const entries = Object.entries<string>(labels).map(([field, label]) => [field, takeValues(reading, items[label] ?? [])]);
  return at(section?.line ?? 1, Object.fromEntries(entries)) as Lists<Field>;
}

function pickActors(reading: Reading): unknown {
  const { Actor } = takeItems(reading, takeSection(reading, 'Actors'), ['Actor']);
  return Actor.map((item) => {
    const { Can, Cannot } = takeNested(reading, item, ['Can', 'Cannot']);
    return { name: at(item.line, item.value), can: takeValues(reading, Can), cannot: takeValues(reading, Cannot) };
  });
}

function pickBehaviour(reading: Reading): unknown {
  const section = takeSection(reading, 'Behaviour', 'Behavior');
  const { Step, Alternative } = takeItems(reading, section, ['Step', 'Alternative']);
  return at(section?.line ?? 1, {
    happyPath: takeValues(reading, Step),
    alternatives: Alternative.map((item) => ({
      name: at(item.line, item.value),
      steps: takeValues(reading, takeNested(reading, item, ['Step']).Step),
    })),
  });
}

function pickRule(reading: Reading, item: LabelledItem): Record<string, unknown> {
  const { Inputs, Outputs, Decision } = takeNested(reading, item, ['Inputs', 'Outputs', 'Decision']);
  const decision = takeOnly(reading, Decision);
  return {
    statement: at(item.line, item.value),
    inputs: takeOnly(reading, Inputs),
    outputs: takeOnly(reading, Outputs),
    decision: decision && mapLocated(decision, (text) => text.toLowerCase()),
  };
}

function pickAssumptionsAndQuestions(reading: Reading): { assumptions: unknown; questions: unknown } {
  const section = takeSection(reading, 'Assumptions and open questions');
  const { A, Q } = takeItems(reading, section, ['A', 'Q'], numberedLabel);
  return {
    assumptions: A.map((item) => at(item.line, { id: item.label, text: takeValue(reading, item) })),
    questions: Q.map((item) => {
      const blocking = takeOnly(reading, takeNested(reading, item, ['Blocking']).Blocking);
      const fields = { id: item.label, text: at(item.line, item.value), blocking: blocking && mapLocated(blocking, yesOrNo) };
      return at(item.line, fields);
    }),
  };
}

function pickImpact(reading: Reading): unknown {
  const section = takeSection(reading, 'Impact on the system specification', 'Impact on the system spec');
  const items = takeItems(reading, section, ['Reinforces', 'Stretches', 'Contradicts']);
  return {
    reinforces: takeValues(reading, items.Reinforces),
    stretches: takeValues(reading, items.Stretches),
    contradicts: items.Contradicts.map((item) => ({
      tension: at(item.line, item.value),
      proposal: takeOnly(reading, takeNested(reading, item, ['Proposal']).Proposal),
    })),
  };
}

function pickNumbered(
  reading: Reading,
  names: string[],
  prefix: string,
  pick: (reading: Reading, item: LabelledItem) => Record<string, unknown>,
): unknown {
  const items = takeItems(reading, takeSection(reading, ...names), [prefix], numberedLabel);
  return (items[prefix] ?? []).map((item) => at(item.line, { id: item.label, ...pick(reading, item) }));
}

/** `R-3` and `r3` are labels of the kind `R`. */
function numberedLabel(label: string): string {
  return /^([a-z]{1,2})[-_ ]?\d+$/i.exec(label.trim())?.[1] ?? label;
}

function yesOrNo(text: string): unknown {
  if (/^(?:yes|true)\.?$/i.test(text)) return true;
  return /^(?:no|false)\.?$/i.test(text) ? false : text;
}
