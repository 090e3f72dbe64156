/** The database did not answer in time. The statement may still take effect. */
export class DatabaseSlow extends Error {
  constructor() {
    super('the database does not answer in time');
    this.name = 'DatabaseSlow';
  }
}

/** Resolves to the answer, or rejects with `DatabaseSlow` after `ms`; the statement itself goes on. */
export async function inTime<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new DatabaseSlow());
    }, ms);
  });
  try {
    return await Promise.race([answer, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
