import { Refusal } from '../client/api.ts';

/** What a wrong password refuses; the refusal says so in these words at the field that the password was written in. */
export async function sayingAt<Answer>(field: string, words: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'wrong-password') throw error;
    throw new Refusal(error.status, { ...error.problem, errors: [{ pointer: `/${field}`, detail: words }] });
  }
}
