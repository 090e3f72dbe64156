/** The measured values of a reading by their names, such as `velocity.overall.axial` and `temperature[0]`. */
export function measured(reading: Readonly<Record<string, unknown>>): (readonly [variable: string, value: unknown])[] {
  return Object.entries(reading).flatMap(([block, content]) => {
    const name = /^(\w+?)Measurements?$/.exec(block)?.[1];
    return name === undefined ? [] : valuesIn(content, name === 'vibrational' ? [] : [name]);
  });
}

/** Settings of the measurement, spectra (in two spellings), and a flag that only says that the acceleration changed. */
const NO_VALUES = /^(configurationMetadata|spectral_?peaks|movement)$/i;

function valuesIn(content: unknown, path: readonly string[]): (readonly [string, unknown])[] {
  if (Array.isArray(content)) return content.map((item: unknown, index) => ofProbe(item, index, path.join('.')));
  if (typeof content !== 'object' || content === null) return [[path.join('.'), content]];
  return Object.entries(content).flatMap(([part, inner]) => {
    if (NO_VALUES.test(part)) return [];
    const name = part === 'initialAcceleration' ? [] : [part.replace(/Levels?$/, '')];
    return valuesIn(inner, [...path, ...name]);
  });
}

/** One of several probes of a kind: `{ sensorIndex, value }`. */
function ofProbe(item: unknown, index: number, name: string): readonly [string, unknown] {
  if (typeof item !== 'object' || item === null || !('value' in item)) return [`${name}[${index}]`, item];
  const number = 'sensorIndex' in item && Number.isSafeInteger(item.sensorIndex) ? item.sensorIndex : index;
  return [`${name}[${String(number)}]`, item.value];
}
