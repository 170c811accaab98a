/**
 * Remembers the results for the latest texts: the same few files are read again at every step of a run. A result is
 * shared, so nobody may change it. `compute` may not depend on anything but the text.
 */
export function memoise<Value>(compute: (text: string) => Value, size: number): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const value = known.has(text) ? (known.get(text) as Value) : compute(text);
    // A map keeps the order of insertion: the first is the one that was not asked for the longest.
    known.delete(text);
    known.set(text, value);
    if (known.size > size) known.delete(known.keys().next().value as string);
    return value;
  };
}
