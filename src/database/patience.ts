/** The database did not answer in time. What it was asked may still happen. */
export class DatabaseSlow extends Error {
  constructor() {
    super('the database does not answer in time');
    this.name = 'DatabaseSlow';
  }
}

/** For what somebody waits for: the answer, or `DatabaseSlow` after so many ms. What was asked goes on by itself. */
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
