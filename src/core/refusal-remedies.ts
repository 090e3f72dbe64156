import { REFUSALS } from './reading.ts';
import type { RefusalReason } from './reading.ts';

/** The reader of a remedy: `operator` can change the file of a source, `pusher` the program that sends readings. */
export type RemedyReader = 'operator' | 'pusher';

const NOT_PULLED = 'Only pushed readings are refused so; tell the owner of the application.';
const NOT_PUSHED = 'Only readings of sources are refused so; tell the operator of the bridge.';

/** The remedy for each reader. A field of a source is named by its path in the file, and `<variable>` stands for a variable's name. */
const REMEDIES: Readonly<Record<RefusalReason, Readonly<Record<RemedyReader, string>>>> = {
  'not-an-object': {
    operator: NOT_PULLED,
    pusher: 'Send each reading as such an object.',
  },
  'misspelt-field': {
    operator: NOT_PULLED,
    pusher: 'Write sensorId, valueName, date, value, precision and labels exactly so.',
  },
  'no-value': {
    operator: 'No field of the source mends it. If the sensor never has values, leave it out of sensors.',
    pusher: 'Give each reading a value, a JSON number, or leave the reading out.',
  },
  null: {
    operator: 'No field of the source mends it. If the sensor never has values, leave it out of sensors.',
    pusher: 'Leave out readings without a number.',
  },
  boolean: {
    operator: 'If they are meant as readings, set mapping.booleans: number. Then true is 1 and false is 0.',
    pusher: 'If they are meant as readings, send 1 and 0 as value.',
  },
  'text-number': {
    operator:
      'Let the platform give the value as a number; the bridge converts no text, and no field of the source makes it do so.',
    pusher: 'Send value as a JSON number, without quotation marks.',
  },
  'not-a-number': {
    operator: 'Text never becomes a reading. If the sensor gives nothing else, leave it out of sensors.',
    pusher: 'Send a JSON number as value; text cannot be a reading.',
  },
  'not-finite': {
    operator:
      'Correct sensors[].values.<variable>.scale or sensors[].values.<variable>.offset if they make the number too large. Otherwise look at the sensor on the platform.',
    pusher: 'Send a finite number as value, at most 1.7e308, or leave the reading out.',
  },
  'not-a-scalar': {
    operator: 'Let the platform give single numbers, or leave the sensor out of sensors.',
    pusher: 'Send a reading for each number, with a valueName of its own.',
  },
  'system-state': {
    operator:
      'If the state is meant as a number, name it in sensors[].values.<variable>.states, such as {Open: 1, Closed: 0}. Otherwise nothing is to be done.',
    pusher: NOT_PUSHED,
  },
  'bad-quality': {
    operator: 'To take such values with precision 0, set mapping.bad: keep.',
    pusher: NOT_PUSHED,
  },
  'unknown-quality': {
    operator:
      'If options of the platform say what its qualities mean, name this one there. Otherwise report it to the author of the adapter.',
    pusher: NOT_PUSHED,
  },
  'no-date': {
    operator: NOT_PULLED,
    pusher: 'Give each reading a date in ISO 8601, such as 2026-11-21T08:15:30Z.',
  },
  'bad-instant': {
    operator: 'Look at the date, which is shown as the value, on the platform. No field of the source mends it.',
    pusher: 'Write date in ISO 8601, such as 2026-11-21T08:15:30Z.',
  },
  'date-without-time': {
    operator: NOT_PULLED,
    pusher: 'Add the time of day to date, such as 2026-11-21T08:15:30Z.',
  },
  'in-the-future': {
    operator: NOT_PULLED,
    pusher: 'Set the clock that gives date, and send the reading again with its true date.',
  },
  'too-old': {
    operator: NOT_PULLED,
    pusher: 'Correct date if it is wrong. Otherwise ask the operator of the service to raise DATABRIDGE_API_BACK_DAYS.',
  },
  'not-kept': {
    operator: NOT_PULLED,
    pusher: 'Leave out readings that are so old; the operator of the service decides how long a project keeps them.',
  },
  'same-instant': {
    operator:
      'Let the platform give each value a sensor, variable or instant of its own. Where two sensors got one name, give them names of their own with sensors[].as.',
    pusher: 'Send one reading for each sensorId, valueName and date; give each axis a valueName of its own.',
  },
  'local-time-missing': {
    operator:
      'Check that mapping.timezone is the zone of the wall clock of the platform. If it is, the clock of the device is wrong.',
    pusher: NOT_PUSHED,
  },
  'local-time-repeated': {
    operator: 'To take one of the two instants, set mapping.dst: earlier or mapping.dst: later.',
    pusher: NOT_PUSHED,
  },
  'bad-sensor-id': {
    operator: 'Give the sensor another name with sensors[].as.',
    pusher: 'Send a sensorId of 1 to 256 characters without control characters.',
  },
  'bad-value-name': {
    operator: 'Give the variable a name with sensors[].values.<variable>.as.',
    pusher: 'Send a valueName of 1 to 128 letters, digits and underscores, or leave it out.',
  },
  'bad-precision': {
    operator: NOT_PULLED,
    pusher: 'Send a whole number from 0 to 100 as precision, or leave it out.',
  },
  'bad-label': {
    operator:
      'Correct mapping.labels and sensors[].values.<variable>.labels. If the label is one of the platform, change it there.',
    pusher: 'Send labels as an array of texts of 1 to 128 characters.',
  },
  'too-many-labels': {
    operator: 'Take labels out of mapping.labels or sensors[].values.<variable>.labels.',
    pusher: 'Send at most 32 labels with a reading.',
  },
  'name-collision': {
    operator: 'Give one of the two variables a name of its own with sensors[].values.<variable>.as.',
    pusher: NOT_PUSHED,
  },
  'series-of-another': {
    operator:
      'Give the sensor another name with sensors[].as, or hand the series over: databridge source take-over NAME.',
    pusher: 'Send it under another sensorId or valueName, or ask the operator of the service to hand the series over.',
  },
  'name-held-back': {
    operator:
      'Release the name if it is meant: databridge project names PROJECT lists all of them. If it is misspelt, correct it with sensors[].as or sensors[].values.<variable>.as.',
    pusher:
      'Correct sensorId or valueName if they are misspelt. If they are meant, ask the operator of the service to release the name, and send the reading again.',
  },
  'too-many-series': {
    operator:
      'If the names are meant, raise the quota: databridge project quota PROJECT NUMBER. Otherwise leave the sensors out of sensors.',
    pusher:
      'Send only names that are meant to last, such as no instants or counters in sensorId, or ask the operator of the service for a larger quota.',
  },
  'refused-there': {
    operator: 'Mend it in the other service, whose own reason stands with the point. The point is stored here.',
    pusher: NOT_PUSHED,
  },
};

/** One sentence or two that tell the reader how to repair refusals of this reason. */
export const remedyOf = (reason: RefusalReason, reader: RemedyReader): string => REMEDIES[reason][reader];

/** The meaning of a reason and its remedy, as the answer to a push has them. */
export const messageOf = (reason: RefusalReason, reader: RemedyReader): string =>
  `${REFUSALS[reason]} ${remedyOf(reason, reader)}`;
