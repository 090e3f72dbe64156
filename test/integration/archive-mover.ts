import { moveDay } from '../../src/archive/move.ts';
import type { Moved } from '../../src/archive/move.ts';
import { openDatabase } from '../../src/database/database.ts';

// Moves a day and kills itself at a step of it.
const [url = '', directory = '', projectId, day, last] = process.argv.slice(2);
const archive = { directory, after: 0 };
const database = await openDatabase({ url, poolSize: 2, applicationName: 'archive-mover', patient: false, archive });
let moved: Moved = { outcome: 'busy' };
while (moved.outcome === 'busy') {
  moved = await moveDay(
    database,
    { projectId: Number(projectId), day: Number(day) },
    {
      reached: (step) => {
        if (step === last) process.kill(process.pid, 'SIGKILL');
      },
    },
  );
}
