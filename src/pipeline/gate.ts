import { PersonNeededError } from '../errors.ts';
import type { Question } from '../model/api.ts';
import { record, type RunContext } from './context.ts';

/**
 * Asks a person. `--yes` takes the first choice, an option given beforehand (`preset`) its own.
 * @throws PersonNeededError when there is nobody to ask; the question is in the journal and the run can be resumed.
 */
export async function decide(context: RunContext, question: Question, preset?: string): Promise<string> {
  const { gate, step, text, choices } = question;
  await record(context, { type: 'gate-opened', data: { gate, step, question: text } });
  const answered = async (answer: string, by: 'person' | 'yes' | 'option'): Promise<string> => {
    await record(context, { type: 'gate-answered', data: { gate, step, answer, by } });
    return answer;
  };
  if (preset !== undefined) return answered(preset, 'option');
  if (context.options.yes && choices[0]) return answered(choices[0].value, 'yes');
  if (context.hooks.ask) return answered(await context.hooks.ask(question), 'person');
  throw new PersonNeededError(text, {
    hint: `Choices: ${choices.map(({ label }) => label).join(' · ')}. Decide in a terminal with: blueprint resume ${context.feature}`,
  });
}
