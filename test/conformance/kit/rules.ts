import { PAPER_RULES } from '../platform-rules.ts';
import { ANSWER_RULES, CANCEL_RULES } from './answer-rules.ts';
import { caseRules } from './case-rules.ts';
import { credentialRules } from './credential-rules.ts';
import { FAILURE_RULES } from './failure-rules.ts';
import type { SubjectRules } from './on-ground.ts';
import { pageRules } from './page-rules.ts';
import { SENSOR_RULES } from './sensor-rules.ts';
import type { Subject } from './subject.ts';
import { TIME_RULES } from './time-rules.ts';
import { valueRules } from './value-rules.ts';

/** Every rule of a platform: those of all, and those that follow from its facts and from what its simulator can show. */
export const conformanceRules = (subject: Subject): SubjectRules => ({
  ...PAPER_RULES,
  ...TIME_RULES,
  ...pageRules(subject),
  ...valueRules(subject),
  ...SENSOR_RULES,
  ...FAILURE_RULES,
  ...credentialRules(subject),
  ...caseRules(subject),
  ...ANSWER_RULES,
  ...CANCEL_RULES,
});
