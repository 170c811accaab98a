type Schema = Record<string, unknown>;

/** Strings that may be longer than this are more than a line. */
const LONG = 2000;
/** Lists may be as long as they like, as far as a role must know. */
const MANY = 50;

/**
 * A JSON Schema as a model needs it: every role is sent all of them in every turn. What the program checks anyway and a
 * role meets hardly ever (lengths, unknown keys, defaults) is left out, as is the description that most fields share;
 * the rules for every role say that a field takes one line unless it is said to take longer text.
 */
export function compactSchema(schema: unknown): Schema {
  return compact(schema as Schema) as Schema;
}

function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as Schema;
  const kept = Object.entries(schema).filter(([key, inner]) => !isNoise(key, inner));
  const result = Object.fromEntries(
    kept.map(([key, inner]) => [key, key === 'properties' ? compactEach(inner as Schema) : compact(inner)]),
  );
  if (schema['type'] === 'string' && Number(schema['maxLength']) > LONG) {
    const { description } = schema as { description?: string };
    result['description'] = description === undefined ? 'Longer text.' : `${description} Longer text.`;
  }
  return result;
}

/** Names of fields are no keywords. */
function compactEach(properties: Schema): Schema {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, compact(schema)]));
}

function isNoise(key: string, value: unknown): boolean {
  if (key === 'maxItems') return Number(value) > MANY;
  if (key === 'description') return value === 'One line of Markdown.';
  return ['$schema', 'additionalProperties', 'minLength', 'maxLength', 'minItems', 'default'].includes(key);
}
